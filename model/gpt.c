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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GPT_LOGITS                                   // the tests also build with few
enum { GPT_LOGITS = 1 << 22, GPT_HEAD_ROWS = 256 };  // fewer rows would use the head's weights too little
#endif

long gpt_micro_batch(const GptConfig *config) {
    const long ROWS = 512;
    return config->T >= ROWS ? 1 : ROWS / config->T;
}

// The table of logits grows with the vocabulary, so the head works on some of the N rows at a time: all of
// them where the vocabulary is small.
static long head_rows(const GptConfig *config, long N) {
    long rows = GPT_LOGITS / config->V / ROW_GROUP * ROW_GROUP;
    if (rows < GPT_HEAD_ROWS) rows = GPT_HEAD_ROWS;
    return N < rows ? N : rows;
}

static long place_acts(Acts *a, real *memory) {
    const GptConfig *c = &a->config;
    long N = a->B * c->T, C = c->C, at = 0;
    a->head_rows = head_rows(c, N);
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
    a->logits = place_array(memory, &at, a->head_rows * c->V);
    a->branch = place_array(memory, &at, N * C);
    a->attention = place_array(memory, &at, thread_count() * attention_scratch(C / c->NH));
    if (a->training) {
        a->dresid[0] = place_array(memory, &at, N * C);
        a->dresid[1] = place_array(memory, &at, N * C);
        a->dresid_mid = place_array(memory, &at, N * C);
        a->dmlp = place_array(memory, &at, N * C);
        a->datt = place_array(memory, &at, N * C);
        a->dnarrow = place_array(memory, &at, N * C);
        a->dwide = place_array(memory, &at, N * 4 * C);
        a->dqkv = place_array(memory, &at, N * 3 * C);
        a->sums1 = place_array(memory, &at, layernorm_sums(N, C));
        a->sums2 = place_array(memory, &at, layernorm_sums(N, C));
        a->sumsf = place_array(memory, &at, layernorm_sums(N, C));
    }
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

bool acts_first_nonfinite(const Acts *a, long B, long T, char name[64]) {
    long N = B * T, C = a->config.C;
    for (long l = 0; l < a->config.L; l++) {
        const BlockActs *x = &a->block[l];
        if (l == 0 && !all_finite(x->resid, N * C)) return strcpy(name, "transformer.wte + wpe");
        const struct {
            const char *module;
            const real *out;
            long width;
        } made[] = {{"ln_1", x->ln1, C},
                    {"attn.c_attn", x->qkv, 3 * C},
                    {"attn", x->atty, C},
                    {"attn.c_proj", x->resid_mid, C},
                    {"ln_2", x->ln2, C},
                    {"mlp.gelu", x->fch_gelu, 4 * C},
                    {"mlp.c_proj", l + 1 < a->config.L ? a->block[l + 1].resid : a->resid, C}};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            if (!all_finite(made[i].out, N * made[i].width))
                return snprintf(name, 64, "transformer.h.%ld.%s", l, made[i].module) > 0;
    }
    return !all_finite(a->lnf, N * C) && strcpy(name, "transformer.ln_f");
}

// The places where GPT-2 has dropout, numbered for their streams: the embedding, then three in each block.
enum { AT_EMBEDDING, AT_ATTENTION, AT_ATTENTION_BRANCH, AT_MLP_BRANCH };

// The masks of one place; `per_sequence` is the number of elements a sequence has there. p = 0 when off.
static Dropout dropout_at(const GptDropout *d, int place, long layer, long per_sequence) {
    if (!d || d->p == 0) return (Dropout){0};
    return (Dropout){.p = d->p,
                     .key = random_key(d->seed, RANDOM_DROPOUT, d->step, (uint64_t)(4 * layer + place)),
                     .first = (uint64_t)(d->first * per_sequence)};
}

static const Dropout *if_any(const Dropout *d) { return d->p > 0 ? d : NULL; }

// out = resid + dropout(branch); the branch is overwritten.
static void residual_forward(real *out, const real *resid, real *branch, const Dropout *drop, long N,
                             long C) {
    if (drop->p > 0) dropout_forward(branch, branch, drop, N, C);
    Range r = thread_rows(N);
    for (long i = r.begin * C; i < r.end * C; i++) out[i] = resid[i] + branch[i];
}

// The gradient of the branch: dout itself where nothing is dropped, else dout through the mask, in scratch.
static const real *residual_backward(real *scratch, const real *dout, const Dropout *drop, long N, long C) {
    if (drop->p == 0) return dout;
    dropout_backward(scratch, dout, drop, N, C);
    return scratch;
}

// Attention alone connects rows. It waits for those of other threads, unless each has whole sequences.
static void barrier_in_sequences(long B, long T) {
    if (B % thread_team() != 0 || T % ROW_GROUP != 0) thread_barrier();
}

static void block_forward(real *out, Acts *a, const Block *p, long l, long B, long T,
                          const GptDropout *dropout) {
    const GptConfig *c = &a->config;
    BlockActs *x = &a->block[l];
    long C = c->C, N = B * T, HS = C / c->NH;
    Dropout drop_att = dropout_at(dropout, AT_ATTENTION, l, c->NH * T * T);
    Dropout drop_proj = dropout_at(dropout, AT_ATTENTION_BRANCH, l, T * C);
    Dropout drop_mlp = dropout_at(dropout, AT_MLP_BRANCH, l, T * C);

    layernorm_forward(x->ln1, x->ln1_mean, x->ln1_rstd, x->resid, p->ln1w, p->ln1b, N, C);
    linear_forward(x->qkv, x->ln1, p->qkvw, p->qkvb, N, C, 3 * C);
    barrier_in_sequences(B, T);
    attention_forward(x->atty, x->lse, a->attention, x->qkv, if_any(&drop_att), B, T, c->NH, HS);
    barrier_in_sequences(B, T);
    linear_forward(a->branch, x->atty, p->attprojw, p->attprojb, N, C, C);
    residual_forward(x->resid_mid, x->resid, a->branch, &drop_proj, N, C);

    layernorm_forward(x->ln2, x->ln2_mean, x->ln2_rstd, x->resid_mid, p->ln2w, p->ln2b, N, C);
    linear_forward(x->fch, x->ln2, p->fcw, p->fcb, N, C, 4 * C);
    gelu_forward(x->fch_gelu, x->fch, x->fch, N, 4 * C);
    linear_forward(a->branch, x->fch_gelu, p->fcprojw, p->fcprojb, N, 4 * C, C);
    residual_forward(out, x->resid_mid, a->branch, &drop_mlp, N, C);
}

// Up to the last layernorm, for the threads of a team; each has its own rows of a->lnf.
static void team_forward(Acts *a, const Weights *w, const int32_t *tokens, long B, long T,
                         const GptDropout *dropout) {
    const GptConfig *c = &w->config;
    long C = c->C, N = B * T;
    real *first = a->block[0].resid;
    embedding_forward(first, tokens, w->wte, w->wpe, 0, B, T, C);
    Dropout drop = dropout_at(dropout, AT_EMBEDDING, 0, T * C);
    if (drop.p > 0) dropout_forward(first, first, &drop, N, C);
    for (long l = 0; l < c->L; l++)
        block_forward(l + 1 < c->L ? a->block[l + 1].resid : a->resid, a, &w->block[l], l, B, T, dropout);
    layernorm_forward(a->lnf, a->lnf_mean, a->lnf_rstd, a->resid, w->lnfw, w->lnfb, N, C);
}

void gpt_logits(real *logits, Acts *a, const Weights *w, const int32_t *tokens, long B, long T) {
    assert(B <= a->B && T <= w->config.T);
#pragma omp parallel
    {
        team_forward(a, w, tokens, B, T, NULL);
        linear_forward(logits, a->lnf, w->head, NULL, B * T, w->config.C, w->config.V);
        thread_barrier();
    }
}

// Added in order of the rows, so that the sum does not depend on the threads.
static double sum_of_losses(const double *losses, long N) {
    double sum = 0;
    for (long n = 0; n < N; n++) sum += losses[n];
    return sum;
}

double gpt_loss(Acts *a, const Weights *w, const int32_t *tokens, const int32_t *targets, long B, long T) {
    assert(B <= a->B && T <= w->config.T);
    long C = w->config.C, V = w->config.V, N = B * T;
#pragma omp parallel
    {
        team_forward(a, w, tokens, B, T, NULL);
        for (long n = 0; n < N; n += a->head_rows) {
            thread_barrier();  // each part has rows of all threads
            long rows = min_long(a->head_rows, N - n);
            linear_forward(a->logits, a->lnf + n * C, w->head, NULL, rows, C, V);
            loss_forward(a->losses + n, a->logits, targets + n, rows, V);
        }
        thread_barrier();
    }
    return sum_of_losses(a->losses, N);
}

// The head and the loss, forward and backward; leaves the gradient of lnf in a->dnarrow. Where the head works
// on a part of the rows at a time, every part has rows of all threads, which then change hands.
static void head_backward(real *dhead, Store store, Acts *a, const real *head, const int32_t *targets, long N,
                          real dloss) {
    long C = a->config.C, V = a->config.V;
    bool in_parts = a->head_rows < N;
    for (long n = 0; n < N; n += a->head_rows) {
        long rows = min_long(a->head_rows, N - n);
        const real *lnf = a->lnf + n * C;
        if (in_parts) thread_barrier();
        linear_forward(a->logits, lnf, head, NULL, rows, C, V);
        loss_forward_backward(a->losses + n, a->logits, targets + n, dloss, rows, V);
        linear_backward_input(a->dnarrow + n * C, a->logits, head, rows, C, V);
        thread_barrier();
        linear_backward_weight(dhead, NULL, a->logits, lnf, n == 0 ? store : STORE_ADD, rows, C, V);
    }
}

// Block l, given the gradient of what leaves it; finds that of what enters it. First the gradients of
// activations, in which a thread stays with its rows; then those of weights, which need the rows of all. The
// residual stream's gradient passes by every branch unchanged, and the branch's is added to it by the
// layernorm that begins the branch.
static void block_backward(Block *d, Store store, Acts *a, const Block *p, long l, long B, long T,
                           const GptDropout *dropout) {
    const GptConfig *c = &a->config;
    const BlockActs *x = &a->block[l];
    long C = c->C, N = B * T, HS = C / c->NH;
    real *leaving = a->dresid[(l + 1) % 2], *entering = a->dresid[l % 2];
    Dropout drop_att = dropout_at(dropout, AT_ATTENTION, l, c->NH * T * T);
    Dropout drop_proj = dropout_at(dropout, AT_ATTENTION_BRANCH, l, T * C);
    Dropout drop_mlp = dropout_at(dropout, AT_MLP_BRANCH, l, T * C);

    const real *dmlp = residual_backward(a->dmlp, leaving, &drop_mlp, N, C);
    linear_backward_input(a->dwide, dmlp, p->fcprojw, N, 4 * C, C);
    gelu_backward(a->dwide, a->dwide, x->fch, N, 4 * C);
    linear_backward_input(a->dnarrow, a->dwide, p->fcw, N, C, 4 * C);
    layernorm_backward_input(a->dresid_mid, a->sums2, leaving, a->dnarrow, x->resid_mid, p->ln2w, x->ln2_mean,
                             x->ln2_rstd, N, C);

    const real *datt = residual_backward(a->datt, a->dresid_mid, &drop_proj, N, C);
    linear_backward_input(a->dnarrow, datt, p->attprojw, N, C, C);
    barrier_in_sequences(B, T);
    attention_backward(a->dqkv, a->attention, a->dnarrow, x->qkv, x->atty, x->lse, if_any(&drop_att), B, T,
                       c->NH, HS);
    barrier_in_sequences(B, T);
    linear_backward_input(a->dnarrow, a->dqkv, p->qkvw, N, C, 3 * C);
    layernorm_backward_input(entering, a->sums1, a->dresid_mid, a->dnarrow, x->resid, p->ln1w, x->ln1_mean,
                             x->ln1_rstd, N, C);

    thread_barrier();
    linear_backward_weight(d->fcprojw, d->fcprojb, dmlp, x->fch_gelu, store, N, 4 * C, C);
    linear_backward_weight(d->fcw, d->fcb, a->dwide, x->ln2, store, N, C, 4 * C);
    layernorm_backward_weight(d->ln2w, d->ln2b, a->sums2, store, N, C);
    linear_backward_weight(d->attprojw, d->attprojb, datt, x->atty, store, N, C, C);
    linear_backward_weight(d->qkvw, d->qkvb, a->dqkv, x->ln1, store, N, C, 3 * C);
    layernorm_backward_weight(d->ln1w, d->ln1b, a->sums1, store, N, C);
    thread_barrier();  // the next block's gradients take the place of these
}

// The embedding only adds rows to its gradients. What they are added to must be there: zero, where no other
// function sets it first.
static void embedding_start(Weights *dw, Store store) {
    const GptConfig *c = &dw->config;
    if (store == STORE_ADD) return;
    Range positions = thread_share(c->T * c->C, COLUMN_GROUP),
          tokens = thread_share(c->V * c->C, COLUMN_GROUP);
    for (long i = positions.begin; i < positions.end; i++) dw->wpe[i] = 0;
    if (c->tied) return;  // the head sets it
    for (long i = tokens.begin; i < tokens.end; i++) dw->wte[i] = 0;
}

double gpt_loss_backward(Weights *dw, Store store, Acts *a, const Weights *w, const int32_t *tokens,
                         const int32_t *targets, long B, long T, real dloss, const GptDropout *dropout) {
    const GptConfig *c = &w->config;
    long C = c->C, N = B * T;
    assert(a->training && B <= a->B && T <= c->T);
#pragma omp parallel
    {
        team_forward(a, w, tokens, B, T, dropout);
        head_backward(dw->head, store, a, w->head, targets, N, dloss);
        layernorm_backward_input(a->dresid[c->L % 2], a->sumsf, NULL, a->dnarrow, a->resid, w->lnfw,
                                 a->lnf_mean, a->lnf_rstd, N, C);
        thread_barrier();
        layernorm_backward_weight(dw->lnfw, dw->lnfb, a->sumsf, store, N, C);
        for (long l = c->L - 1; l >= 0; l--)
            block_backward(&dw->block[l], store, a, &w->block[l], l, B, T, dropout);
        Dropout drop = dropout_at(dropout, AT_EMBEDDING, 0, T * C);
        const real *dembedded = residual_backward(a->dmlp, a->dresid[0], &drop, N, C);
        embedding_start(dw, store);
        thread_barrier();
        embedding_backward(dw->wte, dw->wpe, dembedded, tokens, B, T, C);
        thread_barrier();
    }
    return sum_of_losses(a->losses, N);
}
