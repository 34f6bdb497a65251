// run_files.h -- what a training run leaves behind: out/NAME.safetensors, out/NAME.state.safetensors,
// out/NAME.csv, out/NAME.html.
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "../data/lock.h"
#include "../model/epochs.h"
#include "../model/trainer.h"
#include "corpus.h"
#include "run_samples.h"

typedef struct {
    char *name, *model, *state, *csv, *page;
    Lock lock;
    long older_steps;  // of the run whose files are there; 0 where there is none
} RunPaths;

// The paths for these options, whose folder is made and found writable. They are this run's alone until
// run_paths_free: while it is there, NAME.lock keeps other runs from them. Removes what a killed run left
// half written, and says so. Fails where the files are those of a run that has not ended and that this one
// does not go on from, unless --force.
bool run_paths(RunPaths *paths, const Options *o, Progress *p, Error *err);
void run_paths_free(RunPaths *paths);

// Whether the folder has room for the files of such a model: the old ones are replaced only when new ones
// stand beside them.
bool run_space(const RunPaths *paths, const Options *o, const GptConfig *config, Error *err);

// Removes the state and the log of an older run that this one replaces, and says so, before it writes its own
// files: so no two of the files are ever of two runs. The older model stays until the new one replaces it.
bool run_replace(const RunPaths *paths, Progress *p, Error *err);

// Whether the model that stands in this run's place is the best one of the run in the state that it goes on
// from.
bool run_best_is_there(const RunPaths *paths, const Safetensors *state, Error *err);

// Where a run stands, beside its weights and moments.
typedef struct {
    Epochs epochs;
    double val_loss;  // of the latest evaluation
    double best_val_loss;
    long best_step;
    long evaluations_since_best;
    RunSamples samples;
} RunPlace;

// The weights alone, with what samplers and readers need to know.
bool run_save_model(const char *path, const Options *o, const Corpus *c, const Trainer *t,
                    const RunPlace *place, Error *err);

// Everything that --resume needs to go on with the same bits.
bool run_save_state(const char *path, const Options *o, const Corpus *c, const Trainer *t,
                    const RunPlace *place, Error *err);

// Says on standard error which command goes on from the state; also with --quiet, since it is what remains of
// an interrupted run.
void run_say_resume(const RunPaths *paths, const Options *o);

// The place, which is to be freed with run_samples_free, and the step into t, from a state's metadata; checks
// that the text is the state's.
bool run_restore_place(RunPlace *place, Trainer *t, const Metadata *m, const Corpus *c, const char *path,
                       Error *err);

#endif
