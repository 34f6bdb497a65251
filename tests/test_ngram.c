#include "../model/ngram.h"
#include "test.h"
#include "watching.h"

static Error err;

static bool losses(double loss[NGRAM_MODELS], const int32_t *training, long n, const int32_t *validation,
                   long m, long V) {
    for (int k = 0; k < NGRAM_MODELS; k++) loss[k] = (double)NAN;
    return ngram_losses(loss, training, n, validation, m, V, NULL, &err);
}

// The definition read aloud: for each token to predict, all of the training text is searched for its context.
static void reference(double loss[NGRAM_MODELS], const int32_t *training, long n, const int32_t *validation,
                      long m, long V) {
    bool *follows = calloc((size_t)V, sizeof *follows);
    if (!follows) abort();
    for (int k = 0; k < NGRAM_MODELS; k++) loss[k] = 0;
    for (long i = 0; i < m; i++) {
        double p = 1 / (double)V;
        for (long k = 0; k < NGRAM_MODELS; k++) {
            double N = 0, T = 0, count = 0;
            memset(follows, 0, (size_t)V * sizeof *follows);
            for (long j = k; k <= i && j < n; j++) {
                if (memcmp(training + j - k, validation + i - k, (size_t)k * sizeof *training) != 0) continue;
                N++;
                T += !follows[training[j]];
                follows[training[j]] = true;
                count += training[j] == validation[i];
            }
            if (N > 0) p = (count + T * p) / (N + T);
            loss[k] -= log(p) / (double)m;
        }
    }
    free(follows);
}

static void the_losses_of_a_tiny_text_are_those_worked_out_by_hand(void) {
    // "aab" and "ac" of three letters: after all 3 tokens 2 kinds, so p0(a) = (2 + 2/3) / 5 and p0(c) = (0 +
    // 2/3) / 5; after the 2 a's 2 kinds, so p1(c|a) = (0 + 2 p0(c)) / 4. There is no longer context.
    const int32_t training[] = {0, 0, 1}, validation[] = {0, 2};
    double loss[NGRAM_MODELS];
    CHECK(losses(loss, training, 3, validation, 2, 3));
    CHECK_NEAR(loss[0], -(log(8.0 / 15) + log(2.0 / 15)) / 2, 1e-15);
    for (int k = 1; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], -(log(8.0 / 15) + log(1.0 / 15)) / 2, 1e-15);
}

static void a_longer_context_is_used_as_soon_as_there_is_one(void) {
    // "abab" and "aba" of two letters: p0 is 1/2 throughout. p1(b|a) = (2 + 1/2) / 3 = 5/6, p1(a|b) = (1 +
    // 1/2) / 2 = 3/4. p2(a|ab) = (1 + 3/4) / 2 = 7/8, the third token.
    const int32_t training[] = {0, 1, 0, 1}, validation[] = {0, 1, 0};
    double loss[NGRAM_MODELS];
    CHECK(losses(loss, training, 4, validation, 3, 2));
    CHECK_NEAR(loss[0], log(2.0), 1e-15);
    CHECK_NEAR(loss[1], -(log(1.0 / 2) + log(5.0 / 6) + log(3.0 / 4)) / 3, 1e-15);
    for (int k = 2; k < NGRAM_MODELS; k++)
        CHECK_NEAR(loss[k], -(log(1.0 / 2) + log(5.0 / 6) + log(7.0 / 8)) / 3, 1e-15);
}

static void random_texts_give_the_losses_of_the_definition(void) {
    static int32_t training[600], validation[120];
    for (uint64_t trial = 0; trial < 12; trial++) {
        long V = 3 + (long)(trial % 3), n = 1 + (long)(random_bits(1, trial) % 600),
             m = 1 + (long)(random_bits(2, trial) % 120);
        // Squares make some symbols rarer; the last is seldom or never in the training text.
        for (long i = 0; i < n; i++) {
            double u = random_uniform(100 + trial, (uint64_t)i);
            training[i] = (int32_t)(u * u * ((double)V - 0.2));
        }
        for (long i = 0; i < m; i++)
            validation[i] = (int32_t)(random_uniform(200 + trial, (uint64_t)i) * (double)V);
        double loss[NGRAM_MODELS], expected[NGRAM_MODELS];
        CHECK(losses(loss, training, n, validation, m, V));
        reference(expected, training, n, validation, m, V);
        for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-12);
    }
}

static void a_large_vocabulary_gives_the_losses_of_the_definition(void) {
    static int32_t training[3000], validation[40];
    const long V = 70000;
    for (long i = 0; i < 3000; i++) training[i] = (int32_t)(random_bits(3, (uint64_t)i) % 50 * 1400);
    for (long i = 0; i < 40; i++) validation[i] = i < 30 ? training[1000 + i] : (int32_t)V - 1;
    double loss[NGRAM_MODELS], expected[NGRAM_MODELS];
    CHECK(losses(loss, training, 3000, validation, 40, V));
    reference(expected, training, 3000, validation, 40, V);
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-12);
    CHECK(expected[6] < expected[0]);
}

static void a_training_text_of_one_symbol_leaves_room_for_others(void) {
    const int32_t training[] = {0, 0, 0, 0, 0, 0, 0, 0}, same[] = {0, 0, 0}, other[] = {1, 1, 0};
    double loss[NGRAM_MODELS], expected[NGRAM_MODELS];
    CHECK(losses(loss, training, 8, same, 3, 2));
    CHECK_NEAR(loss[0], -log((8 + 0.5) / 9), 1e-15);
    reference(expected, training, 8, same, 3, 2);
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-14);
    CHECK(losses(loss, training, 8, other, 3, 2));
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], -(2 * log(0.5 / 9) + log(8.5 / 9)) / 3, 1e-15);
}

static void one_symbol_alone_is_certain(void) {
    const int32_t text[] = {0, 0, 0, 0, 0};
    double loss[NGRAM_MODELS];
    CHECK(losses(loss, text, 5, text, 5, 1));
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], 0, 1e-15);
}

static void without_training_all_symbols_are_alike(void) {
    const int32_t text[] = {0, 4, 2};
    double loss[NGRAM_MODELS];
    CHECK(losses(loss, text, 0, text, 3, 5));
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], log(5.0), 1e-15);
}

// The context that ends the training text has been seen, but nothing has been seen to follow it.
static void a_context_that_nothing_followed_changes_nothing(void) {
    const int32_t training[] = {0, 1, 0, 1, 2}, validation[] = {1, 2, 0};
    double loss[NGRAM_MODELS], expected[NGRAM_MODELS];
    CHECK(losses(loss, training, 5, validation, 3, 3));
    reference(expected, training, 5, validation, 3, 3);
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-15);
    CHECK_NEAR(loss[0], -2 * log(3.0 / 8) / 3 - log(2.0 / 8) / 3,
               1e-15);  // (2 + 3/3) / 8 twice, (1 + 3/3) / 8
}

// Were the validation text the end of the other, its first tokens would have contexts.
static void the_training_text_is_no_context_of_the_other(void) {
    const int32_t training[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2}, validation[] = {3, 0, 1, 2, 3};
    double loss[NGRAM_MODELS], expected[NGRAM_MODELS], first[NGRAM_MODELS];
    CHECK(losses(loss, training, 11, validation, 5, 5));
    reference(expected, training, 11, validation, 5, 5);
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-14);
    CHECK(losses(first, training, 11, validation, 1, 5));
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(first[k], -log((2 + 4.0 / 5) / 15), 1e-15);
}

// The same array twice: where a text is too short to set some aside.
static void a_text_may_be_its_own_validation(void) {
    static int32_t text[400];
    for (long i = 0; i < 400; i++) text[i] = (int32_t)(random_bits(4, (uint64_t)i) % 3);
    double loss[NGRAM_MODELS], expected[NGRAM_MODELS];
    for (long n = 1; n < 12; n++) {
        CHECK(losses(loss, text, n, text, n, 3));
        reference(expected, text, n, text, n, 3);
        for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-14);
    }
    CHECK(losses(loss, text, 400, text, 400, 3));
    reference(expected, text, 400, text, 400, 3);
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], expected[k], 1e-12);
}

static void tinyshakespeare_has_the_losses_of_the_design(void) {
    static const char path[] = "../shared/data/tinyshakespeare.txt";
    static const double known[NGRAM_MODELS] = {3.3473, 2.4858, 2.0492, 1.7738, 1.6688, 1.6981, 1.7792};
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("skipped: n-gram losses of tinyshakespeare: no %s\n", path);
        return;
    }
    enum { ROOM = 1 << 21 };
    static unsigned char bytes[ROOM];
    static int32_t text[ROOM];
    long n = (long)fread(bytes, 1, ROOM, f), V = 0;
    fclose(f);
    int32_t id[256] = {0};
    for (long i = 0; i < n; i++) id[bytes[i]] = 1;
    for (int c = 0; c < 256; c++) id[c] = id[c] ? (int32_t)V++ : -1;
    for (long i = 0; i < n; i++) text[i] = id[bytes[i]];
    CHECK(n == 1115394 && V == 65);
    double loss[NGRAM_MODELS];
    long training = n * 9 / 10;
    CHECK(losses(loss, text, training, text + training, n - training, V));
    for (int k = 0; k < NGRAM_MODELS; k++) CHECK_NEAR(loss[k], known[k], 0.00005);
}

static void whoever_watches_is_told_of_each_length(void) {
    double loss[NGRAM_MODELS];
    const int32_t text[] = {0, 1, 0, 1};
    Seen seen;
    Watch watch = watching(&seen);
    CHECK(ngram_losses(loss, text, 4, text, 4, 2, &watch, &err));
    CHECK(seen.times == NGRAM_MODELS && !seen.went_back && seen.all == NGRAM_MODELS);
}

int main(void) {
    RUN(the_losses_of_a_tiny_text_are_those_worked_out_by_hand);
    RUN(a_longer_context_is_used_as_soon_as_there_is_one);
    RUN(random_texts_give_the_losses_of_the_definition);
    RUN(a_large_vocabulary_gives_the_losses_of_the_definition);
    RUN(a_training_text_of_one_symbol_leaves_room_for_others);
    RUN(one_symbol_alone_is_certain);
    RUN(without_training_all_symbols_are_alike);
    RUN(a_context_that_nothing_followed_changes_nothing);
    RUN(the_training_text_is_no_context_of_the_other);
    RUN(a_text_may_be_its_own_validation);
    RUN(whoever_watches_is_told_of_each_length);
    RUN(tinyshakespeare_has_the_losses_of_the_design);
    return report();
}
