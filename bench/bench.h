// bench.h -- the parts of the benchmark. Each prints its tables; they run one after the other.
#ifndef BENCH_H
#define BENCH_H

#include "limits.h"
#include "models.h"
#include "report.h"

typedef struct {
    Report report;
    const Corpus *text;  // NULL: random tokens
    bool quick;
    Effort brief, few, thorough;  // for what takes micro- or milliseconds; beside passes; for whole steps
    Memory memory;
    double reading;       // bytes a second: the median of bursts
    Timing step[MODELS];  // of each model, for the parts that need it
} Bench;

// Peak resident memory of training, in a process of its own, as long as this one has no threads.
bool bench_memory(Bench *b, Error *err);

// What the machine can do.
void bench_limits(Bench *b);

// The matrix products of each model's linear layers.
bool bench_products(Bench *b, Error *err);

// Whole steps of each model, and evaluation; then steps of batches of several sizes, and on one thread.
bool bench_training(Bench *b, Error *err);
bool bench_batches(Bench *b, Error *err);
bool bench_threads(Bench *b, Error *err);

// One text, and eight side by side.
bool bench_sampling(Bench *b, Error *err);

// What each operator takes of a step.
bool bench_shares(Bench *b, Error *err);

#endif
