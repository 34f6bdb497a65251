#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hide_controls(char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i], next = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;
        if (c < 0x20 || c == 0x7f) bytes[i] = '?';
        // U+0080 to U+009F, of which some terminals obey one as the beginning of an escape sequence.
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) bytes[i] = bytes[i + 1] = '?';
    }
}

bool fail(Error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    // Names come from files and may hold anything.
    hide_controls(err->text, strlen(err->text));
    return false;
}
