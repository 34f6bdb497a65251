#include "../data/file.h"
#include "../export/hf.h"
#include "commands.h"
#include "model_file.h"
#include "target.h"
#include <stdlib.h>

static void say(const HfReport *r, const char *out, const ModelFile *m) {
    const GptConfig *c = &m->w.config;
    if (r->exact_gelu)
        fprintf(stderr, "it was trained with the exact GELU, which is computed by tanh here: logits differ "
                        "by less than 0.01\n");
    if (r->narrow) fprintf(stderr, "its numbers have 16 bits; here they have 32, which changes none\n");
    if (r->missing_biases) fprintf(stderr, "%ld biases are missing, and are zeros now\n", r->missing_biases);
    if (r->buffers) fprintf(stderr, "%ld tensors are no weights but masks, and were left out\n", r->buffers);
    if (r->reordered) fprintf(stderr, "ids are now in the order of the characters\n");
    if (r->carriage_returns)
        fprintf(stderr, "the text's carriage returns are no token of the model, as is usual in Python\n");
    fprintf(stderr,
            "model: %ld layers, %ld heads, %ld channels, context %ld, %ld tokens: %ld parameters\nsaved %s\n",
            c->L, c->NH, c->C, c->T, c->V, weights_parameters(c), out);
    fprintf(stderr, "to fine-tune it: train_gpt TEXT --init-from %s\n", out);
}

static bool save(const ModelFile *m, const char *path, Error *err) {
    Metadata more = {0};
    bool good =
        metadata_print(&more, "tokenizer", err, "%s", m->z.kind == TOKENIZER_BYTE ? "byte" : "char") &&
        model_file_put_tokenizer(&more, &m->z, err) && checkpoint_save(path, &m->w, NULL, NULL, &more, err);
    metadata_free(&more);
    return good;
}

// Where a folder is read, none of its files is written over.
static bool out_is_free(const Options *o, Error *err) {
    bool good = target_is_free(o->out, o->argument[0], o->force, err);
    if (o->vocab[0]) good = good && target_is_free(o->out, o->vocab, o->force, err);
    for (const char *const *file = HF_FILES; good && *file; file++) {
        char *path = file_path(o->argument[0], *file);
        good = path ? target_is_free(o->out, path, o->force, err) : fail(err, "memory is short");
        free(path);
    }
    return good;
}

bool command_import(const Options *o, Error *err) {
    ModelFile m = {0};
    HfReport report;
    HfSource from = {
        .path = o->argument[0], .heads = o->heads, .text = o->vocab, .bytes = o->tokenizer == TOKENIZER_BYTE};
    if (!out_is_free(o, err) || !target_folder(o->out, err) || !hf_import(&m.w, &m.z, &from, &report, err))
        return false;
    bool good = model_file_check(&m.w, o->argument[0], err) && save(&m, o->out, err);
    if (good && !o->quiet) say(&report, o->out, &m);
    model_file_free(&m);
    return good;
}
