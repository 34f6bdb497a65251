// gelu.h -- the Gaussian error linear unit, in the tanh form that GPT-2 uses.
// Source: Hendrycks & Gimpel 2016, arXiv:1606.08415, section 2.
#ifndef GELU_H
#define GELU_H

#include "real.h"

// out = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) for each x of the thread's rows of inp (N,C), and in
// `slope` the derivative there, which is all that the backward pass needs. slope may be inp.
void gelu_forward(real *out, real *slope, const real *inp, long N, long C);

// The gradient of inp that dout implies, for the thread's rows. dinp may be dout.
void gelu_backward(real *dinp, const real *dout, const real *slope, long N, long C);

#endif
