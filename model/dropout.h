// dropout.h -- each element is dropped with probability p, the others are scaled by 1/(1-p), so that the
// expectation stays. The mask is a pure function of the stream and the element's index: it is never stored,
// but made again wherever it is needed. Source: Srivastava et al. 2014, JMLR 15:1929.
#ifndef DROPOUT_H
#define DROPOUT_H

#include "random.h"
#include "real.h"
#include <stdbool.h>

// Which masks to use at one place of the model: a probability p in [0, 1) and a stream of random numbers.
// `first` is the index of the array's first element in the whole batch, so that cutting a batch into
// micro-batches changes no mask.
typedef struct {
    double p;
    uint64_t key;
    uint64_t first;
} Dropout;

// 0 where element `index` is dropped, else 1/(1-p).
static inline real dropout_factor(const Dropout *d, uint64_t index) {
    // The upper 32 of the 64 random bits decide; p is met to 2^-32.
    uint32_t limit = (uint32_t)(d->p * 0x1p32);
    return (uint32_t)(random_bits(d->key, d->first + index) >> 32) < limit ? 0 : (real)(1 / (1 - d->p));
}

// out = inp * factor, element by element, for the thread's rows of (N,C). out may be inp.
void dropout_forward(real *out, const real *inp, const Dropout *d, long N, long C);

// The gradient of inp that dout implies, for the thread's rows.
void dropout_backward(real *dinp, const real *dout, const Dropout *d, long N, long C);

#endif
