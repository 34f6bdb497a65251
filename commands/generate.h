// generate.h -- writing samples to standard output, whole characters as they are made.
#ifndef GENERATE_H
#define GENERATE_H

#include "../model/weights.h"
#include "options.h"

// Reads --start: the text itself, FILE:path or - for standard input; where it is empty, one token: a new
// line, or the first of the vocabulary. What it has to say of dropped characters or a start beyond the
// context goes to standard error.
bool generate_start(Ids *start, const Options *o, const Tokenizer *z, long T, Error *err);

// The file that --start reads: its path, "-" for standard input, or NULL where it reads none.
const char *generate_start_file(const Options *o);

// Writes o->num_samples texts that go on from `start`, with a line of dashes between them. Up to 16 are made
// side by side where memory allows, which reads the weights once for all of them; what a sample says does not
// depend on its neighbours. Where o->html names a file, they become a page there, too.
bool generate(const Weights *w, const Tokenizer *z, const Ids *start, const Options *o, Error *err);

// How many are made side by side.
long generate_streams(const Options *o, const GptConfig *config);

#endif
