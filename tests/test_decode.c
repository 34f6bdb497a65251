#include "../model/decode.h"
#include "../model/gpt.h"
#include "../model/threads.h"
#include "test.h"

static const GptConfig config = {.V = 13, .T = 20, .C = 24, .L = 3, .NH = 3, .bias = true, .tied = true};
static Weights w;
static Acts acts;
static Decoder one;  // of one stream
static int32_t text[64];

static void setup(void) {
    Error err;
    if (!weights_create(&w, &config, &err) || !acts_create(&acts, &config, 1, false, &err)) abort();
    weights_init(&w, 3);
    for (long i = 0; i < w.size; i++) w.memory[i] *= 5;  // logits far from equal
    if (!decoder_create(&one, &w, 1, &err)) abort();
    for (int i = 0; i < 64; i++) text[i] = (int32_t)(random_bits(5, (uint64_t)i) % 13);
}

// The logits after text[begin .. end) by a full forward pass.
static const real *full(long begin, long end) {
    static real logits[64 * 13];
    gpt_logits(logits, &acts, &w, text + begin, 1, end - begin);
    return logits + (end - begin - 1) * config.V;
}

static double tolerance(void) { return REAL_IS_FLOAT ? 1e-5 : 1e-13; }

static void cached_logits_equal_the_full_forward_pass_at_every_position(void) {
    const real *logits = decoder_start(&one, text, 1, 1);
    for (long t = 1; t <= config.T; t++) {
        CHECK_NEAR(relative_distance(logits, full(0, t), config.V), 0, tolerance());
        if (t < config.T) logits = decoder_append(&one, text + t);
    }
}

static void a_start_of_several_tokens_equals_one_by_one(void) {
    for (long n = 2; n <= config.T; n += 3) {
        CHECK_NEAR(relative_distance(decoder_start(&one, text, n, 1), full(0, n), config.V), 0, tolerance());
        if (n == config.T) continue;
        CHECK_NEAR(relative_distance(decoder_append(&one, text + n), full(0, n + 1), config.V), 0,
                   tolerance());
    }
}

static void the_window_slides_to_the_newer_half_when_full(void) {
    decoder_start(&one, text, 20, 1);
    const real *logits = decoder_append(&one, text + 20);
    CHECK(one.pos == 11);
    CHECK_NEAR(relative_distance(logits, full(10, 21), config.V), 0, tolerance());
    for (long t = 21; t < 30; t++) decoder_append(&one, text + t);
    CHECK(one.pos == 20);
    for (long t = 30; t < 33; t++) logits = decoder_append(&one, text + t);
    CHECK_NEAR(relative_distance(logits, full(20, 33), config.V), 0, tolerance());
}

static void a_long_start_keeps_its_last_tokens(void) {
    const real *logits = decoder_start(&one, text, 50, 1);
    CHECK(one.pos == 20);
    CHECK_NEAR(relative_distance(logits, full(30, 50), config.V), 0, tolerance());
}

// Also after the window has slid.
static void streams_side_by_side_equal_single_ones_bit_for_bit(void) {
    enum { STREAMS = 3, STEPS = 30 };
    Decoder many;
    Error err;
    if (!decoder_create(&many, &w, STREAMS, &err)) abort();
    real *logits = array_of(STEPS * STREAMS * config.V);
    size_t bytes = (size_t)config.V * sizeof(real);
    for (long s = 0; s < STREAMS; s++) {
        const real *first = decoder_start(&many, text, 7, STREAMS);
        CHECK(memcmp(first, first + s * config.V, bytes) == 0);
    }
    for (long t = 0; t < STEPS; t++) {
        int32_t tokens[STREAMS];
        for (long s = 0; s < STREAMS; s++) tokens[s] = (int32_t)(random_bits((uint64_t)s, (uint64_t)t) % 13);
        memcpy(logits + t * STREAMS * config.V, decoder_append(&many, tokens), STREAMS * bytes);
    }
    for (long s = 0; s < STREAMS; s++) {
        decoder_start(&one, text, 7, 1);
        for (long t = 0; t < STEPS; t++) {
            int32_t token = (int32_t)(random_bits((uint64_t)s, (uint64_t)t) % 13);
            CHECK(memcmp(logits + (t * STREAMS + s) * config.V, decoder_append(&one, &token), bytes) == 0);
        }
    }
    decoder_free(&many);
}

static void equal_bits_for_any_number_of_threads(void) {
    real *logits = array_of(config.V);
    int before = thread_default();
    for (int threads = 1; threads <= 5; threads++) {
        thread_use(threads);
        Decoder d;
        Error err;
        if (!decoder_create(&d, &w, 1, &err)) abort();
        decoder_start(&d, text, 9, 1);
        const real *got = decoder_append(&d, text + 9);
        if (threads == 1) memcpy(logits, got, (size_t)config.V * sizeof(real));
        CHECK(memcmp(got, logits, (size_t)config.V * sizeof(real)) == 0);
        decoder_free(&d);
    }
    thread_use(before);
}

int main(void) {
    setup();
    RUN(cached_logits_equal_the_full_forward_pass_at_every_position);
    RUN(a_start_of_several_tokens_equals_one_by_one);
    RUN(the_window_slides_to_the_newer_half_when_full);
    RUN(a_long_start_keeps_its_last_tokens);
    RUN(streams_side_by_side_equal_single_ones_bit_for_bit);
    RUN(equal_bits_for_any_number_of_threads);
    return report();
}
