// attention_svg.h -- attention weights as maps in one picture, for documents.
#ifndef ATTENTION_SVG_H
#define ATTENTION_SVG_H

#include "look.h"

// A row of maps for each layer, with the characters along the edges where there are not too many. Needs no
// other file, and follows light and dark.
bool attention_svg(const Look *look, const char *path, Error *err);

#endif
