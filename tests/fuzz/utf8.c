// Proves that the UTF-8 decoder accepts exactly what RFC 3629 calls UTF-8, says of a cut character that it is
// cut, and that encoding what was decoded gives the same bytes.
#include "../../data/utf8.h"
#include "fuzz.h"

// The definition the other way round: a character is whatever some code point encodes to.
static int expected(const uint8_t *p, size_t n, uint32_t *code) {
    int length = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    uint8_t whole[UTF8_MOST];
    char again[UTF8_MOST];
    if (length == 0) return UTF8_INVALID;
    // Where bytes are missing, the least and the most that could stand there decide whether one could fit.
    for (int fill = 0; fill < 2; fill++) {
        uint32_t least = 0, c;
        for (int i = 0; i < length; i++) whole[i] = (size_t)i < n ? p[i] : fill ? 0xbf : 0x80;
        for (int i = 1; i < length; i++)
            if (whole[i] < 0x80 || whole[i] > 0xbf) return UTF8_INVALID;
        c = length == 1 ? whole[0] : whole[0] & (0xff >> (length + 1));
        for (int i = 1; i < length; i++) c = c << 6 | (whole[i] & 0x3f);
        least = length == 1 ? 0 : length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
        bool good = c >= least && c < CODE_POINTS && !(c >= 0xd800 && c < 0xe000);
        if (good && (size_t)length <= n) {
            *code = c;
            return utf8_encode(c, again) == length && memcmp(again, p, (size_t)length) == 0 ? length : 0;
        }
        if (good) return UTF8_CUT_SHORT;
    }
    return UTF8_INVALID;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    for (size_t at = 0; at < n;) {
        uint32_t code = 0, right = 0;
        int length = utf8_decode(bytes + at, n - at, &code);
        HOLDS(length == expected(bytes + at, n - at, &right) && length != 0);
        HOLDS(length < 0 || code == right);
        at += length < 0 ? 1 : (size_t)length;
    }
    return 0;
}
