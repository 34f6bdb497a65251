// attention_weights.h -- the table of attention weights that attention itself never stores, for looking at.
#ifndef ATTENTION_WEIGHTS_H
#define ATTENTION_WEIGHTS_H

#include "real.h"

// For one sequence, from what attention_forward was given and saved:
//   p[h,i,j] = e^(q[i] . k[j] / sqrt(HS) - lse[h,i]) for j <= i, 0 for those after.
//   p    (NH,T,T)   row i says how much of each v[j] token i has gathered; its sum is 1
//   qkv  (T,3C)     lse (NH,T)
// The threads share the heads; all rows of qkv and lse are needed.
void attention_weights(real *p, const real *qkv, const real *lse, long T, long NH, long HS);

#endif
