// linear.h -- the fully connected layer: out = inp weight' + bias.
#ifndef LINEAR_H
#define LINEAR_H

#include "real.h"

// out[n,o] = bias[o] + sum over c of inp[n,c] weight[o,c].
//   inp (N,C)   out (N,OC)   weight (OC,C)   bias (OC), may be NULL
void linear_forward(real *out, const real *inp, const real *weight, const real *bias, long N, long C,
                    long OC);

// Adds to dinp, dweight and dbias (NULL where there is no bias) the gradients that dout (N,OC) implies.
void linear_backward(real *dinp, real *dweight, real *dbias, const real *dout, const real *inp,
                     const real *weight, long N, long C, long OC);

#endif
