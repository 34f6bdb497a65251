#include "tokens.h"
#include "page.h"
#include "symbol.h"
#include <string.h>

long guesses_of(Candidate guess[GUESSES], Candidate *candidate, const real *logits, long V) {
    const Sampling plain = {.temperature = 1, .top_p = 1};
    long n = min_long(sampler_candidates(candidate, logits, V, &plain), GUESSES);
    for (long k = 0; k < n; k++) guess[k] = candidate[k];
    return n;
}

void token_symbol(FILE *f, const Tokenizer *z, int32_t token) {
    Symbol s = symbol_of(z, token);
    page_text(f, s.text, strlen(s.text));
}

// As short as that: .412, and 1 for 1.
static void print_share(FILE *f, double p) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.3f", p);
    fputs(digits[0] == '0' ? digits + 1 : "1", f);
}

void guesses_print(FILE *f, const Tokenizer *z, const Candidate *guess, long n, int32_t came) {
    for (long k = 0; k < n; k++) {
        fprintf(f, "<span class=\"guess%s\" style=\"--w:%.3f\">", guess[k].token == came ? " hit" : "",
                (double)guess[k].p);
        token_symbol(f, z, guess[k].token);
        fputs("<small>", f);
        print_share(f, (double)guess[k].p);
        fputs("</small></span>", f);
    }
}

void token_print(FILE *f, const Tokenizer *z, int32_t token, const char *classes) {
    uint32_t code = z->kind == TOKENIZER_CHAR ? z->code[token] : (uint32_t)token;
    bool hex = z->kind == TOKENIZER_BYTE && code >= 0x80;
    fprintf(f, "<span class=\"%s%s\">", classes, hex ? " hex" : "");
    if (code == ' ')
        putc(' ', f);
    else
        token_symbol(f, z, token);
    fputs(code == '\n' ? "\n</span>" : "</span>", f);
}
