// operators.h -- the list of what a step of training is made of.
#ifndef OPERATORS_H
#define OPERATORS_H

#include "models.h"

// Turn n works on block n mod L, so that weights and activations come from where a step finds them.
typedef struct {
    const char *name;
    void (*in_team)(void *run, long turn);  // either this: every thread's share
    void (*alone)(void *run);               // or this, which opens a region of its own
    double in_pass;     // how often the pass of a micro-batch uses it; 0: it is used once a step
    double operations;  // of one use, counted as in operations_per_token; 0: not counted
} Operator;

enum { OPERATORS = 16 };
void operators_list(Operator list[OPERATORS], Run *r);

// One micro-batch forward and backward, of which a step is made but for what it does once.
void operators_pass(void *run);

#endif
