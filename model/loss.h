// loss.h -- softmax and cross-entropy in one, with the gradient.
#ifndef LOSS_H
#define LOSS_H

#include "real.h"

// losses[n] = -ln softmax(logits[n,:])[targets[n]], in nats, for each of the thread's rows n.
//   logits (N,V)   targets (N), each in [0,V)   losses (N)
void loss_forward(double *losses, const real *logits, const int32_t *targets, long N, long V);

// The same, and overwrites the logits with their gradient: of a scalar that depends on every loss with
// derivative dloss.
void loss_forward_backward(double *losses, real *logits, const int32_t *targets, real dloss, long N, long V);

#endif
