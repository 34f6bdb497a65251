#include "../model/layernorm.h"
#include "test.h"

static const long N = 21, C = 19;  // more than one group of rows, the last one short
static real *sums, *inp, *weight, *bias, *out, *mean, *rstd, *dout;

static double loss(void) {
    layernorm_forward(out, mean, rstd, inp, weight, bias, N, C);
    return dot(out, dout, N * C);
}

static void setup(void) {
    inp = normals(N * C), weight = normals(C), bias = normals(C), dout = normals(N * C);
    sums = poisoned(layernorm_sums(N, C)), out = poisoned(N * C), mean = poisoned(N), rstd = poisoned(N);
}

static void rows_have_mean_zero_and_variance_one(void) {
    setup();
    fill(weight, C, 1);
    fill(bias, C, 0);
    loss();
    for (long n = 0; n < N; n++) {
        double sum = 0;
        for (long c = 0; c < C; c++) sum += (double)out[n * C + c];
        CHECK_NEAR(sum / (double)C, 0, 1e-6);
        CHECK_NEAR(dot(out + n * C, out + n * C, C) / (double)C, 1, 1e-4);
    }
}

static void a_constant_row_becomes_the_bias(void) {
    setup();
    fill(inp, N * C, 3);
    loss();
    for (long i = 0; i < N * C; i++) CHECK_NEAR(out[i], bias[i % C], 0);
}

static void gradients_match_differences(void) {
    setup();
    loss();
    real *dinp = poisoned(N * C), *dweight = ones(C), *dbias = ones(C);
    layernorm_backward_input(dinp, sums, NULL, dout, inp, weight, mean, rstd, N, C);
    layernorm_backward_weight(dweight, dbias, sums, STORE_ADD, N, C);
    CHECK_GRAD(inp, dinp, N * C, 0, loss);
    CHECK_GRAD(weight, dweight, C, 1, loss);
    CHECK_GRAD(bias, dbias, C, 1, loss);
    layernorm_backward_weight(dweight, dbias, sums, STORE_SET, N, C);
    CHECK_GRAD(weight, dweight, C, 0, loss);
    CHECK_GRAD(bias, dbias, C, 0, loss);
}

static void a_layer_without_bias_has_the_other_gradients(void) {
    setup();
    bias = NULL;
    loss();
    real *dinp = poisoned(N * C), *dweight = ones(C);
    layernorm_backward_input(dinp, sums, NULL, dout, inp, weight, mean, rstd, N, C);
    layernorm_backward_weight(dweight, NULL, sums, STORE_ADD, N, C);
    CHECK_GRAD(inp, dinp, N * C, 0, loss);
    CHECK_GRAD(weight, dweight, C, 1, loss);
}

static void the_gradient_of_the_residual_stream_passes_by(void) {
    setup();
    loss();
    real *alone = poisoned(N * C), *with = normals(N * C), *past = array_of(N * C);
    memcpy(past, with, (size_t)(N * C) * sizeof(real));
    layernorm_backward_input(alone, sums, NULL, dout, inp, weight, mean, rstd, N, C);
    layernorm_backward_input(with, sums, with, dout, inp, weight, mean, rstd, N, C);
    for (long i = 0; i < N * C; i++) CHECK(with[i] == past[i] + alone[i]);
}

int main(void) {
    RUN(rows_have_mean_zero_and_variance_one);
    RUN(a_constant_row_becomes_the_bias);
    RUN(gradients_match_differences);
    RUN(a_layer_without_bias_has_the_other_gradients);
    RUN(the_gradient_of_the_residual_stream_passes_by);
    return report();
}
