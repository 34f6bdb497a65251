// weights.c -- one walk through all tensors, which lists them, measures them, or places them in memory.
#include "weights.h"
#include "place.h"
#include "random.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where the walk stands. Without a list it lists nothing, without memory it only measures.
typedef struct {
    Tensor *list;
    real *memory;
    long tensors, offset, parameters;
} Walk;

static real *place(Walk *walk, long rows, long columns, Init init, double deviation, const char *name) {
    Tensor t = {.shape = {rows, columns},
                .dims = columns ? 2 : 1,
                .offset = walk->offset,
                .size = rows * (columns ? columns : 1),
                .init = init,
                .deviation = deviation};
    if (walk->list) {
        snprintf(t.name, sizeof t.name, "%s", name);
        walk->list[walk->tensors] = t;
    }
    walk->tensors++;
    walk->parameters += t.size;
    return place_array(walk->memory, &walk->offset, t.size);
}

static real *matrix(Walk *walk, long out, long in, double deviation, const char *name) {
    return place(walk, out, in, INIT_NORMAL, deviation, name);
}

static real *norm(Walk *walk, long C, const char *name) { return place(walk, C, 0, INIT_ONE, 0, name); }

static real *bias(Walk *walk, const GptConfig *c, long size, const char *name) {
    return c->bias ? place(walk, size, 0, INIT_ZERO, 0, name) : NULL;
}

static Block place_block(Walk *walk, const GptConfig *c, long l) {
    char name[64];
    long C = c->C;
    double onto_residual = 0.02 / sqrt(2.0 * (double)c->L);
#define NAME(suffix) (snprintf(name, sizeof name, "transformer.h.%ld." suffix, l), name)
    Block b;
    b.ln1w = norm(walk, C, NAME("ln_1.weight"));
    b.ln1b = bias(walk, c, C, NAME("ln_1.bias"));
    b.qkvw = matrix(walk, 3 * C, C, 0.02, NAME("attn.c_attn.weight"));
    b.qkvb = bias(walk, c, 3 * C, NAME("attn.c_attn.bias"));
    b.attprojw = matrix(walk, C, C, onto_residual, NAME("attn.c_proj.weight"));
    b.attprojb = bias(walk, c, C, NAME("attn.c_proj.bias"));
    b.ln2w = norm(walk, C, NAME("ln_2.weight"));
    b.ln2b = bias(walk, c, C, NAME("ln_2.bias"));
    b.fcw = matrix(walk, 4 * C, C, 0.02, NAME("mlp.c_fc.weight"));
    b.fcb = bias(walk, c, 4 * C, NAME("mlp.c_fc.bias"));
    b.fcprojw = matrix(walk, C, 4 * C, onto_residual, NAME("mlp.c_proj.weight"));
    b.fcprojb = bias(walk, c, C, NAME("mlp.c_proj.bias"));
#undef NAME
    return b;
}

// Block pointers are stored only where w->block has been allocated.
static void place_all(Walk *walk, Weights *w, const GptConfig *c) {
    w->wte = matrix(walk, c->V, c->C, 0.02, "transformer.wte.weight");
    w->wpe = matrix(walk, c->T, c->C, 0.02, "transformer.wpe.weight");
    for (long l = 0; l < c->L; l++) {
        Block b = place_block(walk, c, l);
        if (w->block) w->block[l] = b;
    }
    w->lnfw = norm(walk, c->C, "transformer.ln_f.weight");
    w->lnfb = bias(walk, c, c->C, "transformer.ln_f.bias");
    w->head = c->tied ? w->wte : matrix(walk, c->V, c->C, 0.02, "lm_head.weight");
}

static Walk measured(const GptConfig *config) {
    Walk walk = {0};
    Weights none = {0};
    place_all(&walk, &none, config);
    return walk;
}

long weights_size(const GptConfig *config) { return measured(config).offset; }

long weights_parameters(const GptConfig *config) { return measured(config).parameters; }

Tensor *weights_list(const GptConfig *config, long *tensors) {
    Weights none = {0};
    *tensors = measured(config).tensors;
    Walk walk = {.list = malloc((size_t)*tensors * sizeof(Tensor))};
    if (walk.list) place_all(&walk, &none, config);
    return walk.list;
}

bool weights_create(Weights *w, const GptConfig *config, Error *err) {
    *w = (Weights){.config = *config, .size = weights_size(config)};
    size_t bytes = (size_t)w->size * sizeof(real);
    w->tensor = weights_list(config, &w->tensors);
    w->block = malloc((size_t)config->L * sizeof *w->block);
    w->memory = aligned_alloc(PLACE_ALIGN * sizeof(real), bytes);
    if (!w->tensor || !w->block || !w->memory) {
        weights_free(w);
        return fail(err, "memory: cannot get %zu bytes for the weights", bytes);
    }
    memset(w->memory, 0, bytes);
    Walk walk = {.memory = w->memory};
    place_all(&walk, w, config);
    return true;
}

void weights_free(Weights *w) {
    free(w->tensor);
    free(w->block);
    free(w->memory);
    *w = (Weights){0};
}

void weights_init(Weights *w, uint64_t seed) {
    for (long t = 0; t < w->tensors; t++) {
        const Tensor *tensor = &w->tensor[t];
        real *x = w->memory + tensor->offset;
        uint64_t key = random_key(seed, RANDOM_INIT, (uint64_t)t, 0);
#pragma omp parallel for schedule(static)
        for (long i = 0; i < tensor->size; i++)
            x[i] = tensor->init == INIT_ONE    ? 1
                   : tensor->init == INIT_ZERO ? 0
                                               : (real)(tensor->deviation * random_normal(key, (uint64_t)i));
    }
}
