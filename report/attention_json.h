// attention_json.h -- all weights and expectations of a text, for programs.
//
// {"vocab_size": V, "n_positions": T of the model, "prompt": "...", "prompt_ids": [...],
//  "heads": [{"layer": l, "head": h, "weights": [[1], [0.3, 0.7], ...]}, ...],
//  "next": [[{"id": i, "text": "...", "p": 0.4}, ...], ...]}
// "weights" has a row for each token, with one weight for itself and each before it; "next" the most probable
// tokens after each. Nine digits, which a float needs to come back to the same bits.
#ifndef ATTENTION_JSON_H
#define ATTENTION_JSON_H

#include "look.h"
#include <stdio.h>

// `positions` is the model's context.
void attention_json(FILE *f, const Look *look, long positions);

#endif
