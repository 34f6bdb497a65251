// corpus.h -- the text to train on: tokens, split, and what a model of counts reaches on it.
#ifndef CORPUS_H
#define CORPUS_H

#include "../model/ngram.h"
#include "options.h"
#include "progress.h"

typedef struct {
    Tokenizer z;
    Ids ids;
    uint32_t crc;  // of the tokens: a state belongs to one text
    long train_n;  // the first train_n tokens are trained on
    // The validation split; the training tokens again where the text is too short for a split:
    long val_begin, val_n;
    double ngram[NGRAM_MODELS];
    int best_ngram;
} Corpus;

// Reads and tokenizes o->argument, with *known as the tokenizer (taken over) or, where it is NULL, one learnt
// from the text; splits it; says what it found. Fails where there are fewer than 2 tokens. Takes as much
// memory as the text has bytes, or, where there are more than 256 characters, that and the ids together; what
// remains is the ids.
bool corpus_read(Corpus *c, const Options *o, Tokenizer *known, Progress *p, Error *err);
void corpus_free(Corpus *c);

// Shrinks context and batch as far as the text needs it, and says so.
void corpus_fit(const Corpus *c, Options *o, Progress *p);

// Counts n-grams and says what there is to beat. Of a long text only the first 2^22 tokens of each split
// are counted, and that is said.
bool corpus_count(Corpus *c, Progress *p, Error *err);

#endif
