// live.h -- the text of the live line, made to fit the width of a terminal.
#ifndef LIVE_H
#define LIVE_H

#include "curve.h"

enum { LIVE_BYTES = 2 * CURVE_POINTS * CURVE_BLOCK_BYTES + 256 };

typedef struct {
    long step, steps;
    double train_loss, val_loss;  // val_loss is NaN where there is none yet
    double tokens_per_second;
    const char *unit;  // what a token is, in the plural
    double seconds_left;
    const Curve *train, *val;  // NULL: no curves, since the terminal cannot show blocks
} Live;

// The line of a training run. Of a narrow terminal it leaves out, one after the other: the curve of
// validation, the speed, the validation loss, the curve, the names of the numbers, the time left, the number
// of steps, the loss, the step. At most columns - 1 columns wide: many a terminal begins a new line when the
// last column is written.
void live_training(char out[LIVE_BYTES], const Live *l, int columns);

// The line of other work, as a Watch is told of it: "reading book.txt 45%", or "reading standard input 12
// MB". The name is left out where it might not fit, or would move the cursor.
void live_work(char out[LIVE_BYTES], const char *what, const char *name, double done, double all,
               int columns);

// 1:05, or 2:01:05.
const char *duration(char out[32], double seconds);

// Writes a number with commas between thousands into `out`, and returns it.
const char *with_commas(char out[32], long n);

#endif
