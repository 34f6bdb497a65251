// vector.h -- the one file that knows about vector registers.
//
// vec    one register of the machine's own width, for the matrix product's tile.
// Lanes  always 16 numbers, in one, two or four registers, for every other sum: element i of a row belongs
//        to lane i mod 16, and the lanes are joined in a fixed order. A sum therefore has the same bits
//        whatever the width.
#ifndef VECTOR_H
#define VECTOR_H

#include "real.h"
#include <stdbool.h>
#include <string.h>

#if defined __AVX512F__
enum { VEC_BYTES = 64 };
#elif defined __AVX__
enum { VEC_BYTES = 32 };
#else
enum { VEC_BYTES = 16 };
#endif

enum { VEC = VEC_BYTES / (int)sizeof(real), LANES = 16, LANE_REGISTERS = LANES / VEC };

typedef real vec __attribute__((vector_size(VEC_BYTES)));
typedef real vec_unaligned __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));

static inline vec vec_load(const real *p) { return *(const vec_unaligned *)p; }
static inline void vec_store(real *p, vec x) { *(vec_unaligned *)p = x; }
static inline vec vec_all(real x) { return x - (vec){0}; }

// a b + c, rounded once where the processor can, like real_fma.
static inline vec vec_fma(vec a, vec b, vec c) {
#ifdef __clang__
#pragma STDC FP_CONTRACT ON
    return a * b + c;
#else  // gcc makes one instruction of the loop
    UNROLL
    for (int i = 0; i < VEC; i++) c[i] = real_fma(a[i], b[i], c[i]);
    return c;
#endif
}

// The even or the odd half of two registers: lane l of the result comes from the lane of a, b that
// shuffle_lane names, where those of b are numbered on from those of a. `distance` is a power of two, and a
// constant.
static inline int shuffle_lane(int l, int distance, bool odd) {
    return odd ? (l & distance ? VEC + l : l + distance) : (l & distance ? VEC + l - distance : l);
}
static inline vec vec_shuffle(vec a, vec b, int distance, bool odd) {
#ifdef __clang__
    vec r;
    UNROLL
    for (int l = 0; l < VEC; l++) {
        int from = shuffle_lane(l, distance, odd);
        r[l] = from < VEC ? a[from] : b[from - VEC];
    }
    return r;
#else  // gcc 12 does not see through the loop
    typedef real_bits indices __attribute__((vector_size(VEC_BYTES)));
#define LANE(l) shuffle_lane(l, distance, odd)
#define LANES_4(l) LANE(l), LANE(l + 1), LANE(l + 2), LANE(l + 3)
    const real_bits from[16] = {LANES_4(0), LANES_4(4), LANES_4(8), LANES_4(12)};
#undef LANES_4
#undef LANE
    indices lanes;
    memcpy(&lanes, from, sizeof lanes);
    return __builtin_shuffle(a, b, lanes);
#endif
}

// Transposes a square of VEC registers: first single elements change places across the diagonal, then blocks
// of 2 x 2, of 4 x 4, and so on.
static inline __attribute__((always_inline)) void vec_transpose(vec x[VEC]) {
    UNROLL
    for (int distance = 1; distance < VEC; distance *= 2) UNROLL
    for (int i = 0; i < VEC; i++)
        if (!(i & distance)) {
            vec a = x[i], b = x[i + distance];
            x[i] = vec_shuffle(a, b, distance, false);
            x[i + distance] = vec_shuffle(a, b, distance, true);
        }
}

typedef struct {
    vec r[LANE_REGISTERS];
} Lanes;

static inline Lanes lanes_all(real x) {
    Lanes l;
    for (int i = 0; i < LANE_REGISTERS; i++) l.r[i] = vec_all(x);
    return l;
}

// The next 16 elements of a row that still has `left` of them; lanes past its end are `pad`.
static inline Lanes lanes_load(const real *p, long left, real pad) {
    Lanes l;
    if (left >= LANES) {
        for (int i = 0; i < LANE_REGISTERS; i++) l.r[i] = vec_load(p + i * VEC);
        return l;
    }
    real part[LANES];
    for (long j = 0; j < LANES; j++) part[j] = j < left ? p[j] : pad;
    memcpy(&l, part, sizeof l);
    return l;
}

static inline Lanes lanes_add(Lanes a, Lanes b) {
    for (int i = 0; i < LANE_REGISTERS; i++) a.r[i] += b.r[i];
    return a;
}

static inline Lanes lanes_sub(Lanes a, Lanes b) {
    for (int i = 0; i < LANE_REGISTERS; i++) a.r[i] -= b.r[i];
    return a;
}

static inline Lanes lanes_mul(Lanes a, Lanes b) {
    for (int i = 0; i < LANE_REGISTERS; i++) a.r[i] *= b.r[i];
    return a;
}

static inline Lanes lanes_fma(Lanes a, Lanes b, Lanes c) {
    for (int i = 0; i < LANE_REGISTERS; i++) c.r[i] = vec_fma(a.r[i], b.r[i], c.r[i]);
    return c;
}

// The sum of the 16 lanes: halves are added until one number is left.
static inline real lanes_join(Lanes l) {
    UNROLL
    for (int half = LANE_REGISTERS / 2; half > 0; half /= 2) UNROLL
    for (int i = 0; i < half; i++) l.r[i] += l.r[i + half];
    vec s = l.r[0];
    UNROLL
    for (int half = VEC / 2; half > 0; half /= 2) s += vec_shuffle(s, s, half, true);
    return s[0];
}

// Sum of x[0..n).
static inline real lanes_sum(const real *x, long n) {
    Lanes s = lanes_all(0);
    for (long i = 0; i < n; i += LANES) s = lanes_add(s, lanes_load(x + i, n - i, 0));
    return lanes_join(s);
}

// Sum of a[i] b[i].
static inline real lanes_dot(const real *a, const real *b, long n) {
    Lanes s = lanes_all(0);
    for (long i = 0; i < n; i += LANES)
        s = lanes_fma(lanes_load(a + i, n - i, 0), lanes_load(b + i, n - i, 0), s);
    return lanes_join(s);
}

// Sum of (x[i] - mean)^2.
static inline real lanes_square_distance(const real *x, real mean, long n) {
    Lanes s = lanes_all(0), m = lanes_all(mean);
    for (long i = 0; i < n; i += LANES) {
        Lanes d = lanes_sub(lanes_load(x + i, n - i, mean), m);
        s = lanes_fma(d, d, s);
    }
    return lanes_join(s);
}

// Largest of x[0..n), n > 0. The order of comparisons cannot change it, so plain code will do. NaN is passed
// over.
static inline real lanes_max(const real *x, long n) {
    real best = -(real)INFINITY;
    for (long i = 0; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}

#endif
