#include "../model/adamw.h"
#include "golden_gpt.h"

static const GptConfig small = {.V = 11, .T = 100, .C = 16, .L = 2, .NH = 2, .bias = true, .tied = true};

static void the_gradient_norm_is_the_root_of_all_squares(void) {
    Weights w;
    Error err;
    CHECK(weights_create(&w, &small, &err));
    double squares = 0;
    for (long t = 0; t < w.tensors; t++)
        for (long i = 0; i < w.tensor[t].size; i++) {
            w.memory[w.tensor[t].offset + i] = (real)(t + 1) / 100;
            squares += (double)((t + 1) * (t + 1)) / 1e4;
        }
    CHECK_NEAR(gradient_norm(&w) / sqrt(squares), 1, 1e-6);
    CHECK(gradient_clip_factor(0.5, 1) == 1 && gradient_clip_factor(10, 0) == 1);
    CHECK_NEAR(gradient_clip_factor(10, 1), 1 / (10 + 1e-6), 1e-15);
    weights_free(&w);
}

static void decay_shrinks_matrices_alone(void) {
    Weights w, dw;
    Error err;
    CHECK(weights_create(&w, &small, &err) && weights_create(&dw, &small, &err));
    fill(w.memory, w.size, 1);
    real *m = calloc((size_t)w.size, sizeof *m), *v = calloc((size_t)w.size, sizeof *v);
    AdamW s = {.learning_rate = 0.5, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
    adamw_step(&w, m, v, &dw, 1, 1, &s);  // the gradient is zero
    for (long t = 0; t < w.tensors; t++)
        CHECK_NEAR(w.memory[w.tensor[t].offset], w.tensor[t].dims == 2 ? 0.95 : 1, 1e-7);
    free(m), free(v), weights_free(&w), weights_free(&dw);
}

// AdamW as its paper has it, in double, for one number.
static void many_steps_equal_the_paper(void) {
    Weights w = weights_of(&small), dw = weights_of(&small);
    real *m = array_of(w.size), *v = array_of(w.size);
    fill(m, w.size, 0), fill(v, w.size, 0);
    AdamW s = {.learning_rate = 1e-2, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
    long at = w.tensor[0].offset + 3;  // in a matrix
    double x = 0.5, mean = 0, square = 0;
    w.memory[at] = (real)x;
    for (int t = 1; t <= 50; t++) {
        double g = sin(t) + 0.3;
        dw.memory[at] = (real)(g / 0.7);
        adamw_step(&w, m, v, &dw, 0.7, t, &s);
        mean = 0.9 * mean + 0.1 * g;
        square = 0.99 * square + 0.01 * g * g;
        x -= 1e-2 * 0.1 * x;
        x -= 1e-2 * mean / (1 - pow(0.9, t)) / (sqrt(square / (1 - pow(0.99, t))) + 1e-8);
        CHECK_NEAR(w.memory[at], x, REAL_IS_FLOAT ? 1e-6 : 1e-14);
    }
}

static void the_first_tensor_that_is_not_finite_is_named(void) {
    Weights w = weights_of(&small);
    CHECK(!weights_first_nonfinite(&w, false));
    w.block[1].ln2w[5] = (real)NAN;
    w.lnfb[0] = (real)INFINITY;
    CHECK(strcmp(weights_first_nonfinite(&w, false), "transformer.h.1.ln_2.weight") == 0);
    CHECK(strcmp(weights_first_nonfinite(&w, true), "transformer.ln_f.bias") == 0);
}

int main(void) {
    RUN(the_gradient_norm_is_the_root_of_all_squares);
    RUN(decay_shrinks_matrices_alone);
    RUN(many_steps_equal_the_paper);
    RUN(the_first_tensor_that_is_not_finite_is_named);
    return report();
}
