// sample_page.h -- samples as a page: each token coloured by how surprised the model was at it.
#ifndef SAMPLE_PAGE_H
#define SAMPLE_PAGE_H

#include "../report/tokens.h"
#include "options.h"

// How many tokens a page may hold, which makes about 2.5 MB.
enum { SAMPLE_PAGE_MOST = 20000 };

// A token that was written, and what the model thought of it: p is its probability, before temperature, top-k
// and the like made their choice easier or harder.
typedef struct {
    int32_t token;
    real p;
    Candidate guess[GUESSES];
} SampleStep;

// Room for o->num_samples samples of o->max_new_tokens.
typedef struct {
    const Options *o;
    const Tokenizer *z;
    long guesses;
    SampleStep *step;
    Candidate *candidate;
} SamplePage;

bool sample_page_create(SamplePage *page, const Tokenizer *z, const Options *o, Error *err);
void sample_page_free(SamplePage *page);

// Token t of a sample, and the logits (V) that it was chosen from. Every one must be set, in any order.
void sample_page_set(SamplePage *page, long sample, long t, int32_t token, const real *logits);

// Writes the page to o->html. `start` are the n tokens that the samples go on from; n is 0 where none were
// asked for.
bool sample_page_write(const SamplePage *page, const int32_t *start, long n, Error *err);

#endif
