#include "symbol.h"
#include "widths.h"
#include <stdbool.h>

enum { OPEN_BOX = 0x2423, DOTTED_CIRCLE = 0x25cc, RETURN = 0x21b5, TO_THE_BAR = 0x21e5 };

static bool is_in(const CodeRange *range, size_t ranges, uint32_t code) {
    size_t begin = 0, end = ranges;
    while (begin < end) {
        size_t middle = (begin + end) / 2;
        if (range[middle].last < code)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < ranges && range[begin].first <= code;
}
#define IS_IN(TABLE, code) is_in(TABLE, sizeof TABLE / sizeof *TABLE, code)

// All of category Zs.
static bool is_space(uint32_t code) {
    return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

static uint32_t visible(uint32_t code) {
    if (code == '\n') return RETURN;
    if (code == '\t') return TO_THE_BAR;
    if (code < 0x20) return 0x2400 + code;
    if (code == 0x7f) return 0x2421;
    // The rest of the controls; half a pair; no characters.
    if ((code >= 0x80 && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe)
        return REPLACEMENT;
    if (is_space(code)) return OPEN_BOX;
    if (IS_IN(UNSEEN, code)) return DOTTED_CIRCLE;
    return code;
}

Symbol symbol_of_character(uint32_t code) {
    Symbol s = {.width = 1};
    uint32_t shown = visible(code);
    int n = 0;
    if (IS_IN(MARKS, shown)) n = utf8_encode(DOTTED_CIRCLE, s.text);
    utf8_encode(shown, s.text + n);
    if (IS_IN(WIDE, shown)) s.width = 2;
    return s;
}

Symbol symbol_of(const Tokenizer *z, int32_t token) {
    if (z->kind == TOKENIZER_CHAR) return symbol_of_character(z->code[token]);
    if (token < 0x80) return symbol_of_character((uint32_t)token);
    static const char DIGIT[] = "0123456789abcdef";
    return (Symbol){.text = {DIGIT[token >> 4], DIGIT[token & 15]}, .width = 2};
}
