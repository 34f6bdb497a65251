// json.h -- reading and writing JSON (RFC 8259), as far as the headers of model files need it.
#ifndef JSON_H
#define JSON_H

#include "error.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A string of bytes, which may hold NUL; bytes[length] is an extra 0. Freed by whoever asked for it.
typedef struct {
    char *bytes;
    size_t length;
} String;

// Where reading stands. Every function below returns false, with a message that names `name` and the offset,
// when the text is not what it expects.
typedef struct {
    const char *name;  // for messages
    const char *begin, *at, *end;
    Error *err;
} Json;

// Passes over `c`, one of { } [ ] : and comma.
bool json_expect(Json *j, char c);

// For the members of an object or an array: is there another before `close`? Passes over the comma, or over
// `close`. *more says which; *count must be 0 before the first and counts them.
bool json_next(Json *j, char close, long *count, bool *more);

bool json_string(Json *j, String *s);        // escapes undone, UTF-8 checked
bool json_natural(Json *j, int64_t *value);  // 0 .. 2^63-1, no sign, fraction or exponent
bool json_finish(Json *j);                   // nothing but white space is left

// Writes the bytes, which are UTF-8, as a JSON string with its quotes.
void json_write_string(FILE *f, const char *bytes, size_t n);

#endif
