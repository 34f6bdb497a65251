// limits.h -- what this machine can do at most, in bursts of some milliseconds on all threads.
#ifndef LIMITS_H
#define LIMITS_H

#include "../data/error.h"
#include "../model/real.h"
#include "measure.h"

// Fused multiply-adds in registers: operations a second, two for each multiply-add.
Limit limit_arithmetic(void);

// A block so large that no cache holds it. Each burst uses the next part of it, and comes back to a part only
// when the others have passed through the caches.
typedef struct {
    real *at;
    long next;  // part
} Memory;

bool memory_create(Memory *m, Error *err);
void memory_free(Memory *m);

// Reading it, and a = b + s c over it ("triad"): bytes a second, counting what the program reads and writes.
Limit limit_reading(Memory *m);
Limit limit_triad(Memory *m);

// Reading the same n elements each time, from whatever cache holds them by now.
typedef struct {
    const real *at;
    long n;
} Elements;
Limit limit_rereading(Elements *e);

#endif
