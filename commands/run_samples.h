// run_samples.h -- what the model of a run wrote at its evaluations.
//
// They are a part of the state, so that a run that goes on shows them all; and always made in the same way,
// so that equal runs have equal states.
#ifndef RUN_SAMPLES_H
#define RUN_SAMPLES_H

#include "../data/metadata.h"
#include "../model/weights.h"
#include "../report/run_page.h"
#include "../tokenizer/tokenizer.h"

enum { RUN_SAMPLES_MOST = 200 };

// In order of step. When there are too many, every second one is forgotten.
typedef struct {
    RunSample at[RUN_SAMPLES_MOST];
    long n;
} RunSamples;

// Adds what the weights write at this step.
bool run_samples_add(RunSamples *s, const Weights *w, const Tokenizer *z, uint64_t seed, long step,
                     Error *err);
void run_samples_free(RunSamples *s);

// To and from a state's metadata. A state of a version that did not keep any has none.
bool run_samples_save(const RunSamples *s, Metadata *m, Error *err);
bool run_samples_restore(RunSamples *s, const Metadata *m, long step, const char *path, Error *err);

#endif
