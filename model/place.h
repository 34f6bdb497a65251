// place.h -- one block of memory for many arrays: measured first, then placed, by one and the same walk.
#ifndef PLACE_H
#define PLACE_H

#include "real.h"
#include <stddef.h>

enum { PLACE_ALIGN = 16 };  // elements; 64 bytes of float, a cache line

static inline long place_rounded(long size) { return (size + PLACE_ALIGN - 1) / PLACE_ALIGN * PLACE_ALIGN; }

// The array of `size` elements that begins at *at, which moves on. With memory NULL it only measures, and
// returns NULL.
static inline real *place_array(real *memory, long *at, long size) {
    real *start = memory ? memory + *at : NULL;
    *at += place_rounded(size);
    return start;
}

#endif
