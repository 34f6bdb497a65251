// attention_page.h -- attention weights as a page to point at.
#ifndef ATTENTION_PAGE_H
#define ATTENTION_PAGE_H

#include "look.h"

// The text, a map for each head, and what was expected after each character. Pointing at a character shows
// from where each head gathers. Weights are rounded to 1/ATTENTION_PAGE_STEPS, which the page says.
bool attention_page(const Look *look, const char *path, Error *err);

enum { ATTENTION_PAGE_STEPS = 10000 };

#endif
