#include "../export/half.h"
#include "test.h"

enum { HALVES = 1 << 16, HALF_INFINITY = 0x7c00, HALF_LARGEST = 0x7bff, SIGN = 0x8000 };

static uint32_t bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// What the fields of a small floating-point number mean, with so many bits of exponent and fraction.
static double meaning(uint32_t h, int exponent_bits, int fraction_bits) {
    uint32_t most = (1u << exponent_bits) - 1, exponent = h >> fraction_bits & most,
             fraction = h & ((1u << fraction_bits) - 1);
    int bias = (1 << (exponent_bits - 1)) - 1;
    double sign = h >> (exponent_bits + fraction_bits) & 1 ? -1.0 : 1.0;
    if (exponent == most) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp((double)fraction, 1 - bias - fraction_bits);
    return sign * ldexp((double)(fraction + (1u << fraction_bits)), (int)exponent - bias - fraction_bits);
}

// Equal, the sign of zero included, or both NaN.
static bool same(float f, double expected) {
    if (isnan(expected)) return isnan(f);
    return (double)f == expected && !signbit(f) == !signbit(expected);
}

static void every_half_is_the_number_that_its_fields_mean(void) {
    long wrong = 0;
    for (uint32_t h = 0; h < HALVES; h++) wrong += !same(float_from_half((uint16_t)h), meaning(h, 5, 10));
    CHECK(wrong == 0);
    CHECK(float_from_half(0x0001) == 0x1p-24f && float_from_half(0x03ff) == 0x3ffp-24f);
    CHECK(float_from_half(0x0400) == 0x1p-14f && float_from_half(0x3c00) == 1 &&
          float_from_half(0xc000) == -2);
    CHECK(float_from_half(0x3555) == 0x1.554p-2f && float_from_half(HALF_LARGEST) == 65504);
}

static void every_half_comes_back_from_its_float(void) {
    long wrong = 0;
    for (uint32_t h = 0; h < HALVES; h++) {
        float f = float_from_half((uint16_t)h);
        uint16_t back = half_from_float(f);
        wrong += isnan(f) ? !isnan(float_from_half(back)) || (back & SIGN) != (h & SIGN) : back != h;
    }
    CHECK(wrong == 0);
}

// Between each finite half and the next: below the middle, in it, above it, and next to both ends.
static void numbers_between_halves_go_to_the_nearest_and_from_the_middle_to_the_even(void) {
    long wrong = 0;
    for (uint32_t h = 0; h < HALF_LARGEST; h++) {
        float low = float_from_half((uint16_t)h), high = float_from_half((uint16_t)(h + 1));
        float middle = low + (high - low) / 2;  // exact: one more bit than a half has
        uint32_t even = h & 1 ? h + 1 : h;
        for (uint32_t sign = 0; sign <= SIGN; sign += SIGN) {
            float s = sign ? -1 : 1;
            wrong += half_from_float(s * nextafterf(low, high)) != (h | sign);
            wrong += half_from_float(s * nextafterf(middle, low)) != (h | sign);
            wrong += half_from_float(s * middle) != (even | sign);
            wrong += half_from_float(s * nextafterf(middle, high)) != ((h + 1) | sign);
            wrong += half_from_float(s * nextafterf(high, low)) != ((h + 1) | sign);
        }
    }
    CHECK(wrong == 0);
}

static void numbers_too_small_for_a_half_become_zero(void) {
    CHECK(half_from_float(0x1p-25f) == 0 && half_from_float(-0x1p-25f) == SIGN);  // in the middle, and even
    CHECK(half_from_float(nextafterf(0x1p-25f, 1)) == 1);
    CHECK(half_from_float(0x1p-149f) == 0 && half_from_float(-0x1p-149f) == SIGN);
    CHECK(half_from_float(0x1p-126f) == 0);
}

static void numbers_too_large_for_a_half_become_infinite(void) {
    CHECK(half_from_float(65504) == HALF_LARGEST && half_from_float(65519) == HALF_LARGEST);
    CHECK(half_from_float(nextafterf(65520, 0)) == HALF_LARGEST);
    CHECK(half_from_float(65520) == HALF_INFINITY && half_from_float(-65520) == (HALF_INFINITY | SIGN));
    CHECK(half_from_float(65536) == HALF_INFINITY && half_from_float(0x1.fffffep127f) == HALF_INFINITY);
    CHECK(half_from_float(INFINITY) == HALF_INFINITY && half_from_float(-INFINITY) == (HALF_INFINITY | SIGN));
}

static void no_number_that_is_not_one_becomes_one(void) {
    static const uint32_t nans[] = {0x7fc00000, 0x7f800001, 0xff800001, 0x7f802000, 0xffffffff};
    for (int i = 0; i < 5; i++) CHECK(isnan(float_from_half(half_from_float(float_of_bits(nans[i])))));
}

static void floats_of_all_sizes_go_to_a_nearest_half(void) {
    long wrong = 0;
    for (uint64_t bits = 0; bits < bits_of(65520); bits += 65521) {
        float f = float_of_bits((uint32_t)bits);
        uint16_t h = half_from_float(f);
        double d = fabs((double)f - (double)float_from_half(h));
        if (h > 0) wrong += fabs((double)f - (double)float_from_half((uint16_t)(h - 1))) < d;
        if (h < HALF_LARGEST) wrong += fabs((double)f - (double)float_from_half((uint16_t)(h + 1))) < d;
    }
    CHECK(wrong == 0);
}

static void every_bfloat16_is_the_number_that_its_fields_mean(void) {
    long wrong = 0;
    for (uint32_t h = 0; h < HALVES; h++) wrong += !same(float_from_bfloat16((uint16_t)h), meaning(h, 8, 7));
    CHECK(wrong == 0);
    CHECK(float_from_bfloat16(0x3f80) == 1 && float_from_bfloat16(0xc049) == -3.140625f);
}

int main(void) {
    RUN(every_half_is_the_number_that_its_fields_mean);
    RUN(every_half_comes_back_from_its_float);
    RUN(numbers_between_halves_go_to_the_nearest_and_from_the_middle_to_the_even);
    RUN(numbers_too_small_for_a_half_become_zero);
    RUN(numbers_too_large_for_a_half_become_infinite);
    RUN(no_number_that_is_not_one_becomes_one);
    RUN(floats_of_all_sizes_go_to_a_nearest_half);
    RUN(every_bfloat16_is_the_number_that_its_fields_mean);
    return report();
}
