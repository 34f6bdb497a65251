// byte_letters.h -- GPT-2's way to write any bytes as visible characters, one for each byte.
// Source: Radford et al. 2019, the byte-level vocabulary of the published model.
#ifndef BYTE_LETTERS_H
#define BYTE_LETTERS_H

#include "../data/utf8.h"

// Visible Latin-1 bytes stand for themselves; the 68 others, in their order, for U+0100, U+0101, ...
static inline uint32_t byte_letter(unsigned char byte) {
    if (byte <= 0x20) return 0x100 + (uint32_t)byte;
    if (byte >= 0x7f && byte <= 0xa0) return 0x121 + (uint32_t)byte - 0x7f;
    return byte == 0xad ? 0x143 : byte;
}

// The byte that a letter stands for; -1 where it stands for none.
static inline int byte_of_letter(uint32_t letter) {
    for (int byte = 0; byte < 256; byte++)
        if (byte_letter((unsigned char)byte) == letter) return byte;
    return -1;
}

// Writes the letters of n bytes as UTF-8 and returns the length; `out` has room for twice as many.
static inline int byte_letters(char *out, const char *bytes, int n) {
    int length = 0;
    for (int i = 0; i < n; i++) {
        char letter[UTF8_MOST];
        int size = utf8_encode(byte_letter((unsigned char)bytes[i]), letter);
        for (int k = 0; k < size; k++) out[length++] = letter[k];
    }
    return length;
}

#endif
