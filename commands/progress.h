// progress.h -- what a run says while it goes on, all on standard error.
//
// Where that is a terminal, one live line shows the step and the time left between the lines that stay.
#ifndef PROGRESS_H
#define PROGRESS_H

#include "../data/csv.h"
#include <stdbool.h>

typedef struct {
    bool quiet;
    bool live;          // standard error is a terminal
    double last_shown;  // when the live line was last written
    long steps;         // in the whole run
} Progress;

Progress progress_start(bool quiet, long steps);

// A line of text, unless quiet.
__attribute__((format(printf, 2, 3))) void progress_say(Progress *p, const char *format, ...);

// The line of a row of the log. seconds_left: estimate for the rest of the run.
void progress_row(Progress *p, const CsvRow *row, double seconds_left);

// The live line, at most five times a second; nothing where standard error is no terminal.
void progress_live(Progress *p, long step, double loss, double tokens_per_second, double seconds_left);

// Before something else is written to standard error: clears the live line.
void progress_end(const Progress *p);

// A time as 1:05, or 2:01:05, in `out`, and returns it.
const char *duration(char out[32], double seconds);

// Writes a number with commas between thousands into `out`, and returns it.
const char *with_commas(char out[32], long n);

#endif
