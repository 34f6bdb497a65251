// sampling.c -- writing text: each token reads every weight once, whatever the number of texts side by side.
#include "../model/decode.h"
#include "../model/random.h"
#include "../model/sampler.h"
#include "bench.h"
#include <stdlib.h>

typedef struct {
    Decoder decoder;
    Candidate *candidate;
    int32_t *next;  // (streams)
    long tokens;    // of each stream
} Writer;

static void write_texts(void *on) {
    Writer *w = on;
    const Sampling sampling = {.temperature = 1, .top_p = 1};
    const int32_t start = 0;
    long V = w->decoder.w->config.V;
    const real *logits = decoder_start(&w->decoder, &start, 1, w->decoder.room);
    for (long t = 0; t < w->tokens; t++) {
        for (long s = 0; s < w->decoder.streams; s++) {
            long n = sampler_candidates(w->candidate, logits + s * V, V, &sampling);
            w->next[s] = sampler_choose(w->candidate, n, random_uniform((uint64_t)s, (uint64_t)t));
        }
        logits = decoder_append(&w->decoder, w->next);
    }
}

static bool sample(Bench *b, const Weights *w, long streams, Error *err) {
    const GptConfig *c = &w->config;
    Writer writer = {.tokens = b->quick ? 8 : c->T / 2,
                     .candidate = malloc(2 * (size_t)c->V * sizeof(Candidate)),
                     .next = malloc((size_t)streams * sizeof(int32_t))};
    bool good = (writer.candidate && writer.next) || fail(err, "memory is short");
    if (good && (good = decoder_create(&writer.decoder, w, streams, err))) {
        Elements weights = {w->memory, w->size};
        write_texts(&writer);  // touches memory
        Timing t = measure((Work){write_texts, &writer}, limit_rereading(&weights), b->brief);
        double each = (double)writer.tokens;
        // Of the positions a token reads one row.
        double bytes = each * (double)(weights_parameters(c) - c->T * c->C) * sizeof(real);
        report_number(&b->report, (double)streams);
        report_number(&b->report, (double)streams * each / t.seconds);
        report_number(&b->report, 1e3 * t.seconds / each);
        report_number(&b->report, bytes / t.seconds / 1e9);
        report_number(&b->report, 100 * bytes / t.worth);
        report_number(&b->report, 100 * bytes / t.seconds / b->reading);
    }
    decoder_free(&writer.decoder);
    free(writer.candidate);
    free(writer.next);
    return good;
}

bool bench_sampling(Bench *b, Error *err) {
    static const Column columns[] = {{"streams", "texts", 5, 0},
                                     {"tokens_per_second", "tokens/s", 9, 0},
                                     {"token_ms", "ms a token", 11, 3},
                                     {"weights_gb_per_second", "weights GB/s", 13, 1},
                                     {"percent_of_rereading", "% of reading them alone", 24, 0},
                                     {"percent_of_memory", "% of reading memory", 20, 0}};
    char title[128];
    Weights w;
    Model m = model_of(MEDIUM, b->text, b->quick);
    if (!weights_create(&w, &m.config, err)) return false;
    weights_init(&w, 1);
    snprintf(title, sizeof title, "sampling: %.1f million parameters, the first half of a context of %ld",
             (double)weights_parameters(&m.config) / 1e6, m.config.T);
    REPORT_TABLE(&b->report, "sampling", title, columns);
    bool good = sample(b, &w, 1, err) && sample(b, &w, 8, err);
    weights_free(&w);
    return good;
}
