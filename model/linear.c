// linear.c -- three matrix products, which differ only in what is transposed.
#include "linear.h"
#include "matmul.h"
#include "threads.h"
#include <stddef.h>

void linear_forward(real *out, const real *inp, const real *weight, const real *bias, long N, long C,
                    long OC) {
    matmul(out, OC, (Matrix){inp, C, 1}, (Matrix){weight, 1, C}, bias, MATMUL_SET, N, OC, C);
}

// dbias[o] = sum over n of dout[n,o]. Each thread owns a range of columns and adds the rows in order.
static void bias_backward(real *dbias, const real *dout, long N, long OC) {
    enum { COLUMNS = 64 };
#pragma omp parallel for schedule(static) if (thread_worth(N * OC))
    for (long begin = 0; begin < OC; begin += COLUMNS) {
        long end = begin + COLUMNS < OC ? begin + COLUMNS : OC;
        for (long n = 0; n < N; n++)
            for (long o = begin; o < end; o++) dbias[o] += dout[n * OC + o];
    }
}

// With out = inp W' + b,
//   dinp = dout W,   dW = dout' inp,   db = column sums of dout.
void linear_backward(real *dinp, real *dweight, real *dbias, const real *dout, const real *inp,
                     const real *weight, long N, long C, long OC) {
    matmul(dinp, C, (Matrix){dout, OC, 1}, (Matrix){weight, C, 1}, NULL, MATMUL_ADD, N, C, OC);
    matmul(dweight, C, (Matrix){dout, 1, OC}, (Matrix){inp, C, 1}, NULL, MATMUL_ADD, OC, C, N);
    if (dbias) bias_backward(dbias, dout, N, OC);
}
