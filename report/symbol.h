// symbol.h -- how one token is shown where it stands alone: in a map, a table, a list.
#ifndef SYMBOL_H
#define SYMBOL_H

#include "../tokenizer/tokenizer.h"

// UTF-8 that can be seen and moves no cursor, and the columns that it takes in a terminal.
typedef struct {
    char text[8];
    int width;
} Symbol;

// A character as itself, but:
//   a new line as U+21B5, an arrow down and left; a tab as U+21E5, an arrow to a bar
//   other control characters as their pictures, U+2400 and on; those without one as U+FFFD
//   every space as U+2423, an open box
//   what stands on another character on a dotted circle, U+25CC; what cannot be seen as the circle alone
// A byte as the character of ASCII that it is, or as two hexadecimal digits.
Symbol symbol_of(const Tokenizer *z, int32_t token);
Symbol symbol_of_character(uint32_t code);

#endif
