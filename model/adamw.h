// adamw.h -- Adam with decoupled weight decay, and clipping of the gradient by its global norm.
// Source: Kingma & Ba 2014, arXiv:1412.6980, algorithm 1; Loshchilov & Hutter 2017, arXiv:1711.05101,
// algorithm 2.
#ifndef ADAMW_H
#define ADAMW_H

#include "weights.h"

typedef struct {
    double learning_rate, beta1, beta2, weight_decay;
} AdamW;

// The Euclidean norm of all gradients together.
double gradient_norm(const Weights *dw);

// What gradients are multiplied by so that their norm is at most `clip`; 1 where clip is 0 (off).
double gradient_clip_factor(double norm, double clip);

// One step, the t-th (from 1), with the gradients dw times `factor`; only matrices decay.
//   m, v   blocks shaped like w's: running means of the gradient and of its square, 0 before the first step
void adamw_step(Weights *w, real *m, real *v, const Weights *dw, double factor, long t, const AdamW *s);

// Name of the first tensor that holds a NaN or an infinity, in the list's order or, as a backward pass makes
// them, from its end; NULL where all is finite.
const char *weights_first_nonfinite(const Weights *w, bool from_the_end);

#endif
