#include "../model/elementary.h"
#include "test.h"
#include <float.h>

static const real SMALLEST = 2 * (REAL_IS_FLOAT ? (real)FLT_MIN : (real)DBL_MIN);  // that exp_real gives
static const double LOWEST =
    REAL_IS_FLOAT ? -86.643397569993163 : -707.70327135170416;  // logarithm of SMALLEST
static const double HIGHEST =
    REAL_IS_FLOAT ? 88.722839052068946 : 709.78271289338400;  // and of the largest number
static const double EXP_ULPS = 2;                             // what exp_real promises

// How many units in the last place of the exact result lie between it and `found`.
static double ulps(real found, long double exact) {
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)found - exact) / ldexpl(1, exponent - (REAL_IS_FLOAT ? 24 : 53)));
}

enum { MANY = 1 << 20 };
static real x[MANY], y[MANY];

// The largest error in ulps of exp_real over x[0..n), in a loop that becomes vector code.
static double worst_exp(long n) {
    double worst = 0;
    for (long i = 0; i < n; i++) y[i] = exp_real(x[i]);
    for (long i = 0; i < n; i++) {
        double e = ulps(y[i], expl((long double)x[i]));
        if (!(e <= worst)) worst = isnan(e) ? (double)INFINITY : e;
    }
    return worst;
}

static bool exp_is_near(long n) {
    double worst = worst_exp(n);
    if (worst > EXP_ULPS) printf("  off by %.3f ulps\n", worst);
    return worst <= EXP_ULPS;
}

static void exp_is_within_two_ulps_over_the_whole_range(void) {
    for (long i = 0; i < MANY; i++)
        x[i] = (real)(LOWEST + 1e-5 +
                      (HIGHEST - LOWEST - 2e-5) * ((double)i + random_uniform(1, (uint64_t)i)) / MANY);
    CHECK(exp_is_near(MANY));
}

static void exp_is_within_two_ulps_of_one_near_zero(void) {
    long n = 0;
    for (int e = -1100; e <= 3; e++)
        for (int k = 0; k < 100; k++) {
            double m = ldexp(1 + random_uniform(2, (uint64_t)n), e);
            x[n++] = (real)m;
            x[n++] = (real)-m;
        }
    CHECK(exp_is_near(n));
}

static void exp_is_within_two_ulps_where_the_reduction_changes_step(void) {
    long n = 0;
    for (double k = ceil(LOWEST / 0.693147180559945); k <= floor(HIGHEST / 0.693147180559945); k += 0.5) {
        real at = (real)(k * 0.693147180559945309);
        real below = at, above = at;
        for (int step = 0; step < 4; step++) {
            if ((double)below > LOWEST + 1e-5) x[n++] = below;
            if ((double)above < HIGHEST - 1e-5 && (double)above > LOWEST + 1e-5) x[n++] = above;
            below = nextafter(below, (real)-INFINITY);
            above = nextafter(above, (real)INFINITY);
        }
    }
    CHECK(n > 900);
    CHECK(exp_is_near(n));
}

static void exp_of_zero_is_one(void) {
    CHECK(exp_real(0) == 1);
    CHECK(exp_real((real)-0.0) == 1);
}

static void exp_of_nan_is_nan(void) {
    CHECK(isnan(exp_real((real)NAN)));
    CHECK(isnan(exp_real(-(real)NAN)));
    static const real mixed[8] = {0, (real)NAN, 1, (real)NAN, -1, 2, (real)NAN, 3};
    real out[8];
    for (int i = 0; i < 8; i++) out[i] = exp_real(mixed[i]);
    for (int i = 0; i < 8; i++) CHECK(isnan(out[i]) == isnan(mixed[i]));
}

static void exp_of_the_infinities_is_zero_and_infinity(void) {
    CHECK(exp_real((real)-INFINITY) == 0 && !signbit(exp_real((real)-INFINITY)));
    CHECK(exp_real((real)INFINITY) == (real)INFINITY);
    CHECK(exp_real(REAL_IS_FLOAT ? (real)-FLT_MAX : (real)-DBL_MAX) == 0);
    CHECK(exp_real(REAL_IS_FLOAT ? (real)FLT_MAX : (real)DBL_MAX) == (real)INFINITY);
    CHECK(exp_real((real)-1000) == 0 && exp_real((real)1000) == (real)INFINITY);
}

// Walks through neighbouring numbers around `centre`.
static long neighbours(double centre, long each_way) {
    real at = (real)centre;
    long n = 0;
    for (long i = 0; i < each_way; i++) at = nextafter(at, (real)-INFINITY);
    for (; n < 2 * each_way; n++, at = nextafter(at, (real)INFINITY)) x[n] = at;
    return n;
}

static void exp_never_gives_a_subnormal_number(void) {
    long n = neighbours(LOWEST, 5000), subnormal = 0, zero = 0;
    for (long i = 0; i < 20000; i++, n++) x[n] = (real)(LOWEST - 40 * random_uniform(3, (uint64_t)i));
    for (long i = 0; i < n; i++) y[i] = exp_real(x[i]);
    for (long i = 0; i < n; i++) {
        subnormal += y[i] != 0 && !isnormal(y[i]);
        zero += y[i] == 0;
    }
    CHECK(subnormal == 0);
    CHECK(zero >= 20000);
}

static void exp_is_zero_only_where_the_result_lies_below_twice_the_smallest_normal_number(void) {
    long n = neighbours(LOWEST, 5000), wrong = 0;
    double spacing = REAL_IS_FLOAT ? 1e-4 : 1e-5;
    for (long i = 0; i < 5000; i++, n++) x[n] = (real)(LOWEST + spacing * random_uniform(4, (uint64_t)i));
    for (long i = 0; i < n; i++) {
        // Two ulps of the result around the limit are not judged.
        long double exact = expl((long double)x[i]), limit = (long double)SMALLEST,
                    slack = REAL_IS_FLOAT ? 0x1p-22L : 0x1p-51L;
        bool is_zero = exp_real(x[i]) == 0;
        wrong += (exact > limit * (1 + slack) && is_zero) || (exact < limit * (1 - slack) && !is_zero);
    }
    if (!CHECK(wrong == 0)) printf("  %ld of %ld numbers near %.12g\n", wrong, n, LOWEST);
}

static void exp_reaches_the_largest_number_and_is_infinite_beyond(void) {
    long n = neighbours(HIGHEST, 5000), wrong = 0;
    long double largest = REAL_IS_FLOAT ? (long double)FLT_MAX : (long double)DBL_MAX,
                slack = REAL_IS_FLOAT ? 0x1p-22L : 0x1p-51L;
    for (long i = 0; i < 5000; i++, n++) x[n] = (real)(HIGHEST + 2 * random_uniform(5, (uint64_t)i) - 1);
    long infinite = 0;
    for (long i = 0; i < n; i++) {
        long double exact = expl((long double)x[i]);
        real found = exp_real(x[i]);
        infinite += isinf(found);
        wrong += (exact > largest * (1 + slack) && !isinf(found)) ||
                 (exact < largest * (1 - slack) && !(ulps(found, exact) <= EXP_ULPS));
    }
    CHECK(wrong == 0);
    CHECK(infinite > 1000 && infinite < n - 1000);
}

static void exp_of_one_number_equals_that_in_a_vector_loop(void) {
    bool same = true;
    for (long i = 0; i < 10000; i++) x[i] = (real)(200 * random_uniform(6, (uint64_t)i) - 100);
    for (long i = 0; i < 10000; i++) y[i] = exp_real(x[i]);
    for (long i = 0; i < 10000; i += 7) {
        volatile real alone = x[i];
        real e = exp_real(alone);
        same = same && memcmp(&e, &y[i], sizeof e) == 0;
    }
    CHECK(same);
}

// The error of log_double, relative or absolute, whichever is smaller.
static double log_error(double of) {
    long double exact = logl((long double)of), distance = fabsl((long double)log_double(of) - exact);
    return (double)(fabsl(exact) > 1 ? distance / fabsl(exact) : distance);
}

static void log_is_within_1e_15_for_every_normal_number(void) {
    double worst = 0;
    for (uint64_t i = 0; i < 400000; i++) {
        int64_t bits =
            (int64_t)(0x0010000000000000 + random_bits(7, i) % 0x7fe0000000000000);  // any normal number
        double of;
        memcpy(&of, &bits, sizeof of);
        worst = fmax(worst, log_error(of));
    }
    CHECK_NEAR(worst, 0, 1e-15);
    CHECK_NEAR(log_error(DBL_MIN), 0, 1e-15);
    CHECK_NEAR(log_error(DBL_MAX), 0, 1e-15);
    CHECK(log_double(1) == 0);
}

static void log_is_within_1e_15_where_random_numbers_ask_for_it(void) {
    double worst = 0;
    for (uint64_t i = 0; i < 400000; i++) worst = fmax(worst, log_error(1 - random_uniform(8, i)));
    for (int e = 0; e <= 53; e++)
        worst = fmax(worst, fmax(log_error(ldexp(1, -e)), log_error(1 - ldexp(1, -e - 1))));
    CHECK_NEAR(worst, 0, 1e-15);
    CHECK(log_double(1 - 0x1p-53) < 0);
}

static void log_is_within_1e_15_where_the_reduction_changes_step(void) {
    double worst = 0;
    for (int e = -1000; e <= 1000; e += 40)
        for (int root = 0; root < 2; root++) {
            double at = ldexp(root ? 1.4142135623730951 : 1, e), below = at, above = at;
            for (int step = 0; step < 50; step++) {
                worst = fmax(worst, fmax(log_error(below), log_error(above)));
                below = nextafter(below, 0);
                above = nextafter(above, (double)INFINITY);
            }
        }
    CHECK_NEAR(worst, 0, 1e-15);
}

static void log_of_what_has_no_finite_logarithm_is_that_of_libm(void) {
    CHECK(log_double(0) == -(double)INFINITY);
    CHECK(log_double(-0.0) == -(double)INFINITY);
    CHECK(log_double((double)INFINITY) == (double)INFINITY);
    CHECK(isnan(log_double((double)NAN)));
    CHECK(isnan(log_double(-1)));
    CHECK(isnan(log_double(-(double)INFINITY)));
}

// In loops of their own, which become vector code.
static void log_of_one_number_equals_that_in_a_vector_loop(void) {
    enum { N = 1000 };
    static double of[N], got[N];
    for (int i = 0; i < N; i++) of[i] = exp(40 * random_uniform(10, (uint64_t)i) - 20);
    of[3] = 0, of[500] = (double)NAN, of[501] = -1, of[999] = (double)INFINITY;
    for (int i = 0; i < N; i++) got[i] = log_double(of[i]);
    for (int i = 0; i < N; i++) {
        volatile double alone = of[i];
        double l = log_double(alone);
        CHECK(isnan(of[i]) || of[i] < 0 ? isnan(got[i]) : memcmp(&l, &got[i], sizeof l) == 0);
    }
}

static void the_logistic_function_is_within_three_ulps_over_the_whole_range(void) {
    double worst = 0;
    for (long i = 0; i < MANY; i++) x[i] = (real)(HIGHEST * (2 * random_uniform(11, (uint64_t)i) - 1) * 0.99);
    for (long i = 0; i < 1000; i++) x[i] = (real)((double)(i - 500) * 1e-5);
    for (long i = 0; i < MANY; i++) y[i] = logistic_real(x[i]);
    for (long i = 0; i < MANY; i++) worst = fmax(worst, ulps(y[i], 1 / (1 + expl(-(long double)x[i]))));
    CHECK_NEAR(worst, 0, 3);
    CHECK(logistic_real(0) == (real)0.5);
    CHECK(logistic_real((real)INFINITY) == 1 && logistic_real(-(real)INFINITY) == 0);
    CHECK(isnan(logistic_real((real)NAN)));
}

static void twice_the_logistic_function_less_one_is_tanh(void) {
    for (double u = -30; u <= 30; u += 0.001)
        CHECK_NEAR(2 * (double)logistic_real((real)(2 * u)) - 1, tanh((double)(real)(2 * u) / 2),
                   REAL_IS_FLOAT ? 4e-7 : 1e-15);
}

// Exact in its argument: the angle is brought near 0 before pi comes in.
static double cos_error(double of) {
    const long double pi = 3.14159265358979323846264338327950288L;
    long double z = (long double)of, sign = 1;
    if (z > 1) z = 2 - z;
    if (z > 0.5L) {
        z = 1 - z;
        sign = -1;
    }
    long double exact = sign * (z <= 0.25L ? cosl(pi * z) : sinl(pi * (0.5L - z)));
    return (double)fabsl((long double)cos_pi(of) - exact);
}

static void cos_pi_is_within_1e_15_from_0_to_2(void) {
    double worst = 0;
    for (uint64_t i = 0; i < 400000; i++) worst = fmax(worst, cos_error(2 * random_uniform(9, i)));
    for (int k = 0; k <= 16; k++)
        for (int e = 5; e <= 60; e++) {
            double at = k / 8.0, step = ldexp(1, -e);
            if (at + step <= 2) worst = fmax(worst, cos_error(at + step));
            if (at - step >= 0) worst = fmax(worst, cos_error(at - step));
        }
    CHECK_NEAR(worst, 0, 1e-15);
}

static void cos_pi_is_exact_at_the_quarters(void) {
    CHECK(cos_pi(0) == 1);
    CHECK(cos_pi(0.5) == 0);
    CHECK(cos_pi(1) == -1);
    CHECK(cos_pi(1.5) == 0);
    CHECK(cos_pi(2) == 1);
    CHECK_NEAR(cos_pi(0.25), 0.70710678118654752, 1e-15);
    CHECK_NEAR(cos_pi(0.75), -0.70710678118654752, 1e-15);
    CHECK_NEAR(cos_pi(1.0 / 3), 0.5, 1e-15);
    CHECK_NEAR(cos_pi(5.0 / 3), 0.5, 1e-15);
}

static void bits_and_numbers_are_each_others_inverse(void) {
    CHECK(bits_of_real(1) == (REAL_IS_FLOAT ? (real_bits)0x3f800000 : (real_bits)0x3ff0000000000000));
    CHECK(real_of_bits(bits_of_real((real)-2.5)) == (real)-2.5);
    CHECK(bits_of_real((real)-0.0) < 0 && bits_of_real(0) == 0);
}

int main(void) {
    RUN(exp_is_within_two_ulps_over_the_whole_range);
    RUN(exp_is_within_two_ulps_of_one_near_zero);
    RUN(exp_is_within_two_ulps_where_the_reduction_changes_step);
    RUN(exp_of_zero_is_one);
    RUN(exp_of_nan_is_nan);
    RUN(exp_of_the_infinities_is_zero_and_infinity);
    RUN(exp_never_gives_a_subnormal_number);
    RUN(exp_is_zero_only_where_the_result_lies_below_twice_the_smallest_normal_number);
    RUN(exp_reaches_the_largest_number_and_is_infinite_beyond);
    RUN(exp_of_one_number_equals_that_in_a_vector_loop);
    RUN(log_is_within_1e_15_for_every_normal_number);
    RUN(log_is_within_1e_15_where_random_numbers_ask_for_it);
    RUN(log_is_within_1e_15_where_the_reduction_changes_step);
    RUN(log_of_what_has_no_finite_logarithm_is_that_of_libm);
    RUN(log_of_one_number_equals_that_in_a_vector_loop);
    RUN(the_logistic_function_is_within_three_ulps_over_the_whole_range);
    RUN(twice_the_logistic_function_less_one_is_tanh);
    RUN(cos_pi_is_within_1e_15_from_0_to_2);
    RUN(cos_pi_is_exact_at_the_quarters);
    RUN(bits_and_numbers_are_each_others_inverse);
    return report();
}
