#include "json.h"
#include "utf8.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(Json *j, const char *what) {
    return fail(j->err, "%s: bad JSON at byte %ld: %s", j->name, j->offset + (long)(j->at - j->begin), what);
}

static void skip_space(Json *j) {
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r')) j->at++;
}

bool json_expect(Json *j, char c) {
    skip_space(j);
    char expected[] = {'\'', c, '\'', ' ', 'e', 'x', 'p', 'e', 'c', 't', 'e', 'd', 0};
    if (j->at == j->end || *j->at != c) return wrong(j, expected);
    j->at++;
    return true;
}

bool json_next(Json *j, char close, long *count, bool *more) {
    skip_space(j);
    *more = !(j->at < j->end && *j->at == close);
    if (!*more) return json_expect(j, close);
    return (*count)++ == 0 || json_expect(j, ',');
}

// The four hexadecimal digits of \uXXXX.
static bool hex4(Json *j, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < 4; i++, j->at++) {
        char c = j->at < j->end ? *j->at : 0;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return wrong(j, "four hexadecimal digits expected");
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

// What follows a backslash.
static bool escape(Json *j, uint32_t *code) {
    static const char letter[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    char c = j->at < j->end ? *j->at++ : 0;
    const char *known = c ? strchr(letter, c) : NULL;
    if (known) {
        *code = (unsigned char)meaning[known - letter];
        return true;
    }
    if (c != 'u') return wrong(j, "unknown escape");
    if (!hex4(j, code)) return false;
    if (*code >= 0xdc00 && *code < 0xe000) return wrong(j, "lone surrogate");
    if (*code < 0xd800 || *code >= 0xe000) return true;
    uint32_t low;
    if (j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u') return wrong(j, "lone surrogate");
    j->at += 2;
    if (!hex4(j, &low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return wrong(j, "lone surrogate");
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

static bool string_body(Json *j, String *s) {
    for (;;) {
        if (j->at == j->end) return wrong(j, "the string does not end");
        unsigned char c = (unsigned char)*j->at;
        if (c == '"') break;
        if (c < 0x20) return wrong(j, "control character in a string");
        uint32_t code = 0;
        if (c == '\\') {
            j->at++;
            if (!escape(j, &code)) return false;
        } else {
            int length = utf8_decode((const unsigned char *)j->at, (size_t)(j->end - j->at), &code);
            if (length < 0) return wrong(j, "not UTF-8");
            j->at += length;
        }
        s->length += (size_t)utf8_encode(code, s->bytes + s->length);
    }
    j->at++;
    s->bytes[s->length] = 0;
    return true;
}

bool json_string(Json *j, String *s) {
    *s = (String){0};
    if (!json_expect(j, '"')) return false;
    // No escape is shorter than what it stands for, so the text up to the closing quote is room enough.
    const char *close = j->at;
    while (close < j->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close >= j->end) return wrong(j, "the string does not end");
    s->bytes = malloc((size_t)(close - j->at) + 1);
    if (!s->bytes) return wrong(j, "memory is short");
    if (string_body(j, s)) return true;
    free(s->bytes);
    *s = (String){0};
    return false;
}

bool json_natural(Json *j, int64_t *value) {
    skip_space(j);
    const char *start = j->at;
    *value = 0;
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        int digit = *j->at - '0';
        if (*value > (INT64_MAX - digit) / 10) return wrong(j, "the number is too large");
        *value = *value * 10 + digit;
    }
    if (j->at == start || (*start == '0' && j->at - start > 1)) return wrong(j, "a whole number expected");
    return true;
}

static bool is_digit(const Json *j) { return j->at < j->end && *j->at >= '0' && *j->at <= '9'; }

// Passes over digits, of which there must be some.
static bool digits(Json *j) {
    if (!is_digit(j)) return wrong(j, "a digit expected");
    while (is_digit(j)) j->at++;
    return true;
}

static bool pass(Json *j, const char *any_of) {
    bool there = j->at < j->end && *j->at && strchr(any_of, *j->at);
    j->at += there;
    return there;
}

bool json_number(Json *j, double *value) {
    char text[64];
    skip_space(j);
    const char *start = j->at;
    pass(j, "-");
    if (!pass(j, "0") && !digits(j)) return false;
    if (pass(j, ".") && !digits(j)) return false;
    if (pass(j, "eE") && (pass(j, "+-"), !digits(j))) return false;
    size_t n = (size_t)(j->at - start);
    if (n >= sizeof text) return wrong(j, "a number of more than 63 characters");
    memcpy(text, start, n);
    text[n] = 0;
    *value = strtod(text, NULL);
    return true;
}

static bool word(Json *j, const char *text) {
    skip_space(j);
    size_t n = strlen(text);
    bool there = (size_t)(j->end - j->at) >= n && memcmp(j->at, text, n) == 0;
    if (there) j->at += n;
    return there;
}

bool json_flag(Json *j, bool *value) {
    *value = word(j, "true");
    return *value || word(j, "false") || wrong(j, "true or false expected");
}

bool json_null(Json *j) { return word(j, "null") || wrong(j, "null expected"); }

JsonKind json_kind(Json *j) {
    skip_space(j);
    char c = j->at < j->end ? *j->at : 0;
    return c == '{'                           ? JSON_OBJECT
           : c == '['                         ? JSON_ARRAY
           : c == '"'                         ? JSON_STRING
           : c == '-' || is_digit(j)          ? JSON_NUMBER
           : c == 't' || c == 'f' || c == 'n' ? JSON_WORD
                                              : JSON_NOTHING;
}

static bool skip_string(Json *j) {
    String s;
    if (!json_string(j, &s)) return false;
    free(s.bytes);
    return true;
}

static bool skip_value(Json *j, int depth);

static bool skip_members(Json *j, char open, char close, int depth) {
    long count = 0;
    bool more;
    if (depth == 0) return wrong(j, "arrays and objects inside each other more than 64 deep");
    if (!json_expect(j, open)) return false;
    while (json_next(j, close, &count, &more) && more) {
        if (open == '{' && !(skip_string(j) && json_expect(j, ':'))) return false;
        if (!skip_value(j, depth - 1)) return false;
    }
    return !more;
}

static bool skip_value(Json *j, int depth) {
    double number;
    bool flag;
    switch (json_kind(j)) {
    case JSON_OBJECT: return skip_members(j, '{', '}', depth);
    case JSON_ARRAY: return skip_members(j, '[', ']', depth);
    case JSON_STRING: return skip_string(j);
    case JSON_NUMBER: return json_number(j, &number);
    case JSON_WORD: return *j->at == 'n' ? json_null(j) : json_flag(j, &flag);
    case JSON_NOTHING: break;
    }
    return wrong(j, "a value expected");
}

bool json_skip(Json *j) { return skip_value(j, 64); }

bool json_members(Json *j, JsonMember *member, void *to) {
    long count = 0;
    bool more;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more) {
        String name;
        if (!json_string(j, &name)) return false;
        bool good = json_expect(j, ':') && member(j, &name, to);
        free(name.bytes);
        if (!good) return false;
    }
    return !more;
}

bool json_finish(Json *j) {
    skip_space(j);
    return j->at == j->end || wrong(j, "something follows the end");
}

void json_write_part(FILE *f, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(f, "\\u%04x", c);
        else
            putc(c, f);
    }
}

void json_write_string(FILE *f, const char *bytes, size_t n) {
    putc('"', f);
    json_write_part(f, bytes, n);
    putc('"', f);
}

void json_write_number(FILE *f, double value) {
    if (isfinite(value))
        fprintf(f, "%.17g", value);
    else
        fputs("null", f);
}
