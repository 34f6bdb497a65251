// embedding.h -- a row for the token plus a row for its position.
#ifndef EMBEDDING_H
#define EMBEDDING_H

#include "real.h"

// out[b,t,:] = wte[tokens[b,t],:] + wpe[first + t,:], for the thread's rows.
//   out (B,T,C)   tokens (B,T), each in [0,V)   wte (V,C)   wpe (at least first+T rows, C)
//   first   the position of the first token: 0, except when a decoder goes on where it stopped
void embedding_forward(real *out, const int32_t *tokens, const real *wte, const real *wpe, long first, long B,
                       long T, long C);

// Adds to dwte and dwpe the gradients that dout (B,T,C) implies, for first = 0, in the thread's channels;
// needs all rows.
void embedding_backward(real *dwte, real *dwpe, const real *dout, const int32_t *tokens, long B, long T,
                        long C);

#endif
