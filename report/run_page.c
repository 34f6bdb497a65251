#include "run_page.h"
#include "chart.h"
#include "page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 2000, WIDE = 720 };

static const char STYLE[] =
#include "report/run.css.h"
    ;

static const char SCRIPT[] =
#include "report/run.js.h"
    ;

// ---- the log ----

// The rows that are drawn: all, or of a long log every k-th, the first and the last.
typedef struct {
    CsvRow *row;
    long n;
    double *x, *y;  // room for one curve
} Drawn;

static bool choose_rows(Drawn *d, const RunPage *p) {
    long every = (p->rows + MOST_POINTS - 1) / MOST_POINTS;
    if (every < 1) every = 1;
    *d = (Drawn){.row = malloc((size_t)(p->rows + 1) * sizeof *d->row)};
    d->x = malloc((size_t)(p->rows + 1) * sizeof *d->x);
    d->y = malloc((size_t)(p->rows + 1) * sizeof *d->y);
    if (!d->row || !d->x || !d->y) return false;
    for (long i = 0; i < p->rows; i++)
        if (i % every == 0 || i == p->rows - 1) d->row[d->n++] = p->row[i];
    return true;
}

static void free_rows(Drawn *d) {
    free(d->row);
    free(d->x);
    free(d->y);
}

static double step_of(const CsvRow *r) { return (double)r->step; }
static double seconds_of(const CsvRow *r) { return r->seconds; }
static double train_of(const CsvRow *r) { return r->train_loss; }
static double val_of(const CsvRow *r) { return r->val_loss; }
static double rate_of(const CsvRow *r) { return r->learning_rate; }
static double norm_of(const CsvRow *r) { return r->grad_norm; }
static double speed_of(const CsvRow *r) { return r->tokens_per_second; }
typedef double Column(const CsvRow *r);

static void curve(FILE *f, const Chart *c, const Drawn *d, Column *x, Column *y, const char *name,
                  bool dots) {
    for (long i = 0; i < d->n; i++) {
        d->x[i] = x(&d->row[i]);
        d->y[i] = y(&d->row[i]);
    }
    chart_line(f, c, name, d->x, d->y, d->n, dots);
}

// ---- figures ----

static double most_seconds(const Drawn *d) { return d->n ? fmax(d->row[d->n - 1].seconds, 1e-2) : 1; }

// From the least of all losses up to where the run began, or what counting pairs reaches; not up to a spike.
static void loss_range(Chart *c, const RunPage *p, const Drawn *d) {
    double range[2] = {p->best_ngram, fmax(p->bigram, fmin(p->val_loss, 2 * p->uniform))};
    if (d->n && !isnan(d->row[0].val_loss))
        range[1] = fmax(range[1], fmin(d->row[0].val_loss, 2 * p->uniform));
    for (long i = 0; i < d->n; i++) range[0] = fmin(range[0], fmin(d->row[i].train_loss, d->row[i].val_loss));
    chart_range(&c->y_least, &c->y_most, range, 2, false);
}

static void loss_chart(FILE *f, const RunPage *p, const Drawn *d, bool by_time) {
    char description[400], best[64];
    Column *x = by_time ? seconds_of : step_of;
    Chart c = {.title = by_time ? "Loss by time" : "Loss by step",
               .description = description,
               .x_name = by_time ? "time" : "step",
               .y_name = "loss",
               .x_unit = by_time ? CHART_SECONDS : CHART_NUMBER,
               .x_most = by_time ? most_seconds(d) : fmax((double)p->max_iters, 1),
               .width = WIDE,
               .height = 380};
    snprintf(description, sizeof description,
             "Training and validation loss in nats per %s. Validation is %.4f at step %ld, the best was %.4f "
             "at step %ld. "
             "Counting reaches %.4f (uniform), %.4f (bigram) and %.4f (best n-gram).",
             p->unit, p->val_loss, p->step, p->best_val_loss, p->best_step, p->uniform, p->bigram,
             p->best_ngram);
    loss_range(&c, p, d);
    fprintf(f,
            "<figure data-x=\"%d\" data-most=\"%.6g\" data-left=\"%d\" data-width=\"%d\" data-top=\"%d\" "
            "data-bottom=\"%d\">\n<figcaption>%s</figcaption>\n",
            by_time ? 1 : 0, c.x_most, CHART_LEFT, WIDE - CHART_LEFT - CHART_RIGHT, CHART_TOP,
            c.height - CHART_BOTTOM, by_time ? "by time" : "by step");
    chart_begin(f, &c, !by_time);
    const ChartLevel levels[] = {{"best n-gram", p->best_ngram, true},
                                 {"bigram", p->bigram > p->best_ngram ? p->bigram : (double)NAN, false},
                                 {"uniform", p->uniform, false}};
    chart_levels(f, &c, levels, 3);
    curve(f, &c, d, x, train_of, "train", false);
    curve(f, &c, d, x, val_of, "val", true);
    for (long i = 0; i < d->n; i++)
        if (d->row[i].step == p->best_step && !isnan(d->row[i].val_loss)) {
            snprintf(best, sizeof best, "best: %.4f at step %ld", p->best_val_loss, p->best_step);
            chart_ring(f, &c, x(&d->row[i]), d->row[i].val_loss, best);
        }
    chart_end(f);
    fprintf(f, "</figure>\n");
}

static void small_chart(FILE *f, const RunPage *p, const Drawn *d, const char *title, Column *y) {
    Chart c = {.title = title,
               .description = title,
               .x_name = "step",
               .y_name = title,
               .x_unit = CHART_NUMBER,
               .x_most = fmax((double)p->max_iters, 1),
               .width = 360,
               .height = 220};
    for (long i = 0; i < d->n; i++) d->y[i] = y(&d->row[i]);
    chart_range(&c.y_least, &c.y_most, d->y, d->n, true);
    fprintf(f, "<figure>\n<figcaption>%s</figcaption>\n", title);
    chart_begin(f, &c, false);
    curve(f, &c, d, step_of, y, "third", false);
    chart_end(f);
    fprintf(f, "</figure>\n");
}

// ---- words ----

static void warnings(FILE *f, const RunPage *p) {
    double risen = p->val_loss - p->best_val_loss;
    if (p->evaluations_since_best >= 3 && risen > 0.01 * p->best_val_loss)
        fprintf(f,
                "<p class=\"warn\" role=\"status\"><strong>Validation has been rising:</strong> it was best "
                "at step %ld "
                "(%.4f) and is %.4f higher now, %ld evaluations later. The model is learning the text by "
                "heart. The best "
                "one is kept, so the run may be stopped; more text, <code>--dropout 0.1</code> to "
                "<code>0.2</code>, a "
                "smaller model or fewer steps help, and <code>--patience 5</code> stops by itself.</p>\n",
                p->best_step, p->best_val_loss, risen, p->evaluations_since_best);
    else if (p->step > 0 && p->rows > 1 && p->val_loss > p->uniform)
        fprintf(f,
                "<p class=\"warn\" role=\"status\"><strong>Worse than guessing:</strong> the validation loss "
                "of %.4f is "
                "above the %.4f of choosing blindly. A smaller <code>--learning-rate</code> helps.</p>\n",
                p->val_loss, p->uniform);
}

static void pairs(FILE *f, const Metadata *m) {
    fprintf(f, "<dl>\n");
    for (long i = 0; i < m->entries; i++) {
        fprintf(f, "<dt>");
        page_text(f, m->entry[i].key.bytes, m->entry[i].key.length);
        fprintf(f, "</dt><dd>");
        page_text(f, m->entry[i].value.bytes, m->entry[i].value.length);
        fprintf(f, "</dd>\n");
    }
    fprintf(f, "</dl>\n");
}

// The latest first.
static void samples(FILE *f, const RunPage *p) {
    fprintf(f, "<section>\n<h2>What it writes</h2>\n");
    for (long i = p->samples - 1; i >= 0; i--) {
        fprintf(f, "<div class=\"sample\"><span class=\"faint\">step %ld</span>\n<pre>", p->sample[i].step);
        page_text(f, p->sample[i].text, p->sample[i].n);
        fprintf(f, "</pre></div>\n");
        if (i == p->samples - 4 && i > 0) fprintf(f, "<details><summary>%ld earlier ones</summary>\n", i);
    }
    fprintf(f, "%s</section>\n", p->samples > 4 ? "</details>\n" : "");
}

static void number(FILE *f, double value, const char *format, char after) {
    if (isnan(value))
        fputs("null", f);
    else
        fprintf(f, format, value);
    putc(after, f);
}

// The rows as they stand in the CSV; step, seconds, the two losses, rate, norm, speed.
static void data(FILE *f, const RunPage *p, const Drawn *d) {
    fprintf(f, "<script type=\"application/json\" id=\"log\">{\"of\":%ld,\"rows\":[\n", p->rows);
    for (long i = 0; i < d->n; i++) {
        const CsvRow *r = &d->row[i];
        fprintf(f, "[%ld,", r->step);
        number(f, r->seconds, "%.2f", ',');
        number(f, r->train_loss, "%.6f", ',');
        number(f, r->val_loss, "%.6f", ',');
        number(f, r->learning_rate, "%.6e", ',');
        number(f, r->grad_norm, "%.6f", ',');
        number(f, r->tokens_per_second, "%.0f", ']');
        fputs(i + 1 < d->n ? ",\n" : "\n", f);
    }
    fprintf(f, "]}</script>\n");
}

static void body(FILE *f, const RunPage *p, const Drawn *d) {
    fprintf(f, "<h1>");
    page_text(f, p->name, strlen(p->name));
    fprintf(f, "</h1>\n<p id=\"now\">");
    page_text(f, p->now, strlen(p->now));
    fprintf(f, "</p>\n");
    if (!p->ended)
        fprintf(f, "<p class=\"screen\"><label><input type=\"checkbox\" id=\"follow\" checked> load this "
                   "page anew every "
                   "ten seconds</label></p>\n");
    warnings(f, p);
    fprintf(f,
            "<section>\n<h2>Loss, in nats per %s</h2>\n<p class=\"key\"><span class=\"one\">training</span>"
            "<span class=\"two\">validation</span><span class=\"level\">what counting reaches</span></p>\n"
            "<p id=\"read\" aria-live=\"polite\">best validation %.4f at step %ld</p>\n",
            p->unit, p->best_val_loss, p->best_step);
    loss_chart(f, p, d, false);
    loss_chart(f, p, d, true);
    if (d->n < p->rows)
        fprintf(f, "<p class=\"faint\">Of %ld rows of the log %ld are drawn.</p>\n", p->rows, d->n);
    fprintf(f, "</section>\n");
    samples(f, p);
    fprintf(f, "<section>\n<h2>How it goes</h2>\n<div class=\"small\">\n");
    small_chart(f, p, d, "learning rate", rate_of);
    small_chart(f, p, d, "gradient norm", norm_of);
    small_chart(f, p, d, "tokens per second", speed_of);
    fprintf(f, "</div>\n</section>\n<section>\n<h2>Text and model</h2>\n");
    pairs(f, p->facts);
    fprintf(f, "<details>\n<summary>All settings</summary>\n");
    pairs(f, p->settings);
    fprintf(f, "</details>\n</section>\n");
    data(f, p, d);
}

bool run_page_write(const char *path, const RunPage *p, Error *err) {
    Page page;
    Drawn d;
    bool good = choose_rows(&d, p) || fail(err, "%s: memory is short", path);
    good = good && page_begin(&page, p->name, STYLE, err);
    if (good) {
        body(page.f, p, &d);
        good = page_end(&page, SCRIPT, path, err);
    }
    free_rows(&d);
    return good;
}
