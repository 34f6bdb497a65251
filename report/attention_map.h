// attention_map.h -- attention weights as maps of shades, for a terminal.
#ifndef ATTENTION_MAP_H
#define ATTENTION_MAP_H

#include "look.h"
#include <stdio.h>

// How many of the text's last tokens fit into so many columns.
long attention_map_fits(const Look *look, long columns);

// One map for each head, side by side as far as they fit: a row for each of those tokens, with its weights
// on itself and the ones before. What a shade stands for is printed first where `legend`. With `colour` in
// 256 of them.
void attention_map(FILE *f, const Look *look, long columns, bool colour, bool legend);

#endif
