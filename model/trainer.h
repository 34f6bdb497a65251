// trainer.h -- one step of training: micro-batches forward and backward, clipping, AdamW.
#ifndef TRAINER_H
#define TRAINER_H

#include "adamw.h"
#include "gpt.h"

typedef struct {
    Weights w, dw;
    real *m, *v;  // AdamW's moments, blocks shaped like w's
    Acts acts;    // one micro-batch
    long step;    // steps done
} Trainer;

// Bytes that trainer_create would allocate.
long trainer_bytes(const GptConfig *config, long B);

// A model with all weights and moments 0, before its first step, for batches of B sequences.
bool trainer_create(Trainer *t, const GptConfig *config, long B, Error *err);
void trainer_free(Trainer *t);

enum { TRAINER_NAME = 96 };

// After a forward pass over (B,T) whose loss was not finite: names what became so first, as "the weight W",
// "the output of transformer.h.1.mlp.gelu" or "the loss".
void trainer_name_culprit(char bad[TRAINER_NAME], const Weights *w, const Acts *a, long B, long T);

// The first tensor whose moments hold what no step can go on from: m must be finite, v finite and not below
// 0. NULL where all are good.
const char *trainer_bad_moment(const Trainer *t);

// Whether weights and moments are such that a run can go on from them; else names what is not.
bool trainer_is_good(const Trainer *t, char bad[TRAINER_NAME]);

// What one step did.
typedef struct {
    double loss;             // mean over the batch, nats per target, dropout as trained
    double norm;             // of the gradient, before clipping
    bool finite;             // both of them
    char bad[TRAINER_NAME];  // where not: what became so first, as "the output of transformer.h.1.mlp.gelu"
} StepResult;

// One step on tokens and targets (B,T). When something is not finite, nothing is updated and step does not
// advance.
StepResult trainer_step(Trainer *t, const int32_t *tokens, const int32_t *targets, long B, double dropout,
                        uint64_t seed, double clip, const AdamW *adamw);

#endif
