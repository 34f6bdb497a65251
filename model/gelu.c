// gelu.c -- since (1 + tanh u) / 2 = 1 / (1 + e^(-2u)), the tanh form is x times a logistic function: one
// exponential, and no cancellation where tanh is close to -1.
#include "gelu.h"
#include "elementary.h"
#include "threads.h"

static const real TWO_SQRT_2_OVER_PI = (real)1.5957691216057308;
static const real CUBIC = (real)0.044715;

// With s = 1 / (1 + e^(-2u)) and u = sqrt(2/pi) (x + 0.044715 x^3): y = x s, s' = s (1 - s) (2u)', and so
//   dy/dx = s + y (1 - s) 2 sqrt(2/pi) (1 + 3 * 0.044715 x^2).
void gelu_forward(real *out, real *slope, const real *inp, long N, long C) {
    Range r = thread_rows(N);
    for (long i = r.begin * C; i < r.end * C; i++) {
        real x = inp[i], x2 = CUBIC * x * x;
        real s = logistic_real(TWO_SQRT_2_OVER_PI * x * (1 + x2)), y = x * s;
        out[i] = y;
        slope[i] = real_fma(y * (1 - s), TWO_SQRT_2_OVER_PI * real_fma(3, x2, 1), s);
    }
}

void gelu_backward(real *dinp, const real *dout, const real *slope, long N, long C) {
    Range r = thread_rows(N);
    for (long i = r.begin * C; i < r.end * C; i++) dinp[i] = dout[i] * slope[i];
}
