// utf8.h -- UTF-8 as RFC 3629 has it: shortest forms only, no surrogates, nothing above U+10FFFF.
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { UTF8_MOST = 4, UTF8_CUT_SHORT = -1, UTF8_INVALID = -2, CODE_POINTS = 0x110000, REPLACEMENT = 0xfffd };

// The length (1 to 4) of the character that begins at p, with n > 0 bytes left, and its code point.
// UTF8_CUT_SHORT: the bytes may begin a character, but end before it does. UTF8_INVALID: no character begins
// so.
static inline int utf8_decode(const unsigned char *p, size_t n, uint32_t *code) {
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    if (p[0] < 0xc2 || p[0] > 0xf4) return UTF8_INVALID;
    int length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t c = p[0] & (0xff >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((size_t)i == n) return UTF8_CUT_SHORT;
        // The second byte decides whether the form is too long, a surrogate or too large.
        unsigned char low = 0x80, high = 0xbf;
        if (i == 1 && p[0] == 0xe0) low = 0xa0;
        if (i == 1 && p[0] == 0xed) high = 0x9f;
        if (i == 1 && p[0] == 0xf0) low = 0x90;
        if (i == 1 && p[0] == 0xf4) high = 0x8f;
        if (p[i] < low || p[i] > high) return UTF8_INVALID;
        c = c << 6 | (p[i] & 0x3f);
    }
    *code = c;
    return length;
}

// Writes the character's bytes and returns their number.
static inline int utf8_encode(uint32_t code, char out[UTF8_MOST]) {
    int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    out[0] = (char)(lead[length] | code);
    return length;
}

#endif
