#include "../model/gelu.h"
#include "test.h"

static const long N = 4, C = 9, n = 36;
static real *inp, *out, *slope, *dout;

static double loss(void) {
    gelu_forward(out, slope, inp, N, C);
    return dot(out, dout, n);
}

static void values_are_those_of_the_tanh_form(void) {
    const double root = 0.79788456080286536;  // sqrt(2/pi)
    for (double x = -12; x <= 12; x += 0.01) {
        real in = (real)x, got = (real)NAN, ignored;
        double u = (double)in, expected = 0.5 * u * (1 + tanh(root * (u + 0.044715 * u * u * u)));
        gelu_forward(&got, &ignored, &in, 1, 1);
        CHECK_NEAR(got, expected, (REAL_IS_FLOAT ? 1e-6 : 1e-14) * fmax(1, fabs(u)));
    }
}

static void extreme_inputs_stay_exact(void) {
    real in[] = {0, -1000, 1000, -(real)1e18, (real)NAN}, got[5];
    gelu_forward(got, in, in, 1, 5);
    CHECK(got[0] == 0 && got[1] == 0 && got[2] == 1000 && got[3] == 0 && isnan(got[4]));
    CHECK(in[0] == (real)0.5 && in[1] == 0 && in[2] == 1 && in[3] == 0 && isnan(in[4]));  // the slopes
}

static void gradient_matches_differences(void) {
    inp = normals(n), dout = normals(n), out = poisoned(n), slope = poisoned(n);
    for (long i = 0; i < n; i++) inp[i] *= 2;
    loss();
    real *dinp = poisoned(n);
    gelu_backward(dinp, dout, slope, N, C);
    CHECK_GRAD(inp, dinp, n, 0, loss);
}

int main(void) {
    RUN(values_are_those_of_the_tanh_form);
    RUN(extreme_inputs_stay_exact);
    RUN(gradient_matches_differences);
    return report();
}
