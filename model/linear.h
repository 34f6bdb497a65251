// linear.h -- the fully connected layer: out = inp weight' + bias.
#ifndef LINEAR_H
#define LINEAR_H

#include "real.h"

// out[n,o] = bias[o] + sum over c of inp[n,c] weight[o,c], for the thread's rows n.
//   inp (N,C)   out (N,OC)   weight (OC,C)   bias (OC), may be NULL
void linear_forward(real *out, const real *inp, const real *weight, const real *bias, long N, long C,
                    long OC);

// The same for few rows: all of them, for the thread's outputs o. Needs all rows of inp.
void linear_forward_by_outputs(real *out, const real *inp, const real *weight, const real *bias, long N,
                               long C, long OC);

// Sets dinp to the gradient of inp that dout (N,OC) implies, for the thread's rows.
void linear_backward_input(real *dinp, const real *dout, const real *weight, long N, long C, long OC);

// Sets the gradients of weight and bias (NULL where there is none), or adds to them. Needs all rows; the
// threads share the outputs or the inputs, whichever are more.
void linear_backward_weight(real *dweight, real *dbias, const real *dout, const real *inp, Store store,
                            long N, long C, long OC);

#endif
