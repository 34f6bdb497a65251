// decode.h -- text one token at a time, with the keys and values of earlier tokens kept.
#ifndef DECODE_H
#define DECODE_H

#include "weights.h"

typedef struct {
    const Weights *w;
    long pos;               // tokens in the cache: the position of the next one
    int32_t *context;       // (T)        those tokens
    real *kcache, *vcache;  // (L,T,C)
    real *memory;
    real *x, *ln, *qkv, *atty, *branch, *fch, *fch_gelu, *mean, *rstd;  // for up to T new tokens
    real *attention;                                                    // scratch
    real *logits;                                                       // (V)   of the last token
} Decoder;

// Bytes that decoder_create would allocate.
long decoder_bytes(const GptConfig *config);
bool decoder_create(Decoder *d, const Weights *w, Error *err);
void decoder_free(Decoder *d);

// Forgets all tokens.
void decoder_reset(Decoder *d);

// Appends n >= 1 tokens. Returns the logits (V) of the token after them, valid until the next call.
// When the context of T tokens is full, the window slides: the older half is forgotten and the newer half
// encoded anew at positions from 0, since learned positions cannot be moved. Of n > T tokens only the last T
// count.
real *decoder_append(Decoder *d, const int32_t *tokens, long n);

#endif
