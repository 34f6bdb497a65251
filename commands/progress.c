#include "progress.h"
#include "machine.h"
#include "terminal.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const double LIVE_INTERVAL = 0.2, PATIENCE = 0.5;  // seconds

Progress progress_start(bool quiet, long steps) {
    return (Progress){.quiet = quiet,
                      .live = !quiet && terminal_rewrites(STDERR_FILENO),
                      .blocks = terminal_utf8(),
                      .last_said = machine_seconds(),
                      .steps = steps,
                      .unit = "tokens",
                      .val_loss = (double)NAN};
}

void progress_end(Progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

void progress_say(Progress *p, const char *format, ...) {
    char line[3 * 4096 + 512];  // up to three paths
    if (p->quiet) return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    hide_controls(line, strlen(line));  // names may hold anything
    progress_end(p);
    fprintf(stderr, "%s\n", line);
    p->last_said = machine_seconds();
}

// "  name 1.2345", or as many blanks where there is no such number.
static int column(char *out, const char *name, const char *format, double value) {
    char number[32];
    snprintf(number, sizeof number, format, isnan(value) ? 0.0 : value);
    int width = sprintf(out, "  %s %s", name, number);
    if (isnan(value)) memset(out, ' ', (size_t)width);
    return width;
}

void progress_row(Progress *p, const CsvRow *row, double seconds_left) {
    if (!isnan(row->val_loss)) {
        p->val_loss = row->val_loss;
        curve_add(&p->val, row->val_loss);
    }
    char line[512], left[32], speed[32], number[32], total[32];
    snprintf(total, sizeof total, "%ld", p->steps);
    int n = sprintf(line, "step %*ld/%s", (int)strlen(total), row->step, total);
    n += column(line + n, "train", "%.4f", row->train_loss);
    n += column(line + n, "val", "%.4f", row->val_loss);
    n += column(line + n, "lr", "%.2e", row->learning_rate);
    n += column(line + n, "norm", "%6.3f", row->grad_norm);
    n += column(line + n, "epoch", "%6.2f", row->epoch);
    if (!isnan(row->tokens_per_second)) {
        snprintf(speed, sizeof speed, "%9s", with_commas(number, (long)row->tokens_per_second));
        n += sprintf(line + n, "  %s tokens/s  %5s left", speed, duration(left, seconds_left));
    }
    while (n > 0 && line[n - 1] == ' ') n--;
    line[n] = 0;
    progress_say(p, "%s", line);
}

// Over the old line, whose rest is cleared, so that nothing flickers.
static void show(Progress *p, const char *line, double now) {
    fprintf(stderr, "\r%s\033[K", line);
    p->shown = true;
    p->last_shown = now;
}

void progress_step(Progress *p, long step, double loss, double tokens_per_second, double seconds_left) {
    curve_add(&p->train, loss);
    if (!p->live) return;
    double now = machine_seconds();
    if (now - p->last_shown < LIVE_INTERVAL) return;
    Live l = {.step = step,
              .steps = p->steps,
              .train_loss = loss,
              .val_loss = p->val_loss,
              .tokens_per_second = tokens_per_second,
              .unit = p->unit,
              .seconds_left = seconds_left,
              .train = p->blocks ? &p->train : NULL,
              .val = p->blocks ? &p->val : NULL};
    char line[LIVE_BYTES];
    live_training(line, &l, terminal_columns(STDERR_FILENO));
    show(p, line, now);
    p->last_said = now;
}

static void see(void *progress, const char *what, const char *name, double done, double all) {
    Progress *p = progress;
    if (!p->live) return;
    double now = machine_seconds();
    if (now - p->last_shown < LIVE_INTERVAL || now - p->last_said < PATIENCE) return;
    char line[LIVE_BYTES];
    live_work(line, what, name, done, all, terminal_columns(STDERR_FILENO));
    show(p, line, now);
}

Watch progress_watch(Progress *p) { return (Watch){see, p}; }
