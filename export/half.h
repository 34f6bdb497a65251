// half.h -- numbers of 16 bits, as files of other programs hold them, from and to float.
// Sources: IEEE 754-2019, binary16; for bfloat16 the upper half of binary32.
#ifndef HALF_H
#define HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline float float_from_bfloat16(uint16_t h) { return float_of_bits((uint32_t)h << 16); }

// Exact for every value, subnormals, infinities and NaN included.
static inline float float_from_half(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 0x1f, fraction = h & 0x3ff;
    if (exponent == 0) {
        float f = (float)fraction * 0x1p-24f;
        return sign ? -f : f;
    }
    return float_of_bits(sign | (exponent == 0x1f ? 0xffu : exponent - 15 + 127) << 23 | fraction << 13);
}

// The nearest half, of two equally near ones the even; infinity from 65,520 on.
static inline uint16_t half_from_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    float size = fabsf(f);
    if (isnan(f)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    // Below 2^-14 halves are multiples of 2^-24; above, of the 2^-10th part of their power of two.
    if (size < 0x1p-14f) return sign | (uint16_t)rintf(size * 0x1p24f);
    bits &= 0x7fffffff;
    bits += 0xfff + (bits >> 13 & 1);
    return sign | (uint16_t)((bits >> 13) - ((127 - 15) << 10));
}

#endif
