// real.h -- the number type of the model: float in the program, double in the build that proves the
// gradients.
//
// Everything that reaches a weight is written so that equal inputs give equal bits on every processor that
// has a fused multiply-add. The build therefore switches automatic contraction off (-ffp-contract=off), and
// the source says itself where a product and a sum are fused: here, by real_fma.
#ifndef REAL_H
#define REAL_H

#include <stdbool.h>
#include <stdint.h>
#include <tgmath.h>

#ifndef REAL
#define REAL float
#endif
typedef REAL real;

// The integer types as wide as real, for work on the bits of a number.
typedef __typeof__(__builtin_choose_expr(sizeof(real) == 4, (int32_t)0, (int64_t)0)) real_bits;
typedef __typeof__(__builtin_choose_expr(sizeof(real) == 4, (uint32_t)0, (uint64_t)0)) real_unsigned;

enum { REAL_IS_FLOAT = sizeof(real) == 4 };

// What is done with an output: it is overwritten, or added to.
typedef enum { STORE_SET, STORE_ADD } Store;

_Static_assert(sizeof(long) == 8, "dimensions and indices are long, which must have 64 bits");
_Static_assert(sizeof(real) == 4 || sizeof(real) == 8, "REAL is float or double");

// Before a short loop over registers, whose number must be known to the compiler.
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

static inline bool all_finite(const real *x, long n) {
    for (long i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static inline long min_long(long a, long b) { return a < b ? a : b; }

// a b + c, rounded once where the processor can (x86-64-v3 and later, 64-bit Arm, s390x), else rounded
// twice.
static inline real real_fma(real a, real b, real c) {
#if defined __FMA__ || defined __aarch64__ || defined FP_FAST_FMAF
    return REAL_IS_FLOAT ? (real)__builtin_fmaf((float)a, (float)b, (float)c)
                         : (real)__builtin_fma((double)a, (double)b, (double)c);
#else
    return a * b + c;
#endif
}

#endif
