#include "../report/symbol.h"
#include "test.h"

static bool shows(uint32_t code, const char *text, int width) {
    Symbol s = symbol_of_character(code);
    return strcmp(s.text, text) == 0 && s.width == width;
}

static void ordinary_characters_are_shown_as_themselves(void) {
    CHECK(shows('a', "a", 1));
    CHECK(shows('<', "<", 1));
    CHECK(shows(0xe9, "é", 1));
    CHECK(shows(0x416, "Ж", 1));
    CHECK(shows(REPLACEMENT, "\xef\xbf\xbd", 1));
}

static void wide_characters_take_two_columns(void) {
    CHECK(shows(0x9a74, "驴", 2));
    CHECK(shows(0x3042, "あ", 2));
    CHECK(shows(0xd55c, "한", 2));
    CHECK(shows(0xff0c, "，", 2));
    CHECK(shows(0x3002, "。", 2));
    CHECK(shows(0x1f600, "😀", 2));
    CHECK(shows(0x2a6e0, "\xf0\xaa\x9b\xa0", 2));  // not assigned, and wide all the same
    CHECK(shows(0xff71, "ｱ", 1));                  // half width
    CHECK(shows(0x201c, "“", 1));                  // ambiguous: narrow unless a font says otherwise
}

static void what_cannot_be_seen_is_made_visible(void) {
    CHECK(shows(' ', "␣", 1));
    CHECK(shows(0x3000, "␣", 1));
    CHECK(shows('\n', "↵", 1));
    CHECK(shows('\t', "⇥", 1));
    CHECK(shows('\r', "␍", 1));
    CHECK(shows(0, "␀", 1));
    CHECK(shows(0x7f, "␡", 1));
    CHECK(shows(0x9b, "\xef\xbf\xbd", 1));
    CHECK(shows(0x200d, "◌", 1));
    CHECK(shows(0x202e, "◌", 1));
    CHECK(shows(0xfeff, "◌", 1));
    CHECK(shows(0x2028, "◌", 1));
    CHECK(shows(0x1ffff, "\xef\xbf\xbd", 1));
}

static void marks_stand_on_a_circle(void) {
    CHECK(shows(0x301, "◌\xcc\x81", 1));
    CHECK(shows(0x20e3, "◌\xe2\x83\xa3", 1));
    CHECK(shows(0xe0100, "◌\xf3\xa0\x84\x80", 1));  // the longest
}

static void no_symbol_is_a_control_or_too_long(void) {
    for (uint32_t code = 0; code < CODE_POINTS; code++) {
        Symbol s = symbol_of_character(code);
        size_t n = strlen(s.text);
        if (n == 0 || n >= sizeof s.text || (unsigned char)s.text[0] < 0x20 || s.text[0] == 0x7f ||
            s.width < 1 || s.width > 2) {
            printf("U+%04X\n", (unsigned)code);
            CHECK(false);
        }
    }
}

static void bytes_are_ascii_or_two_digits(void) {
    Tokenizer z = {.kind = TOKENIZER_BYTE, .V = 256};
    CHECK(strcmp(symbol_of(&z, 'a').text, "a") == 0);
    CHECK(strcmp(symbol_of(&z, '\n').text, "↵") == 0);
    CHECK(strcmp(symbol_of(&z, 0x80).text, "80") == 0);
    CHECK(strcmp(symbol_of(&z, 0xfe).text, "fe") == 0);
    CHECK(symbol_of(&z, 0xfe).width == 2);
}

int main(void) {
    RUN(ordinary_characters_are_shown_as_themselves);
    RUN(wide_characters_take_two_columns);
    RUN(what_cannot_be_seen_is_made_visible);
    RUN(marks_stand_on_a_circle);
    RUN(no_symbol_is_a_control_or_too_long);
    RUN(bytes_are_ascii_or_two_digits);
    return report();
}
