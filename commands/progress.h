// progress.h -- what a run says while it goes on, all on standard error.
//
// Where that is a terminal, one live line between the lines that stay shows how far long work is: reading,
// counting, training.
#ifndef PROGRESS_H
#define PROGRESS_H

#include "../data/csv.h"
#include "../data/watch.h"
#include "curve.h"
#include "live.h"
#include <stdbool.h>

typedef struct {
    bool quiet;
    bool live;          // standard error is a terminal
    bool blocks;        // which shows U+2581 to U+2588
    bool shown;         // the live line is there
    double last_shown;  // when it was last written
    double last_said;   // when anything was last written but how far work is
    long steps;         // in the whole run
    const char *unit;   // of the speed in the live line: what a token is, in the plural
    double val_loss;    // of the last evaluation; NaN before
    Curve train, val;   // the losses so far
} Progress;

Progress progress_start(bool quiet, long steps);

// A line of text, unless quiet.
__attribute__((format(printf, 2, 3))) void progress_say(Progress *p, const char *format, ...);

// The line of a row of the log. seconds_left: estimate for the rest of the run.
void progress_row(Progress *p, const CsvRow *row, double seconds_left);

// After each step: the live line, at most five times a second; nothing where standard error is no terminal.
void progress_step(Progress *p, long step, double loss, double tokens_per_second, double seconds_left);

// Tells of other work in the live line, when nothing else has been written for half a second.
Watch progress_watch(Progress *p);

// Before something else is written to standard error: clears the live line.
void progress_end(Progress *p);

#endif
