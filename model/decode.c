#include "decode.h"
#include "attention.h"
#include "embedding.h"
#include "gelu.h"
#include "layernorm.h"
#include "linear.h"
#include "place.h"
#include "threads.h"
#include <stdlib.h>
#include <string.h>

static long place_decoder(Decoder *d, const GptConfig *c, real *memory) {
    long T = c->T, C = c->C, at = 0;
    d->kcache = place_array(memory, &at, c->L * T * C);
    d->vcache = place_array(memory, &at, c->L * T * C);
    d->x = place_array(memory, &at, T * C);
    d->ln = place_array(memory, &at, T * C);
    d->qkv = place_array(memory, &at, T * 3 * C);
    d->atty = place_array(memory, &at, T * C);
    d->branch = place_array(memory, &at, T * C);
    d->fch = place_array(memory, &at, T * 4 * C);
    d->fch_gelu = place_array(memory, &at, T * 4 * C);
    d->mean = place_array(memory, &at, T);
    d->rstd = place_array(memory, &at, T);
    d->attention = place_array(memory, &at, thread_count() * attention_scratch(C / c->NH));
    d->logits = place_array(memory, &at, c->V);
    return at;
}

long decoder_bytes(const GptConfig *config) {
    Decoder measure = {0};
    return place_decoder(&measure, config, NULL) * (long)sizeof(real) + config->T * (long)sizeof(int32_t);
}

bool decoder_create(Decoder *d, const Weights *w, Error *err) {
    *d = (Decoder){.w = w};
    size_t bytes = ((size_t)place_decoder(d, &w->config, NULL) * sizeof(real) + 63) / 64 * 64;
    d->memory = aligned_alloc(64, bytes);
    d->context = malloc((size_t)w->config.T * sizeof *d->context);
    if (!d->memory || !d->context) {
        decoder_free(d);
        return fail(err, "memory: cannot get %zu bytes to sample", bytes);
    }
    place_decoder(d, &w->config, d->memory);
    return true;
}

void decoder_free(Decoder *d) {
    free(d->memory);
    free(d->context);
    *d = (Decoder){0};
}

void decoder_reset(Decoder *d) { d->pos = 0; }

static void add_branch(real *x, const real *branch, long n) {
    for (long i = 0; i < n; i++) x[i] += branch[i];
}

// Encodes n tokens at positions pos .. pos+n-1, which fit the context.
static void encode(Decoder *d, const int32_t *tokens, long n) {
    const GptConfig *c = &d->w->config;
    long C = c->C, T = c->T, HS = C / c->NH, past = d->pos;
    memcpy(d->context + past, tokens, (size_t)n * sizeof *tokens);
    d->pos += n;
    embedding_forward(d->x, tokens, d->w->wte, d->w->wpe, past, 1, n, C);
    for (long l = 0; l < c->L; l++) {
        const Block *p = &d->w->block[l];
        real *k = d->kcache + l * T * C, *v = d->vcache + l * T * C;
        layernorm_forward(d->ln, d->mean, d->rstd, d->x, p->ln1w, p->ln1b, n, C);
        linear_forward(d->qkv, d->ln, p->qkvw, p->qkvb, n, C, 3 * C);
        for (long t = 0; t < n; t++) {
            memcpy(k + (past + t) * C, d->qkv + t * 3 * C + C, (size_t)C * sizeof(real));
            memcpy(v + (past + t) * C, d->qkv + t * 3 * C + 2 * C, (size_t)C * sizeof(real));
        }
        attention_decode(d->atty, d->attention, d->qkv, 3 * C, k, v, n, d->pos, c->NH, HS);
        linear_forward(d->branch, d->atty, p->attprojw, p->attprojb, n, C, C);
        add_branch(d->x, d->branch, n * C);
        layernorm_forward(d->ln, d->mean, d->rstd, d->x, p->ln2w, p->ln2b, n, C);
        linear_forward(d->fch, d->ln, p->fcw, p->fcb, n, C, 4 * C);
        gelu_forward(d->fch_gelu, d->fch, d->fch, n, 4 * C);
        linear_forward(d->branch, d->fch_gelu, p->fcprojw, p->fcprojb, n, 4 * C, C);
        add_branch(d->x, d->branch, n * C);
    }
    // Only the last token's logits are wanted.
    layernorm_forward(d->ln, d->mean, d->rstd, d->x + (n - 1) * C, d->w->lnfw, d->w->lnfb, 1, C);
    linear_forward(d->logits, d->ln, d->w->head, NULL, 1, C, c->V);
}

real *decoder_append(Decoder *d, const int32_t *tokens, long n) {
    long T = d->w->config.T;
    if (n >= T) {
        tokens += n - T;
        n = T;
        d->pos = 0;
    }
    while (n > 0) {
        if (d->pos == T) {
            long kept = T / 2;
            d->pos = 0;
            if (kept > 0) encode(d, d->context + T - kept, kept);
        }
        long fits = n < T - d->pos ? n : T - d->pos;
        encode(d, tokens, fits);
        tokens += fits;
        n -= fits;
    }
    return d->logits;
}
