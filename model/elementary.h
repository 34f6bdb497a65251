// elementary.h -- exp, log and cos of our own: a C library's results differ between systems in the last bit,
// and these reach the weights.
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

#include "real.h"
#include <string.h>

static inline real_bits bits_of_real(real x) {
    real_bits b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline real real_of_bits(real_bits b) {
    real x;
    memcpy(&x, &b, sizeof x);
    return x;
}

// e^x, within 2 units in the last place. Results below twice the smallest normal number are 0 (no subnormal
// slows a softmax down), results above the largest are infinite, NaN stays NaN. Free of branches, so that a
// loop over it becomes vector code.
static inline real exp_real(real x) {
    enum { MANTISSA = REAL_IS_FLOAT ? 23 : 52, DEGREE = REAL_IS_FLOAT ? 7 : 13 };
    const real lowest = REAL_IS_FLOAT ? (real)-86.643397 : (real)-707.7032713517041;  // ln 2^-125, ln 2^-1021
    const real highest = REAL_IS_FLOAT ? (real)89 : (real)710;
    static const real inverse_factorial[] = {(real)1,
                                             (real)1,
                                             (real)1 / 2,
                                             (real)1 / 6,
                                             (real)1 / 24,
                                             (real)1 / 120,
                                             (real)1 / 720,
                                             (real)1 / 5040,
                                             (real)1 / 40320,
                                             (real)1 / 362880,
                                             (real)1 / 3628800,
                                             (real)1 / 39916800,
                                             (real)1 / 479001600,
                                             (real)1 / 6227020800};

    // x = k ln 2 + r with |r| <= ln 2 / 2, so e^x = 2^k e^r. Adding 1.5 * 2^MANTISSA rounds to an integer,
    // whose last bits are then the last bits of the sum. A bias added there, too, makes them the exponent of
    // 2^(k-1): one less than k, because k = 128 (1024) has no number of its own. ln 2 comes in two parts, the
    // first so short that its product with k is exact.
    const real shift = REAL_IS_FLOAT ? (real)0x1.8p23 + 126 : (real)0x1.8p52 + 1022;
    const real ln2_high = REAL_IS_FLOAT ? (real)0x1.62e4p-1 : (real)0x1.62e42feep-1;
    const real ln2_low = REAL_IS_FLOAT ? (real)0x1.7f7d1cp-20 : (real)0x1.a39ef35793c76p-33;
    real z = x < lowest ? lowest : x > highest ? highest : x;
    real shifted = real_fma(z, (real)1.4426950408889634, shift);
    real n = shifted - shift;
    real r = real_fma(-n, ln2_low, real_fma(-n, ln2_high, z));

    real e = inverse_factorial[DEGREE];
    UNROLL
    for (int i = DEGREE - 1; i >= 0; i--) e = real_fma(e, r, inverse_factorial[i]);

    real scale = real_of_bits((real_bits)((real_unsigned)bits_of_real(shifted) << MANTISSA));
    return x < lowest ? 0 : e * scale * 2;
}

// 1 / (1 + e^(-x)), the logistic function, which is (1 + tanh(x/2)) / 2: within 3 units in the last place, 0
// where e^(-x) overflows.
static inline real logistic_real(real x) { return 1 / (1 + exp_real(-x)); }

// ln x for normal x > 0, within 1e-15 relative or absolute, whichever is larger; ln 0 is -infinity, of a
// negative NaN. Free of branches, too.
static inline double log_double(double x) {
    // x = 2^k m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 artanh s with s = (m - 1) / (m + 1), |s| <
    // 0.172.
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t k = (int64_t)(bits - 0x3fe6a09e667f3bcd) >> 52;
    bits -= (uint64_t)k << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double s = (m - 1) / (m + 1), s2 = s * s, series = 0;
    UNROLL
    for (int i = 21; i >= 3; i -= 2) series = series * s2 + 1.0 / i;
    double finite = (double)k * 0.69314718055994531 + (2 * s + 2 * s * s2 * series);
    double below = x == 0 ? -(double)INFINITY : (double)NAN;
    return x > 0 ? (x < (double)INFINITY ? finite : x) : below;
}

// cos(pi x) for 0 <= x <= 2, within 1e-15.
static inline double cos_pi(double x) {
    // Symmetry brings the angle into [0, pi/4], where the Taylor polynomials of cos and sin converge quickly.
    double sign = 1;
    if (x > 1) x = 2 - x;
    if (x > 0.5) {
        x = 1 - x;
        sign = -1;
    }
    double angle = 3.14159265358979324 * (x <= 0.25 ? x : 0.5 - x), a2 = angle * angle, cosine = 1, sine = 1;
    for (int n = 16; n >= 2; n -= 2) {
        cosine = 1 - cosine * a2 / (n * (n - 1));
        sine = 1 - sine * a2 / (n * (n + 1));
    }
    return sign * (x <= 0.25 ? cosine : sine * angle);
}

#endif
