// trainer.c -- the loss of a batch is a mean over its B*T targets, so the gradient is the sum over its
// micro-batches.
#include "trainer.h"
#include "threads.h"
#include <stdio.h>
#include <stdlib.h>

static long parts(long B, long most) { return (B + most - 1) / most; }

// Sequences in the largest micro-batch: they are as equal as can be, for the threads to share each evenly.
static long micro_batch(const GptConfig *config, long B) {
    return parts(B, parts(B, gpt_micro_batch(config)));
}

long trainer_bytes(const GptConfig *config, long B) {
    const long BLOCKS = 4;  // weights, gradients, two moments
    return BLOCKS * weights_size(config) * (long)sizeof(real) +
           acts_bytes(config, micro_batch(config, B), true);
}

bool trainer_create(Trainer *t, const GptConfig *config, long B, Error *err) {
    *t = (Trainer){0};
    if (!weights_create(&t->w, config, err) || !weights_create(&t->dw, config, err) ||
        !acts_create(&t->acts, config, micro_batch(config, B), true, err)) {
        trainer_free(t);
        return false;
    }
    t->m = calloc((size_t)t->w.size, sizeof *t->m);
    t->v = calloc((size_t)t->w.size, sizeof *t->v);
    if (!t->m || !t->v) {
        size_t bytes = 2 * (size_t)t->w.size * sizeof *t->m;
        trainer_free(t);
        return fail(err, "memory: cannot get %zu bytes for the optimizer", bytes);
    }
    return true;
}

void trainer_free(Trainer *t) {
    weights_free(&t->w);
    weights_free(&t->dw);
    acts_free(&t->acts);
    free(t->m);
    free(t->v);
    *t = (Trainer){0};
}

// In the order of a step: weights, activations, loss.
void trainer_name_culprit(char bad[TRAINER_NAME], const Weights *w, const Acts *a, long B, long T) {
    char output[64];
    const char *name = weights_first_nonfinite(w, false);
    if (name)
        snprintf(bad, TRAINER_NAME, "the weight %s", name);
    else if (acts_first_nonfinite(a, B, T, output))
        snprintf(bad, TRAINER_NAME, "the output of %s", output);
    else
        snprintf(bad, TRAINER_NAME, "the loss");
}

// Where weights, activations and loss were finite.
static void name_gradient(char bad[TRAINER_NAME], const Trainer *t) {
    const char *name = weights_first_nonfinite(&t->dw, true);
    if (name)
        snprintf(bad, TRAINER_NAME, "the gradient of %s", name);
    else
        snprintf(bad, TRAINER_NAME, "the norm of the gradient");
}

const char *trainer_bad_moment(const Trainer *t) {
    for (long n = 0; n < t->w.tensors; n++) {
        const Tensor *tensor = &t->w.tensor[n];
        const real *m = t->m + tensor->offset, *v = t->v + tensor->offset;
        for (long i = 0; i < tensor->size; i++)
            if (!isfinite(m[i]) || !isfinite(v[i]) || v[i] < 0) return tensor->name;
    }
    return NULL;
}

bool trainer_is_good(const Trainer *t, char bad[TRAINER_NAME]) {
    const char *weight = weights_first_nonfinite(&t->w, false),
               *moment = weight ? NULL : trainer_bad_moment(t);
    if (weight) snprintf(bad, TRAINER_NAME, "the weight %s", weight);
    if (moment) snprintf(bad, TRAINER_NAME, "a moment of %s", moment);
    return !weight && !moment;
}

StepResult trainer_step(Trainer *t, const int32_t *tokens, const int32_t *targets, long B, double dropout,
                        uint64_t seed, double clip, const AdamW *adamw) {
    long T = t->w.config.T, micro_batches = parts(B, gpt_micro_batch(&t->w.config));
    double targets_in_batch = (double)(B * T), loss = 0;
    StepResult result = {0};
    for (long i = 0; i < micro_batches; i++) {
        long first = B * i / micro_batches, end = B * (i + 1) / micro_batches;
        GptDropout drop = {.p = dropout, .seed = seed, .step = (uint64_t)t->step, .first = first};
        double part =
            gpt_loss_backward(&t->dw, i == 0 ? STORE_SET : STORE_ADD, &t->acts, &t->w, tokens + first * T,
                              targets + first * T, end - first, T, (real)(1 / targets_in_batch), &drop);
        if (!isfinite(part)) {
            result.loss = part;
            trainer_name_culprit(result.bad, &t->w, &t->acts, end - first, T);
            return result;
        }
        loss += part;
    }
    result.loss = loss / targets_in_batch;
    result.norm = gradient_norm(&t->dw);
    result.finite = isfinite(result.loss) && isfinite(result.norm);
    if (!result.finite) {
        name_gradient(result.bad, t);
        return result;
    }
    t->step++;
    adamw_step(&t->w, t->m, t->v, &t->dw, gradient_clip_factor(result.norm, clip), t->step, adamw);
    return result;
}
