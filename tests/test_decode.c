#include "../model/decode.h"
#include "../model/gpt.h"
#include "test.h"

static const GptConfig config = {.V = 13, .T = 20, .C = 24, .L = 3, .NH = 3, .bias = true, .tied = true};
static Weights w;
static Acts acts;
static Decoder decoder;
static int32_t text[64];

static void setup(void) {
    Error err;
    if (!weights_create(&w, &config, &err) || !acts_create(&acts, &config, 1, false, &err)) abort();
    weights_init(&w, 3);
    for (long i = 0; i < w.size; i++) w.memory[i] *= 5;  // logits far from equal
    if (!decoder_create(&decoder, &w, &err)) abort();
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
    decoder_reset(&decoder);
    for (long t = 0; t < config.T; t++) {
        const real *logits = decoder_append(&decoder, text + t, 1);
        CHECK_NEAR(relative_distance(logits, full(0, t + 1), config.V), 0, tolerance());
    }
}

static void several_tokens_at_once_equal_one_by_one(void) {
    decoder_reset(&decoder);
    decoder_append(&decoder, text, 7);
    decoder_append(&decoder, text + 7, 1);
    const real *logits = decoder_append(&decoder, text + 8, 12);
    CHECK_NEAR(relative_distance(logits, full(0, 20), config.V), 0, tolerance());
}

static void the_window_slides_to_the_newer_half_when_full(void) {
    decoder_reset(&decoder);
    decoder_append(&decoder, text, 20);
    const real *logits = decoder_append(&decoder, text + 20, 1);
    CHECK(decoder.pos == 11);
    CHECK_NEAR(relative_distance(logits, full(10, 21), config.V), 0, tolerance());
    for (long t = 21; t < 30; t++) decoder_append(&decoder, text + t, 1);
    CHECK(decoder.pos == 20);
    logits = decoder_append(&decoder, text + 30, 3);
    CHECK_NEAR(relative_distance(logits, full(20, 33), config.V), 0, tolerance());
}

static void a_long_start_keeps_its_last_tokens(void) {
    decoder_reset(&decoder);
    const real *logits = decoder_append(&decoder, text, 50);
    CHECK(decoder.pos == 20);
    CHECK_NEAR(relative_distance(logits, full(30, 50), config.V), 0, tolerance());
}

int main(void) {
    setup();
    RUN(cached_logits_equal_the_full_forward_pass_at_every_position);
    RUN(several_tokens_at_once_equal_one_by_one);
    RUN(the_window_slides_to_the_newer_half_when_full);
    RUN(a_long_start_keeps_its_last_tokens);
    return report();
}
