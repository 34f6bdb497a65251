#include "../model/linear.h"
#include "test.h"

static const long N = 7, C = 5, OC = 9;
static real *inp, *weight, *bias, *out, *dout;

static double loss(void) {
    linear_forward(out, inp, weight, bias, N, C, OC);
    return dot(out, dout, N * OC);
}

static void setup(void) {
    inp = normals(N * C), weight = normals(OC * C), bias = normals(OC), dout = normals(N * OC),
    out = poisoned(N * OC);
}

static void each_output_is_bias_plus_a_dot_product(void) {
    setup();
    loss();
    for (long n = 0; n < N; n++)
        for (long o = 0; o < OC; o++)
            CHECK_NEAR(out[n * OC + o], (double)bias[o] + dot(inp + n * C, weight + o * C, C),
                       REAL_IS_FLOAT ? 1e-5 : 1e-13);
}

static void gradients_match_differences(void) {
    setup();
    real *dinp = poisoned(N * C), *dweight = ones(OC * C), *dbias = ones(OC);
    linear_backward_input(dinp, dout, weight, N, C, OC);
    linear_backward_weight(dweight, dbias, dout, inp, STORE_ADD, N, C, OC);
    CHECK_GRAD(inp, dinp, N * C, 0, loss);
    CHECK_GRAD(weight, dweight, OC * C, 1, loss);
    CHECK_GRAD(bias, dbias, OC, 1, loss);
    linear_backward_weight(dweight, dbias, dout, inp, STORE_SET, N, C, OC);
    CHECK_GRAD(weight, dweight, OC * C, 0, loss);
    CHECK_GRAD(bias, dbias, OC, 0, loss);
}

static void a_layer_without_bias_has_the_other_gradients(void) {
    setup();
    bias = NULL;
    real *dweight = ones(OC * C);
    linear_backward_weight(dweight, NULL, dout, inp, STORE_ADD, N, C, OC);
    CHECK_GRAD(weight, dweight, OC * C, 1, loss);
}

int main(void) {
    RUN(each_output_is_bias_plus_a_dot_product);
    RUN(gradients_match_differences);
    RUN(a_layer_without_bias_has_the_other_gradients);
    return report();
}
