// dropout.c -- multiplication by a mask that is worked out on the spot.
#include "dropout.h"
#include "threads.h"

void dropout_forward(real *out, const real *inp, const Dropout *d, long N, long C) {
    Range r = thread_rows(N);
    for (long i = r.begin * C; i < r.end * C; i++) out[i] = inp[i] * dropout_factor(d, (uint64_t)i);
}

// With y = x f, where f does not depend on x: dx = dy f.
void dropout_backward(real *dinp, const real *dout, const Dropout *d, long N, long C) {
    dropout_forward(dinp, dout, d, N, C);
}
