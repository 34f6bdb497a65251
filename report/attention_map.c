#include "attention_map.h"
#include "symbol.h"

// The shade grows with the square root of the weight, so that small ones show: level 1 begins at 1/64, then
// 9/64, 25/64, 49/64.
static const char *const SHADE[] = {"·", "░", "▒", "▓", "█"};
static int shade_of(real p) { return (int)(4 * sqrt((double)p) + 0.5); }

// Colours of xterm's 256, from far to near, that can be seen on black and on white.
static int colour_of(real p) {
    static const int RAMP[] = {244, 61, 67, 73, 72, 107, 143, 179, 208};
    return RAMP[(int)(8 * sqrt((double)p) + 0.5)];
}

enum { GAP = 3, INDENT = 1 };  // between maps; after the letter that begins a row

static int width_of(const Look *look, long t) { return symbol_of(look->z, look->token[t]).width; }

// The widest of the tokens from `first` on, and all of them together.
static void measure(const Look *look, long first, long *widest, long *together) {
    *widest = 1, *together = 0;
    for (long t = first; t < look->T; t++) {
        int width = width_of(look, t);
        if (width > *widest) *widest = width;
        *together += width;
    }
}

long attention_map_fits(const Look *look, long columns) {
    long fits = 0, widest = 1, together = 0;
    for (long t = look->T - 1; t >= 0; t--, fits++) {
        int width = width_of(look, t);
        if (width > widest) widest = width;
        together += width;
        if (fits > 0 && widest + INDENT + together > columns) break;
    }
    return fits;
}

static void print_spaces(FILE *f, long n) {
    while (n-- > 0) putc(' ', f);
}

static void print_symbol(FILE *f, const Look *look, long t, long columns) {
    Symbol s = symbol_of(look->z, look->token[t]);
    fputs(s.text, f);
    print_spaces(f, columns - s.width);
}

// The weights of token i on those from `first` on. Returns the columns printed.
static long print_row(FILE *f, const Look *look, const real *p, long i, long first, bool colour) {
    long columns = 0;
    int last = -1;
    for (long j = first; j <= i; j++) {
        real weight = p[i * look->T + j];
        if (colour && colour_of(weight) != last) fprintf(f, "\033[38;5;%dm", last = colour_of(weight));
        for (int k = width_of(look, j); k > 0; k--, columns++) fputs(SHADE[shade_of(weight)], f);
    }
    if (colour) fputs("\033[0m", f);
    return columns;
}

// Heads begin..end-1 of a layer, side by side, each `width` columns wide.
static void print_band(FILE *f, const Look *look, long layer, Range heads, long first, long label, long width,
                       bool colour) {
    for (long h = heads.begin; h < heads.end; h++) {
        int n = fprintf(f, "layer %ld head %ld", layer, h);
        if (h + 1 < heads.end) print_spaces(f, width + GAP - n);
    }
    putc('\n', f);
    for (long h = heads.begin; h < heads.end; h++) {
        long columns = label + INDENT;
        print_spaces(f, label + INDENT);
        for (long t = first; t < look->T; t++) {
            print_symbol(f, look, t, 0);
            columns += width_of(look, t);
        }
        if (h + 1 < heads.end) print_spaces(f, width + GAP - columns);
    }
    putc('\n', f);
    for (long i = first; i < look->T; i++) {
        for (long h = heads.begin; h < heads.end; h++) {
            print_symbol(f, look, i, label + INDENT);
            long columns = print_row(f, look, look_weights(look, layer, h), i, first, colour);
            if (h + 1 < heads.end) print_spaces(f, width + GAP - label - INDENT - columns);
        }
        putc('\n', f);
    }
}

void attention_map(FILE *f, const Look *look, long columns, bool colour, bool legend) {
    const long TITLE = (long)sizeof "layer 00 head 00" - 1;
    long fits = attention_map_fits(look, columns), first = look->T - fits, label, width;
    measure(look, first, &label, &width);
    width += label + INDENT;
    if (width < TITLE) width = TITLE;
    long side_by_side = (columns + GAP) / (width + GAP);
    if (side_by_side < 1) side_by_side = 1;
    if (legend)
        fprintf(f,
                "each row: from where its character gathers.  weights: · below 0.016  ░ to 0.14  ▒ to 0.39  "
                "▓ to 0.77  █ to 1\n\n");
    for (long l = look->layers.begin; l < look->layers.end; l++)
        for (long h = look->heads.begin; h < look->heads.end; h += side_by_side) {
            Range band = {h, min_long(h + side_by_side, look->heads.end)};
            print_band(f, look, l, band, first, label, width, colour);
            putc('\n', f);
        }
    fprintf(f, "then comes");
    const Candidate *guess = look->guess + (look->T - 1) * look->guesses;
    for (long k = 0; k < look->guesses; k++)
        fprintf(f, "  %s %.3f", symbol_of(look->z, guess[k].token).text, (double)guess[k].p);
    putc('\n', f);
}
