#include "../export/byte_letters.h"
#include "test.h"

static bool is_visible(int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

static void visible_bytes_are_their_own_letters_and_the_others_follow_in_order(void) {
    uint32_t next = 0x100;
    for (int byte = 0; byte < 256; byte++) {
        uint32_t letter = byte_letter((unsigned char)byte);
        CHECK(letter == (is_visible(byte) ? (uint32_t)byte : next++));
    }
    CHECK(next == 0x100 + 68);
    CHECK(byte_letter(' ') == 0x120 && byte_letter('\n') == 0x10a && byte_letter(0) == 0x100);
    CHECK(byte_letter(0x7f) == 0x121 && byte_letter(0xa0) == 0x142 && byte_letter(0xad) == 0x143);
}

static void every_letter_stands_for_its_byte_and_nothing_else_for_any(void) {
    long bytes = 0;
    for (uint32_t code = 0; code < 0x1000; code++) {
        int byte = byte_of_letter(code);
        if (byte < 0) continue;
        bytes++;
        CHECK(byte < 256 && byte_letter((unsigned char)byte) == code);
    }
    CHECK(bytes == 256);
    CHECK(byte_of_letter(' ') == -1 && byte_of_letter(0xad) == -1 && byte_of_letter(0x144) == -1);
    CHECK(byte_of_letter(0xffff) == -1 && byte_of_letter(0x10ffff) == -1 && byte_of_letter(UINT32_MAX) == -1);
}

// Written without anything behind it, and nowhere else.
static bool letters_are(const char *bytes, int n, const char *expected) {
    char out[32];
    memset(out, '~', sizeof out);
    size_t length = strlen(expected);
    return byte_letters(out, bytes, n) == (int)length && memcmp(out, expected, length) == 0 &&
           out[length] == '~';
}

static void bytes_are_written_as_the_published_vocabulary_has_them(void) {
    CHECK(letters_are("", 0, ""));
    CHECK(letters_are("Hello, world", 12, "Hello,\xc4\xa0world"));
    CHECK(letters_are("\n\t\0", 3, "\xc4\x8a\xc4\x89\xc4\x80"));
    CHECK(letters_are("\xe4\xb8\xad", 3, "\xc3\xa4\xc2\xb8\xc5\x83"));                          // U+4E2D
    CHECK(letters_are("\xf0\x9f\x98\x80", 4, "\xc3\xb0\xc5\x81\xc4\xba\xc4\xa2"));              // U+1F600
    CHECK(letters_are("\x80\xff\x7f\xad\xa0", 5, "\xc4\xa2\xc3\xbf\xc4\xa1\xc5\x83\xc5\x82"));  // no UTF-8
}

static void a_byte_has_one_byte_where_it_is_ascii_and_visible_and_else_two(void) {
    for (int byte = 0; byte < 256; byte++) {
        char out[2], in = (char)byte;
        uint32_t code = 0;
        int n = byte_letters(out, &in, 1);
        CHECK(n == (byte < 0x80 && is_visible(byte) ? 1 : 2));
        CHECK(utf8_decode((const unsigned char *)out, (size_t)n, &code) == n && byte_of_letter(code) == byte);
    }
}

int main(void) {
    RUN(visible_bytes_are_their_own_letters_and_the_others_follow_in_order);
    RUN(every_letter_stands_for_its_byte_and_nothing_else_for_any);
    RUN(bytes_are_written_as_the_published_vocabulary_has_them);
    RUN(a_byte_has_one_byte_where_it_is_ascii_and_visible_and_else_two);
    return report();
}
