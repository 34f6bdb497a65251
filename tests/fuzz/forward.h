// forward.h -- a model that somebody else has written, run.
#ifndef FORWARD_H
#define FORWARD_H

#include "../../model/decode.h"
#include "../../model/gpt.h"
#include "fuzz.h"

// A few tokens forward in both ways, which touch every weight and, at the end, the whole context.
static inline void run_forward(const Weights *w) {
    enum { TOKENS = 6 };
    int32_t token[TOKENS + 1];
    long V = w->config.V, T = w->config.T < TOKENS ? w->config.T : TOKENS;
    Acts acts;
    Decoder d;
    Error err;
    for (int i = 0; i <= TOKENS; i++) token[i] = (int32_t)(V - 1 - i * i % V);
    HOLDS(acts_create(&acts, &w->config, 1, false, &err));
    (void)gpt_loss(&acts, w, token, token + 1, 1, T);
    acts_free(&acts);
    HOLDS(decoder_create(&d, w, 1, &err));
    decoder_start(&d, token, T, 1);
    decoder_append(&d, token);
    decoder_append(&d, token + 1);
    decoder_free(&d);
}

#endif
