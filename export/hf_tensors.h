// hf_tensors.h -- the tensors of a GPT-2 in a safetensors file, whoever wrote it: under one form of name, in
// one type of number, without what is no weight.
#ifndef HF_TENSORS_H
#define HF_TENSORS_H

#include "../data/safetensors.h"
#include "hf.h"

typedef struct {
    const char *name;  // without what programs put before it: "h.0.ln_1.weight"
    const SafetensorsEntry *entry;
} HfTensor;

typedef struct {
    Safetensors file;
    HfTensor *tensor;  // in order of name
    long count;
    bool has_head;    // there was an lm_head.weight, though it may have been the token embedding
    bool transposed;  // the four matrices of a block are (in, out), as transformers has them
} HfTensors;

// Opens a file that is safetensors_open's to check. Left out are masks; a head that equals the token
// embedding; and biases that are zeros, where the file says that they stand for none. Notes in the report
// what is not as it is here. Fails where numbers are of another type than F32, F16 and BF16.
bool hf_tensors_open(HfTensors *t, const char *path, HfReport *report, Error *err);
void hf_tensors_close(HfTensors *t);

// A name without prefixes, of data-parallel training, torch.compile and other wrappers.
const char *hf_bare_name(const char *name);

bool hf_ends_with(const char *name, const char *ending);

// By bare or full name; NULL where there is none.
const SafetensorsEntry *hf_tensors_find(const HfTensors *t, const char *name);

// All numbers of a tensor, which the caller frees; NULL, with a message, where that fails.
float *hf_tensors_read(HfTensors *t, const SafetensorsEntry *e, Error *err);

#endif
