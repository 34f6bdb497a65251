// Proves that the JSON reader stays inside any text, also where it passes over a value, that a string it
// accepts comes back when it is written and read again, that a number it accepts is the number, and that what
// it refuses it refuses in one line.
#include "../../data/json.h"
#include "../../data/utf8.h"
#include "fuzz.h"

static bool is_utf8(const String *s) {
    uint32_t code;
    int length = 0;
    for (size_t at = 0; at < s->length; at += (size_t)length)
        if ((length = utf8_decode((const unsigned char *)s->bytes + at, s->length - at, &code)) < 0)
            return false;
    return s->bytes[s->length] == 0;
}

static void string_comes_back(const String *s) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f) abort();
    json_write_string(f, s->bytes, s->length);
    fclose(f);
    Error err;
    Json j = {.name = "again", .begin = text, .at = text, .end = text + length, .err = &err};
    String back;
    HOLDS(json_string(&j, &back) && json_finish(&j));
    HOLDS(back.length == s->length && memcmp(back.bytes, s->bytes, s->length) == 0);
    free(back.bytes);
    free(text);
}

static bool read_string(Json *j) {
    String s;
    if (!json_string(j, &s)) return false;
    HOLDS(is_utf8(&s));
    string_comes_back(&s);
    free(s.bytes);
    return true;
}

static bool read_number(Json *j) {
    int64_t value;
    char text[32];
    if (!json_natural(j, &value)) return false;
    int n = snprintf(text, sizeof text, "%lld", (long long)value);
    HOLDS(value >= 0 && j->at - j->begin >= n && memcmp(j->at - n, text, (size_t)n) == 0);
    return true;
}

// Any value, nested at most `depth` deep; the reader itself never nests.
static bool read_value(Json *j, int depth) {
    const char *p = j->at;
    while (p < j->end && strchr(" \t\r\n", *p) && *p) p++;
    char c = p < j->end ? *p : 0, close = c == '{' ? '}' : ']';
    if (c == '"') return read_string(j);
    if ((c != '{' && c != '[') || depth == 0) return read_number(j);
    long count = 0, members = 0;
    bool more;
    if (!json_expect(j, c)) return false;
    while (json_next(j, close, &count, &more) && more) {
        HOLDS(count == ++members);
        if (c == '{' && (!read_string(j) || !json_expect(j, ':'))) return false;
        if (!read_value(j, depth - 1)) return false;
    }
    return !more;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    Error err = {0};
    const char *text = (const char *)bytes;
    Json j = {.name = "text", .begin = text, .at = text, .end = text + n, .err = &err};
    bool good = read_value(&j, 8) && json_finish(&j);
    HOLDS(good == !err.text[0] && (good || one_line(&err)));
    HOLDS(j.at >= j.begin && j.at <= j.end);
    // What is read value by value above can also be passed over, up to the same place.
    Json skipped = {.name = "text", .begin = text, .at = text, .end = text + n, .err = &err};
    bool passed = json_skip(&skipped) && json_finish(&skipped);
    HOLDS(!good || passed);
    HOLDS(skipped.at >= skipped.begin && skipped.at <= skipped.end && (passed || one_line(&err)));
    return 0;
}
