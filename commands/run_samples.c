#include "run_samples.h"
#include "../data/json.h"
#include "../model/decode.h"
#include "../model/random.h"
#include "../model/sampler.h"
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 120, BYTES_MOST = (TOKENS + 1) * DECODED_MOST };

static void forget(RunSamples *s, long i) {
    free(s->at[i].text);
    s->at[i] = (RunSample){0};
}

void run_samples_free(RunSamples *s) {
    for (long i = 0; i < s->n; i++) forget(s, i);
    s->n = 0;
}

// Every second one, but for the first.
static void thin_out(RunSamples *s) {
    long kept = 0;
    for (long i = 0; i < s->n; i++)
        if (i % 2 == 0)
            s->at[kept++] = s->at[i];
        else
            forget(s, i);
    s->n = kept;
}

// Begins after a new line, or the first token. Stops where a logit is not finite, which training will report.
static size_t write_text(char out[BYTES_MOST], Decoder *d, Candidate *candidate, const Tokenizer *z,
                         uint64_t key) {
    const Sampling sampling = {.temperature = 0.8, .top_p = 1};
    int32_t line = z->kind == TOKENIZER_BYTE ? '\n' : z->id['\n'], token = line < 0 ? 0 : line;
    Utf8Stream decoding = {0};
    size_t n = 0;
    const real *logits = decoder_start(d, &token, 1, 1);
    for (long t = 0; t < TOKENS && all_finite(logits, z->V); t++) {
        long candidates = sampler_candidates(candidate, logits, z->V, &sampling);
        token = sampler_choose(candidate, candidates, random_uniform(key, (uint64_t)t));
        n += (size_t)tokenizer_decode(z, &decoding, token, out + n);
        if (t + 1 < TOKENS) logits = decoder_append(d, &token);
    }
    return n + (size_t)tokenizer_decode_end(z, &decoding, out + n);
}

bool run_samples_add(RunSamples *s, const Weights *w, const Tokenizer *z, uint64_t seed, long step,
                     Error *err) {
    if (s->n == RUN_SAMPLES_MOST) thin_out(s);
    Candidate *candidate = malloc(2 * (size_t)z->V * sizeof *candidate);
    char *text = malloc(BYTES_MOST);
    Decoder d = {0};
    bool good = (candidate && text) || fail(err, "memory is short");
    good = good && decoder_create(&d, w, 1, err);
    if (good) {
        size_t n = write_text(text, &d, candidate, z, random_key(seed, RANDOM_SAMPLE, (uint64_t)step, 1));
        char *fits = realloc(text, n + 1);
        s->at[s->n++] = (RunSample){.step = step, .text = fits ? fits : text, .n = n};
        decoder_free(&d);
    } else {
        free(text);
    }
    free(candidate);
    return good;
}

// [[step,"text"],...]
bool run_samples_save(const RunSamples *s, Metadata *m, Error *err) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) return fail(err, "memory is short");
    for (long i = 0; i < s->n; i++) {
        fprintf(f, "%c[%ld,", i ? ',' : '[', s->at[i].step);
        json_write_string(f, s->at[i].text, s->at[i].n);
        putc(']', f);
    }
    fputs(s->n ? "]" : "[]", f);
    bool whole = !ferror(f);
    whole = fclose(f) == 0 && whole;
    bool good = (whole || fail(err, "memory is short")) && metadata_put(m, "samples", text, n, err);
    free(text);
    return good;
}

static bool read_samples(RunSamples *s, Json *j, long step) {
    long count = 0;
    bool more;
    int64_t at;
    String text;
    if (!json_expect(j, '[')) return false;
    while (json_next(j, ']', &count, &more) && more) {
        if (!json_expect(j, '[') || !json_natural(j, &at) || !json_expect(j, ',') || !json_string(j, &text))
            return false;
        bool ascends = at <= step && (s->n == 0 || at > s->at[s->n - 1].step);
        if (s->n == RUN_SAMPLES_MOST || !ascends || text.length > BYTES_MOST) {
            free(text.bytes);
            return fail(j->err, "%s: sample %ld is too long, one too many, or not in order", j->name, count);
        }
        s->at[s->n++] = (RunSample){.step = (long)at, .text = text.bytes, .n = text.length};
        if (!json_expect(j, ']')) return false;
    }
    return !more && json_finish(j);
}

bool run_samples_restore(RunSamples *s, const Metadata *m, long step, const char *path, Error *err) {
    const String *text = metadata_get(m, "samples");
    *s = (RunSamples){0};
    if (!text) return true;
    Json j = {
        .name = path, .begin = text->bytes, .at = text->bytes, .end = text->bytes + text->length, .err = err};
    if (read_samples(s, &j, step)) return true;
    run_samples_free(s);
    return false;
}
