#include "attention_svg.h"
#include "page.h"
#include "symbol.h"
#include <string.h>

// In pixels, which only count in proportion.
enum { CELL = 10, EDGE = 14, TITLE = 20, GAP = 18, LABELLED = 64 };

// Shades by the square root of the weight, so that small ones show.
enum { SHADES = 8 };

static const char STYLE[] =
    "text{font:9px ui-monospace,monospace;fill:#1c1e21;text-anchor:middle}"
    ".title{font:12px system-ui,sans-serif;text-anchor:start}"
    "path{fill:#0b62c4;shape-rendering:crispEdges}.past{fill:#f1f2f4}.paper{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#e6e8eb}path{fill:#6cb0ff}.past{fill:#23272e}"
    ".paper{fill:#16181c}}";

static int shade_of(real p) { return (int)(SHADES * sqrt((double)p) + 0.5); }

static void print_symbol(FILE *f, const Look *look, long t, long x, long y) {
    Symbol s = symbol_of(look->z, look->token[t]);
    fprintf(f, "<text x=\"%ld\" y=\"%ld\">", x, y);
    page_text(f, s.text, strlen(s.text));
    fputs("</text>\n", f);
}

// The cells of one shade, as one path; those side by side are one rectangle.
static void print_shade(FILE *f, const real *p, long T, int shade) {
    bool any = false;
    for (long i = 0; i < T; i++)
        for (long j = 0; j <= i; j++) {
            if (shade_of(p[i * T + j]) != shade) continue;
            long begin = j;
            while (j < i && shade_of(p[i * T + j + 1]) == shade) j++;
            if (!any) fprintf(f, "<path fill-opacity=\"%.3f\" d=\"", (double)shade / SHADES);
            any = true;
            fprintf(f, "M%ld %ldh%ldv%dH%ldz", begin * CELL, i * CELL, (j + 1 - begin) * CELL, CELL,
                    begin * CELL);
        }
    if (any) fputs("\"/>\n", f);
}

static void print_map(FILE *f, const Look *look, long layer, long head, long x, long y) {
    const real *p = look_weights(look, layer, head);
    long T = look->T;
    fprintf(f,
            "<g transform=\"translate(%ld %ld)\">\n<text class=\"title\" x=\"0\" y=\"%d\">layer %ld head "
            "%ld</text>\n",
            x, y, -EDGE - 4, layer, head);
    for (long t = 0; t < T && T <= LABELLED; t++) {
        print_symbol(f, look, t, -EDGE / 2, t * CELL + CELL - 2);
        print_symbol(f, look, t, t * CELL + CELL / 2, -3);
    }
    fprintf(f, "<path class=\"past\" d=\"M0 0");
    for (long i = 0; i < T; i++) fprintf(f, "H%ldv%d", (i + 1) * CELL, CELL);
    fprintf(f, "H0z\"/>\n");
    for (int shade = 1; shade <= SHADES; shade++) print_shade(f, p, T, shade);
    fputs("</g>\n", f);
}

bool attention_svg(const Look *look, const char *path, Error *err) {
    Page page;
    if (!page_begin_bare(&page, err)) return false;
    long across = EDGE + look->T * CELL + GAP, down = TITLE + EDGE + look->T * CELL + GAP;
    long width = (look->heads.end - look->heads.begin) * across - GAP + 2,
         height = (look->layers.end - look->layers.begin) * down - GAP + 2;
    fprintf(page.f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" height=\"%ld\" viewBox=\"0 0 %ld %ld\" "
            "role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">Attention weights in %ld layers "
            "and %ld heads: row by row, from where each of %ld characters gathers</title>\n"
            "<style>%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n",
            width, height, width, height, look->layers.end - look->layers.begin,
            look->heads.end - look->heads.begin, look->T, STYLE);
    for (long l = look->layers.begin; l < look->layers.end; l++)
        for (long h = look->heads.begin; h < look->heads.end; h++)
            print_map(page.f, look, l, h, (h - look->heads.begin) * across + EDGE,
                      (l - look->layers.begin) * down + TITLE + EDGE);
    fprintf(page.f, "</svg>\n");
    return page_end_bare(&page, path, err);
}
