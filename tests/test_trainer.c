#include "../model/threads.h"
#include "../model/trainer.h"
#include "golden_gpt.h"

static const AdamW pytorch = {.learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.95, .weight_decay = 0.1};

static Trainer trainer_of(const GptConfig *c, long B) {
    Trainer t;
    Error err;
    if (!trainer_create(&t, c, B, &err)) abort();
    return t;
}

// The loss does not depend on the keys' bias (softmax ignores a shift), so its gradient is rounding alone,
// and AdamW makes steps of up to the learning rate from rounding. In float, which way it went says nothing:
// where it moved no further than that, it is put where PyTorch's float64 left it, which is where it started.
static void accept_key_biases(Weights *w, const Weights *start, double furthest) {
    long C = w->config.C;
    for (long l = 0; l < w->config.L && w->config.bias; l++)
        for (long c = C; c < 2 * C; c++) {
            real *now = &w->block[l].qkvb[c], then = start->block[l].qkvb[c];
            if (CHECK_NEAR(*now, then, furthest)) *now = then;
        }
}

static void three_golden_steps_with_clipping_agree(void) {
    for (int f = 0; f < 2; f++) {
        Weights start;
        GoldenGpt g = golden_gpt(GOLDEN_GPTS[f], &start);
        Trainer t = trainer_of(&g.config, g.B);
        memcpy(t.w.memory, start.memory, (size_t)start.size * sizeof(real));
        real *losses = golden(g.path, "adamw.losses", NULL),
             *norms = golden(g.path, "adamw.grad_norms", NULL);
        for (int i = 0; i < 3; i++) {
            StepResult r = trainer_step(&t, g.tokens, g.targets, g.B, 0, 1, 1.0, &pytorch);
            CHECK_NEAR(r.loss, losses[i], golden_tolerance(1e-5));
            CHECK_NEAR(r.norm, norms[i], golden_tolerance(1e-4));
            CHECK(r.norm > 1);  // so that clipping is at work
        }
        CHECK(t.step == 3);
        if (REAL_IS_FLOAT) accept_key_biases(&t.w, &start, 3 * pytorch.learning_rate);
        check_golden_block(g.path, "adamw.after3.", &t.w, t.w.memory, golden_tolerance(1e-4));
        trainer_free(&t);
    }
}

static const GptConfig small = {.V = 11, .T = 100, .C = 16, .L = 2, .NH = 2, .bias = true, .tied = true};

static void the_first_moment_is_a_tenth_of_the_gradient_after_one_step(void) {
    Trainer t = trainer_of(&small, 3);
    weights_init(&t.w, 1);
    int32_t tokens[300], targets[300];
    for (int i = 0; i < 300; i++) tokens[i] = i * i % 11, targets[i] = i * 7 % 11;
    trainer_step(&t, tokens, targets, 3, 0, 1, 0, &pytorch);
    double norm = gradient_norm(&t.dw);
    CHECK(norm > 0);
    for (long i = 0; i < t.w.size; i++) CHECK_NEAR(t.m[i], 0.1 * (double)t.dw.memory[i], 1e-7 * norm);
    trainer_free(&t);
}

// The gradient of a batch that needs several micro-batches is that of all its sequences at once, with the
// same masks.
static void a_step_is_the_gradient_of_the_whole_batch(void) {
    const long B = 7;
    const double p = 0.2;
    const uint64_t seed = 9;
    int32_t tokens[700], targets[700];
    for (int i = 0; i < 700; i++) tokens[i] = i * i % 11, targets[i] = (i / 100 + i * 7) % 11;
    Trainer t = trainer_of(&small, B);
    CHECK(gpt_micro_batch(&small) == 5 && t.acts.B == 4);  // 3 and 4 sequences, not 5 and 2
    weights_init(&t.w, 1);
    Weights before = weights_of(&small), dw = weights_of(&small);
    memcpy(before.memory, t.w.memory, (size_t)t.w.size * sizeof(real));
    StepResult r = trainer_step(&t, tokens, targets, B, p, seed, 1, &pytorch);
    Acts all;
    Error err;
    CHECK(acts_create(&all, &small, B, true, &err));
    GptDropout drop = {.p = p, .seed = seed};
    double loss = gpt_loss_backward(&dw, STORE_SET, &all, &before, tokens, targets, B, small.T,
                                    (real)(1.0 / 700), &drop) /
                  700;
    CHECK_NEAR(r.loss, loss, 1e-6);
    CHECK_NEAR(relative_distance(t.dw.memory, dw.memory, dw.size), 0, REAL_IS_FLOAT ? 1e-4 : 1e-12);
    acts_free(&all);
    trainer_free(&t);
}

// The second context is one with which two or three threads can have whole sequences.
static void equal_bits_for_one_two_and_three_threads(void) {
    int before = thread_default();
    const long contexts[2] = {100, 104};
    for (int n = 0; n < 2; n++) {
        Trainer t[3];
        GptConfig c = small;
        c.T = contexts[n];
        int32_t tokens[7 * 104], targets[7 * 104];
        for (int i = 0; i < 7 * c.T; i++) tokens[i] = i * i % 11, targets[i] = i * 7 % 11;
        for (int k = 0; k < 3; k++) {
            thread_use(k + 1);
            t[k] = trainer_of(&c, 7);  // micro-batches of 3 and 4
            weights_init(&t[k].w, 1);
            for (int step = 0; step < 3; step++) trainer_step(&t[k], tokens, targets, 7, 0.1, 9, 1, &pytorch);
            CHECK(memcmp(t[k].w.memory, t[0].w.memory, (size_t)t[0].w.size * sizeof(real)) == 0);
            CHECK(memcmp(t[k].v, t[0].v, (size_t)t[0].w.size * sizeof(real)) == 0);
        }
        for (int k = 0; k < 3; k++) trainer_free(&t[k]);
    }
    thread_use(before);
}

static void one_batch_can_be_learnt_by_heart(void) {
    GptConfig c = {.V = 17, .T = 32, .C = 32, .L = 2, .NH = 2, .bias = true, .tied = true};
    Trainer t = trainer_of(&c, 4);
    weights_init(&t.w, 4);
    int32_t text[4 * 32 + 1];
    for (int i = 0; i < 4 * 32 + 1; i++) text[i] = (int32_t)(random_bits(7, (uint64_t)i) % 17);
    AdamW s = {.learning_rate = 3e-3, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0};
    double first = 0, last = 0;
    for (int step = 0; step < 250; step++) {
        last = trainer_step(&t, text, text + 1, 4, 0, 1, 1, &s).loss;
        if (step == 0) first = last;
    }
    CHECK_NEAR(first / log(17.0), 1, 0.02);
    CHECK(last < 0.05);
    trainer_free(&t);
}

static void what_is_not_finite_is_named_and_changes_nothing(void) {
    Trainer t = trainer_of(&small, 1);
    weights_init(&t.w, 1);
    int32_t tokens[100], targets[100];
    for (int i = 0; i < 100; i++) tokens[i] = i * i % 11, targets[i] = i * 7 % 11;
    // One weight so large that what it makes overflows: c_fc's outputs may be infinite, GELU's then are.
    t.w.block[1].fcw[3] = REAL_IS_FLOAT ? (real)3e38 : (real)1.7e308;
    t.w.block[1].ln2w[3] = 100;
    real *before = array_of(t.w.size);
    memcpy(before, t.w.memory, (size_t)t.w.size * sizeof(real));
    StepResult r = trainer_step(&t, tokens, targets, 1, 0, 1, 1, &pytorch);
    CHECK(!r.finite && strcmp(r.bad, "the output of transformer.h.1.mlp.gelu") == 0);
    CHECK(t.step == 0 && memcmp(before, t.w.memory, (size_t)t.w.size * sizeof(real)) == 0);
    t.w.block[1].fcw[3] = (real)NAN;
    r = trainer_step(&t, tokens, targets, 1, 0, 1, 1, &pytorch);
    CHECK(!r.finite && strcmp(r.bad, "the weight transformer.h.1.mlp.c_fc.weight") == 0);
    CHECK(t.step == 0);
    trainer_free(&t);
}

int main(void) {
    RUN(three_golden_steps_with_clipping_agree);
    RUN(the_first_moment_is_a_tenth_of_the_gradient_after_one_step);
    RUN(a_step_is_the_gradient_of_the_whole_batch);
    RUN(equal_bits_for_one_two_and_three_threads);
    RUN(one_batch_can_be_learnt_by_heart);
    RUN(what_is_not_finite_is_named_and_changes_nothing);
    return report();
}
