// weights.h -- the one list of a GPT's tensors: names, shapes, places in memory, initial values.
//
// Gradients and moments are blocks of the same shape. Everything that handles all tensors (initialisation,
// AdamW, checkpoints, tests) loops over the list; a new tensor is one line in weights.c and one in the
// struct.
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "../data/error.h"
#include "real.h"
#include <stdbool.h>

typedef struct {
    long V, T, C, L, NH;  // vocabulary, context length, channels, layers, heads
    bool bias;            // biases in linear layers and layernorms
    bool tied;            // the head is the token embedding
} GptConfig;

typedef enum { INIT_NORMAL, INIT_ONE, INIT_ZERO } Init;

typedef struct {
    char name[64];  // nanoGPT's
    long shape[2];
    int dims;     // 1 or 2; those of 2 are matrices, stored (out, in), and decay
    long offset;  // of the first element in the block
    long size;
    Init init;
    double deviation;  // for INIT_NORMAL
} Tensor;

typedef struct {
    real *ln1w, *ln1b, *qkvw, *qkvb, *attprojw, *attprojb;
    real *ln2w, *ln2b, *fcw, *fcb, *fcprojw, *fcprojb;  // biases are NULL where there are none
} Block;

typedef struct {
    GptConfig config;
    Tensor *tensor;  // the list
    long tensors;
    long size;     // of the block, in elements; tensors start at multiples of 16, the gaps stay 0
    real *memory;  // the block
    real *wte, *wpe;
    Block *block;  // L
    real *lnfw, *lnfb;
    real *head;  // wte where tied
} Weights;

// All zero. Fails when memory is short.
bool weights_create(Weights *w, const GptConfig *config, Error *err);
void weights_free(Weights *w);

// GPT-2's initial values as nanoGPT has them: normal with deviation 0.02, the projections that end on the
// residual stream 0.02 / sqrt(2 L); norms 1, biases 0.
void weights_init(Weights *w, uint64_t seed);

// The list alone, for a model that does not exist yet; the caller frees it. NULL when memory is short.
Tensor *weights_list(const GptConfig *config, long *tensors);

// Elements in the block of such a model, and the number of its parameters.
long weights_size(const GptConfig *config);
long weights_parameters(const GptConfig *config);

#endif
