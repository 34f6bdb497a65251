// checkpoint.h -- weights, and for a training state AdamW's moments, to and from safetensors files.
//
// The metadata holds the model's shape under the names of the flags: n_layer, n_head, n_embd, block_size,
// vocab_size, no_bias, untied; callers add what else belongs to a model or a run.
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "../data/safetensors.h"
#include "weights.h"

// The type of the numbers in a file: those that the program computes with.
static const SafetensorsType CHECKPOINT_TYPE = sizeof(real) == 4 ? SAFETENSORS_F32 : SAFETENSORS_F64;

// Moments are blocks shaped like the weights; NULL for a file with the weights alone. In the file they are
// adamw.m.NAME and adamw.v.NAME. The file at `path` is replaced only when the new one is complete.
bool checkpoint_save(const char *path, const Weights *w, const real *m, const real *v, const Metadata *more,
                     Error *err);

// Opens a file, checks that it holds every tensor of the model that its settings describe, in the right
// shape, and nothing else but moments; *has_moments says whether they are there.
bool checkpoint_open(Safetensors *file, GptConfig *config, bool *has_moments, const char *path, Error *err);

// Reads the tensors into weights (and moments, where not NULL) of the file's own settings.
bool checkpoint_read(Safetensors *file, Weights *w, real *m, real *v, Error *err);

#endif
