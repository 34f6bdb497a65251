// random.h -- random numbers that are a pure function of seed, stream and index.
//
// Nothing is drawn and nothing is kept: number `index` of a stream can be asked for at any time, in any
// order, by any thread. A dropout mask is made again in the backward pass instead of being stored, and a
// resumed run has nothing to restore. The generator is SplitMix64 (Steele, Lea & Flood 2014,
// doi:10.1145/2660193.2660195) with the counter in place of its state.
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

// What a stream is for. Each use has a number of its own, so that no two share a key.
typedef enum { RANDOM_INIT = 1, RANDOM_DATA, RANDOM_DROPOUT, RANDOM_SAMPLE } RandomUse;

static inline uint64_t random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// 64 random bits: number `index` of the stream `key`.
static inline uint64_t random_bits(uint64_t key, uint64_t index) {
    return random_mix(key + (index + 1) * 0x9e3779b97f4a7c15u);
}

// The key of one stream: for a use, and within it up to two numbers (a step and a place, say).
static inline uint64_t random_key(uint64_t seed, RandomUse use, uint64_t a, uint64_t b) {
    return random_bits(random_bits(random_bits(random_mix(seed), use), a), b);
}

// Uniform in [0, 1), 53 bits.
static inline double random_uniform(uint64_t key, uint64_t index) {
    return (double)(random_bits(key, index) >> 11) * 0x1p-53;
}

// Standard normal (Box & Muller 1958).
double random_normal(uint64_t key, uint64_t index);

#endif
