#include "generate.h"
#include "../model/decode.h"
#include "../model/random.h"
#include "../model/sampler.h"
#include "model_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_start(Text *text, const Options *o, bool drop_marks, Error *err) {
    static const char PREFIX[] = "FILE:";
    bool from_file = strncmp(o->start, PREFIX, strlen(PREFIX)) == 0, from_input = strcmp(o->start, "-") == 0;
    if (!from_file && !from_input) return text_from(text, "--start", o->start, strlen(o->start), err);
    char *path = (char *)(from_file ? o->start + strlen(PREFIX) : o->start);
    return text_read(text, &path, 1, drop_marks, err);
}

static bool new_line(Ids *start, const Tokenizer *z, Error *err) {
    int32_t id = z->kind == TOKENIZER_BYTE ? '\n' : z->id['\n'];
    if (!ids_create(start, 1, z->V, err)) return false;
    ids_set(start, 0, id < 0 ? 0 : id);
    return true;
}

bool generate_start(Ids *start, const Options *o, const Tokenizer *z, long T, Error *err) {
    if (!o->start[0]) return new_line(start, z, err);
    Text text;
    if (!read_start(&text, o, z->kind == TOKENIZER_CHAR, err)) return false;
    bool good = model_file_encode(z, start, &text, o, err);
    text_free(&text);
    if (!good) return false;
    if (start->n == 0) {
        ids_free(start);
        return new_line(start, z, err);
    }
    if (start->n > T && !o->quiet)
        fprintf(stderr, "the start has %ld tokens; the model sees the last %ld, its context\n", start->n, T);
    return true;
}

static bool write_out(const char *bytes, int n, Error *err) {
    if (fwrite(bytes, 1, (size_t)n, stdout) == (size_t)n && fflush(stdout) == 0) return true;
    return fail(err, "standard output: %s", strerror(errno));
}

// Everything that one sample needs; made once for all.
typedef struct {
    Decoder decoder;
    Candidate *candidate;
    int32_t *start;
    long start_tokens;
} Generator;

static bool all_finite(const real *x, long n) {
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool generate_one(Generator *g, const Tokenizer *z, const Sampling *s, uint64_t key, const Options *o,
                         Error *err) {
    Utf8Stream stream = {0};
    char bytes[DECODED_MOST];
    // A start that was asked for is part of the text; the new line that stands in for none is not.
    for (long i = 0; o->start[0] && i < g->start_tokens; i++)
        if (!write_out(bytes, tokenizer_decode(z, &stream, g->start[i], bytes), err)) return false;
    decoder_reset(&g->decoder);
    real *logits = decoder_append(&g->decoder, g->start, g->start_tokens);
    for (long i = 0; i < o->max_new_tokens; i++) {
        if (!all_finite(logits, z->V)) return fail(err, "the model's weights are not finite numbers");
        long n = sampler_candidates(g->candidate, logits, z->V, s);
        int32_t token = sampler_choose(g->candidate, n, random_uniform(key, (uint64_t)i));
        if (!write_out(bytes, tokenizer_decode(z, &stream, token, bytes), err)) return false;
        if (i + 1 < o->max_new_tokens) logits = decoder_append(&g->decoder, &token, 1);
    }
    int n = tokenizer_decode_end(z, &stream, bytes);
    bytes[n++] = '\n';
    return write_out(bytes, n, err);
}

bool generate(const Weights *w, const Tokenizer *z, const Ids *start, const Options *o, Error *err) {
    Sampling s = {.temperature = o->temperature, .top_k = o->top_k, .top_p = o->top_p, .min_p = o->min_p};
    Generator g = {.start_tokens = start->n};
    g.candidate = malloc((size_t)z->V * sizeof *g.candidate);
    g.start = malloc((size_t)start->n * sizeof *g.start);
    bool good = (g.candidate && g.start) || fail(err, "memory is short");
    good = good && decoder_create(&g.decoder, w, err);
    if (good) ids_copy(g.start, start, 0, start->n);
    for (long i = 0; good && i < o->num_samples; i++) {
        if (i > 0) good = write_out("---------------\n", 16, err);
        good = good &&
               generate_one(&g, z, &s, random_key((uint64_t)o->seed, RANDOM_SAMPLE, (uint64_t)i, 0), o, err);
    }
    decoder_free(&g.decoder);
    free(g.candidate);
    free(g.start);
    return good;
}
