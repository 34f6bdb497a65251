// operators.c -- each operator of a step alone, called as model/gpt.c and model/trainer.c call it.
#include "operators.h"
#include "../model/attention.h"
#include "../model/embedding.h"
#include "../model/gelu.h"
#include "../model/layernorm.h"
#include "../model/linear.h"
#include "../model/loss.h"
#include "../model/threads.h"

// One block of a run, and the micro-batch that goes through it.
typedef struct {
    const GptConfig *c;
    Acts *a;
    BlockActs *x;
    Block *w, *dw;
    Store store;
    long B, N, C;
} Place;

static Place place_of(Run *r, long turn) {
    Trainer *t = &r->trainer;
    const GptConfig *c = &t->w.config;
    long l = turn % c->L, micro_batches = model_micro_batches(&r->model), B = r->model.B / micro_batches;
    return (Place){.c = c,
                   .a = &t->acts,
                   .x = &t->acts.block[l],
                   .w = &t->w.block[l],
                   .dw = &t->dw.block[l],
                   .store = micro_batches > 1 ? STORE_ADD : STORE_SET,
                   .B = B,
                   .N = B * c->T,
                   .C = c->C};
}

static void data(void *run, long turn) {
    (void)turn;
    if (thread_index() == 0) run_draw(run);
}

static void embedding(void *run, long turn) {
    Run *r = run;
    Place p = place_of(r, turn);
    const Trainer *t = &r->trainer;
    embedding_forward(p.x->resid, r->tokens, t->w.wte, t->w.wpe, 0, p.B, p.c->T, p.C);
    embedding_backward(t->dw.wte, t->dw.wpe, p.a->dresid[0], r->tokens, p.B, p.c->T, p.C);
}

static void norm_forward(void *run, long turn) {
    Place p = place_of(run, turn);
    layernorm_forward(p.x->ln1, p.x->ln1_mean, p.x->ln1_rstd, p.x->resid, p.w->ln1w, p.w->ln1b, p.N, p.C);
}

static void norm_backward(void *run, long turn) {
    Place p = place_of(run, turn);
    layernorm_backward_input(p.a->dresid_mid, p.a->sums1, p.a->dresid[0], p.a->dnarrow, p.x->resid, p.w->ln1w,
                             p.x->ln1_mean, p.x->ln1_rstd, p.N, p.C);
    thread_barrier();
    layernorm_backward_weight(p.dw->ln1w, p.dw->ln1b, p.a->sums1, p.store, p.N, p.C);
}

static void block_forward(void *run, long turn) {
    Place p = place_of(run, turn);
    linear_forward(p.x->qkv, p.x->ln1, p.w->qkvw, p.w->qkvb, p.N, p.C, 3 * p.C);
    linear_forward(p.a->branch, p.x->atty, p.w->attprojw, p.w->attprojb, p.N, p.C, p.C);
    linear_forward(p.x->fch, p.x->ln2, p.w->fcw, p.w->fcb, p.N, p.C, 4 * p.C);
    linear_forward(p.a->branch, p.x->fch_gelu, p.w->fcprojw, p.w->fcprojb, p.N, 4 * p.C, p.C);
}

static void block_input_gradient(void *run, long turn) {
    Place p = place_of(run, turn);
    linear_backward_input(p.a->dwide, p.a->dresid[0], p.w->fcprojw, p.N, 4 * p.C, p.C);
    linear_backward_input(p.a->dnarrow, p.a->dwide, p.w->fcw, p.N, p.C, 4 * p.C);
    linear_backward_input(p.a->dnarrow, p.a->dresid_mid, p.w->attprojw, p.N, p.C, p.C);
    linear_backward_input(p.a->dnarrow, p.a->dqkv, p.w->qkvw, p.N, p.C, 3 * p.C);
}

static void block_weight_gradient(void *run, long turn) {
    Place p = place_of(run, turn);
    linear_backward_weight(p.dw->fcprojw, p.dw->fcprojb, p.a->dresid[0], p.x->fch_gelu, p.store, p.N, 4 * p.C,
                           p.C);
    linear_backward_weight(p.dw->fcw, p.dw->fcb, p.a->dwide, p.x->ln2, p.store, p.N, p.C, 4 * p.C);
    linear_backward_weight(p.dw->attprojw, p.dw->attprojb, p.a->dresid_mid, p.x->atty, p.store, p.N, p.C,
                           p.C);
    linear_backward_weight(p.dw->qkvw, p.dw->qkvb, p.a->dqkv, p.x->ln1, p.store, p.N, p.C, 3 * p.C);
}

// The head's three products, for as many rows at a time as there is room for their logits.
static void head(void *run, long turn) {
    Run *r = run;
    Place p = place_of(r, turn);
    for (long n = 0; n < p.N; n += p.a->head_rows) {
        long rows = p.N - n < p.a->head_rows ? p.N - n : p.a->head_rows;
        const real *lnf = p.a->lnf + n * p.C, *weight = r->trainer.w.head;
        linear_forward(p.a->logits, lnf, weight, NULL, rows, p.C, p.c->V);
        linear_backward_input(p.a->dnarrow + n * p.C, p.a->logits, weight, rows, p.C, p.c->V);
        thread_barrier();
        linear_backward_weight(r->trainer.dw.head, NULL, p.a->logits, lnf, p.store, rows, p.C, p.c->V);
        thread_barrier();
    }
}

static void loss(void *run, long turn) {
    Run *r = run;
    Place p = place_of(r, turn);
    for (long n = 0; n < p.N; n += p.a->head_rows) {
        long rows = p.N - n < p.a->head_rows ? p.N - n : p.a->head_rows;
        loss_forward_backward(p.a->losses + n, p.a->logits, r->targets + n, (real)(1 / (double)p.N), rows,
                              p.c->V);
    }
}

static void attention(void *run, long turn) {
    Place p = place_of(run, turn);
    attention_forward(p.x->atty, p.x->lse, p.a->attention, p.x->qkv, NULL, p.B, p.c->T, p.c->NH,
                      p.C / p.c->NH);
}

static void attention_gradient(void *run, long turn) {
    Place p = place_of(run, turn);
    attention_backward(p.a->dqkv, p.a->attention, p.a->dnarrow, p.x->qkv, p.x->atty, p.x->lse, NULL, p.B,
                       p.c->T, p.c->NH, p.C / p.c->NH);
}

static void gelu(void *run, long turn) {
    Place p = place_of(run, turn);
    gelu_forward(p.x->fch_gelu, p.x->fch, p.x->fch, p.N, 4 * p.C);
}

static void gelu_gradient(void *run, long turn) {
    Place p = place_of(run, turn);
    gelu_backward(p.a->dwide, p.a->dwide, p.x->fch, p.N, 4 * p.C);
}

static void residual(void *run, long turn) {
    Place p = place_of(run, turn);
    Range rows = thread_rows(p.N);
    for (long i = rows.begin * p.C; i < rows.end * p.C; i++)
        p.x->resid_mid[i] = p.x->resid[i] + p.a->branch[i];
}

// These two open a region of their own.
static void norm_of_gradient(void *run) {
    Run *r = run;
    gradient_norm(&r->trainer.dw);
}

static void update(void *run) {
    Run *r = run;
    Trainer *t = &r->trainer;
    AdamW still = {.beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};  // learning rate 0: no weight moves
    adamw_step(&t->w, t->m, t->v, &t->dw, 1, t->step, &still);
}

void operators_pass(void *run) {
    Run *r = run;
    Trainer *t = &r->trainer;
    Place p = place_of(r, 0);
    gpt_loss_backward(&t->dw, p.store, &t->acts, &t->w, r->tokens, r->targets, p.B, p.c->T,
                      (real)(1 / (double)p.N), NULL);
}

void operators_list(Operator list[OPERATORS], Run *r) {
    Place p = place_of(r, 0);
    double L = (double)p.c->L, block_product = 2.0 * (double)(p.N * 12 * p.C * p.C),
           head_products = 6.0 * (double)(p.N * p.C * p.c->V),
           attention_products = 2.0 * (double)(p.N * p.c->T * p.C);
    const Operator all[OPERATORS] = {
        {"data", data, NULL, 0, 0},
        {"embedding, forward and backward", embedding, NULL, 1, 0},
        {"layernorm, forward", norm_forward, NULL, 2 * L + 1, 0},
        {"layernorm, backward", norm_backward, NULL, 2 * L + 1, 0},
        {"linear layers, forward", block_forward, NULL, L, block_product},
        {"linear layers, gradient of the input", block_input_gradient, NULL, L, block_product},
        {"linear layers, gradient of the weight", block_weight_gradient, NULL, L, block_product},
        {"attention, forward", attention, NULL, L, attention_products},
        {"attention, backward", attention_gradient, NULL, L, 2 * attention_products},
        {"gelu, forward", gelu, NULL, L, 0},
        {"gelu, backward", gelu_gradient, NULL, L, 0},
        {"residual stream", residual, NULL, 2 * L, 0},
        {"head, its three products", head, NULL, 1, head_products},
        {"loss and its gradient", loss, NULL, 1, 0},
        {"norm of the gradient", NULL, norm_of_gradient, 0, 0},
        {"AdamW", NULL, update, 0, 0},
    };
    for (int i = 0; i < OPERATORS; i++) list[i] = all[i];
}
