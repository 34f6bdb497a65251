#include "token_text.h"
#include "page.h"
#include "symbol.h"
#include <string.h>

void token_symbol(FILE *f, const Tokenizer *z, int32_t token) {
    Symbol s = symbol_of(z, token);
    page_text(f, s.text, strlen(s.text));
}

void token_text(FILE *f, const Tokenizer *z, int32_t token) {
    uint32_t code = z->kind == TOKENIZER_CHAR ? z->code[token] : (uint32_t)token;
    if (code == ' ')
        putc(' ', f);
    else
        token_symbol(f, z, token);
    if (code == '\n') putc('\n', f);
}

void token_share(FILE *f, double p) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.3f", p);
    fputs(digits[0] == '0' ? digits + 1 : "1", f);
}
