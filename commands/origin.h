// origin.h -- where a run starts: a state to go on from (--resume), a model to start from (--init-from), or
// neither.
#ifndef ORIGIN_H
#define ORIGIN_H

#include "model_file.h"
#include "run_files.h"

typedef struct {
    Safetensors state;  // open in a run that goes on; else state.stream is NULL
    ModelFile model;    // loaded in a run that starts from a model; else model.w.memory is NULL
    Tokenizer z;        // theirs, until a corpus takes it over
    bool has_tokenizer;
    char *out_dir, *name;  // the state's folder and name
} Origin;

// Opens what o asks for, and puts into o what it fixes: of a state all settings, and its folder and name
// where the command line has none; of a model its shape. A flag that was given and says otherwise is an
// error.
bool origin_open(Origin *from, Options *o, Error *err);
void origin_close(Origin *from);

// The weights that the run starts with, and in a run that goes on also moments, step and place.
bool origin_weights(Origin *from, Trainer *t, RunPlace *place, const Options *o, const Corpus *c, Error *err);

#endif
