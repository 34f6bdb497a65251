// decode.c -- the forward pass of few rows: threads share the outputs of a layer, so that each weight is read
// once.
#include "decode.h"
#include "attention.h"
#include "embedding.h"
#include "gelu.h"
#include "layernorm.h"
#include "linear.h"
#include "place.h"
#include "threads.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef DECODE_ROWS  // the tests also build with few
enum { DECODE_ROWS = 256 };
#endif
enum { ROWS = DECODE_ROWS };  // of a long start that are encoded at once

static long place_decoder(Decoder *d, const GptConfig *c, long streams, real *memory) {
    long T = c->T, C = c->C, N = streams > ROWS ? streams : ROWS, at = 0;
    d->kcache = place_array(memory, &at, c->L * streams * T * C);
    d->vcache = place_array(memory, &at, c->L * streams * T * C);
    d->x = place_array(memory, &at, N * C);
    d->ln = place_array(memory, &at, N * C);
    d->qkv = place_array(memory, &at, N * 3 * C);
    d->atty = place_array(memory, &at, N * C);
    d->branch = place_array(memory, &at, N * C);
    d->fch = place_array(memory, &at, N * 4 * C);
    d->fch_gelu = place_array(memory, &at, N * 4 * C);
    d->mean = place_array(memory, &at, N);
    d->rstd = place_array(memory, &at, N);
    d->attention = place_array(memory, &at, thread_count() * attention_scratch(C / c->NH));
    d->logits = place_array(memory, &at, streams * c->V);
    return at;
}

long decoder_bytes(const GptConfig *config, long streams) {
    Decoder measure = {0};
    return place_decoder(&measure, config, streams, NULL) * (long)sizeof(real) +
           streams * config->T * (long)sizeof(int32_t);
}

bool decoder_create(Decoder *d, const Weights *w, long streams, Error *err) {
    *d = (Decoder){.w = w, .streams = streams, .room = streams};
    size_t bytes = ((size_t)place_decoder(d, &w->config, streams, NULL) * sizeof(real) + 63) / 64 * 64;
    d->memory = aligned_alloc(64, bytes);
    d->context = malloc((size_t)(streams * w->config.T) * sizeof *d->context);
    if (!d->memory || !d->context) {
        decoder_free(d);
        return fail(err, "memory: cannot get %zu bytes to sample", bytes);
    }
    place_decoder(d, &w->config, streams, d->memory);
    return true;
}

void decoder_free(Decoder *d) {
    free(d->memory);
    free(d->context);
    *d = (Decoder){0};
}

// x += branch, for the thread's rows.
static void add_branch(real *x, const real *branch, long N, long C) {
    Range r = thread_rows(N);
    for (long i = r.begin * C; i < r.end * C; i++) x[i] += branch[i];
}

// One head of one stream: its new keys and values go into the cache, its new queries meet all that is there.
static void head_decode(Decoder *d, long layer, long stream, long row, long head, long past, long n) {
    const GptConfig *c = &d->w->config;
    long C = c->C, HS = C / c->NH, cache = (layer * d->streams + stream) * c->T * C + head * HS;
    const real *q = d->qkv + row * 3 * C + head * HS;
    for (long t = 0; t < n; t++) {
        memcpy(d->kcache + cache + (past + t) * C, q + t * 3 * C + C, (size_t)HS * sizeof(real));
        memcpy(d->vcache + cache + (past + t) * C, q + t * 3 * C + 2 * C, (size_t)HS * sizeof(real));
    }
    attention_decode(d->atty + row * C + head * HS, C, d->attention, q, 3 * C, d->kcache + cache,
                     d->vcache + cache, C, n, past + n, HS);
}

// Encodes one token of each stream, or n tokens of one stream: tokens (streams,n), at positions from past on.
// Where they are wanted, leaves the logits of the last of each stream in their place. For the threads of a
// team.
static void team_encode(Decoder *d, long stream, long streams, const int32_t *tokens, long past, long n,
                        bool logits) {
    const Weights *w = d->w;
    const GptConfig *c = &w->config;
    long C = c->C, N = streams * n;
    embedding_forward(d->x, tokens, w->wte, w->wpe, past, streams, n, C);
    for (long l = 0; l < c->L; l++) {
        const Block *p = &w->block[l];
        layernorm_forward(d->ln, d->mean, d->rstd, d->x, p->ln1w, p->ln1b, N, C);
        thread_barrier();
        linear_forward_by_outputs(d->qkv, d->ln, p->qkvw, p->qkvb, N, C, 3 * C);
        thread_barrier();
        Range heads = thread_share(streams * c->NH, 1);
        for (long i = heads.begin; i < heads.end; i++)
            head_decode(d, l, stream + i / c->NH, i / c->NH * n, i % c->NH, past, n);
        thread_barrier();
        linear_forward_by_outputs(d->branch, d->atty, p->attprojw, p->attprojb, N, C, C);
        thread_barrier();
        add_branch(d->x, d->branch, N, C);
        layernorm_forward(d->ln, d->mean, d->rstd, d->x, p->ln2w, p->ln2b, N, C);
        thread_barrier();
        linear_forward_by_outputs(d->fch, d->ln, p->fcw, p->fcb, N, C, 4 * C);
        thread_barrier();
        gelu_forward(d->fch_gelu, d->fch, d->fch, N, 4 * C);
        thread_barrier();
        linear_forward_by_outputs(d->branch, d->fch_gelu, p->fcprojw, p->fcprojb, N, 4 * C, C);
        thread_barrier();
        add_branch(d->x, d->branch, N, C);
    }
    if (!logits) {
        thread_barrier();
        return;
    }
    layernorm_forward(d->ln, d->mean, d->rstd, d->x, w->lnfw, w->lnfb, N, C);
    thread_barrier();
    linear_forward_by_outputs(d->logits + stream * c->V, d->ln + (n - 1) * C, w->head, NULL, streams, C,
                              c->V);
    thread_barrier();
}

static void encode(Decoder *d, long stream, long streams, const int32_t *tokens, long past, long n,
                   bool logits) {
#pragma omp parallel
    team_encode(d, stream, streams, tokens, past, n, logits);
}

// Encodes n tokens of one stream from position 0 on, some at a time.
static void encode_from_start(Decoder *d, long stream, const int32_t *tokens, long n, bool logits) {
    for (long t = 0; t < n; t += ROWS)
        encode(d, stream, 1, tokens + t, t, min_long(ROWS, n - t), logits && t + ROWS >= n);
}

const real *decoder_start(Decoder *d, const int32_t *tokens, long n, long streams) {
    assert(streams >= 1 && streams <= d->room);
    d->streams = streams;
    const GptConfig *c = &d->w->config;
    long T = c->T, C = c->C, V = c->V;
    if (n > T) {
        tokens += n - T;
        n = T;
    }
    encode_from_start(d, 0, tokens, n, true);
    d->pos = n;
    memcpy(d->context, tokens, (size_t)n * sizeof *tokens);
    for (long s = 1; s < d->streams; s++) {
        memcpy(d->context + s * T, tokens, (size_t)n * sizeof *tokens);
        memcpy(d->logits + s * V, d->logits, (size_t)V * sizeof(real));
        for (long l = 0; l < c->L; l++) {
            long from = l * d->streams * T * C, to = from + s * T * C;
            memcpy(d->kcache + to, d->kcache + from, (size_t)(n * C) * sizeof(real));
            memcpy(d->vcache + to, d->vcache + from, (size_t)(n * C) * sizeof(real));
        }
    }
    return d->logits;
}

// Forgets the older half of a full context.
static void slide(Decoder *d) {
    long T = d->w->config.T, kept = T / 2;
    for (long s = 0; s < d->streams; s++) {
        int32_t *context = d->context + s * T;
        memmove(context, context + T - kept, (size_t)kept * sizeof *context);
        encode_from_start(d, s, context, kept, false);
    }
    d->pos = kept;
}

const real *decoder_append(Decoder *d, const int32_t *tokens) {
    long T = d->w->config.T;
    if (d->pos == T) slide(d);
    for (long s = 0; s < d->streams; s++) d->context[s * T + d->pos] = tokens[s];
    encode(d, 0, d->streams, tokens, d->pos, 1, true);
    d->pos++;
    return d->logits;
}
