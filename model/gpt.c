// gpt.c -- embedding, L blocks, layernorm, head; and the same walk backwards.
#include "gpt.h"
#include "attention.h"
#include "dropout.h"
#include "embedding.h"
#include "gelu.h"
#include "layernorm.h"
#include "linear.h"
#include "loss.h"
#include "place.h"
#include "threads.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

long gpt_micro_batch(const GptConfig *config) {
    const long ROWS = 256;
    return config->T >= ROWS ? 1 : ROWS / config->T;
}

static long place_acts(Acts *a, real *memory) {
    const GptConfig *c = &a->config;
    long N = a->B * c->T, C = c->C, at = 0;
    BlockActs shared;
    for (long l = 0; l < c->L; l++) {
        if (l == 0 || a->training)
            shared = (BlockActs){
                .resid = place_array(memory, &at, N * C),
                .ln1 = place_array(memory, &at, N * C),
                .ln1_mean = place_array(memory, &at, N),
                .ln1_rstd = place_array(memory, &at, N),
                .qkv = place_array(memory, &at, N * 3 * C),
                .lse = place_array(memory, &at, N * c->NH),
                .atty = place_array(memory, &at, N * C),
                .resid_mid = place_array(memory, &at, N * C),
                .ln2 = place_array(memory, &at, N * C),
                .ln2_mean = place_array(memory, &at, N),
                .ln2_rstd = place_array(memory, &at, N),
                .fch = place_array(memory, &at, N * 4 * C),
                .fch_gelu = place_array(memory, &at, N * 4 * C),
            };
        if (a->block) a->block[l] = shared;
    }
    a->resid = a->training ? place_array(memory, &at, N * C) : shared.resid;
    a->lnf = place_array(memory, &at, N * C);
    a->lnf_mean = place_array(memory, &at, N);
    a->lnf_rstd = place_array(memory, &at, N);
    a->logits = place_array(memory, &at, N * c->V);
    a->branch = place_array(memory, &at, N * C);
    a->dresid = a->training ? place_array(memory, &at, N * C) : NULL;
    a->dbranch = a->training ? place_array(memory, &at, N * C) : NULL;
    a->dwide = a->training ? place_array(memory, &at, N * 4 * C) : NULL;
    return at;
}

long acts_bytes(const GptConfig *config, long B, bool training) {
    Acts measure = {.config = *config, .B = B, .training = training};
    return place_acts(&measure, NULL) * (long)sizeof(real) + B * config->T * (long)sizeof(double);
}

bool acts_create(Acts *a, const GptConfig *config, long B, bool training, Error *err) {
    *a = (Acts){.config = *config, .B = B, .training = training};
    size_t bytes = (size_t)place_acts(a, NULL) * sizeof(real);
    a->block = malloc((size_t)config->L * sizeof *a->block);
    a->losses = malloc((size_t)(B * config->T) * sizeof *a->losses);
    a->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!a->block || !a->losses || !a->memory) {
        acts_free(a);
        return fail(err, "memory: cannot get %zu bytes for the activations", bytes);
    }
    place_acts(a, a->memory);
    return true;
}

void acts_free(Acts *a) {
    free(a->block);
    free(a->losses);
    free(a->memory);
    *a = (Acts){0};
}

// The places where GPT-2 has dropout, numbered for their streams: the embedding, then three in each block.
enum { AT_EMBEDDING, AT_ATTENTION, AT_ATTENTION_BRANCH, AT_MLP_BRANCH };

// The masks of one place; `per_sequence` is the number of elements a sequence has there. NULL-like (p = 0)
// when off.
static Dropout dropout_at(const GptDropout *d, int place, long layer, long per_sequence) {
    if (!d || d->p == 0) return (Dropout){0};
    return (Dropout){.p = d->p,
                     .key = random_key(d->seed, RANDOM_DROPOUT, d->step, (uint64_t)(4 * layer + place)),
                     .first = (uint64_t)(d->first * per_sequence)};
}

static const Dropout *if_any(const Dropout *d) { return d->p > 0 ? d : NULL; }

// out = resid + dropout(branch); the branch is overwritten.
static void residual_forward(real *out, const real *resid, real *branch, const Dropout *drop, long n) {
    if (drop->p > 0) dropout_forward(branch, branch, drop, n);
#pragma omp parallel for simd schedule(static) if (thread_worth(n))
    for (long i = 0; i < n; i++) out[i] = resid[i] + branch[i];
}

// The gradient of the branch: dout itself where nothing is dropped, else dout through the mask, in scratch.
static const real *residual_backward(real *scratch, const real *dout, const Dropout *drop, long n) {
    if (drop->p == 0) return dout;
    memset(scratch, 0, (size_t)n * sizeof(real));
    dropout_backward(scratch, dout, drop, n);
    return scratch;
}

void gpt_forward(Acts *a, const Weights *w, const int32_t *tokens, long B, long T,
                 const GptDropout *dropout) {
    const GptConfig *c = &w->config;
    long C = c->C, N = B * T, HS = C / c->NH;
    assert(B <= a->B && T <= c->T);
    real *first = a->block[0].resid;
    embedding_forward(first, tokens, w->wte, w->wpe, 0, B, T, C);
    Dropout drop = dropout_at(dropout, AT_EMBEDDING, 0, T * C);
    if (drop.p > 0) dropout_forward(first, first, &drop, N * C);

    for (long l = 0; l < c->L; l++) {
        const Block *p = &w->block[l];
        BlockActs *x = &a->block[l];
        real *out = l + 1 < c->L ? a->block[l + 1].resid : a->resid;
        Dropout drop_att = dropout_at(dropout, AT_ATTENTION, l, c->NH * T * T);
        Dropout drop_proj = dropout_at(dropout, AT_ATTENTION_BRANCH, l, T * C);
        Dropout drop_mlp = dropout_at(dropout, AT_MLP_BRANCH, l, T * C);

        layernorm_forward(x->ln1, x->ln1_mean, x->ln1_rstd, x->resid, p->ln1w, p->ln1b, N, C);
        linear_forward(x->qkv, x->ln1, p->qkvw, p->qkvb, N, C, 3 * C);
        attention_forward(x->atty, x->lse, x->qkv, if_any(&drop_att), B, T, c->NH, HS);
        linear_forward(a->branch, x->atty, p->attprojw, p->attprojb, N, C, C);
        residual_forward(x->resid_mid, x->resid, a->branch, &drop_proj, N * C);

        layernorm_forward(x->ln2, x->ln2_mean, x->ln2_rstd, x->resid_mid, p->ln2w, p->ln2b, N, C);
        linear_forward(x->fch, x->ln2, p->fcw, p->fcb, N, C, 4 * C);
        gelu_forward(x->fch_gelu, x->fch, N * 4 * C);
        linear_forward(a->branch, x->fch_gelu, p->fcprojw, p->fcprojb, N, 4 * C, C);
        residual_forward(out, x->resid_mid, a->branch, &drop_mlp, N * C);
    }
    layernorm_forward(a->lnf, a->lnf_mean, a->lnf_rstd, a->resid, w->lnfw, w->lnfb, N, C);
    linear_forward(a->logits, a->lnf, w->head, NULL, N, C, c->V);
}

// Added in order of the rows, so that the sum does not depend on the threads.
static double sum_of_losses(const double *losses, long N) {
    double sum = 0;
    for (long n = 0; n < N; n++) sum += losses[n];
    return sum;
}

double gpt_loss(Acts *a, const Weights *w, const int32_t *tokens, const int32_t *targets, long B, long T) {
    gpt_forward(a, w, tokens, B, T, NULL);
    loss_forward(a->losses, a->logits, targets, B * T, w->config.V);
    return sum_of_losses(a->losses, B * T);
}

// Block l, given the gradient of what leaves it in a->dresid; leaves there the gradient of what enters it.
static void block_backward(Block *d, Acts *a, const Block *p, const GptConfig *c, long l, long B, long T,
                           const GptDropout *dropout) {
    const BlockActs *x = &a->block[l];
    long C = c->C, N = B * T, HS = C / c->NH;
    Dropout drop_att = dropout_at(dropout, AT_ATTENTION, l, c->NH * T * T);
    Dropout drop_proj = dropout_at(dropout, AT_ATTENTION_BRANCH, l, T * C);
    Dropout drop_mlp = dropout_at(dropout, AT_MLP_BRANCH, l, T * C);
    real *dresid = a->dresid, *dbranch = a->dbranch, *dwide = a->dwide;
    size_t narrow = (size_t)(N * C) * sizeof(real);
    // Each backward pass adds, so a scratch gradient starts at zero. The residual stream's gradient passes by
    // every branch unchanged, and the branch's is added to it by the layernorm that begins the branch.

    const real *dout = residual_backward(a->branch, dresid, &drop_mlp, N * C);
    real *dgelu = x->fch_gelu;  // no longer needed once the weights below have used it
    memset(dwide, 0, 4 * narrow);
    linear_backward(dwide, d->fcprojw, d->fcprojb, dout, x->fch_gelu, p->fcprojw, N, 4 * C, C);
    memset(dgelu, 0, 4 * narrow);
    gelu_backward(dgelu, dwide, x->fch, 4 * N * C);
    memset(dbranch, 0, narrow);
    linear_backward(dbranch, d->fcw, d->fcb, dgelu, x->ln2, p->fcw, N, C, 4 * C);
    layernorm_backward(dresid, d->ln2w, d->ln2b, dbranch, x->resid_mid, p->ln2w, x->ln2_mean, x->ln2_rstd, N,
                       C);

    dout = residual_backward(a->branch, dresid, &drop_proj, N * C);
    memset(dbranch, 0, narrow);
    linear_backward(dbranch, d->attprojw, d->attprojb, dout, x->atty, p->attprojw, N, C, C);
    memset(dwide, 0, 3 * narrow);
    attention_backward(dwide, dbranch, x->qkv, x->atty, x->lse, if_any(&drop_att), B, T, c->NH, HS);
    memset(dbranch, 0, narrow);
    linear_backward(dbranch, d->qkvw, d->qkvb, dwide, x->ln1, p->qkvw, N, C, 3 * C);
    layernorm_backward(dresid, d->ln1w, d->ln1b, dbranch, x->resid, p->ln1w, x->ln1_mean, x->ln1_rstd, N, C);
}

double gpt_loss_backward(Weights *dw, Acts *a, const Weights *w, const int32_t *tokens,
                         const int32_t *targets, long B, long T, real dloss, const GptDropout *dropout) {
    const GptConfig *c = &w->config;
    long C = c->C, N = B * T;
    assert(a->training);
    gpt_forward(a, w, tokens, B, T, dropout);
    loss_forward_backward(a->losses, a->logits, targets, dloss, N, c->V);

    real *dlogits = a->logits, *dresid = a->dresid, *dbranch = a->dbranch;
    size_t narrow = (size_t)(N * C) * sizeof(real);
    memset(dbranch, 0, narrow);
    linear_backward(dbranch, dw->head, NULL, dlogits, a->lnf, w->head, N, C, c->V);
    memset(dresid, 0, narrow);
    layernorm_backward(dresid, dw->lnfw, dw->lnfb, dbranch, a->resid, w->lnfw, a->lnf_mean, a->lnf_rstd, N,
                       C);
    for (long l = c->L - 1; l >= 0; l--) block_backward(&dw->block[l], a, &w->block[l], c, l, B, T, dropout);
    Dropout drop = dropout_at(dropout, AT_EMBEDDING, 0, T * C);
    const real *dembedded = residual_backward(a->branch, dresid, &drop, N * C);
    embedding_backward(dw->wte, dw->wpe, dembedded, tokens, B, T, C);
    return sum_of_losses(a->losses, N);
}
