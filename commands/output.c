#include "output.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

bool output_flush(Error *err) {
    // What is printed goes out whenever the buffer is full; only the stream remembers that this failed once.
    if (!ferror(stdout) && fflush(stdout) == 0) return true;
    return fail(err, "standard output: %s", strerror(errno));
}
