#include "models.h"
#include "../model/random.h"
#include <stdlib.h>

Model model_of(int i, const Corpus *text, bool quick) {
    static const Model models[MODELS] = {
        [SMALL] = {{.V = 65, .T = 64, .C = 128, .L = 4, .NH = 4, .bias = true, .tied = true}, 12},
        [MEDIUM] = {{.V = 65, .T = 256, .C = 384, .L = 6, .NH = 6, .bias = true, .tied = true}, 64},
        [MEDIUM_LONG] = {{.V = 65, .T = 1024, .C = 384, .L = 6, .NH = 6, .bias = true, .tied = true}, 8},
        [LARGE] = {{.V = 50257, .T = 64, .C = 768, .L = 12, .NH = 12, .bias = true, .tied = true}, 4},
    };
    Model m = models[i];
    if (text && i != LARGE) m.config.V = text->z.V;
    if (quick) m.B = (m.B + 7) / 8;
    return m;
}

ModelName model_name(const Model *m) {
    ModelName name;
    const GptConfig *c = &m->config;
    snprintf(name.text, sizeof name.text, "%ld layers, %ld wide, T %ld, B %ld", c->L, c->C, c->T, m->B);
    return name;
}

double operations_per_token(const GptConfig *c) {
    return 6.0 * (double)(weights_parameters(c) - c->T * c->C) + 6.0 * (double)(c->L * c->T * c->C);
}

double operations_per_step(const Model *m) {
    return (double)(m->B * m->config.T) * operations_per_token(&m->config);
}

long model_micro_batches(const Model *m) {
    long most = gpt_micro_batch(&m->config);
    return (m->B + most - 1) / most;
}

// Random tokens, as many as a book has characters.
static bool random_text(Ids *ids, long V, Error *err) {
    const long N = 1 << 20;
    if (!ids_create(ids, N, V, err)) return false;
    for (long i = 0; i < N; i++) ids_set(ids, i, (int32_t)(random_bits(1, (uint64_t)i) % (uint64_t)V));
    return true;
}

static bool choose_text(Run *r, const Corpus *text, Error *err) {
    const GptConfig *c = &r->model.config;
    bool fits = text && text->z.V == c->V;
    if (!fits && !random_text(&r->random, c->V, err)) return false;
    r->ids = fits ? &text->ids : &r->random;
    r->epochs = (Epochs){.seed = 1, .n = fits ? text->train_n : r->random.n, .T = c->T};
    return r->epochs.n > c->T || fail(err, "the text is too short: a context has %ld tokens", c->T);
}

static void train_on_one_micro_batch(Run *r) {
    long B = r->model.B;
    if (B > r->trainer.acts.B) r->model.B = r->trainer.acts.B;
    run_step(r);
    r->model.B = B;
}

bool run_create(Run *r, const Model *m, const Corpus *text, Error *err) {
    *r = (Run){.model = *m, .finite = true};
    long tokens = m->B * m->config.T;
    bool good = choose_text(r, text, err) && trainer_create(&r->trainer, &m->config, m->B, err);
    if (good)
        good = (r->tokens = malloc((size_t)(2 * tokens) * sizeof *r->tokens)) || fail(err, "memory is short");
    if (!good) {
        run_free(r);
        return false;
    }
    r->targets = r->tokens + tokens;
    weights_init(&r->trainer.w, 1);
    train_on_one_micro_batch(r);
    return true;
}

void run_free(Run *r) {
    trainer_free(&r->trainer);
    ids_free(&r->random);
    free(r->tokens);
    *r = (Run){0};
}

void run_draw(Run *r) {
    long T = r->model.config.T;
    for (long b = 0; b < r->model.B; b++) {
        long from = epochs_next(&r->epochs);
        ids_copy(r->tokens + b * T, r->ids, from, T);
        ids_copy(r->targets + b * T, r->ids, from + 1, T);
    }
}

void run_step(void *run) {
    Run *r = run;
    AdamW s = {.learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
    run_draw(r);
    StepResult result = trainer_step(&r->trainer, r->tokens, r->targets, r->model.B, 0, 1, 1, &s);
    r->finite &= result.finite;
}

bool run_check(const Run *r, Error *err) {
    return r->finite || fail(err, "%s: a step was not finite", model_name(&r->model).text);
}
