// models.h -- the models that are measured, and training one of them as the program does.
#ifndef MODELS_H
#define MODELS_H

#include "../commands/corpus.h"
#include "../model/epochs.h"
#include "../model/trainer.h"

typedef struct {
    GptConfig config;
    long B;
} Model;

enum { MODELS = 4 };
enum { SMALL, MEDIUM, MEDIUM_LONG, LARGE };  // names for some of their indices

// Model i. The first three take the vocabulary of the text, where there is one (NULL: 65 random characters);
// a quick run takes an eighth of each batch.
Model model_of(int i, const Corpus *text, bool quick);

// "4 layers, 128 wide, T 64, B 12"
typedef struct {
    char text[80];
} ModelName;
ModelName model_name(const Model *m);

// 6 operations per parameter of a matrix product and token (2 forward, 4 backward), and attention: 2 products
// of T/2 keys on average forward, 4 backward; that the scores are made again there is not counted.
double operations_per_token(const GptConfig *c);
double operations_per_step(const Model *m);

// Micro-batches in a step.
long model_micro_batches(const Model *m);

// A model in training, and its data.
typedef struct {
    Model model;
    Trainer trainer;
    const Ids *ids;
    Ids random;  // used where there is no text
    Epochs epochs;
    int32_t *tokens, *targets;  // (B,T) of one step
    bool finite;                // all steps so far
} Run;

// Fails where memory is short, or the text shorter than a context. One micro-batch has been trained on, so
// that all memory is touched.
bool run_create(Run *r, const Model *m, const Corpus *text, Error *err);
void run_free(Run *r);

// The next B windows; and a step on them: data, forward, backward, clipping, AdamW.
void run_draw(Run *r);
void run_step(void *run);

// Fails where a step was not finite: it would have been cut short, and its time would mean nothing.
bool run_check(const Run *r, Error *err);

#endif
