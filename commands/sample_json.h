// sample_json.h -- samples for programs: ids as well as text, and what the model made of the start.
//
// {"vocab_size": V, "n_positions": T, "prompt": "...", "prompt_ids": [...], "logits": [V numbers],
//  "samples": [{"ids": [...], "text": "..."}, ...]}, on standard output; a failure shows when it is flushed.
#ifndef SAMPLE_JSON_H
#define SAMPLE_JSON_H

#include "../model/weights.h"
#include "../tokenizer/tokenizer.h"

// All that stands before the samples. `logits` (V) are for the token after the start.
void sample_json_begin(const Tokenizer *z, long T, const int32_t *start, long n, const real *logits);

// One sample of n tokens; the first has number 0.
void sample_json_add(const Tokenizer *z, long number, const int32_t *id, long n);
void sample_json_end(void);

#endif
