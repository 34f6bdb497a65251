// hf.h -- GPT-2 as Hugging Face folders have it: config.json, model.safetensors, tokenizer.json and what goes
// with them. Written for transformers, tokenizers and llama.cpp's converter; read from there, and from
// nanoGPT.
// Sources: github.com/huggingface/transformers, configuration_gpt2.py and modeling_gpt2.py;
// huggingface/tokenizers, the JSON form; karpathy/nanoGPT, model.py.
#ifndef HF_H
#define HF_H

#include "../data/error.h"
#include "../model/weights.h"
#include "../tokenizer/tokenizer.h"

// The files of a folder, up to NULL.
extern const char *const HF_FILES[];

// Writes them into a folder that is there. Each is replaced when it is complete: the weights first, then the
// texts one by one, so a failure between them leaves files of both exports.
bool hf_export(const char *folder, const Weights *w, const Tokenizer *z, Error *err);

// Whether a tensor of ours, (out, in), is (in, out) there: the four matrices of a block, which transformers
// multiplies from the other side (its Conv1D).
bool hf_is_transposed(const char *name);

// What to import, and what the files may not tell.
typedef struct {
    const char *path;  // a folder, or a safetensors file alone
    long heads;        // 0: as config.json says
    const char *text;  // a text that has the characters of the vocabulary; empty: as tokenizer.json says
    bool bytes;        // tokens are the 256 bytes, whatever the files say
} HfSource;

// What was done with something that is not as it is here.
typedef struct {
    bool exact_gelu;        // was trained with the error function in GELU, which is computed by tanh here
    bool narrow;            // numbers of 16 bits
    long missing_biases;    // where others are there: zeros
    long buffers;           // attention masks and the like, ignored
    bool reordered;         // token ids are now in the order of the characters
    bool carriage_returns;  // of the text, left out, since the model was trained without
} HfReport;

// Reads a model. A head that equals the token embedding, number by number, is taken for tied. Fails with one
// line that names the file and the way out, where it is not GPT-2 as it is computed here, or damaged.
bool hf_import(Weights *w, Tokenizer *z, const HfSource *from, HfReport *report, Error *err);

#endif
