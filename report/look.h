// look.h -- what a model did with one text: from where its heads gathered, and what it expected next.
#ifndef LOOK_H
#define LOOK_H

#include "../model/threads.h"
#include "../model/weights.h"
#include "tokens.h"

typedef struct {
    const Tokenizer *z;
    const char *model;    // the path of its file, for titles
    long T;               // tokens of the text
    int32_t *token;       // (T)
    long NH;              // heads of a layer
    Range layers, heads;  // those that are to be shown, counted from 0 as in the tensors' names
    real *p;              // (shown layers,NH,T,T)   attention weights
    long guesses;         // GUESSES, or as many as there are tokens
    Candidate *guess;     // (T,guesses)   the most probable tokens after each
} Look;

// Runs the model over the last T of the ids, at most its context. Where layers or heads are empty, all are
// shown. Sets neither z nor model. Runs on all threads; takes T*T numbers for each head of a shown layer.
bool look_create(Look *look, const Weights *w, const Ids *ids, Range layers, Range heads, Error *err);
void look_free(Look *look);

// The weights (T,T) of one head: row i is what token i gathers.
const real *look_weights(const Look *look, long layer, long head);

#endif
