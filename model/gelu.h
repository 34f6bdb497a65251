// gelu.h -- the Gaussian error linear unit, in the tanh form that GPT-2 uses.
// Source: Hendrycks & Gimpel 2016, arXiv:1606.08415, section 2.
#ifndef GELU_H
#define GELU_H

#include "real.h"

// out = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), for each of n elements x of inp. out may be inp.
void gelu_forward(real *out, const real *inp, long n);

// Adds to dinp the gradient that dout implies.
void gelu_backward(real *dinp, const real *dout, const real *inp, long n);

#endif
