#include "sampler.h"
#include "elementary.h"
#include <string.h>

_Static_assert(sizeof(real) % 2 == 0, "an even number of passes ends where it began");

static unsigned byte_of(real p, unsigned shift) {
    real_unsigned bits;
    memcpy(&bits, &p, sizeof bits);
    return (unsigned)(bits >> shift) & 255;
}

// Sorts by the bytes of p, from the last to the first: the bits of numbers that are not negative are in the
// order of the numbers. Each pass keeps the order of equals, and so do all together. There are n places to
// spare behind the n candidates.
static void most_probable_first(Candidate *candidate, long n) {
    Candidate *from = candidate, *to = candidate + n;
    for (unsigned shift = 0; shift < 8 * sizeof(real); shift += 8) {
        long begin[257] = {0};  // of the candidates with each byte, the largest first
        for (long i = 0; i < n; i++) begin[256 - byte_of(from[i].p, shift)]++;
        for (int b = 0; b < 256; b++) begin[b + 1] += begin[b];
        for (long i = 0; i < n; i++) to[begin[255 - byte_of(from[i].p, shift)]++] = from[i];
        Candidate *sorted = to;
        to = from, from = sorted;
    }
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
    most_probable_first(candidate, V);

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
