// layernorm.h -- layer normalisation over the last dimension.
// Source: Ba, Kiros & Hinton 2016, arXiv:1607.06450.
#ifndef LAYERNORM_H
#define LAYERNORM_H

#include "real.h"

// out[n,:] = (inp[n,:] - mean[n]) * rstd[n] * weight + bias, for each of N rows, where rstd = 1/sqrt(variance
// + 1e-5).
//   inp, out      (N,C)
//   mean, rstd    (N)    saved for the backward pass
//   weight, bias  (C)    bias may be NULL
void layernorm_forward(real *out, real *mean, real *rstd, const real *inp, const real *weight,
                       const real *bias, long N, long C);

// Adds to dinp, dweight and dbias (NULL where there is no bias) the gradients that dout (N,C) implies.
void layernorm_backward(real *dinp, real *dweight, real *dbias, const real *dout, const real *inp,
                        const real *weight, const real *mean, const real *rstd, long N, long C);

#endif
