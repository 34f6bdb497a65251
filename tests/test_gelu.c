#include "../model/gelu.h"
#include "test.h"

static const long n = 37;
static real *inp, *out, *dout;

static double loss(void) {
    gelu_forward(out, inp, n);
    return dot(out, dout, n);
}

static void values_are_those_of_the_tanh_form(void) {
    const double root = 0.79788456080286536;  // sqrt(2/pi)
    for (double x = -12; x <= 12; x += 0.01) {
        real in = (real)x, got = (real)NAN;
        double u = (double)in, expected = 0.5 * u * (1 + tanh(root * (u + 0.044715 * u * u * u)));
        gelu_forward(&got, &in, 1);
        CHECK_NEAR(got, expected, (REAL_IS_FLOAT ? 1e-6 : 1e-14) * fmax(1, fabs(u)));
    }
}

static void extreme_inputs_stay_exact(void) {
    real in[] = {0, -1000, 1000, -(real)1e18, (real)NAN}, got[5];
    gelu_forward(got, in, 5);
    CHECK(got[0] == 0 && got[1] == 0 && got[2] == 1000 && got[3] == 0 && isnan(got[4]));
}

static void gradient_matches_differences(void) {
    inp = normals(n), dout = normals(n), out = poisoned(n);
    for (long i = 0; i < n; i++) inp[i] *= 2;
    real *dinp = ones(n);
    gelu_backward(dinp, dout, inp, n);
    CHECK_GRAD(inp, dinp, n, 1, loss);
}

int main(void) {
    RUN(values_are_those_of_the_tanh_form);
    RUN(extreme_inputs_stay_exact);
    RUN(gradient_matches_differences);
    return report();
}
