#include "sampler.h"
#include "elementary.h"
#include <stdlib.h>

static int most_probable_first(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? 1 : -1;
    return x->token < y->token ? -1 : 1;
}

static long most_probable(const real *logits, long V) {
    long best = 0;
    for (long v = 1; v < V; v++)
        if (logits[v] > logits[best]) best = v;
    return best;
}

long sampler_candidates(Candidate *candidate, const real *logits, long V, const Sampling *s) {
    long best = most_probable(logits, V);
    if (s->temperature == 0) {
        candidate[0] = (Candidate){(int32_t)best, 1};
        return 1;
    }
    for (long v = 0; v < V; v++)
        candidate[v] =
            (Candidate){(int32_t)v, exp_real((real)((double)(logits[v] - logits[best]) / s->temperature))};
    qsort(candidate, (size_t)V, sizeof *candidate, most_probable_first);

    // Probabilities are in shares of the largest so far; dividing by the sum comes last.
    long n = s->top_k > 0 && s->top_k < V ? s->top_k : V;
    double sum = 0, kept = 0;
    for (long i = 0; i < n; i++) sum += (double)candidate[i].p;
    long i = 0;
    do kept += (double)candidate[i++].p;
    while (i < n && (s->top_p >= 1 || kept < s->top_p * sum));
    n = i;
    while (n > 1 && (double)candidate[n - 1].p < s->min_p) n--;
    sum = 0;
    for (i = 0; i < n; i++) sum += (double)candidate[i].p;
    for (i = 0; i < n; i++) candidate[i].p = (real)((double)candidate[i].p / sum);
    return n;
}

int32_t sampler_choose(const Candidate *candidate, long n, double u) {
    double sum = 0;
    for (long i = 0; i < n - 1; i++) {
        sum += (double)candidate[i].p;
        if (u < sum) return candidate[i].token;
    }
    return candidate[n - 1].token;
}
