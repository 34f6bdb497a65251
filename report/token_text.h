// token_text.h -- tokens as running text in a page, each in an element of its own.
#ifndef TOKEN_TEXT_H
#define TOKEN_TEXT_H

#include "../tokenizer/tokenizer.h"
#include <stdio.h>

// The inside of such an element: the token as in symbol.h, but spaces as they are, and after the picture of a
// new line the line ends.
void token_text(FILE *f, const Tokenizer *z, int32_t token);

// The token as in symbol.h.
void token_symbol(FILE *f, const Tokenizer *z, int32_t token);

// A probability or a weight as short as that: .412, and 1 for 1.
void token_share(FILE *f, double p);

#endif
