#include "attention_page.h"
#include "page.h"
#include "tokens.h"
#include <string.h>

static const char STYLE[] =
#include "report/tokens.css.h"

#include "report/attention.css.h"
    ;

static const char SCRIPT[] =
#include "report/tokens.js.h"

#include "report/attention.js.h"
    ;

// Whole numbers below 100 in 92 characters that mean nothing in JSON or HTML: from # on, with the two that do
// replaced.
static void print_digit(FILE *f, int digit) {
    int c = '#' + digit;
    putc(c == '<' ? '!' : c == '\\' ? ' ' : c, f);
}

// One character below ONE, two below TWO, else three: see decode in the script. Most weights are small.
static void print_weight(FILE *f, real p) {
    enum { DIGITS = 92, ONE = 84, TWOS = 6, TWO = ONE + TWOS * DIGITS };
    int n = (int)((double)p * ATTENTION_PAGE_STEPS + 0.5);
    if (n < ONE) {
        print_digit(f, n);
    } else if (n < TWO) {
        print_digit(f, ONE + (n - ONE) / DIGITS);
        print_digit(f, (n - ONE) % DIGITS);
    } else {
        n -= TWO;
        print_digit(f, ONE + TWOS + n / DIGITS / DIGITS);
        print_digit(f, n / DIGITS % DIGITS);
        print_digit(f, n % DIGITS);
    }
}

static void print_weights(FILE *f, const Look *look) {
    bool first = true;
    fprintf(f, "<script type=\"application/json\" id=\"weights\">{\"steps\":%d,\"weights\":[",
            ATTENTION_PAGE_STEPS);
    for (long l = look->layers.begin; l < look->layers.end; l++)
        for (long h = look->heads.begin; h < look->heads.end; h++) {
            const real *p = look_weights(look, l, h);
            fputs(first ? "\n\"" : ",\n\"", f);
            first = false;
            for (long i = 0; i < look->T; i++)
                for (long j = 0; j <= i; j++) print_weight(f, p[i * look->T + j]);
            putc('"', f);
        }
    fputs("]}</script>\n", f);
}

static void print_reading(FILE *f, const Look *look) {
    fputs("<section class=\"reading\" aria-label=\"The text\">\n"
          "<div id=\"text\" class=\"text\" role=\"group\" aria-label=\"The text; arrow keys go from "
          "character to "
          "character, Enter shows exact weights\">",
          f);
    for (long t = 0; t < look->T; t++) token_print(f, look->z, look->token[t], "token");
    fputs("</div>\n<p class=\"who\"><b class=\"symbol\" id=\"which\"></b><span class=\"faint\" "
          "id=\"whose\"></span></p>\n"
          "<div class=\"now\"><div><h3>gathers from</h3><ol id=\"from\" class=\"list\"></ol></div>"
          "<div><h3>expected next</h3><ol id=\"then\" class=\"list\"></ol></div></div>\n"
          "<details id=\"exact\"><summary>Exact weights</summary><div class=\"rows\" role=\"region\" "
          "tabindex=\"0\" "
          "aria-label=\"Exact weights\"><table><thead><tr><th scope=\"col\">place</th><th "
          "scope=\"col\">from</th>"
          "<th scope=\"col\">weight</th></tr></thead><tbody id=\"rows\"></tbody></table></div></details>\n"
          "</section>\n",
          f);
}

static void print_heads(FILE *f, const Look *look) {
    fputs("<div>\n", f);
    for (long l = look->layers.begin; l < look->layers.end; l++) {
        fprintf(f, "<section class=\"layer\"><h2>Layer %ld</h2>\n<div class=\"heads\">\n", l);
        for (long h = look->heads.begin; h < look->heads.end; h++)
            fprintf(f,
                    "<button type=\"button\" class=\"head\" data-layer=\"%ld\" data-head=\"%ld\" "
                    "aria-pressed=\"false\">"
                    "<span class=\"map\"><canvas></canvas><i></i></span><canvas class=\"strip\"></canvas>"
                    "<span class=\"name\">head %ld</span><span class=\"top symbol\"></span></button>\n",
                    l, h, h);
        fputs("</div></section>\n", f);
    }
    fputs("</div>\n", f);
}

static void print_expected(FILE *f, const Look *look) {
    fprintf(
        f,
        "<section class=\"expected\"><h2>Expected next</h2>\n<p class=\"faint\">Under each character the %ld "
        "that the model "
        "held "
        "most probable after it. The one that did come is underlined.</p>\n<ol class=\"next\" id=\"next\">\n",
        look->guesses);
    for (long t = 0; t < look->T; t++) {
        fputs("<li><b class=\"symbol\">", f);
        token_symbol(f, look->z, look->token[t]);
        fputs("</b>", f);
        int32_t came = t + 1 < look->T ? look->token[t + 1] : -1;
        guesses_print(f, look->z, look->guess + t * look->guesses, look->guesses, came);
        fputs("</li>\n", f);
    }
    fputs("</ol></section>\n", f);
}

bool attention_page(const Look *look, const char *path, Error *err) {
    Page page;
    if (!page_begin(&page, "From where each head gathers", STYLE, err)) return false;
    long layers = look->layers.end - look->layers.begin, heads = look->heads.end - look->heads.begin;
    fputs("<h1>From where each head gathers</h1>\n<p class=\"faint\"><code>", page.f);
    page_text(page.f, look->model, strlen(look->model));
    fprintf(
        page.f,
        "</code>: %ld layer%s, %ld head%s, %ld character%s</p>\n"
        "<p>Point at a character, or go there with the arrow keys: each map marks its row, the strip below "
        "shows "
        "how much the head gathers from each character up to it, and the caption names the largest. "
        "A click on a map shades the text by that head alone. Shades grow with the square root of the "
        "weight. "
        "Weights are rounded to 1/%d here; <code>--json</code> prints them in full.</p>\n"
        "<noscript><p>The maps are drawn by the script in this page, which is switched off.</p></noscript>\n"
        "<div class=\"split\">\n",
        layers, layers == 1 ? "" : "s", heads, heads == 1 ? "" : "s", look->T, look->T == 1 ? "" : "s",
        ATTENTION_PAGE_STEPS);
    print_reading(page.f, look);
    print_heads(page.f, look);
    fputs("</div>\n", page.f);
    print_expected(page.f, look);
    print_weights(page.f, look);
    return page_end(&page, SCRIPT, path, err);
}
