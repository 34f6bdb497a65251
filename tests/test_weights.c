#include "../model/weights.h"
#include "test.h"

static const GptConfig config = {.V = 50, .T = 8, .C = 64, .L = 3, .NH = 4, .bias = true, .tied = true};
static Error err;

static const Tensor *find(const Weights *w, const char *name) {
    for (long t = 0; t < w->tensors; t++)
        if (strcmp(w->tensor[t].name, name) == 0) return &w->tensor[t];
    return NULL;
}

static void names_and_shapes_are_those_of_nanogpt(void) {
    Weights w;
    CHECK(weights_create(&w, &config, &err));
    CHECK(w.tensors == 2 + 12 * 3 + 2);
    const Tensor *t = find(&w, "transformer.h.2.attn.c_attn.weight");
    CHECK(t && t->dims == 2 && t->shape[0] == 192 && t->shape[1] == 64 &&
          w.memory + t->offset == w.block[2].qkvw);
    t = find(&w, "transformer.h.0.mlp.c_proj.weight");
    CHECK(t && t->shape[0] == 64 && t->shape[1] == 256 && w.memory + t->offset == w.block[0].fcprojw);
    t = find(&w, "transformer.ln_f.bias");
    CHECK(t && t->dims == 1 && t->shape[0] == 64 && w.memory + t->offset == w.lnfb);
    CHECK(!find(&w, "lm_head.weight") && w.head == w.wte);
    weights_free(&w);
}

static void untied_and_bias_free_models_have_their_own_lists(void) {
    GptConfig c = config;
    Weights w;
    c.tied = c.bias = false;
    CHECK(weights_create(&w, &c, &err));
    CHECK(w.tensors == 2 + 6 * 3 + 2 && find(&w, "lm_head.weight") && w.head != w.wte);
    CHECK(!w.lnfb && !w.block[0].qkvb && !find(&w, "transformer.ln_f.bias"));
    weights_free(&w);
}

static void tensors_neither_overlap_nor_leave_the_block(void) {
    Weights w;
    CHECK(weights_create(&w, &config, &err));
    long at = 0;
    for (long t = 0; t < w.tensors; t++) {
        CHECK(w.tensor[t].offset >= at && w.tensor[t].offset % 16 == 0);
        at = w.tensor[t].offset + w.tensor[t].size;
    }
    CHECK(at <= w.size && w.size == weights_size(&config));
    weights_free(&w);
}

static double deviation(const real *x, long n) { return sqrt(dot(x, x, n) / (double)n); }

static void initial_values_are_gpt2s(void) {
    Weights w;
    CHECK(weights_create(&w, &config, &err));
    weights_init(&w, 1);
    double residual = 0.02 / sqrt(6.0);
    CHECK_NEAR(deviation(w.wte, 50 * 64) / 0.02, 1, 0.05);
    CHECK_NEAR(deviation(w.block[1].qkvw, 3 * 64 * 64) / 0.02, 1, 0.03);
    CHECK_NEAR(deviation(w.block[1].fcw, 4 * 64 * 64) / 0.02, 1, 0.03);
    CHECK_NEAR(deviation(w.block[1].attprojw, 64 * 64) / residual, 1, 0.05);
    CHECK_NEAR(deviation(w.block[2].fcprojw, 4 * 64 * 64) / residual, 1, 0.03);
    for (long c = 0; c < 64; c++)
        CHECK(w.lnfw[c] == 1 && w.block[0].ln1w[c] == 1 && w.lnfb[c] == 0 && w.block[0].qkvb[c] == 0);
    weights_free(&w);
}

static void seeds_differ_and_equal_seeds_agree(void) {
    Weights a, b;
    CHECK(weights_create(&a, &config, &err) && weights_create(&b, &config, &err));
    weights_init(&a, 1);
    weights_init(&b, 1);
    CHECK(memcmp(a.memory, b.memory, (size_t)a.size * sizeof(real)) == 0);
    weights_init(&b, 2);
    CHECK(memcmp(a.memory, b.memory, (size_t)a.size * sizeof(real)) != 0);
    weights_free(&a), weights_free(&b);
}

int main(void) {
    RUN(names_and_shapes_are_those_of_nanogpt);
    RUN(untied_and_bias_free_models_have_their_own_lists);
    RUN(tensors_neither_overlap_nor_leave_the_block);
    RUN(initial_values_are_gpt2s);
    RUN(seeds_differ_and_equal_seeds_agree);
    return report();
}
