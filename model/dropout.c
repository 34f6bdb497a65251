// dropout.c -- multiplication by a mask that is worked out on the spot.
#include "dropout.h"
#include "threads.h"

void dropout_forward(real *out, const real *inp, const Dropout *d, long n) {
#pragma omp parallel for simd schedule(static) if (thread_worth(n))
    for (long i = 0; i < n; i++) out[i] = inp[i] * dropout_factor(d, (uint64_t)i);
}

// With y = x f, where f does not depend on x: dx = dy f.
void dropout_backward(real *dinp, const real *dout, const Dropout *d, long n) {
#pragma omp parallel for simd schedule(static) if (thread_worth(n))
    for (long i = 0; i < n; i++) dinp[i] = real_fma(dout[i], dropout_factor(d, (uint64_t)i), dinp[i]);
}
