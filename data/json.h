// json.h -- reading and writing JSON (RFC 8259): the headers of model files, and the settings beside them.
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
    long offset;       // of `begin` in the file of that name
    const char *begin, *at, *end;
    Error *err;
} Json;

// What stands next, as far as its first character tells; white space before it is passed over.
typedef enum { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_WORD, JSON_NOTHING } JsonKind;
JsonKind json_kind(Json *j);

// Passes over `c`, one of { } [ ] : and comma.
bool json_expect(Json *j, char c);

// For the members of an object or an array: is there another before `close`? Passes over the comma, or over
// `close`. *more says which; *count must be 0 before the first and counts them.
bool json_next(Json *j, char close, long *count, bool *more);

bool json_string(Json *j, String *s);        // escapes undone, UTF-8 checked
bool json_natural(Json *j, int64_t *value);  // 0 .. 2^63-1, no sign, fraction or exponent
bool json_number(Json *j, double *value);    // any
bool json_flag(Json *j, bool *value);        // true or false
bool json_null(Json *j);
bool json_skip(Json *j);  // any value; 64 arrays and objects deep at most

// Reads an object: `member` is called with each name, and reads the value.
typedef bool JsonMember(Json *j, const String *name, void *to);
bool json_members(Json *j, JsonMember *member, void *to);

bool json_finish(Json *j);  // nothing but white space is left

// Writes the bytes, which are UTF-8, as a JSON string with its quotes.
void json_write_string(FILE *f, const char *bytes, size_t n);

// The same without quotes, for a string that is put together from several pieces.
void json_write_part(FILE *f, const char *bytes, size_t n);

// So many digits that the number is read back to the same bits; null for what JSON has no number for.
void json_write_number(FILE *f, double value);

#endif
