// output.h -- standard output, which may be a full disk or a reader that has gone away.
#ifndef OUTPUT_H
#define OUTPUT_H

#include "../data/error.h"

// Hands everything printed so far to the system. Fails where that, or anything printed before, did not work.
bool output_flush(Error *err);

#endif
