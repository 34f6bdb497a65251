// gguf.h -- a model as the one file that llama.cpp, Ollama and their kin run.
// Source: github.com/ggml-org/ggml, docs/gguf.md, version 3; tensor names of llama.cpp's "gpt2".
#ifndef GGUF_H
#define GGUF_H

#include "../data/error.h"
#include "../model/weights.h"
#include "../tokenizer/tokenizer.h"

enum { GGUF_LAYERS = 512 };  // as many as llama.cpp reads

typedef struct {
    const char *name;  // the model's, UTF-8
    bool half;         // the matrices but for positions and head in 16 bits
} GgufOptions;

// What a reader of the file should know of it.
typedef struct {
    uint64_t bytes;  // its size
    // The bias of the last norm was shifted by so much at most, for the end-of-text row; usually 0.
    double bias_shift;
    // The last norm's weight or bias has no place for the end-of-text row: its logit is 0 instead of -100,
    // and it may be sampled now and then.
    bool end_may_be_sampled;
} GgufReport;

// Writes the file, replacing the one at `path` only when the new one is complete. Fails where llama.cpp could
// not read it (too many layers), or where a number does not fit into 16 bits.
bool gguf_export(const char *path, const Weights *w, const Tokenizer *z, const GgufOptions *o,
                 GgufReport *report, Error *err);

#endif
