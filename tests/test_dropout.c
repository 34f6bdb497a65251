#include "../model/dropout.h"
#include "test.h"

static const long N = 3, C = 14, n = 42;
static Dropout drop = {.p = 0.3, .key = 77, .first = 5};
static real *inp, *out, *dout;

static double loss(void) {
    dropout_forward(out, inp, &drop, N, C);
    return dot(out, dout, n);
}

static void gradient_matches_differences_under_a_fixed_mask(void) {
    inp = normals(n), dout = normals(n), out = poisoned(n);
    real *dinp = poisoned(n);
    dropout_backward(dinp, dout, &drop, N, C);
    CHECK_GRAD(inp, dinp, n, 0, loss);
}

static void the_expectation_is_kept(void) {
    const long many = 1000000;
    double sum = 0, dropped = 0;
    for (long i = 0; i < many; i++) {
        double f = (double)dropout_factor(&drop, (uint64_t)i);
        CHECK(f == 0 || fabs(f - 1 / 0.7) < 1e-6);
        sum += f;
        dropped += f == 0;
    }
    CHECK_NEAR(sum / (double)many, 1, 0.003);  // deviation of the mean: sqrt(0.3/0.7)/1000 = 0.00065
    CHECK_NEAR(dropped / (double)many, 0.3, 0.002);
}

static void the_mask_depends_on_the_place_in_the_batch_alone(void) {
    Dropout later = drop;
    later.first += 17;
    long differ = 0;
    for (uint64_t i = 0; i < 100; i++) {
        CHECK(dropout_factor(&later, i) == dropout_factor(&drop, i + 17));
        differ += dropout_factor(&later, i) != dropout_factor(&drop, i);
    }
    CHECK(differ > 10);
}

static void in_place_equals_out_of_place(void) {
    inp = normals(n), dout = normals(n), out = poisoned(n);
    dropout_forward(out, inp, &drop, N, C);
    dropout_forward(inp, inp, &drop, N, C);
    CHECK(memcmp(inp, out, (size_t)n * sizeof *inp) == 0);
}

int main(void) {
    RUN(gradient_matches_differences_under_a_fixed_mask);
    RUN(the_expectation_is_kept);
    RUN(the_mask_depends_on_the_place_in_the_batch_alone);
    RUN(in_place_equals_out_of_place);
    return report();
}
