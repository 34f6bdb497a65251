// products.c -- the matrix products of the linear layers, as a step uses them: every thread of a team on its
// own share, as many rows as a micro-batch has. Without bias, so that only the product counts.
#include "../model/linear.h"
#include "../model/random.h"
#include "bench.h"
#include <stdlib.h>

typedef struct {
    long N, C, OC;
    real *inp, *out, *weight;  // (N,C) (N,OC) (OC,C)
    Store store;               // of the gradient of the weight
} Product;

static void forward(void *on, long turn) {
    const Product *p = on;
    (void)turn;
    linear_forward(p->out, p->inp, p->weight, NULL, p->N, p->C, p->OC);
}

static void input_gradient(void *on, long turn) {
    const Product *p = on;
    (void)turn;
    linear_backward_input(p->inp, p->out, p->weight, p->N, p->C, p->OC);
}

static void weight_gradient(void *on, long turn) {
    const Product *p = on;
    (void)turn;
    linear_backward_weight(p->weight, NULL, p->out, p->inp, p->store, p->N, p->C, p->OC);
}

// Aligned as the model's arrays are. Small random numbers: zeros would flatter a processor that computes
// faster the less it has to switch.
static real *array(long n) {
    real *x = aligned_alloc(64, ((size_t)n * sizeof *x + 63) / 64 * 64);
    for (long i = 0; x && i < n; i++) x[i] = (real)(random_uniform(1, (uint64_t)i) - 0.5) / 64;
    return x;
}

// Each direction with arrays of its own, so that what one leaves in them does not reach the next.
static bool measure_products(Bench *b, Product *p, Error *err) {
    void (*const direction[])(void *, long) = {forward, input_gradient, weight_gradient};
    double operations = 2.0 * (double)p->N * (double)p->C * (double)p->OC;
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        p->inp = array(p->N * p->C), p->out = array(p->N * p->OC), p->weight = array(p->OC * p->C);
        good = (p->inp && p->out && p->weight) || fail(err, "memory is short");
        if (good) {
            Timing t = measure_team((TeamWork){direction[i], p}, limit_arithmetic(), b->brief);
            report_number(&b->report, operations / t.seconds / 1e9);
            report_number(&b->report, 100 * operations / t.worth);
        }
        free(p->inp), free(p->out), free(p->weight);
    }
    return good;
}

static bool products_of(Bench *b, const Model *m, Error *err) {
    long C = m->config.C, micro_batches = model_micro_batches(m);
    const struct {
        const char *name;
        long inputs, outputs;
    } layer[] = {{"qkv", C, 3 * C},
                 {"attention projection", C, C},
                 {"fc", C, 4 * C},
                 {"fc projection", 4 * C, C},
                 {"head", C, m->config.V}};
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        Product p = {.N = m->B / micro_batches * m->config.T,
                     .C = layer[i].inputs,
                     .OC = layer[i].outputs,
                     .store = micro_batches > 1 ? STORE_ADD : STORE_SET};
        report_text(&b->report, model_name(m).text);
        report_text(&b->report, layer[i].name);
        report_number(&b->report, (double)p.N);
        report_number(&b->report, (double)p.OC);
        report_number(&b->report, (double)p.C);
        if (!measure_products(b, &p, err)) return false;
    }
    return true;
}

bool bench_products(Bench *b, Error *err) {
    static const Column columns[] = {{"model", "model", -34, 0},
                                     {"layer", "layer", -20, 0},
                                     {"rows", "rows", 5, 0},
                                     {"outputs", "outputs", 7, 0},
                                     {"inputs", "inputs", 6, 0},
                                     {"forward_gflops", "forward", 7, 1},
                                     {"forward_percent", "%", 3, 0},
                                     {"input_gradient_gflops", "d input", 8, 1},
                                     {"input_gradient_percent", "%", 3, 0},
                                     {"weight_gradient_gflops", "d weight", 8, 1},
                                     {"weight_gradient_percent", "%", 3, 0}};
    REPORT_TABLE(&b->report, "products",
                 "matrix products: GFLOP/s forward, of the gradient of the input and of the weight; % of the "
                 "multiply-adds",
                 columns);
    for (int i = 0; i < MODELS; i++) {
        Model m = model_of(i, b->text, b->quick);
        if (!products_of(b, &m, err)) return false;
    }
    return true;
}
