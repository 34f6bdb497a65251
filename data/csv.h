// csv.h -- the log of a run, one row a line, for gnuplot and spreadsheets.
#ifndef CSV_H
#define CSV_H

#include "error.h"
#include <stdio.h>

// Losses in nats per token; a number that does not exist at that step is NaN here and empty in the file:
// val_loss where nothing was evaluated, and everything that belongs to a step of training at step 0.
typedef struct {
    long step;
    double epoch, train_loss, val_loss, learning_rate, grad_norm, tokens_per_second, seconds;
} CsvRow;

typedef struct {
    FILE *stream;
    char *path;
    double seconds;  // of the last row that was kept
} Csv;

// A new log with its header line; or with keep_until >= 0 an old one without its rows after that step, to go
// on with. Of an old one only whole rows are kept, whatever else has come into the file.
bool csv_open(Csv *c, const char *path, long keep_until, Error *err);

// Appends a row and hands it to the system.
bool csv_add(Csv *c, const CsvRow *row, Error *err);

// All whole rows of a log. The caller frees them.
bool csv_read(const char *path, CsvRow **row, long *rows, Error *err);

// Waits until all rows are on the disk.
bool csv_sync(Csv *c, Error *err);

// Ends c either way; fails where the system could not keep what it was handed. A log that is not open may be
// closed, too.
bool csv_close(Csv *c, Error *err);

#endif
