#include "test.h"

// The outputs of SplitMix64 from the seed 1234567, as published with it by several implementations.
static void the_generator_is_splitmix64(void) {
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    for (uint64_t i = 0; i < 5; i++) CHECK(random_bits(1234567, i) == known[i]);
}

static void numbers_are_a_pure_function_of_key_and_index(void) {
    enum { N = 1000 };
    static uint64_t bits[N];
    static double normal[N];
    uint64_t key = random_key(5, RANDOM_INIT, 6, 7);
    for (uint64_t i = 0; i < N; i++) {
        bits[i] = random_bits(key, i);
        normal[i] = random_normal(key, i);
    }
    bool same = true;
    for (uint64_t i = N; i-- > 0;)
        same = same && random_bits(random_key(5, RANDOM_INIT, 6, 7), i) == bits[i] &&
               random_normal(key, i) == normal[i];
    CHECK(same);
    bool different = true;
    for (int i = 1; i < N; i++) different = different && bits[i] != bits[i - 1] && normal[i] != normal[i - 1];
    CHECK(different);
}

static void uniform_numbers_lie_evenly_in_their_range(void) {
    enum { N = 1000000, BINS = 100 };
    uint64_t key = random_key(1, RANDOM_SAMPLE, 2, 3);
    static long count[BINS];
    double sum = 0, squares = 0, neighbours = 0, before = 0.5, low = 1, high = 0;
    bool inside = true;
    for (uint64_t i = 0; i < N; i++) {
        double u = random_uniform(key, i);
        inside = inside && u >= 0 && u < 1;
        if (inside) count[(int)(u * BINS)]++;
        sum += u;
        squares += u * u;
        neighbours += (u - 0.5) * (before - 0.5);
        before = u;
        if (u < low) low = u;
        if (u > high) high = u;
    }
    CHECK(inside);
    CHECK_NEAR(sum / N, 0.5, 0.0012);  // four standard errors
    CHECK_NEAR(squares / N, 1.0 / 3, 0.0012);
    CHECK_NEAR(neighbours / N, 0, 0.00034);
    CHECK(low < 1e-4 && high > 1 - 1e-4);
    double chi2 = 0;
    for (int b = 0; b < BINS; b++) {
        double d = (double)count[b] - (double)N / BINS;
        chi2 += d * d / ((double)N / BINS);
    }
    CHECK(chi2 > 50 && chi2 < 160);  // 99 degrees of freedom
}

// In [0, 1) whatever the bits are: 53 of them, the largest below 1.
static void a_uniform_number_has_53_bits(void) {
    bool good = true, odd = false;
    for (uint64_t i = 0; i < 1000; i++) {
        double u = random_uniform(99, i);
        uint64_t scaled = (uint64_t)(u * 0x1p53);
        good = good && (double)scaled * 0x1p-53 == u && scaled == random_bits(99, i) >> 11;
        odd = odd || scaled % 2;
    }
    CHECK(good);
    CHECK(odd);
}

static void normal_numbers_have_the_moments_of_the_normal_distribution(void) {
    enum { N = 1000000 };
    uint64_t key = random_key(11, RANDOM_INIT, 0, 0);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, neighbours = 0, before = 0, most = 0;
    long below1 = 0, beyond2 = 0, beyond3 = 0, positive = 0;
    bool finite = true;
    for (uint64_t i = 0; i < N; i++) {
        double x = random_normal(key, i), size = fabs(x);
        finite = finite && isfinite(x);
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
        neighbours += x * before;
        before = x;
        below1 += size < 1;
        beyond2 += size > 2;
        beyond3 += size > 3;
        positive += x > 0;
        if (size > most) most = size;
    }
    CHECK(finite);
    CHECK_NEAR(m1 / N, 0, 0.004);  // about four standard errors each
    CHECK_NEAR(m2 / N, 1, 0.0057);
    CHECK_NEAR(m3 / N, 0, 0.0155);
    CHECK_NEAR(m4 / N, 3, 0.04);
    CHECK_NEAR(neighbours / N, 0, 0.004);
    CHECK_NEAR((double)positive / N, 0.5, 0.002);
    CHECK_NEAR((double)below1 / N, 0.6826895, 0.0019);
    CHECK_NEAR((double)beyond2 / N, 0.0455003, 0.0009);
    CHECK_NEAR((double)beyond3 / N, 0.0026998, 0.0003);
    CHECK(most > 4.2 && most < 6.5);
}

static void a_normal_number_is_that_of_box_and_muller(void) {
    bool near = true;
    for (uint64_t i = 0; i < 20000; i++) {
        double u = 1 - random_uniform(77, 2 * i), v = random_uniform(77, 2 * i + 1);
        double expected = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979324 * v);
        near = near && fabs(random_normal(77, i) - expected) < 1e-13;
    }
    CHECK(near);
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void every_seed_use_and_place_has_a_stream_of_its_own(void) {
    enum { N = 6 * 4 * 20 * 20 };
    static uint64_t key[N], first[N];
    long n = 0;
    static const uint64_t seeds[] = {0, 1, 2, 42, 1337, UINT64_MAX};
    for (int s = 0; s < 6; s++)
        for (int use = RANDOM_INIT; use <= RANDOM_SAMPLE; use++)
            for (uint64_t a = 0; a < 20; a++)
                for (uint64_t b = 0; b < 20; b++, n++) {
                    key[n] = random_key(seeds[s], (RandomUse)use, a, b);
                    first[n] = random_bits(key[n], 0);
                }
    qsort(key, N, sizeof *key, ascending);
    qsort(first, N, sizeof *first, ascending);
    long equal = 0;
    for (long i = 1; i < N; i++) equal += (key[i] == key[i - 1]) + (first[i] == first[i - 1]);
    CHECK(n == N);
    CHECK(equal == 0);
}

// Of 64 bits about 32 are equal by chance: with 1000 numbers 32000, give or take 126.
static void neighbouring_streams_have_nothing_in_common(void) {
    static const uint64_t places[][3] = {{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}, {1, 1, 1}};
    for (int s = 1; s < 5; s++)
        for (uint64_t shift = 0; shift < 3; shift++) {
            uint64_t a = random_key(places[0][0], RANDOM_DROPOUT, places[0][1], places[0][2]);
            uint64_t b = random_key(places[s][0], RANDOM_DROPOUT, places[s][1], places[s][2]);
            long equal = 0;
            for (uint64_t i = 0; i < 1000; i++)
                equal += 64 - __builtin_popcountll(random_bits(a, i) ^ random_bits(b, i + shift));
            CHECK(labs(equal - 32000) < 630);
        }
}

int main(void) {
    RUN(the_generator_is_splitmix64);
    RUN(numbers_are_a_pure_function_of_key_and_index);
    RUN(uniform_numbers_lie_evenly_in_their_range);
    RUN(a_uniform_number_has_53_bits);
    RUN(normal_numbers_have_the_moments_of_the_normal_distribution);
    RUN(a_normal_number_is_that_of_box_and_muller);
    RUN(every_seed_use_and_place_has_a_stream_of_its_own);
    RUN(neighbouring_streams_have_nothing_in_common);
    return report();
}
