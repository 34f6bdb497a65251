// decode.h -- text one token at a time, with the keys and values of earlier tokens kept.
#ifndef DECODE_H
#define DECODE_H

#include "weights.h"

// Several texts at once, called streams: a step reads the weights once for all of them.
typedef struct {
    const Weights *w;
    long streams, room;     // how many there are now, and may be
    long pos;               // tokens in the cache of each stream: the position of the next one
    int32_t *context;       // (streams,T)   those tokens
    real *kcache, *vcache;  // (L,streams,T,C)
    real *memory;
    // For as many rows as are encoded at once:
    real *x, *ln, *qkv, *atty, *branch, *fch, *fch_gelu, *mean, *rstd;
    real *attention;  // scratch
    real *logits;     // (streams,V)
} Decoder;

// Bytes that decoder_create would allocate, for no more threads than are in use now.
long decoder_bytes(const GptConfig *config, long streams);
bool decoder_create(Decoder *d, const Weights *w, long streams, Error *err);
void decoder_free(Decoder *d);

// Begins `streams` texts, at most as many as there is room for, with the same n >= 1 tokens, of which the
// last T count. Returns the logits (streams,V)
// of the tokens after them, valid until the next call. Runs on all threads.
const real *decoder_start(Decoder *d, const int32_t *tokens, long n, long streams);

// Appends one token to each stream: tokens (streams). Returns the logits (streams,V) of the tokens after
// them, valid until the next call. When the context of T tokens is full, the window slides: the older half is
// forgotten and the newer half encoded anew at positions from 0, since learned positions cannot be moved.
// Runs on all threads.
const real *decoder_append(Decoder *d, const int32_t *tokens);

#endif
