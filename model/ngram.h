// ngram.h -- what a model of counts alone reaches on a text: the losses that a GPT must beat.
// Source: Witten & Bell 1991, doi:10.1109/18.87000, method C, interpolated.
#ifndef NGRAM_H
#define NGRAM_H

#include "../data/error.h"
#include "../data/watch.h"
#include <stdint.h>

enum { NGRAM_CONTEXT = 6, NGRAM_MODELS = NGRAM_CONTEXT + 1 };

// loss[k] = mean over the m tokens of `validation` of -ln p_k(token | the k tokens before it), in nats, for k
// = 0 .. 6, with the counts of `training` (n tokens; all are below V):
//   p_k = (count + T p_(k-1)) / (N + T),   p_(-1) = 1/V,
// where N is how often the context of k tokens occurred and T how many different tokens followed it. Near the
// start of the validation text the context is as long as there is text.
// n + m is below 2^31. While it counts it takes 16 n + 20 m + 12 V bytes of memory. `watch` (or NULL) is told
// of each k.
bool ngram_losses(double loss[NGRAM_MODELS], const int32_t *training, long n, const int32_t *validation,
                  long m, long V, const Watch *watch, Error *err);

#endif
