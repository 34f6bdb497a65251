// hf_config.h -- config.json: the sizes and the variant of a GPT-2.
// Source: transformers, configuration_gpt2.py.
#ifndef HF_CONFIG_H
#define HF_CONFIG_H

#include "../data/error.h"
#include <stdint.h>

typedef enum { HF_HEAD_UNTOLD, HF_HEAD_TIED, HF_HEAD_UNTIED } HfHead;

// Numbers that the file does not tell are -1.
typedef struct {
    int64_t V, T, C, L, NH, F;
    bool exact_gelu;  // GELU by the error function instead of tanh
    HfHead head;
} HfConfig;

// Fails where the file says that the model is not GPT-2 as it is computed here.
bool hf_config_read(HfConfig *c, const char *path, Error *err);

#endif
