#include "../data/json.h"
#include "../data/utf8.h"
#include "test.h"

static Error err;
static char *held;  // the text being read: exactly its bytes, so that a sanitizer sees one read too many

static Json over(const char *text, size_t n) {
    free(held);
    held = malloc(n + !n);
    if (!held) abort();
    memcpy(held, text, n);
    err.text[0] = 0;
    return (Json){.name = "model.x", .begin = held, .at = held, .end = held + n, .err = &err};
}
#define OVER(literal) over("" literal, sizeof(literal) - 1)

// "model.x: bad JSON at byte PLACE: ... part ...", in one line; any place where place < 0.
static bool says(long place, const char *part) {
    char start[80];
    snprintf(start, sizeof start, "model.x: bad JSON at byte %ld: ", place);
    bool placed = place < 0 ? strncmp(err.text, "model.x: bad JSON at byte ", 26) == 0
                            : strncmp(err.text, start, strlen(start)) == 0;
    bool good = placed && strstr(err.text, part) && !strchr(err.text, '\n');
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

static bool string_is(Json j, const char *bytes, size_t n) {
    String s = {0};
    bool good = json_string(&j, &s) && s.length == n && memcmp(s.bytes, bytes, n) == 0 && s.bytes[n] == 0 &&
                j.at == j.end;
    if (!good) printf("  message: %s\n", err.text);
    free(s.bytes);
    return good;
}
#define STRING_IS(literal, bytes) string_is(OVER(literal), "" bytes, sizeof(bytes) - 1)

static bool string_refused(Json j, long place, const char *part) {
    String s;
    bool refused = !json_string(&j, &s);
    if (!refused) free(s.bytes);
    return refused && s.bytes == NULL && s.length == 0 && says(place, part);
}
#define REFUSED(literal, place, part) string_refused(OVER(literal), place, part)

static void strings_are_read(void) {
    CHECK(STRING_IS("\"\"", ""));
    CHECK(STRING_IS("\"abc\"", "abc"));
    CHECK(STRING_IS(" \t\r\n\"a b\"", "a b"));
    CHECK(STRING_IS("\"\x7f\"", "\x7f"));
    CHECK(STRING_IS("\"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\"", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"));
}

static void every_escape_is_undone(void) {
    CHECK(STRING_IS("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"));
    CHECK(STRING_IS("\"x\\\"y\"", "x\"y"));
    CHECK(STRING_IS("\"\\u0041\\u00e9\\u6F22\"", "A\xc3\xa9\xe6\xbc\xa2"));
    CHECK(STRING_IS("\"\\uFfFd\"", "\xef\xbf\xbd"));
    CHECK(STRING_IS("\"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80"));
    CHECK(STRING_IS("\"\\\\u0041\"", "\\u0041"));
}

static void escaped_nul_is_a_byte_like_others(void) { CHECK(STRING_IS("\"a\\u0000b\"", "a\0b")); }

static void surrogate_pairs_are_one_character(void) {
    CHECK(STRING_IS("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"));
    CHECK(STRING_IS("\"\\ud800\\udc00\"", "\xf0\x90\x80\x80"));
    CHECK(STRING_IS("\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf"));
    CHECK(STRING_IS("\"\\ud83d\\ude00\\ud83d\\ude00\"", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"));
}

static void lone_surrogates_are_refused(void) {
    CHECK(REFUSED("\"\\ud83d\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ude00\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ude00\\ud83d\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ud83d\\ud83d\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ud83d\\u0041\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ud83dx\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ud83d\\n\"", -1, "surrogate"));
    CHECK(REFUSED("\"\\ud83d\\u\"", -1, "hexadecimal"));
}

static void wrong_escapes_are_refused(void) {
    CHECK(REFUSED("\"\\x\"", -1, "escape"));
    CHECK(REFUSED("\"\\a\"", -1, "escape"));
    CHECK(REFUSED("\"\\U0041\"", -1, "escape"));
    CHECK(REFUSED("\"\\\0\"", -1, "escape"));
    CHECK(REFUSED("\"\\u12\"", 5, "hexadecimal"));
    CHECK(REFUSED("\"\\u12g4\"", 5, "hexadecimal"));
    CHECK(REFUSED("\"\\u+123\"", 3, "hexadecimal"));
    CHECK(REFUSED("\"\\u", 1, "does not end"));
}

static void control_characters_are_refused(void) {
    bool refused = true;
    for (char c = 0; c < 0x20; c++) {
        char text[] = {'"', 'a', 'b', c, '"'};
        refused = refused && string_refused(over(text, sizeof text), 3, "control");
    }
    CHECK(refused);
}

static void invalid_utf8_is_refused_where_it_stands(void) {
    CHECK(REFUSED("\"a\x80\"", 2, "UTF-8"));
    CHECK(REFUSED("\"ab\xc0\x80\"", 3, "UTF-8"));
    CHECK(REFUSED("\"\xe0\x80\x80\"", 1, "UTF-8"));
    CHECK(REFUSED("\"\xed\xa0\x80\"", 1, "UTF-8"));
    CHECK(REFUSED("\"\xf4\x90\x80\x80\"", 1, "UTF-8"));
    CHECK(REFUSED("\"\xc3\"", 1, "UTF-8"));
    CHECK(REFUSED("\"\xff\"", 1, "UTF-8"));
}

static void a_string_that_does_not_end_is_refused(void) {
    CHECK(REFUSED("\"abc", 1, "does not end"));
    CHECK(REFUSED("\"", 1, "does not end"));
    CHECK(REFUSED("\"\\", -1, "does not end"));
    CHECK(REFUSED("\"abc\\\"", -1, "does not end"));
    CHECK(REFUSED("", 0, "'\"' expected"));
    CHECK(REFUSED("  abc", 2, "'\"' expected"));
}

static void every_beginning_of_a_string_is_refused(void) {
    static const char text[] = "\"a\\n\\u00e9\\ud83d\\ude00\xc3\xa9\"";
    size_t whole = sizeof text - 1;
    CHECK(string_is(over(text, whole), "a\n\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9", 10));
    for (size_t n = 0; n < whole; n++) CHECK(string_refused(over(text, n), -1, ""));
}

static bool natural_is(Json j, int64_t expected, long end) {
    int64_t value = -1;
    return json_natural(&j, &value) && value == expected && j.at - j.begin == end;
}

static bool natural_refused(Json j, long place, const char *part) {
    int64_t value;
    return !json_natural(&j, &value) && says(place, part);
}

static void whole_numbers_are_read(void) {
    CHECK(natural_is(OVER("0"), 0, 1));
    CHECK(natural_is(OVER(" 7"), 7, 2));
    CHECK(natural_is(OVER("120,"), 120, 3));
    CHECK(natural_is(OVER("0]"), 0, 1));
    CHECK(natural_is(OVER("4294967296"), INT64_C(4294967296), 10));
    CHECK(natural_is(OVER("9223372036854775807"), INT64_MAX, 19));
    CHECK(natural_is(OVER("1000000000000000000 "), INT64_C(1000000000000000000), 19));
}

static void too_large_numbers_are_refused(void) {
    CHECK(natural_refused(OVER("9223372036854775808"), 18, "too large"));
    CHECK(natural_refused(OVER("9223372036854775810"), -1, "too large"));
    CHECK(natural_refused(OVER("18446744073709551616"), -1, "too large"));
    CHECK(natural_refused(OVER("18446744073709551617"), -1, "too large"));
    CHECK(natural_refused(OVER("99999999999999999999999999999999999999999"), -1, "too large"));
}

static void other_numbers_are_refused(void) {
    CHECK(natural_refused(OVER("01"), -1, "whole number"));
    CHECK(natural_refused(OVER("00"), -1, "whole number"));
    CHECK(natural_refused(OVER("-1"), 0, "whole number"));
    CHECK(natural_refused(OVER("-0"), 0, "whole number"));
    CHECK(natural_refused(OVER("+1"), 0, "whole number"));
    CHECK(natural_refused(OVER(".5"), 0, "whole number"));
    CHECK(natural_refused(OVER("\"1\""), 0, "whole number"));
    CHECK(natural_refused(OVER("null"), 0, "whole number"));
    CHECK(natural_refused(OVER("  "), 2, "whole number"));
    CHECK(natural_refused(OVER(""), 0, "whole number"));
}

// Reads [1,2,...] to the end; -1 where it is refused, otherwise the sum of 10 + number for each number.
static long list_sum(Json j) {
    long count = 0, sum = 0;
    bool more;
    if (!json_expect(&j, '[')) return -1;
    for (;;) {
        int64_t value;
        if (!json_next(&j, ']', &count, &more)) return -1;
        if (!more) break;
        if (!json_natural(&j, &value)) return -1;
        sum += 10 + (long)value;
    }
    return json_finish(&j) ? sum : -1;
}

static void lists_are_read_to_their_end(void) {
    CHECK(list_sum(OVER("[]")) == 0);
    CHECK(list_sum(OVER(" [ ] ")) == 0);
    CHECK(list_sum(OVER("[1]")) == 11);
    CHECK(list_sum(OVER("[1,2,3]")) == 36);
    CHECK(list_sum(OVER("\n[ 1 , 2\t,3 ]\r\n")) == 36);
}

static void damaged_lists_are_refused(void) {
    CHECK(list_sum(OVER("[1,]")) == -1 && says(3, "whole number"));
    CHECK(list_sum(OVER("[,1]")) == -1 && says(1, "whole number"));
    CHECK(list_sum(OVER("[1 2]")) == -1 && says(3, "',' expected"));
    CHECK(list_sum(OVER("[1")) == -1 && says(2, "',' expected"));
    CHECK(list_sum(OVER("[")) == -1 && says(1, "whole number"));
    CHECK(list_sum(OVER("[1}")) == -1 && says(2, "',' expected"));
    CHECK(list_sum(OVER("[1.5]")) == -1 && says(2, "',' expected"));
    CHECK(list_sum(OVER("[1e5]")) == -1 && says(2, "',' expected"));
    CHECK(list_sum(OVER("{1]")) == -1 && says(0, "'[' expected"));
    CHECK(list_sum(OVER("[1] x")) == -1 && says(4, "follows the end"));
    CHECK(list_sum(OVER("[1]]")) == -1 && says(3, "follows the end"));
}

static void nested_objects_are_read_member_by_member(void) {
    Json j = OVER("{\"a\":{\"b\":[1,2],\"c\":[]},\"d\":{}}");
    char shape[64] = "";
    long outer = 0;
    bool more, good = json_expect(&j, '{');
    while (good && (good = json_next(&j, '}', &outer, &more)) && more) {
        String name;
        long inner = 0;
        good = json_string(&j, &name);
        if (!good) break;
        strcat(strcat(shape, name.bytes), "{");
        free(name.bytes);
        good = json_expect(&j, ':') && json_expect(&j, '{');
        while (good && (good = json_next(&j, '}', &inner, &more)) && more) {
            String member;
            long count = 0;
            int64_t value;
            good = json_string(&j, &member);
            if (!good) break;
            strcat(strcat(shape, member.bytes), "[");
            free(member.bytes);
            good = json_expect(&j, ':') && json_expect(&j, '[');
            while (good && (good = json_next(&j, ']', &count, &more)) && more) {
                good = json_natural(&j, &value);
                strcat(shape, value == 1 ? "1" : "2");
            }
            strcat(shape, "]");
        }
        strcat(shape, "}");
    }
    CHECK(good && json_finish(&j));
    CHECK(strcmp(shape, "a{b[12]c[]}d{}") == 0);
    CHECK(outer == 2);
}

static void a_missing_mark_is_named_with_its_place(void) {
    Json j = OVER("  [");
    CHECK(!json_expect(&j, '{') && says(2, "'{' expected"));
    CHECK(json_expect(&j, '['));
    CHECK(!json_expect(&j, ':') && says(3, "':' expected"));
    j = OVER("\0");
    CHECK(!json_expect(&j, '{') && says(0, "'{' expected"));
    CHECK(!json_finish(&j) && says(0, "follows the end"));
    j = OVER(" \v{");
    CHECK(!json_expect(&j, '{') && says(1, "'{' expected"));  // a vertical tab is no white space here
}

static bool number_is(Json j, double value, long end) {
    double found;
    return json_number(&j, &found) && memcmp(&found, &value, sizeof value) == 0 && j.at - j.begin == end;
}

static bool number_refused(Json j, long place, const char *part) {
    double found;
    return !json_number(&j, &found) && says(place, part);
}

static void numbers_are_read(void) {
    CHECK(number_is(OVER("0"), 0, 1));
    CHECK(number_is(OVER("-0"), -0.0, 2));
    CHECK(number_is(OVER(" 1e-05,"), 1e-5, 6));
    CHECK(number_is(OVER("-12.50e+2]"), -1250, 9));
    CHECK(number_is(OVER("0.1"), 0.1, 3));
    CHECK(number_is(OVER("01"), 0, 1));  // what follows is somebody else's mistake
    CHECK(number_is(OVER("1e999"), (double)INFINITY, 5));
    CHECK(number_refused(OVER(""), 0, "digit"));
    CHECK(number_refused(OVER("-"), 1, "digit"));
    CHECK(number_refused(OVER("+1"), 0, "digit"));
    CHECK(number_refused(OVER(".5"), 0, "digit"));
    CHECK(number_refused(OVER("1."), 2, "digit"));
    CHECK(number_refused(OVER("1.e5"), 2, "digit"));
    CHECK(number_refused(OVER("1e"), 2, "digit"));
    CHECK(number_refused(OVER("1e+"), 3, "digit"));
    CHECK(number_refused(OVER("nan"), 0, "digit"));
    CHECK(number_refused(OVER("1000000000000000000000000000000000000000000000000000000000000000"), -1, "63"));
}

static void written_numbers_are_read_again(void) {
    static const double values[] = {0, -0.0, 1.0 / 3, -1e-300, 0x1p-1074, 1.7976931348623157e308, 4.1589};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *f = open_memstream(&text, &length);
        if (!f) abort();
        json_write_number(f, values[i]);
        fclose(f);
        CHECK(number_is(over(text, length), values[i], (long)length));
        free(text);
    }
    static const double others[] = {(double)INFINITY, (double)-INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *text = NULL;
        size_t length = 0;
        FILE *f = open_memstream(&text, &length);
        if (!f) abort();
        json_write_number(f, others[i]);
        fclose(f);
        CHECK(length == 4 && strcmp(text, "null") == 0);
        free(text);
    }
}

static void words_are_read(void) {
    bool flag = false;
    Json j = OVER(" true false null");
    CHECK(json_flag(&j, &flag) && flag && json_flag(&j, &flag) && !flag && json_null(&j) && json_finish(&j));
    j = OVER("tru");
    CHECK(!json_flag(&j, &flag) && says(0, "true or false"));
    j = OVER("nul");
    CHECK(!json_null(&j) && says(0, "null expected"));
}

static void the_kind_of_a_value_is_told_before_it_is_read(void) {
    static const struct {
        const char *text;
        JsonKind kind;
    } values[] = {{" {}", JSON_OBJECT}, {"[", JSON_ARRAY},   {"\"", JSON_STRING},  {"-1", JSON_NUMBER},
                  {"9", JSON_NUMBER},   {"true", JSON_WORD}, {"false", JSON_WORD}, {"\n null", JSON_WORD},
                  {"", JSON_NOTHING},   {"}", JSON_NOTHING}, {"x", JSON_NOTHING},  {"+1", JSON_NOTHING}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        Json j = over(values[i].text, strlen(values[i].text));
        CHECK(json_kind(&j) == values[i].kind);
    }
}

// Whether one value is passed over up to byte `end`.
static bool skips(Json j, long end) { return json_skip(&j) && j.at - j.begin == end; }
static bool does_not_skip(Json j, long place, const char *part) {
    return !json_skip(&j) && says(place, part);
}

static void any_value_can_be_skipped(void) {
    CHECK(skips(OVER("[]"), 2));
    CHECK(skips(OVER("{}x"), 2));
    CHECK(skips(OVER("-1.5e3,"), 6));
    CHECK(skips(OVER("\"a\\\"]}\" "), 7));
    CHECK(skips(OVER(" true"), 5));
    CHECK(skips(OVER("null"), 4));
    CHECK(skips(OVER("{\"a\": [1, {\"b\": null}, [[\"]\"]]], \"c\": false}"), 44));
    CHECK(does_not_skip(OVER(""), 0, "a value expected"));
    CHECK(does_not_skip(OVER("[1,]"), 3, "a value expected"));
    CHECK(does_not_skip(OVER("{\"a\" 1}"), 5, "':' expected"));
    CHECK(does_not_skip(OVER("{1:1}"), 1, "'\"' expected"));
    CHECK(does_not_skip(OVER("[[1,2]"), 6, "',' expected"));
    CHECK(does_not_skip(OVER("{\"a\": \"\\ud800\"}"), -1, "lone surrogate"));
}

static void values_in_each_other_have_a_limit(void) {
    char text[2 * 65 + 1];
    for (int deep = 64; deep <= 65; deep++) {
        memset(text, '[', (size_t)deep);
        memset(text + deep, ']', (size_t)deep);
        Json j = over(text, 2 * (size_t)deep);
        CHECK(deep == 64 ? json_skip(&j) && json_finish(&j)
                         : !json_skip(&j) && says(64, "more than 64 deep"));
    }
}

static void places_count_from_the_beginning_of_the_file(void) {
    Json j = OVER("[}");
    j.offset = 8;
    CHECK(!json_skip(&j) && says(9, "a value expected"));
}

// Writes, checks that the text is plain (no control byte, quotes at the ends only or escaped), and reads
// back.
static bool survives(const char *bytes, size_t n) {
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (!f) abort();
    json_write_string(f, bytes, n);
    fclose(f);
    bool plain = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    for (size_t i = 0; i < length; i++) plain = plain && (unsigned char)text[i] >= 0x20 && text[i] != 0x7f;
    bool same = string_is(over(text, length), bytes, n);
    free(text);
    return plain && same;
}

static void what_is_written_is_read_again(void) {
    char all[0x80];
    bool each = true, pairs = true;
    for (int c = 0; c < 0x80; c++) {
        all[c] = (char)c;
        each = each && survives(&all[c], 1);
    }
    for (int a = 0; a < 0x80; a++)
        for (int b = 0; b < 0x80; b++) {
            char two[2] = {(char)a, (char)b};
            pairs = pairs && survives(two, 2);
        }
    CHECK(each);
    CHECK(pairs);
    CHECK(survives(all, sizeof all));
    CHECK(survives("", 0));
    bool characters = true;
    for (uint32_t c = 0x80; c < CODE_POINTS; c += c < 0x900 ? 1 : 509) {
        if (c >= 0xd800 && c < 0xe000) continue;
        char bytes[UTF8_MOST];
        characters = characters && survives(bytes, (size_t)utf8_encode(c, bytes));
    }
    CHECK(characters);
    CHECK(survives("\xf4\x8f\xbf\xbf\xef\xbf\xbf\xc2\x80", 9));
}

int main(void) {
    RUN(strings_are_read);
    RUN(every_escape_is_undone);
    RUN(escaped_nul_is_a_byte_like_others);
    RUN(surrogate_pairs_are_one_character);
    RUN(lone_surrogates_are_refused);
    RUN(wrong_escapes_are_refused);
    RUN(control_characters_are_refused);
    RUN(invalid_utf8_is_refused_where_it_stands);
    RUN(a_string_that_does_not_end_is_refused);
    RUN(every_beginning_of_a_string_is_refused);
    RUN(whole_numbers_are_read);
    RUN(too_large_numbers_are_refused);
    RUN(other_numbers_are_refused);
    RUN(lists_are_read_to_their_end);
    RUN(damaged_lists_are_refused);
    RUN(nested_objects_are_read_member_by_member);
    RUN(a_missing_mark_is_named_with_its_place);
    RUN(numbers_are_read);
    RUN(written_numbers_are_read_again);
    RUN(words_are_read);
    RUN(the_kind_of_a_value_is_told_before_it_is_read);
    RUN(any_value_can_be_skipped);
    RUN(values_in_each_other_have_a_limit);
    RUN(places_count_from_the_beginning_of_the_file);
    RUN(what_is_written_is_read_again);
    free(held);
    return report();
}
