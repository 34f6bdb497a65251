// layernorm.h -- layer normalisation over the last dimension.
// Source: Ba, Kiros & Hinton 2016, arXiv:1607.06450.
#ifndef LAYERNORM_H
#define LAYERNORM_H

#include "real.h"

// out[n,:] = (inp[n,:] - mean[n]) * rstd[n] * weight + bias, for each of the thread's rows n, where rstd =
// 1/sqrt(variance + 1e-5).
//   inp, out      (N,C)
//   mean, rstd    (N)    saved for the backward pass
//   weight, bias  (C)    bias may be NULL
void layernorm_forward(real *out, real *mean, real *rstd, const real *inp, const real *weight,
                       const real *bias, long N, long C);

// dinp = dresid + the gradient of inp that dout implies, for the thread's rows. dresid (N,C) is the gradient
// that reaches inp on the way past the layer, along the residual stream; NULL for none. dinp may be dresid.
// Sums over rows have two stages, so that no row is read twice: this one leaves in `sums`
// (layernorm_sums(N,C) numbers) what each group of rows adds to the gradients of weight and bias.
void layernorm_backward_input(real *dinp, real *sums, const real *dresid, const real *dout, const real *inp,
                              const real *weight, const real *mean, const real *rstd, long N, long C);
long layernorm_sums(long N, long C);

// The second stage: sets the gradients of weight and bias (NULL where there is none), or adds to them, for
// the thread's channels; needs the sums of all rows.
void layernorm_backward_weight(real *dweight, real *dbias, const real *sums, Store store, long N, long C);

#endif
