#include "sample_page.h"
#include "../report/page.h"
#include <stdlib.h>
#include <string.h>

static const char STYLE[] =
#include "report/tokens.css.h"

#include "report/sample.css.h"
    ;

static const char SCRIPT[] =
#include "report/tokens.js.h"

#include "report/sample.js.h"
    ;

enum { SHADES = 8 };  // one for each bit

bool sample_page_create(SamplePage *page, const Tokenizer *z, const Options *o, Error *err) {
    size_t steps = (size_t)(o->num_samples * o->max_new_tokens);
    *page = (SamplePage){.o = o, .z = z, .guesses = min_long(GUESSES, z->V)};
    page->step = malloc(steps * sizeof *page->step + 1);
    page->candidate = malloc(2 * (size_t)z->V * sizeof *page->candidate);
    if (page->step && page->candidate) return true;
    sample_page_free(page);
    return fail(err, "memory is short");
}

void sample_page_free(SamplePage *page) {
    free(page->step);
    free(page->candidate);
    *page = (SamplePage){0};
}

void sample_page_set(SamplePage *page, long sample, long t, int32_t token, const real *logits) {
    SampleStep *s = &page->step[sample * page->o->max_new_tokens + t];
    const Candidate *c = page->candidate;
    guesses_of(s->guess, page->candidate, logits, page->z->V);
    while (c->token != token) c++;
    s->token = token;
    s->p = c->p;
}

// In bits, and no more than can be printed: what is as good as impossible may have a probability of 0.
static double surprise(real p) { return fmin(-log2((double)p), 99.9); }

static double mean_surprise(const SampleStep *step, long n) {
    double sum = 0;
    for (long t = 0; t < n; t++) sum += surprise(step[t].p);
    return sum / (double)n;
}

static void print_scale(FILE *f) {
    fputs("<p class=\"scale\"><span class=\"faint\">bits</span>", f);
    for (int bits = 0; bits <= SHADES; bits++)
        fprintf(f, " <span class=\"s%d\">%d%s</span>", bits, bits, bits == SHADES ? " and more" : "");
    fputs("</p>\n", f);
}

static void print_text(FILE *f, const SamplePage *page, const SampleStep *step, const int32_t *start,
                       long n) {
    fputs("<div class=\"text\" role=\"group\" aria-label=\"The text; arrow keys go from character to "
          "character\">",
          f);
    for (long t = 0; t < n; t++) token_print(f, page->z, start[t], "start");
    for (long t = 0; t < page->o->max_new_tokens; t++) {
        char classes[16];
        snprintf(classes, sizeof classes, "new s%d", (int)fmin(surprise(step[t].p) + 0.5, SHADES));
        token_print(f, page->z, step[t].token, classes);
    }
    fputs("</div>\n", f);
}

static void print_table(FILE *f, const SamplePage *page, const SampleStep *step) {
    fputs("<details><summary>As a table</summary><div class=\"rows\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"All characters of this sample\"><table><thead><tr><th scope=\"col\">place</th>"
          "<th scope=\"col\">written</th><th scope=\"col\">bits</th><th scope=\"col\">probability</th>"
          "<th scope=\"col\">most probable</th></tr></thead><tbody>\n",
          f);
    for (long t = 0; t < page->o->max_new_tokens; t++) {
        fprintf(f, "<tr><td>%ld</td><td class=\"symbol\">", t + 1);
        token_symbol(f, page->z, step[t].token);
        fprintf(f, "</td><td>%.2f</td><td>%.4f</td><td>", surprise(step[t].p), (double)step[t].p);
        guesses_print(f, page->z, step[t].guess, page->guesses, step[t].token);
        fputs("</td></tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

static void print_sample(FILE *f, const SamplePage *page, long sample, const int32_t *start, long n) {
    const Options *o = page->o;
    const SampleStep *step = page->step + sample * o->max_new_tokens;
    fprintf(f, "<section class=\"sample\"><h2>Sample %ld", sample + 1);
    if (o->max_new_tokens > 0)
        fprintf(f, " <span class=\"faint\">mean surprise %.2f bits</span>",
                mean_surprise(step, o->max_new_tokens));
    fputs("</h2>\n", f);
    print_text(f, page, step, start, n);
    print_table(f, page, step);
    fputs("</section>\n", f);
}

static void print_settings(FILE *f, const Options *o) {
    fputs("<p class=\"faint\"><code>", f);
    page_text(f, o->argument[0], strlen(o->argument[0]));
    fprintf(f, "</code>: seed %ld, temperature %g", o->seed, o->temperature);
    if (o->top_k > 0) fprintf(f, ", top-k %ld", o->top_k);
    if (o->top_p < 1) fprintf(f, ", top-p %g", o->top_p);
    if (o->min_p > 0) fprintf(f, ", min-p %g", o->min_p);
    fputs("</p>\n", f);
}

bool sample_page_write(const SamplePage *page, const int32_t *start, long n, Error *err) {
    Page p;
    if (!page_begin(&p, "How surprised the model was", STYLE, err)) return false;
    fputs("<h1>How surprised the model was</h1>\n", p.f);
    print_settings(p.f, page->o);
    fputs("<p>The stronger the colour and the line below a character, the less the model expected it: its "
          "surprise "
          "is -log<sub>2</sub> of the probability that it gave this character, in bits. 0 bits: it was "
          "certain. "
          "1 bit: one chance in 2; 3 bits: one in 8; 8 bits: one in 256. Probabilities are the model's own, "
          "before "
          "temperature and the like; the start, in grey, was given. Point at a character, or go there with "
          "the arrow "
          "keys, to see what else there was.</p>\n",
          p.f);
    print_scale(p.f);
    fputs(
        "<input type=\"checkbox\" id=\"numbers\"> <label for=\"numbers\">bits as numbers</label>\n"
        "<div class=\"split\">\n<section class=\"now\" aria-label=\"The character\"><h2><b class=\"symbol\" "
        "id=\"which\"></b> <span class=\"faint\" id=\"bits\"></span></h2><ol class=\"list\" "
        "id=\"then\"></ol></section>\n"
        "<div>\n",
        p.f);
    for (long i = 0; i < page->o->num_samples; i++) print_sample(p.f, page, i, start, n);
    fputs("</div>\n</div>\n", p.f);
    return page_end(&p, SCRIPT, page->o->html, err);
}
