// text.h -- the bytes of one or more files, joined in order.
#ifndef TEXT_H
#define TEXT_H

#include "error.h"
#include "watch.h"
#include <stddef.h>

typedef struct {
    unsigned char *bytes;
    size_t n;
    struct TextPart {
        const char *name;  // the path; belongs to the caller
        size_t begin;      // of this file's bytes
        size_t dropped;    // bytes left out at the file's beginning: its byte-order mark
    } * part;
    long parts;
    long byte_order_marks;  // dropped
    long crlf_lines;        // lines that end in CR LF, which are kept
    const Watch *watch;     // told by whoever walks through the bytes; or NULL
} Text;

// Reads files; "-" is standard input. With drop_marks a UTF-8 byte-order mark at the beginning of a file is
// left out. Fails, naming the file, where one cannot be read. Each file is read once, and takes as much
// memory as it has bytes; a pipe, whose length nobody knows, up to twice that for a moment. `watch` (or NULL)
// is told of each mebibyte, and stays the text's.
bool text_read(Text *t, char *const *paths, long files, bool drop_marks, const Watch *watch, Error *err);

// The same, but fails where the bytes of all files would take more than `most` of memory: an endless one is
// not read until the system gives up.
bool text_read_within(Text *t, double most, char *const *paths, long files, bool drop_marks,
                      const Watch *watch, Error *err);

// A text from memory, under a name for messages. Copies the bytes.
bool text_from(Text *t, const char *name, const char *bytes, size_t n, Error *err);
void text_free(Text *t);

// Which file byte `at` of the text came from, and where it stands there.
void text_place(const Text *t, size_t at, const char **name, size_t *offset);

#endif
