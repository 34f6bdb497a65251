#include "model_file.h"
#include "../model/adamw.h"
#include <stdlib.h>
#include <string.h>

bool model_file_put_tokenizer(Metadata *m, const Tokenizer *z, Error *err) {
    size_t n;
    char *vocabulary = tokenizer_vocabulary(z, &n);
    if (!vocabulary) return fail(err, "memory is short");
    bool good = metadata_put(m, "vocabulary", vocabulary, n, err) &&
                metadata_print(m, "vocabulary_capped", err, "%s", z->capped ? "true" : "false");
    free(vocabulary);
    return good;
}

static bool get_tokenizer(Tokenizer *z, const Metadata *m, const char *path, long V, Error *err) {
    const String *kind = metadata_get(m, "tokenizer"), *vocabulary = metadata_get(m, "vocabulary"),
                 *capped = metadata_get(m, "vocabulary_capped");
    Error why;
    if (!kind || !vocabulary || !capped)
        return fail(err, "%s: not a train_gpt model: it has no vocabulary", path);
    bool bytes = string_is(kind, "byte");
    if (!bytes && !string_is(kind, "char"))
        return fail(err, "%s: unknown tokenizer \"%.20s\"", path, kind->bytes);
    if (!string_is(capped, "true") && !string_is(capped, "false"))
        return fail(err, "%s: vocabulary_capped is \"%.20s\", neither true nor false", path, capped->bytes);
    if (!tokenizer_restore(z, bytes ? TOKENIZER_BYTE : TOKENIZER_CHAR, vocabulary->bytes, vocabulary->length,
                           string_is(capped, "true"), &why))
        return fail(err, "%s: %s", path, why.text);
    if (z->V == V) return true;
    fail(err, "%s: the vocabulary has %ld tokens, the model %ld", path, z->V, V);
    tokenizer_free(z);
    return false;
}

bool model_file_open(Safetensors *file, GptConfig *config, Tokenizer *z, bool *has_moments, const char *path,
                     Error *err) {
    if (!checkpoint_open(file, config, has_moments, path, err)) return false;
    if (get_tokenizer(z, &file->metadata, path, config->V, err)) return true;
    safetensors_close(file);
    return false;
}

bool model_file_check(const Weights *w, const char *path, Error *err) {
    const char *bad = weights_first_nonfinite(w, false);
    return !bad ||
           fail(err, "%s: tensor \"%s\" holds a NaN or an infinity; the model is of no use", path, bad);
}

bool model_file_load(ModelFile *m, const char *path, Error *err) {
    *m = (ModelFile){0};
    Safetensors file;
    GptConfig config;
    bool has_moments;
    if (!model_file_open(&file, &config, &m->z, &has_moments, path, err)) return false;
    bool good = weights_create(&m->w, &config, err) && checkpoint_read(&file, &m->w, NULL, NULL, err) &&
                model_file_check(&m->w, path, err);
    m->metadata = file.metadata;  // taken over
    file.metadata = (Metadata){0};
    safetensors_close(&file);
    if (!good) model_file_free(m);
    return good;
}

void model_file_free(ModelFile *m) {
    weights_free(&m->w);
    tokenizer_free(&m->z);
    metadata_free(&m->metadata);
}

bool model_file_encode(const Tokenizer *z, Ids *ids, Text *text, const Options *o, Error *err) {
    Unknown unknown;
    if (!tokenizer_encode(z, ids, text, &unknown, err)) return false;
    if (text->byte_order_marks && !o->quiet)
        fprintf(stderr, "left out a byte-order mark at the beginning of the text\n");
    if (unknown.count == 0) return true;
    if (!o->drop_unknown) {
        ids_free(ids);
        return tokenizer_refuse_unknown(text, &unknown, "--drop-unknown leaves such out", err);
    }
    if (!o->quiet) fprintf(stderr, "left out %ld characters that the model does not know\n", unknown.count);
    return true;
}
