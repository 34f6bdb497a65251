#include "generate.h"
#include "../model/decode.h"
#include "../model/random.h"
#include "../model/sampler.h"
#include "../model/threads.h"
#include "machine.h"
#include "model_file.h"
#include "output.h"
#include "sample_json.h"
#include "sample_page.h"
#include <stdlib.h>
#include <string.h>

const char *generate_start_file(const Options *o) {
    static const char PREFIX[] = "FILE:";
    if (strncmp(o->start, PREFIX, strlen(PREFIX)) == 0) return o->start + strlen(PREFIX);
    return strcmp(o->start, "-") == 0 ? o->start : NULL;
}

static bool read_start(Text *text, const Options *o, bool drop_marks, Error *err) {
    char *path = (char *)generate_start_file(o);
    if (!path) return text_from(text, "--start", o->start, strlen(o->start), err);
    return text_read_within(text, machine_memory(), &path, 1, drop_marks, NULL, err);
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

static bool write_out(const char *bytes, long n, Error *err) {
    fwrite(bytes, 1, (size_t)n, stdout);  // a failure is remembered
    return output_flush(err);
}

long generate_streams(const Options *o, const GptConfig *config) {
    long streams = min_long(o->num_samples, 16);  // more would hardly save time
    // Keys and values take much memory where the model is large or the context long.
    while (streams > 1 && (double)decoder_bytes(config, streams) > machine_memory() / 4) streams /= 2;
    return streams;
}

// One of the samples that are made side by side. The first is written as it is made, the others when their
// turn comes.
typedef struct {
    uint64_t key;
    Utf8Stream decoding;
    bool waits;
    char *text;  // of one that waits
    long bytes, room;
    int32_t *id;  // (max_new_tokens), for JSON, which says all at the end; else NULL
} Sample;

typedef struct {
    const Tokenizer *z;
    const Options *o;
    long T;
    Decoder decoder;
    Candidate *candidate;  // (2 V)
    int32_t *start, *next;
    long start_tokens;
    Sample *sample;
    SamplePage page;  // where one is asked for
} Generator;

static bool emit(Sample *s, const char *bytes, int n, Error *err) {
    if (s->id) return true;
    if (!s->waits) return write_out(bytes, n, err);
    if (s->bytes + n > s->room) {
        long room = 2 * (s->bytes + n) + 256;
        char *text = realloc(s->text, (size_t)room);
        if (!text) return fail(err, "memory is short");
        s->text = text;
        s->room = room;
    }
    memcpy(s->text + s->bytes, bytes, (size_t)n);
    s->bytes += n;
    return true;
}

static bool emit_token(const Generator *g, Sample *s, int32_t token, Error *err) {
    char bytes[DECODED_MOST];
    return emit(s, bytes, tokenizer_decode(g->z, &s->decoding, token, bytes), err);
}

static bool emit_end(const Generator *g, Sample *s, Error *err) {
    char bytes[DECODED_MOST + 1];
    int n = tokenizer_decode_end(g->z, &s->decoding, bytes);
    bytes[n++] = '\n';
    return emit(s, bytes, n, err);
}

// The samples first .. first+streams-1, side by side.
static bool generate_some(Generator *g, long first, long streams, Error *err) {
    const Options *o = g->o;
    Sampling sampling = {
        .temperature = o->temperature, .top_k = o->top_k, .top_p = o->top_p, .min_p = o->min_p};
    long V = g->z->V;
    for (long i = 0; i < streams; i++) {
        Sample *s = &g->sample[i];
        s->key = random_key((uint64_t)o->seed, RANDOM_SAMPLE, (uint64_t)(first + i), 0);
        s->decoding = (Utf8Stream){0};
        s->waits = i > 0;
        s->bytes = 0;
        if (first + i > 0 && !emit(s, "---------------\n", 16, err)) return false;
        // A start that was asked for is part of the text; the new line that stands in for none is not.
        for (long t = 0; o->start[0] && t < g->start_tokens; t++)
            if (!emit_token(g, s, g->start[t], err)) return false;
    }
    const real *logits = decoder_start(&g->decoder, g->start, g->start_tokens, streams);
    if (o->json && first == 0) sample_json_begin(g->z, g->T, g->start, g->start_tokens, logits);
    for (long t = 0; t < o->max_new_tokens; t++) {
        for (long i = 0; i < streams; i++) {
            Sample *s = &g->sample[i];
            if (!all_finite(logits + i * V, V))
                return fail(err, "the model's weights are not finite numbers");
            long n = sampler_candidates(g->candidate, logits + i * V, V, &sampling);
            g->next[i] = sampler_choose(g->candidate, n, random_uniform(s->key, (uint64_t)t));
            if (s->id) s->id[t] = g->next[i];
            if (o->html[0]) sample_page_set(&g->page, first + i, t, g->next[i], logits + i * V);
            if (!emit_token(g, s, g->next[i], err)) return false;
        }
        if (t + 1 == o->max_new_tokens) break;
        double before = machine_seconds();
        logits = decoder_append(&g->decoder, g->next);
        thread_adapt(machine_seconds() - before, 0.1);
    }
    for (long i = 0; i < streams; i++) {
        Sample *s = &g->sample[i];
        if (s->id) sample_json_add(g->z, first + i, s->id, o->max_new_tokens);
        if (!emit_end(g, s, err)) return false;
        if (s->waits && !write_out(s->text, s->bytes, err)) return false;
    }
    return true;
}

static void free_generator(Generator *g, long streams) {
    decoder_free(&g->decoder);
    sample_page_free(&g->page);
    for (long i = 0; g->sample && i < streams; i++) {
        free(g->sample[i].text);
        free(g->sample[i].id);
    }
    free(g->candidate);
    free(g->start);
    free(g->next);
    free(g->sample);
}

bool generate(const Weights *w, const Tokenizer *z, const Ids *start, const Options *o, Error *err) {
    long streams = generate_streams(o, &w->config);
    if (streams == 0) return true;
    Generator g = {.z = z, .o = o, .T = w->config.T, .start_tokens = start->n};
    g.candidate = malloc(2 * (size_t)z->V * sizeof *g.candidate);
    g.start = malloc((size_t)start->n * sizeof *g.start);
    g.next = malloc((size_t)streams * sizeof *g.next);
    g.sample = calloc((size_t)streams, sizeof *g.sample);
    bool good = (g.candidate && g.start && g.next && g.sample) || fail(err, "memory is short");
    good = good && decoder_create(&g.decoder, w, streams, err);
    for (long i = 0; good && o->json && i < streams; i++) {
        g.sample[i].id = malloc((size_t)o->max_new_tokens * sizeof(int32_t) + 1);
        good = g.sample[i].id || fail(err, "memory is short");
    }
    good = good && (!o->html[0] || sample_page_create(&g.page, z, o, err));
    if (good) ids_copy(g.start, start, 0, start->n);
    for (long first = 0; good && first < o->num_samples; first += streams) {
        good = generate_some(&g, first, min_long(streams, o->num_samples - first), err);
    }
    if (good && o->json) {
        sample_json_end();
        good = output_flush(err);
    }
    if (good && o->html[0]) good = sample_page_write(&g.page, g.start, o->start[0] ? start->n : 0, err);
    free_generator(&g, streams);
    return good;
}
