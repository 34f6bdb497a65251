// tokens.h -- what pages about single tokens share: running text, most probable ones, looks and behaviour.
//
// The last two are tokens.css and tokens.js, of which the Makefile makes strings that a page includes.
#ifndef TOKENS_H
#define TOKENS_H

#include "../model/sampler.h"
#include "../tokenizer/tokenizer.h"
#include <stdio.h>

enum { GUESSES = 5 };

// The GUESSES most probable tokens, or all V where they are fewer, with the model's own probabilities:
// softmax of the logits, whatever the temperature is. Returns their number. `candidate` has room for 2 V, and
// holds all of them afterwards.
long guesses_of(Candidate guess[GUESSES], Candidate *candidate, const real *logits, long V);

// Prints an element for each of n guesses; the one that did come (-1 for none) has the class "hit".
void guesses_print(FILE *f, const Tokenizer *z, const Candidate *guess, long n, int32_t came);

// Prints an element of running text, of these classes: the token as in symbol.h, but a space as it is, and
// after the picture of a new line the line ends.
void token_print(FILE *f, const Tokenizer *z, int32_t token, const char *classes);

// Prints the token as in symbol.h.
void token_symbol(FILE *f, const Tokenizer *z, int32_t token);

#endif
