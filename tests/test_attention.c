#include "../model/attention.h"
#include "test.h"

static long B, T, NH, HS;
static const Dropout *drop;
static real *scratch, *qkv, *out, *lse, *dout, *dqkv;

static double loss(void) {
    attention_forward(out, lse, scratch, qkv, drop, B, T, NH, HS);
    return dot(out, dout, B * T * NH * HS);
}

static void setup(long b, long t, long nh, long hs) {
    B = b, T = t, NH = nh, HS = hs, drop = NULL;
    long N = B * T, C = NH * HS;
    qkv = normals(N * 3 * C), dout = normals(N * C), out = poisoned(N * C), lse = poisoned(B * NH * T);
    dqkv = poisoned(N * 3 * C), scratch = poisoned(attention_scratch(HS));
}

static void backward(void) { attention_backward(dqkv, scratch, dout, qkv, out, lse, drop, B, T, NH, HS); }

// The weights p (B,NH,T,T), which the operator never stores: with row j of v a unit vector, out[i] is row i
// of p. Several passes, each showing HS columns. Whatever stands in v is put back.
static real *weights(void) {
    long C = NH * HS, N = B * T;
    real *p = poisoned(B * NH * T * T), *shown = poisoned(N * C), *ignored = poisoned(B * NH * T),
         *copy = array_of(N * 3 * C);
    memcpy(copy, qkv, (size_t)(N * 3 * C) * sizeof(real));
    for (long first = 0; first < T; first += HS) {
        for (long n = 0; n < N; n++)
            for (long c = 0; c < C; c++) copy[n * 3 * C + 2 * C + c] = n % T == first + c % HS;
        attention_forward(shown, ignored, scratch, copy, drop, B, T, NH, HS);
        for (long b = 0; b < B; b++)
            for (long h = 0; h < NH; h++)
                for (long i = 0; i < T; i++)
                    for (long j = first; j < first + HS && j < T; j++)
                        p[((b * NH + h) * T + i) * T + j] = shown[(b * T + i) * C + h * HS + j - first];
    }
    return p;
}

// ---- gradients ----

static void gradients_match_differences(void) {
    setup(2, 11, 3, 5);
    loss();
    backward();
    CHECK_GRAD(qkv, dqkv, B * T * 3 * NH * HS, 0, loss);
}

static void gradients_match_differences_across_tiles(void) {
    setup(1, 130, 1, 2);  // two full tiles of 64 and a rest
    loss();
    backward();
    CHECK_GRAD(qkv, dqkv, B * T * 3 * NH * HS, 0, loss);
}

static void gradients_match_differences_under_dropout(void) {
    static const Dropout some = {.p = 0.4, .key = 99, .first = 1000};
    setup(2, 9, 2, 3);
    drop = &some;
    loss();
    backward();
    CHECK_GRAD(qkv, dqkv, B * T * 3 * NH * HS, 0, loss);
}

static void golden_numbers_agree(void) {
    static const char *const paths[] = {"tests/golden/attention_small.txt",
                                        "tests/golden/attention_heads.txt",
                                        "tests/golden/attention_saturated.txt"};
    for (int f = 0; f < 3; f++) {
        real *shape = golden(paths[f], "shape_B_T_C_NH", NULL);
        setup((long)shape[0], (long)shape[1], (long)shape[3], (long)shape[2] / (long)shape[3]);
        long n = B * T * NH * HS;
        qkv = golden(paths[f], "qkv", NULL), dout = golden(paths[f], "dout", NULL);
        loss();
        backward();
        CHECK_NEAR(relative_distance(out, golden(paths[f], "out", NULL), n), 0, golden_tolerance(1e-5));
        CHECK_NEAR(relative_distance(weights(), golden(paths[f], "att", NULL), B * NH * T * T), 0,
                   golden_tolerance(1e-5));
        CHECK_NEAR(relative_distance(dqkv, golden(paths[f], "dqkv", NULL), 3 * n), 0, golden_tolerance(1e-4));
    }
}

// ---- facts ----

// The second of six tokens as query over all six, with itself as key and value and no scale: it is put last,
// where the causal mask hides nothing, and multiplied by sqrt(HS).
static void six_words_attend_as_worked_out_by_hand(void) {
    static const double word[6][3] = {{0.43, 0.15, 0.89}, {0.55, 0.87, 0.66}, {0.57, 0.85, 0.64},
                                      {0.22, 0.58, 0.33}, {0.77, 0.25, 0.10}, {0.05, 0.80, 0.55}};
    static const double weight[6] = {0.1385, 0.2379, 0.2333, 0.1240, 0.1082, 0.1581},
                        context[3] = {0.4419, 0.6515, 0.5683};
    setup(1, 6, 1, 3);
    for (long t = 0; t < 6; t++)
        for (long c = 0; c < 3; c++) {
            qkv[t * 9 + c] = (real)(word[1][c] * sqrt(3.0));
            qkv[t * 9 + 3 + c] = qkv[t * 9 + 6 + c] = (real)word[t][c];
        }
    loss();
    real *p = weights();
    for (long j = 0; j < 6; j++) CHECK_NEAR(p[5 * 6 + j], weight[j], 5e-5);
    for (long c = 0; c < 3; c++) CHECK_NEAR(out[5 * 3 + c], context[c], 5e-5);
}

static void rows_sum_to_one_and_the_future_weighs_exactly_nothing(void) {
    setup(2, 70, 2, 8);
    real *p = weights();
    for (long row = 0; row < B * NH * T; row++) {
        long i = row % T;
        double sum = 0;
        for (long j = 0; j < T; j++) sum += (double)p[row * T + j];
        CHECK_NEAR(sum, 1, REAL_IS_FLOAT ? 1e-6 : 1e-14);
        for (long j = i + 1; j < T; j++) CHECK(p[row * T + j] == 0);
        for (long j = 0; j <= i; j++) CHECK(p[row * T + j] > 0);
        if (i == 0) CHECK(p[row * T] == 1);
    }
}

static void a_later_token_changes_no_earlier_output_by_a_bit(void) {
    setup(1, 70, 2, 4);
    long C = NH * HS;
    loss();
    for (long changed = 1; changed < T; changed += 23) {
        real *before = array_of(T * C);
        memcpy(before, out, (size_t)(T * C) * sizeof(real));
        for (long c = 0; c < 3 * C; c++) qkv[changed * 3 * C + c] += 1;
        fill(out, T * C, (real)NAN);
        loss();
        CHECK(memcmp(before, out, (size_t)(changed * C) * sizeof(real)) == 0);
        CHECK(memcmp(before + changed * C, out + changed * C, (size_t)C * sizeof(real)) != 0);
    }
}

static void gradients_of_earlier_outputs_do_not_reach_later_tokens(void) {
    setup(1, 70, 2, 4);
    const long last = 20;
    long C = NH * HS;
    for (long i = (last + 1) * C; i < T * C; i++) dout[i] = 0;
    loss();
    backward();
    for (long i = (last + 1) * 3 * C; i < T * 3 * C; i++) CHECK(dqkv[i] == 0);
    long touched = 0;
    for (long i = 0; i < (last + 1) * 3 * C; i++) touched += dqkv[i] != 0;
    CHECK(touched > 0);
}

static void heads_side_by_side_equal_single_heads(void) {
    setup(2, 13, 3, 4);
    long C = NH * HS, N = B * T, heads = NH;
    loss();
    backward();
    real *all = qkv, *all_out = out, *all_dqkv = dqkv, *all_dout = dout;
    for (long h = 0; h < heads; h++) {
        setup(2, 13, 1, HS);
        for (long n = 0; n < N; n++)
            for (long c = 0; c < HS; c++) {
                for (long part = 0; part < 3; part++)
                    qkv[n * 3 * HS + part * HS + c] = all[n * 3 * C + part * C + h * HS + c];
                dout[n * HS + c] = all_dout[n * C + h * HS + c];
            }
        loss();
        backward();
        for (long n = 0; n < N; n++)
            for (long c = 0; c < HS; c++) {
                CHECK(out[n * HS + c] == all_out[n * C + h * HS + c]);
                for (long part = 0; part < 3; part++)
                    CHECK(dqkv[n * 3 * HS + part * HS + c] == all_dqkv[n * 3 * C + part * C + h * HS + c]);
            }
    }
}

// Var(q . k) = HS for independent unit-variance q and k. The scaled score is read off the weights: with two
// keys, the second 0, its logarithm ratio is score - 0.
static void scores_of_unit_variance_inputs_have_variance_one_after_scaling(void) {
    const long samples = 4000, size = 64;
    setup(samples, 2, 1, size);
    double unscaled = 0, scaled = 0;
    for (long b = 0; b < B; b++) {
        real *second = qkv + (b * 2 + 1) * 3 * size, *k_first = qkv + b * 2 * 3 * size + size;
        for (long c = 0; c < size; c++) second[size + c] = 0;
        double s = dot(second, k_first, size);
        unscaled += s * s / (double)samples;
    }
    real *p = weights();
    for (long b = 0; b < B; b++) {
        double ratio = log((double)p[(b * 2 + 1) * 2]) - log((double)p[(b * 2 + 1) * 2 + 1]);
        scaled += ratio * ratio / (double)samples;
    }
    CHECK_NEAR(unscaled / (double)size, 1, 0.1);  // deviation of the estimate: sqrt(2/4000) = 0.022
    CHECK_NEAR(scaled, 1, 0.1);
}

static void large_scores_saturate_the_softmax_and_its_gradient_vanishes(void) {
    double size[2];
    for (int times = 0; times < 2; times++) {
        setup(1, 6, 1, 64);
        long C = NH * HS;
        for (long n = 0; n < T; n++)
            for (long c = 0; c < C; c++)
                qkv[n * 3 * C + c] *= times ? 64 : 1;  // as if scores had no 1/sqrt(64), and more
        loss();
        backward();
        real *p = weights();
        double least_certain = 1;
        for (long i = 0; i < T; i++) {
            double largest = 0;
            for (long j = 0; j <= i; j++)
                if ((double)p[i * T + j] > largest) largest = (double)p[i * T + j];
            least_certain = fmin(least_certain, largest);
        }
        CHECK(times ? least_certain > 0.999 : least_certain < 0.9);
        size[times] = 0;
        for (long n = 0; n < T; n++) size[times] += dot(dqkv + n * 3 * C, dqkv + n * 3 * C, C);
    }
    CHECK(size[1] < 1e-6 * size[0]);
}

static void without_positions_the_order_of_earlier_tokens_does_not_matter(void) {
    setup(1, 9, 2, 4);
    long C = NH * HS;
    loss();
    real *before = array_of(C);
    memcpy(before, out + (T - 1) * C, (size_t)C * sizeof(real));
    for (long i = 0, j = T - 2; i < j; i++, j--)  // all but the last, reversed
        for (long c = 0; c < 3 * C; c++) {
            real kept = qkv[i * 3 * C + c];
            qkv[i * 3 * C + c] = qkv[j * 3 * C + c];
            qkv[j * 3 * C + c] = kept;
        }
    loss();
    CHECK_NEAR(relative_distance(out + (T - 1) * C, before, C), 0, REAL_IS_FLOAT ? 1e-5 : 1e-13);
}

static void huge_and_equal_scores_stay_finite(void) {
    static const double sizes[] = {0, 1e2, 1e4};
    for (int s = 0; s < 3; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            setup(1, 70, 1, 1);  // score = q k
            for (long t = 0; t < T; t++) {
                qkv[t * 3] = (real)sizes[s];
                qkv[t * 3 + 1] = (real)(t % 2 ? sign : -sign);
            }
            loss();
            backward();
            for (long i = 0; i < T; i++) CHECK(isfinite(out[i]) && isfinite(lse[i]));
            for (long i = 0; i < 3 * T; i++) CHECK(isfinite(dqkv[i]));
            if (s == 0) CHECK_NEAR(lse[T - 1], log((double)T), 1e-5);
        }
}

// ---- dropout and decoding ----

static void dropout_keeps_the_expectation_and_drops_after_the_softmax(void) {
    setup(1, 40, 2, 8);
    real *p = weights();
    Dropout d = {.p = 0.25, .key = 5};
    drop = &d;
    double sum = 0, expected = 0;
    for (uint64_t key = 0; key < 50; key++) {
        d.key = key;
        real *dropped = weights();
        for (long i = 0; i < B * NH * T * T; i++) {
            bool zero = dropped[i] == 0, scaled = fabs((double)dropped[i] - (double)p[i] / 0.75) < 1e-6;
            if (p[i] > 0) CHECK(zero || scaled);
            sum += (double)dropped[i];
            expected += (double)p[i];
        }
        free(dropped);
    }
    CHECK_NEAR(sum / expected, 1, 0.03);
}

static void decoding_from_a_cache_equals_the_full_pass(void) {
    setup(1, 70, 3, 5);
    long C = NH * HS;
    loss();
    real *k = array_of(T * C), *v = array_of(T * C), *o = poisoned(T * C);
    for (long t = 0; t < T; t++) {
        memcpy(k + t * C, qkv + t * 3 * C + C, (size_t)C * sizeof(real));
        memcpy(v + t * C, qkv + t * 3 * C + 2 * C, (size_t)C * sizeof(real));
    }
    static const long cuts[] = {0, 1, 2, 66, 69, 70};
    for (int i = 0; i < 5; i++)
        for (long h = 0; h < NH; h++)
            attention_decode(o + cuts[i] * C + h * HS, C, scratch, qkv + cuts[i] * 3 * C + h * HS, 3 * C,
                             k + h * HS, v + h * HS, C, cuts[i + 1] - cuts[i], cuts[i + 1], HS);
    CHECK_NEAR(relative_distance(o, out, T * C), 0, REAL_IS_FLOAT ? 1e-6 : 1e-14);
}

int main(void) {
    RUN(gradients_match_differences);
    RUN(gradients_match_differences_across_tiles);
    RUN(gradients_match_differences_under_dropout);
    RUN(golden_numbers_agree);
    RUN(six_words_attend_as_worked_out_by_hand);
    RUN(rows_sum_to_one_and_the_future_weighs_exactly_nothing);
    RUN(a_later_token_changes_no_earlier_output_by_a_bit);
    RUN(gradients_of_earlier_outputs_do_not_reach_later_tokens);
    RUN(heads_side_by_side_equal_single_heads);
    RUN(scores_of_unit_variance_inputs_have_variance_one_after_scaling);
    RUN(large_scores_saturate_the_softmax_and_its_gradient_vanishes);
    RUN(without_positions_the_order_of_earlier_tokens_does_not_matter);
    RUN(huge_and_equal_scores_stay_finite);
    RUN(dropout_keeps_the_expectation_and_drops_after_the_softmax);
    RUN(decoding_from_a_cache_equals_the_full_pass);
    return report();
}
