// attention.h -- causal multi-head attention that never stores the (T,T) table of weights.
// Source: Vaswani et al. 2017, arXiv:1706.03762, eq. 1; tiles and online softmax after Dao et al. 2022,
// arXiv:2205.14135. The derivation of the backward pass is in docs/derivations.md.
#ifndef ATTENTION_H
#define ATTENTION_H

#include "dropout.h"
#include "real.h"

// For each sequence b and head h, with q, k, v the rows of that head:
//   p[i,j] = softmax over j <= i of q[i] . k[j] / sqrt(HS),   out[i] = sum over j of p[i,j] v[j].
//   qkv   (B,T,3C)   the projections q | k | v side by side, each of C = NH HS channels, split into heads
//   out   (B,T,C)
//   lse   (B,NH,T)   ln of the sum of e^score over each row, saved for the backward pass
//   drop  which weights p[i,j] to drop, after the softmax; NULL for none
//   scratch          attention_scratch(HS) numbers for each thread of the team, whatever T
// Needs all rows of a sequence of qkv. The threads share the tiles of queries. Where each has whole sequences
// in its thread_rows, these are what it works on; else it has mostly its own rows, but not only, and barriers
// belong before and after.
void attention_forward(real *out, real *lse, real *scratch, const real *qkv, const Dropout *drop, long B,
                       long T, long NH, long HS);

// Sets dqkv (B,T,3C) to the gradient that dout (B,T,C) implies. The threads share the heads; the same holds
// for the rows.
void attention_backward(real *dqkv, real *scratch, const real *dout, const real *qkv, const real *out,
                        const real *lse, const Dropout *drop, long B, long T, long NH, long HS);

// Room for two tiles of queries, transposed.
long attention_scratch(long HS);

// One head for the last n of T tokens of a sequence, whose keys and values are all in a cache; on the calling
// thread.
//   out (n,HS) and q (n,HS), rows out_row and q_row apart   k, v (T,HS), rows kv_row apart
void attention_decode(real *out, long out_row, real *scratch, const real *q, long q_row, const real *k,
                      const real *v, long kv_row, long n, long T, long HS);

#endif
