// epochs.h -- in which order the windows of a text are trained on.
//
// An epoch cuts the text into windows of T inputs (and the target after each) side by side, from a random
// phase, and visits each once in random order. The order is a pure function of the seed: a place in it is two
// numbers.
#ifndef EPOCHS_H
#define EPOCHS_H

#include <stdint.h>

typedef struct {
    uint64_t seed;
    long n, T;         // tokens in the text, inputs in a window; n > T
    long epoch, next;  // the place: windows 0 .. next-1 of this epoch have been visited
} Epochs;

// Windows in the present epoch; it depends a little on the phase.
long epochs_windows(const Epochs *e);

// The first token of the next window, whose inputs are tokens start .. start+T-1 and whose targets are one
// further.
long epochs_next(Epochs *e);

// A permutation of 0 .. n-1, n > 0: where i goes under `key`. Needs no memory.
uint64_t permuted(uint64_t key, uint64_t i, uint64_t n);

#endif
