#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hide_controls(char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i], next = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;
        if (c < 0x20 || c == 0x7f) bytes[i] = '?';
        // U+0080 to U+009F, of which some terminals obey one as the beginning of an escape sequence.
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) bytes[i] = bytes[i + 1] = '?';
    }
}

// Of a message that is too long the middle goes: a path of thousands of bytes stands before the reason.
static void shorten(Error *err, const char *whole, size_t n) {
    static const char GAP[] = " ... ";
    size_t kept = sizeof err->text - sizeof GAP, head = kept / 2, tail = n - (kept - head);
    while (head > 0 && ((unsigned char)whole[head] & 0xc0) == 0x80) head--;  // between characters
    while (tail < n && ((unsigned char)whole[tail] & 0xc0) == 0x80) tail++;
    snprintf(err->text, sizeof err->text, "%.*s%s%s", (int)head, whole, GAP, whole + tail);
}

bool fail(Error *err, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    char *whole = n < (int)sizeof err->text ? NULL : malloc((size_t)n + 1);
    if (whole) {
        vsnprintf(whole, (size_t)n + 1, format, again);
        shorten(err, whole, (size_t)n);
        free(whole);
    }
    va_end(again);
    va_end(args);
    // Names come from files and may hold anything.
    hide_controls(err->text, strlen(err->text));
    return false;
}
