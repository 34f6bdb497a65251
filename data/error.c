#include "error.h"
#include <stdarg.h>
#include <stdio.h>

bool fail(Error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    // Names come from files and may hold anything; a message stays one line and moves no cursor.
    for (char *c = err->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return false;
}
