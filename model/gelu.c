// gelu.c -- since (1 + tanh u) / 2 = 1 / (1 + e^(-2u)), the tanh form is x times a logistic function: one
// exponential, and no cancellation where tanh is close to -1.
#include "gelu.h"
#include "elementary.h"
#include "threads.h"

static const real TWO_SQRT_2_OVER_PI = (real)1.5957691216057308;
static const real CUBIC = (real)0.044715;

// s = 1 / (1 + e^(-2u)) with u = sqrt(2/pi) (x + 0.044715 x^3).
static inline real logistic_of(real x) {
    real two_u = TWO_SQRT_2_OVER_PI * x * real_fma(CUBIC * x, x, 1);
    return 1 / (1 + exp_real(-two_u));
}

void gelu_forward(real *out, const real *inp, long n) {
#pragma omp parallel for simd schedule(static) if (thread_worth(n))
    for (long i = 0; i < n; i++) out[i] = inp[i] * logistic_of(inp[i]);
}

// With y = x s, and s' = s (1 - s) (2u)',
//   dy/dx = s + x s (1 - s) 2 sqrt(2/pi) (1 + 3 * 0.044715 x^2).
void gelu_backward(real *dinp, const real *dout, const real *inp, long n) {
#pragma omp parallel for simd schedule(static) if (thread_worth(n))
    for (long i = 0; i < n; i++) {
        real x = inp[i], s = logistic_of(x);
        real slope = TWO_SQRT_2_OVER_PI * real_fma(3 * CUBIC * x, x, 1);
        dinp[i] = real_fma(dout[i], real_fma(x * s * (1 - s), slope, s), dinp[i]);
    }
}
