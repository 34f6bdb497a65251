#include "../model/gpt.h"
#include "golden_gpt.h"

static const GptConfig small = {.V = 7, .T = 6, .C = 9, .L = 2, .NH = 3, .bias = true, .tied = true};

static int32_t tokens[1024], targets[1024];

static Acts acts_of(const GptConfig *c, long B) {
    Acts a;
    Error err;
    if (!acts_create(&a, c, B, true, &err)) abort();
    keep(a.memory), keep(a.block), keep(a.losses);
    for (char *p = (char *)a.memory; p < (char *)a.memory + acts_bytes(c, B, true) - B * c->T * 8;
         p += sizeof(real))
        *(real *)p = (real)NAN;
    return a;
}

// Weights of a size at which every part of the model matters.
static Weights random_weights(const GptConfig *c) {
    Weights w = weights_of(c);
    for (long t = 0; t < w.tensors; t++) {
        real *x = normals(w.tensor[t].size);
        for (long i = 0; i < w.tensor[t].size; i++)
            w.memory[w.tensor[t].offset + i] = (w.tensor[t].init == INIT_ONE) + (real)0.3 * x[i];
        free(x);
    }
    for (int i = 0; i < 1024; i++) {
        tokens[i] = (int32_t)(random_bits(1, (uint64_t)i) % (uint64_t)c->V);
        targets[i] = (int32_t)(random_bits(2, (uint64_t)i) % (uint64_t)c->V);
    }
    return w;
}

static void golden_logits_loss_and_every_gradient_agree(void) {
    for (int f = 0; f < 2; f++) {
        Weights w;
        GoldenGpt g = golden_gpt(GOLDEN_GPTS[f], &w);
        Acts a = acts_of(&g.config, g.B);
        Weights dw = weights_of(&g.config);
        double targets_in_batch = (double)(g.B * g.config.T),
               golden_loss = (double)*golden(g.path, "loss", NULL);
        long n;
        real *expected = golden(g.path, "logits", &n), *logits = poisoned(n);
        gpt_logits(logits, &a, &w, g.tokens, g.B, g.config.T);
        CHECK_NEAR(relative_distance(logits, expected, n), 0, golden_tolerance(1e-5));
        double loss = gpt_loss(&a, &w, g.tokens, g.targets, g.B, g.config.T) / targets_in_batch;
        CHECK_NEAR(loss, golden_loss, golden_tolerance(1e-5));
        loss = gpt_loss_backward(&dw, STORE_SET, &a, &w, g.tokens, g.targets, g.B, g.config.T,
                                 (real)(1 / targets_in_batch), NULL);
        CHECK_NEAR(loss / targets_in_batch, golden_loss, golden_tolerance(1e-5));
        check_golden_block(g.path, "grad.", &dw, dw.memory, golden_tolerance(1e-4));
    }
}

// ---- gradients of the whole model ----

static Weights model, gradients;
static Acts forward_acts;
static GptDropout *dropout;
static long batch, micro;
static const real dloss = (real)0.1;

// The loss of `batch` sequences, `micro` at a time.
static double loss(void) {
    double sum = 0;
    long T = model.config.T;
    for (long b = 0; b < batch; b += micro) {
        long n = batch - b < micro ? batch - b : micro;
        if (dropout) {
            // gpt_loss is without dropout; the training pass gives the loss beside gradients that nobody
            // wants here.
            static Weights ignored;
            if (ignored.size != model.size) ignored = weights_of(&model.config);
            GptDropout d = *dropout;
            d.first = b;
            sum += gpt_loss_backward(&ignored, STORE_SET, &forward_acts, &model, tokens + b * T,
                                     targets + b * T, n, T, 1, &d);
        } else {
            sum += gpt_loss(&forward_acts, &model, tokens + b * T, targets + b * T, n, T);
        }
    }
    return (double)dloss * sum;
}

static void check_all_gradients(const GptConfig *c, double p, long B, long at_a_time) {
    model = random_weights(c);
    gradients = weights_of(c);
    fill(gradients.memory, gradients.size, 1);
    GptDropout d = {.p = p, .seed = 3, .step = 8};
    dropout = p > 0 ? &d : NULL;
    batch = B, micro = at_a_time;
    forward_acts = acts_of(c, micro);
    for (long b = 0; b < B; b += micro) {
        d.first = b;
        gpt_loss_backward(&gradients, STORE_ADD, &forward_acts, &model, tokens + b * c->T, targets + b * c->T,
                          B - b < micro ? B - b : micro, c->T, dloss, &d);
    }
    for (long t = 0; t < model.tensors; t++) {
        const Tensor *tensor = &model.tensor[t];
        check_grad_at(tensor->name, model.memory + tensor->offset, gradients.memory + tensor->offset,
                      tensor->size, 1, loss, __FILE__, __LINE__);
    }
}

static void gradients_match_differences_tied_with_bias(void) { check_all_gradients(&small, 0, 2, 2); }

static void gradients_match_differences_untied_with_bias(void) {
    GptConfig c = small;
    c.tied = false;
    check_all_gradients(&c, 0, 2, 2);
}

static void gradients_match_differences_tied_without_bias(void) {
    GptConfig c = small;
    c.bias = false;
    check_all_gradients(&c, 0, 2, 2);
}

static void gradients_match_differences_untied_without_bias(void) {
    GptConfig c = small;
    c.bias = c.tied = false;
    check_all_gradients(&c, 0, 2, 2);
}

static void gradients_match_differences_under_dropout(void) { check_all_gradients(&small, 0.2, 2, 2); }

static void gradients_match_differences_across_micro_batches(void) { check_all_gradients(&small, 0.2, 3, 2); }

static void setting_gradients_equals_adding_them_to_zero(void) {
    for (int tied = 0; tied < 2; tied++) {
        GptConfig c = small;
        c.tied = tied;
        model = random_weights(&c);
        Weights set = weights_of(&c), added = weights_of(&c);
        Acts a = acts_of(&c, 2);
        fill(set.memory, set.size, 7);
        gpt_loss_backward(&set, STORE_SET, &a, &model, tokens, targets, 2, c.T, 1, NULL);
        gpt_loss_backward(&added, STORE_ADD, &a, &model, tokens, targets, 2, c.T, 1, NULL);
        for (long t = 0; t < model.tensors; t++) {
            const Tensor *tensor = &model.tensor[t];
            for (long i = tensor->offset; i < tensor->offset + tensor->size; i++)
                CHECK(set.memory[i] == added.memory[i]);
        }
    }
}

// ---- what the model computes ----

static void the_initial_loss_is_that_of_a_uniform_guess(void) {
    GptConfig c = {.V = 65, .T = 64, .C = 128, .L = 4, .NH = 4, .bias = true, .tied = true};
    Weights w = random_weights(&c);
    weights_init(&w, 1337);
    Acts a = acts_of(&c, 4);
    double mean = gpt_loss(&a, &w, tokens, targets, 4, c.T) / (double)(4 * c.T);
    CHECK_NEAR(mean / log(65.0), 1, 0.02);
}

static void cutting_a_batch_changes_no_mask_and_no_loss(void) {
    GptConfig c = small;
    model = random_weights(&c);
    Weights d2 = weights_of(&c);
    Acts whole = acts_of(&c, 4), part = acts_of(&c, 1);
    GptDropout d = {.p = 0.3, .seed = 5, .step = 2};
    double sum = 0,
           together = gpt_loss_backward(&d2, STORE_SET, &whole, &model, tokens, targets, 4, c.T, 1, &d);
    for (d.first = 0; d.first < 4; d.first++)
        sum += gpt_loss_backward(&d2, STORE_SET, &part, &model, tokens + d.first * c.T,
                                 targets + d.first * c.T, 1, c.T, 1, &d);
    CHECK_NEAR(sum, together, 1e-12 * together);
}

static void dropout_acts_in_training_and_not_in_evaluation(void) {
    GptConfig c = small;
    model = random_weights(&c);
    Weights d2 = weights_of(&c);
    Acts a = acts_of(&c, 2);
    GptDropout d = {.p = 0.5, .seed = 5, .step = 2}, off = {0};
    double with = gpt_loss_backward(&d2, STORE_SET, &a, &model, tokens, targets, 2, c.T, 1, &d);
    double without = gpt_loss_backward(&d2, STORE_SET, &a, &model, tokens, targets, 2, c.T, 1, &off);
    double evaluated = gpt_loss(&a, &model, tokens, targets, 2, c.T);
    CHECK(fabs(with - without) > 1e-3);
    CHECK(evaluated == without);
    d.step = 3;
    CHECK(gpt_loss_backward(&d2, STORE_SET, &a, &model, tokens, targets, 2, c.T, 1, &d) != with);
}

// With every weight equal for all positions, only the embedding of positions tells the order.
static void the_order_of_earlier_tokens_matters_through_positions_alone(void) {
    GptConfig c = small;
    c.L = 1;  // with a second block, earlier tokens know their own past, hence the order
    Weights w = random_weights(&c);
    Acts a = acts_of(&c, 1);
    int32_t there[6] = {1, 4, 2, 6, 3, 5}, back[6] = {3, 6, 2, 4, 1, 5};
    real *logits = poisoned(c.T * c.V), *last = array_of(c.V);
    for (int positions = 1; positions >= 0; positions--) {
        if (!positions) fill(w.wpe, c.T * c.C, 0);
        gpt_logits(logits, &a, &w, there, 1, c.T);
        memcpy(last, logits + (c.T - 1) * c.V, (size_t)c.V * sizeof(real));
        gpt_logits(logits, &a, &w, back, 1, c.T);
        double distance = relative_distance(logits + (c.T - 1) * c.V, last, c.V);
        if (positions)
            CHECK(distance > 1e-3);
        else
            CHECK_NEAR(distance, 0, REAL_IS_FLOAT ? 1e-5 : 1e-13);
    }
}

static void the_number_of_parameters_does_not_depend_on_the_heads(void) {
    GptConfig one = small;
    one.NH = 1;
    CHECK(weights_parameters(&one) == weights_parameters(&small));
    // V C + T C + L (12 C^2 + 13 C) + 2 C
    CHECK(weights_parameters(&one) == 7 * 9 + 6 * 9 + 2 * (12 * 81 + 13 * 9) + 2 * 9);
}

static void memory_for_activations_grows_linearly_with_the_context(void) {
    GptConfig c = {.V = 65, .T = 1024, .C = 64, .L = 2, .NH = 4, .bias = true, .tied = true};
    CHECK(gpt_micro_batch(&c) == 1);
    double at_1k = (double)acts_bytes(&c, 1, true);
    c.T = 16 * 1024;
    CHECK_NEAR((double)acts_bytes(&c, 1, true) / at_1k, 16, 0.03);  // scratch memory stays as it is
}

static void evaluation_needs_less_memory_and_gives_the_same_loss(void) {
    Weights w = random_weights(&small);
    Acts full = acts_of(&small, 2), lean;
    Error err;
    CHECK(acts_create(&lean, &small, 2, false, &err));
    keep(lean.memory), keep(lean.block), keep(lean.losses);
    CHECK(acts_bytes(&small, 2, false) < acts_bytes(&small, 2, true) / 2);
    CHECK(gpt_loss(&lean, &w, tokens, targets, 2, 4) == gpt_loss(&full, &w, tokens, targets, 2, 4));
    CHECK(isfinite(gpt_loss(&lean, &w, tokens, targets, 2, 6)));
}

int main(void) {
    RUN(golden_logits_loss_and_every_gradient_agree);
    RUN(gradients_match_differences_tied_with_bias);
    RUN(gradients_match_differences_untied_with_bias);
    RUN(gradients_match_differences_tied_without_bias);
    RUN(gradients_match_differences_untied_without_bias);
    RUN(gradients_match_differences_under_dropout);
    RUN(gradients_match_differences_across_micro_batches);
    RUN(setting_gradients_equals_adding_them_to_zero);
    RUN(the_initial_loss_is_that_of_a_uniform_guess);
    RUN(cutting_a_batch_changes_no_mask_and_no_loss);
    RUN(dropout_acts_in_training_and_not_in_evaluation);
    RUN(the_order_of_earlier_tokens_matters_through_positions_alone);
    RUN(the_number_of_parameters_does_not_depend_on_the_heads);
    RUN(memory_for_activations_grows_linearly_with_the_context);
    RUN(evaluation_needs_less_memory_and_gives_the_same_loss);
    return report();
}
