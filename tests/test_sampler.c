#include "../model/sampler.h"
#include "test.h"

enum { MOST = 4096 };
static Candidate candidate[2 * MOST];
static const Sampling plain = {.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0};
static const double TOLERANCE = REAL_IS_FLOAT ? 1e-6 : 1e-14;

// log of 0.1 0.4 0.15 0.05 0.3: in order the tokens 1 4 2 0 3
static real five[5];
static const double share[] = {0.4, 0.3, 0.15, 0.1, 0.05};
static const int32_t order[] = {1, 4, 2, 0, 3};

static bool adds_up(long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += (double)candidate[i].p;
    return fabs(sum - 1) < 10 * TOLERANCE;
}

static bool ordered(long n) {
    for (long i = 1; i < n; i++) {
        const Candidate *a = &candidate[i - 1], *b = &candidate[i];
        if (!(a->p > b->p || (a->p == b->p && a->token < b->token))) return false;
    }
    return true;
}

// These are the first n of the five tokens, with probabilities in proportion to their shares.
static bool are_the_first(long n, long expected) {
    double sum = 0;
    for (long i = 0; i < expected; i++) sum += share[i];
    bool good = n == expected;
    for (long i = 0; good && i < n; i++)
        good = candidate[i].token == order[i] && fabs((double)candidate[i].p - share[i] / sum) < TOLERANCE;
    return good && adds_up(n);
}

static long sampled(double temperature, long top_k, double top_p, double min_p) {
    Sampling s = {temperature, top_k, top_p, min_p};
    memset(candidate, 0xff, sizeof candidate);
    return sampler_candidates(candidate, five, 5, &s);
}

static void without_limits_all_tokens_stay_in_order_of_probability(void) {
    CHECK(are_the_first(sampled(1, 0, 1, 0), 5));
}

static void temperature_zero_takes_the_most_probable_token(void) {
    CHECK(sampled(0, 0, 1, 0) == 1);
    CHECK(candidate[0].token == 1 && candidate[0].p == 1);
    CHECK(sampled(0, 3, 0.5, 0.1) == 1);
    CHECK(candidate[0].token == 1 && candidate[0].p == 1);
}

static void temperature_zero_takes_the_first_of_equals(void) {
    const real logits[] = {-1, 2, 0, 2, 2};
    Sampling greedy = plain;
    greedy.temperature = 0;
    CHECK(sampler_candidates(candidate, logits, 5, &greedy) == 1);
    CHECK(candidate[0].token == 1 && candidate[0].p == 1);
}

static void equal_tokens_stand_in_order_of_id(void) {
    static real logits[300];
    for (int i = 0; i < 300; i++) logits[i] = (real)(i % 3);
    CHECK(sampler_candidates(candidate, logits, 300, &plain) == 300);
    CHECK(ordered(300));
    CHECK(candidate[0].token == 2 && candidate[1].token == 5 && candidate[100].token == 1 &&
          candidate[299].token == 297);
    CHECK(candidate[0].p == candidate[99].p && candidate[99].p > candidate[100].p);
    CHECK(adds_up(300));
}

static void top_k_keeps_exactly_k(void) {
    for (long k = 1; k <= 5; k++) CHECK(are_the_first(sampled(1, k, 1, 0), k));
    const real equal[] = {1, 1, 1, 1};
    Sampling s = plain;
    s.top_k = 2;
    CHECK(sampler_candidates(candidate, equal, 4, &s) == 2);
    CHECK(candidate[0].token == 0 && candidate[1].token == 1);
    CHECK_NEAR(candidate[0].p, 0.5, TOLERANCE);
}

static void a_top_k_beyond_the_vocabulary_keeps_all(void) {
    CHECK(are_the_first(sampled(1, 6, 1, 0), 5));
    CHECK(are_the_first(sampled(1, 1000000, 1, 0), 5));
}

static void top_p_keeps_the_fewest_that_reach_p(void) {
    static const struct {
        double p;
        long n;
    } cases[] = {{0, 1},    {0.001, 1}, {0.39, 1}, {0.41, 2}, {0.69, 2}, {0.71, 3},
                 {0.84, 3}, {0.86, 4},  {0.94, 4}, {0.96, 5}, {1, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK(are_the_first(sampled(1, 0, cases[i].p, 0), cases[i].n)))
            printf("  top-p %g\n", cases[i].p);
}

static void a_top_p_of_one_keeps_even_the_least_probable(void) {
    const real logits[] = {0, -40, 0, -41};
    CHECK(sampler_candidates(candidate, logits, 4, &plain) == 4);
    CHECK(candidate[2].token == 1 && candidate[3].token == 3 && candidate[3].p > 0);
}

static void min_p_keeps_what_has_that_share_of_the_largest(void) {
    static const struct {
        double p;
        long n;
    } cases[] = {{0, 5},    {0.12, 5}, {0.13, 4}, {0.24, 4}, {0.26, 3},
                 {0.37, 3}, {0.38, 2}, {0.74, 2}, {0.76, 1}, {1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!CHECK(are_the_first(sampled(1, 0, 1, cases[i].p), cases[i].n)))
            printf("  min-p %g\n", cases[i].p);
    const real equal[] = {1, 0, 1};
    Sampling s = plain;
    s.min_p = 1;
    CHECK(sampler_candidates(candidate, equal, 3, &s) == 2);
    CHECK(candidate[0].token == 0 && candidate[1].token == 2);
}

// Of the first three the shares are 0.471 0.353 0.176, so that 0.8 needs two; of all five three.
static void top_p_counts_within_top_k(void) {
    CHECK(are_the_first(sampled(1, 0, 0.8, 0), 3));
    CHECK(are_the_first(sampled(1, 3, 0.8, 0), 2));
}

// The share of the largest is not changed by what the others have cut off.
static void min_p_comes_last_and_compares_with_the_largest(void) {
    CHECK(are_the_first(sampled(1, 4, 0.99, 0.3), 3));
    CHECK(are_the_first(sampled(1, 2, 0.99, 0.3), 2));
    CHECK(are_the_first(sampled(1, 4, 0.6, 0.3), 2));
    CHECK(are_the_first(sampled(1, 4, 0.99, 0.8), 1));
}

static void the_temperature_divides_the_logits(void) {
    static const double temperatures[] = {0.1, 0.5, 0.8, 2, 10};
    for (int t = 0; t < 5; t++) {
        double sum = 0;
        for (int i = 0; i < 5; i++) sum += pow(share[i], 1 / temperatures[t]);
        CHECK(sampled(temperatures[t], 0, 1, 0) == 5);
        for (int i = 0; i < 5; i++) {
            CHECK(candidate[i].token == order[i]);
            CHECK_NEAR(candidate[i].p, pow(share[i], 1 / temperatures[t]) / sum, 5 * TOLERANCE);
        }
        CHECK(adds_up(5));
    }
    // The temperature comes first: what min-p and top-p see has been divided by it.
    CHECK(sampled(2, 0, 1, 0.4) == 4);     // shares of the largest 1 0.87 0.61 0.5 0.35
    CHECK(sampled(0.5, 0, 0.55, 0) == 1);  // 0.16 of 0.285
}

static void the_lowest_temperatures_are_all_but_greedy(void) {
    static const double temperatures[] = {1e-3, 1e-6, 1e-20, 1e-40, 1e-60, 1e-300};
    for (int t = 0; t < 6; t++) {
        long n = sampled(temperatures[t], 0, 1, 0);
        bool good = n >= 1 && candidate[0].token == 1 && candidate[0].p == 1 &&
                    sampler_choose(candidate, n, 0.999) == 1;
        if (!CHECK(good)) printf("  temperature %g: p %g\n", temperatures[t], (double)candidate[0].p);
    }
}

static void large_and_infinite_logits_are_no_obstacle(void) {
    const real large[] = {(real)1e30, (real)-1e30, (real)1e30},
               forbidden[] = {(real)-INFINITY, 0, (real)-INFINITY, 0};
    long n = sampler_candidates(candidate, large, 3, &plain);
    CHECK(n >= 2 && candidate[0].token == 0 && candidate[1].token == 2 && candidate[0].p == (real)0.5 &&
          adds_up(n));
    n = sampler_candidates(candidate, forbidden, 4, &plain);
    CHECK(n >= 2 && candidate[0].token == 1 && candidate[1].token == 3 && candidate[0].p == (real)0.5 &&
          adds_up(n));
}

static void one_token_is_the_only_choice(void) {
    const real logits[] = {-3};
    CHECK(sampler_candidates(candidate, logits, 1, &plain) == 1);
    CHECK(candidate[0].token == 0 && candidate[0].p == 1);
    CHECK(sampler_choose(candidate, 1, 0) == 0 && sampler_choose(candidate, 1, 1 - 0x1p-53) == 0);
}

static void probabilities_of_many_tokens_add_up(void) {
    real *logits = normals(MOST);
    for (int i = 0; i < 20; i++) {
        Sampling s = {0.3 + 0.1 * i, 37 * i, 1 - 0.04 * i, 0.002 * i};
        long n = sampler_candidates(candidate, logits, MOST, &s);
        CHECK(n >= 1 && n <= MOST && (s.top_k == 0 || n <= s.top_k));
        CHECK(adds_up(n) && ordered(n));
    }
    CHECK(sampler_candidates(candidate, logits, MOST, &plain) == MOST);
    for (long i = 1; i < MOST; i++)  // but for those whose probabilities round to the same number
        CHECK((double)logits[candidate[i].token] <= (double)logits[candidate[i - 1].token] + TOLERANCE);
    free(logits);
}

static void a_choice_falls_where_u_lies(void) {
    const Candidate three[] = {{7, (real)0.5}, {2, (real)0.25}, {9, (real)0.25}};
    CHECK(sampler_choose(three, 3, 0) == 7);
    CHECK(sampler_choose(three, 3, 0.4999) == 7);
    CHECK(sampler_choose(three, 3, 0.5) == 2);
    CHECK(sampler_choose(three, 3, 0.7499) == 2);
    CHECK(sampler_choose(three, 3, 0.75) == 9);
    CHECK(sampler_choose(three, 3, 1 - 0x1p-53) == 9);
}

static void a_choice_is_made_where_rounding_leaves_the_sum_below_one(void) {
    const Candidate short_of_one[] = {{3, (real)0.5}, {4, (real)0.49}};
    CHECK(sampler_choose(short_of_one, 2, 0.995) == 4);
}

static void choices_are_distributed_like_the_probabilities(void) {
    enum { DRAWS = 200000 };
    long count[5] = {0}, n = sampled(1, 0, 1, 0);
    for (uint64_t i = 0; i < DRAWS; i++) count[sampler_choose(candidate, n, random_uniform(31, i))]++;
    for (int i = 0; i < 5; i++)
        CHECK_NEAR((double)count[order[i]] / DRAWS, share[i], 0.0045);  // four standard errors
    memset(count, 0, sizeof count);
    n = sampled(1, 2, 1, 0);
    for (uint64_t i = 0; i < DRAWS; i++) count[sampler_choose(candidate, n, random_uniform(32, i))]++;
    CHECK_NEAR((double)count[1] / DRAWS, 4.0 / 7, 0.0045);
    CHECK(count[1] + count[4] == DRAWS);
}

int main(void) {
    for (int i = 0; i < 5; i++) five[order[i]] = (real)log(share[i]);
    RUN(without_limits_all_tokens_stay_in_order_of_probability);
    RUN(temperature_zero_takes_the_most_probable_token);
    RUN(temperature_zero_takes_the_first_of_equals);
    RUN(equal_tokens_stand_in_order_of_id);
    RUN(top_k_keeps_exactly_k);
    RUN(a_top_k_beyond_the_vocabulary_keeps_all);
    RUN(top_p_keeps_the_fewest_that_reach_p);
    RUN(a_top_p_of_one_keeps_even_the_least_probable);
    RUN(min_p_keeps_what_has_that_share_of_the_largest);
    RUN(top_p_counts_within_top_k);
    RUN(min_p_comes_last_and_compares_with_the_largest);
    RUN(the_temperature_divides_the_logits);
    RUN(the_lowest_temperatures_are_all_but_greedy);
    RUN(large_and_infinite_logits_are_no_obstacle);
    RUN(one_token_is_the_only_choice);
    RUN(probabilities_of_many_tokens_add_up);
    RUN(a_choice_falls_where_u_lies);
    RUN(a_choice_is_made_where_rounding_leaves_the_sum_below_one);
    RUN(choices_are_distributed_like_the_probabilities);
    return report();
}
