// linear.c -- three matrix products, which differ only in what is transposed.
#include "linear.h"
#include "matmul.h"
#include "threads.h"
#include <stdbool.h>
#include <stddef.h>

void linear_forward(real *out, const real *inp, const real *weight, const real *bias, long N, long C,
                    long OC) {
    Range r = thread_rows(N);
    matmul(out + r.begin * OC, OC, (Matrix){inp + r.begin * C, C, 1}, (Matrix){weight, 1, C}, bias, STORE_SET,
           r.end - r.begin, OC, C);
}

void linear_forward_by_outputs(real *out, const real *inp, const real *weight, const real *bias, long N,
                               long C, long OC) {
    Range o = thread_columns(OC);
    matmul(out + o.begin, OC, (Matrix){inp, C, 1}, (Matrix){weight + o.begin * C, 1, C},
           bias ? bias + o.begin : NULL, STORE_SET, N, o.end - o.begin, C);
}

// With out = inp W' + b,
//   dinp = dout W,   dW = dout' inp,   db = column sums of dout.
void linear_backward_input(real *dinp, const real *dout, const real *weight, long N, long C, long OC) {
    Range r = thread_rows(N);
    matmul(dinp + r.begin * C, C, (Matrix){dout + r.begin * OC, OC, 1}, (Matrix){weight, C, 1}, NULL,
           STORE_SET, r.end - r.begin, C, OC);
}

void linear_backward_weight(real *dweight, real *dbias, const real *dout, const real *inp, Store store,
                            long N, long C, long OC) {
    // The longer side is shared out, since a thread reads all of what belongs to the other.
    bool by_outputs = OC >= C;
    Range o = by_outputs ? thread_columns(OC) : (Range){0, OC},
          c = by_outputs ? (Range){0, C} : thread_columns(C);
    matmul(dweight + o.begin * C + c.begin, C, (Matrix){dout + o.begin, 1, OC}, (Matrix){inp + c.begin, C, 1},
           NULL, store, o.end - o.begin, c.end - c.begin, N);
    if (!dbias) return;
    o = thread_columns(OC);
    if (store == STORE_SET)
        for (long i = o.begin; i < o.end; i++) dbias[i] = 0;
    for (long n = 0; n < N; n++)
        for (long i = o.begin; i < o.end; i++) dbias[i] += dout[n * OC + i];
}
