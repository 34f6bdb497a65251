// error.h -- how a function that can fail says why.
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>
#include <stddef.h>

// What went wrong, as one line without a newline: "what: why", naming the file and the place.
typedef struct {
    char text[1024];
} Error;

// Writes the message, without its middle where it is too long, and returns false, so that a failing function
// ends with `return fail(err, ...)`.
__attribute__((format(printf, 2, 3))) bool fail(Error *err, const char *format, ...);

// Replaces control characters by '?': what comes from others stays on its line and moves no cursor.
void hide_controls(char *bytes, size_t n);

#endif
