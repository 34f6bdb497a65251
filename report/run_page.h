// run_page.h -- out/NAME.html: how a run is going, on one page.
#ifndef RUN_PAGE_H
#define RUN_PAGE_H

#include "../data/csv.h"
#include "../data/metadata.h"

// A text that the model wrote at some step.
typedef struct {
    long step;
    char *text;
    size_t n;
} RunSample;

// Everything on the page. Losses are in nats per `unit`.
typedef struct {
    const char *name, *unit;
    long step, max_iters;
    const char *now;    // where the run stands, as a sentence
    bool ended;         // nothing will be added
    const CsvRow *row;  // the whole log
    long rows;
    double uniform, bigram, best_ngram;  // what counting reaches
    double val_loss, best_val_loss;      // of the latest evaluation, and of the best
    long best_step, evaluations_since_best;
    const Metadata *facts, *settings;  // names and values, to be shown in their order
    const RunSample *sample;
    long samples;
} RunPage;

bool run_page_write(const char *path, const RunPage *p, Error *err);

#endif
