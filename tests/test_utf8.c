#include "../data/utf8.h"
#include "test.h"

// Decodes from a block of exactly n bytes, so that a sanitizer sees a byte read too many.
static int decode(const void *bytes, size_t n, uint32_t *code) {
    unsigned char *exact = malloc(n);
    if (!exact) abort();
    memcpy(exact, bytes, n);
    int length = utf8_decode(exact, n, code);
    free(exact);
    return length;
}
#define DECODE(literal, code) decode("" literal, sizeof(literal) - 1, code)

static void every_code_point_survives_writing_and_reading(void) {
    bool same = true, lengths = true;
    for (uint32_t c = 0; c < CODE_POINTS; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        char bytes[UTF8_MOST + 1] = {0};
        uint32_t back = ~c;
        int length = utf8_encode(c, bytes);
        lengths = lengths &&
                  length == (c < 0x80      ? 1
                             : c < 0x800   ? 2
                             : c < 0x10000 ? 3
                                           : 4) &&
                  bytes[length] == 0;
        same =
            same && utf8_decode((const unsigned char *)bytes, (size_t)length, &back) == length && back == c;
    }
    CHECK(same);
    CHECK(lengths);
}

static void known_characters_have_their_bytes(void) {
    static const struct {
        uint32_t code;
        const char *bytes;
    } known[] = {{'A', "A"},
                 {0x7f, "\x7f"},
                 {0x80, "\xc2\x80"},
                 {0xe9, "\xc3\xa9"},
                 {0x7ff, "\xdf\xbf"},
                 {0x800, "\xe0\xa0\x80"},
                 {0x20ac, "\xe2\x82\xac"},
                 {0xd7ff, "\xed\x9f\xbf"},
                 {0xe000, "\xee\x80\x80"},
                 {0xfffd, "\xef\xbf\xbd"},
                 {0x10000, "\xf0\x90\x80\x80"},
                 {0x1f600, "\xf0\x9f\x98\x80"},
                 {0x10ffff, "\xf4\x8f\xbf\xbf"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char bytes[UTF8_MOST];
        int n = utf8_encode(known[i].code, bytes);
        CHECK((size_t)n == strlen(known[i].bytes) && memcmp(bytes, known[i].bytes, (size_t)n) == 0);
    }
}

static void what_follows_a_character_is_not_looked_at(void) {
    uint32_t code = 0;
    CHECK(DECODE("a\xff", &code) == 1 && code == 'a');
    CHECK(DECODE("\xc3\xa9\xff", &code) == 2 && code == 0xe9);
    CHECK(DECODE("\xe2\x82\xac\x80", &code) == 3 && code == 0x20ac);
    CHECK(DECODE("\xf0\x9f\x98\x80\x80", &code) == 4 && code == 0x1f600);
    CHECK(DECODE("\0", &code) == 1 && code == 0);
}

static void bytes_that_begin_no_character_are_invalid(void) {
    bool invalid = true;
    for (int lead = 0x80; lead < 0x100; lead++) {
        if (lead >= 0xc2 && lead <= 0xf4) continue;  // continuations, overlong 2-byte forms, f5 .. ff
        for (size_t n = 1; n <= 4; n++) {
            unsigned char bytes[4] = {(unsigned char)lead, 0x80, 0x80, 0x80};
            uint32_t code;
            invalid = invalid && decode(bytes, n, &code) == UTF8_INVALID;
        }
    }
    CHECK(invalid);
}

static void overlong_forms_are_invalid(void) {
    uint32_t code;
    CHECK(DECODE("\xc0\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xc1\xbf", &code) == UTF8_INVALID);
    CHECK(DECODE("\xe0\x80\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xe0\x9f\xbf", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf0\x80\x80\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf0\x8f\xbf\xbf", &code) == UTF8_INVALID);
}

static void surrogates_are_invalid(void) {
    bool invalid = true;
    for (uint32_t c = 0xd800; c < 0xe000; c++) {
        unsigned char bytes[3] = {0xed, (unsigned char)(0x80 | (c >> 6 & 0x3f)),
                                  (unsigned char)(0x80 | (c & 0x3f))};
        uint32_t code;
        invalid =
            invalid && decode(bytes, 3, &code) == UTF8_INVALID && decode(bytes, 2, &code) == UTF8_INVALID;
    }
    CHECK(invalid);
}

static void nothing_lies_above_10ffff(void) {
    uint32_t code;
    CHECK(DECODE("\xf4\x90\x80\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf4\xbf\xbf\xbf", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf5\x80\x80\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf7\xbf\xbf\xbf", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf8\x88\x80\x80\x80", &code) == UTF8_INVALID);
    CHECK(DECODE("\xf4\x90", &code) == UTF8_INVALID);
}

static void a_beginning_of_a_character_is_cut_short(void) {
    bool cut = true;
    for (uint32_t c = 0x80; c < CODE_POINTS; c += 61) {
        if (c >= 0xd800 && c < 0xe000) continue;
        char bytes[UTF8_MOST];
        uint32_t code;
        int length = utf8_encode(c, bytes);
        for (int n = 1; n < length; n++) cut = cut && decode(bytes, (size_t)n, &code) == UTF8_CUT_SHORT;
    }
    CHECK(cut);
}

static void a_wrong_continuation_is_invalid_at_every_place(void) {
    static const char *const good[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    static const unsigned char wrong[] = {0x00, 'a', 0x7f, 0xc0, 0xc3, 0xe2, 0xff};
    bool invalid = true;
    for (size_t g = 0; g < 3; g++)
        for (size_t place = 1; place < strlen(good[g]); place++)
            for (size_t w = 0; w < sizeof wrong; w++) {
                unsigned char bytes[4];
                uint32_t code;
                memcpy(bytes, good[g], strlen(good[g]));
                bytes[place] = wrong[w];
                invalid = invalid && decode(bytes, strlen(good[g]), &code) == UTF8_INVALID;
            }
    CHECK(invalid);
}

// There are as many valid sequences of two and three bytes as code points that need them.
static void no_other_sequence_is_accepted(void) {
    long two = 0, three = 0;
    for (uint32_t b = 0; b < 1 << 16; b++) {
        unsigned char bytes[2] = {(unsigned char)(b >> 8), (unsigned char)b};
        uint32_t code;
        two += utf8_decode(bytes, 2, &code) == 2;
    }
    for (uint32_t b = 0x800000; b < 1 << 24; b++) {
        unsigned char bytes[3] = {(unsigned char)(b >> 16), (unsigned char)(b >> 8), (unsigned char)b};
        uint32_t code;
        three += utf8_decode(bytes, 3, &code) == 3;
    }
    CHECK(two == 0x800 - 0x80);
    CHECK(three == 0x10000 - 0x800 - 0x800);
}

int main(void) {
    RUN(every_code_point_survives_writing_and_reading);
    RUN(known_characters_have_their_bytes);
    RUN(what_follows_a_character_is_not_looked_at);
    RUN(bytes_that_begin_no_character_are_invalid);
    RUN(overlong_forms_are_invalid);
    RUN(surrogates_are_invalid);
    RUN(nothing_lies_above_10ffff);
    RUN(a_beginning_of_a_character_is_cut_short);
    RUN(a_wrong_continuation_is_invalid_at_every_place);
    RUN(no_other_sequence_is_accepted);
    return report();
}
