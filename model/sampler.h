// sampler.h -- choosing the next token from its logits.
#ifndef SAMPLER_H
#define SAMPLER_H

#include "../data/error.h"
#include "real.h"

typedef struct {
    double temperature;  // 0: always the most probable token
    long top_k;          // keep the k most probable tokens; 0 for all
    double top_p;        // keep the most probable tokens that together have probability p; 1 for all
    double min_p;        // keep the tokens with at least this share of the largest probability; 0 for all
} Sampling;

// A token and its probability; tokens in order of probability, equal ones in order of id.
typedef struct {
    int32_t token;
    real p;
} Candidate;

// The tokens that may be chosen, with probabilities that add up to 1: the logits divided by the temperature,
// softmax, then top-k, top-p (Holtzman et al. 2019, arXiv:1904.09751) and min-p (Nguyen et al. 2024,
// arXiv:2407.01082) in this order. candidate has room for 2 V. Returns their number, at least 1.
long sampler_candidates(Candidate *candidate, const real *logits, long V, const Sampling *s);

// The candidate at the place u in [0,1) of their summed probabilities.
int32_t sampler_choose(const Candidate *candidate, long n, double u);

#endif
