#include "progress.h"
#include "machine.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const double LIVE_INTERVAL = 0.2;  // seconds
static const char CLEAR_LINE[] = "\r\033[K";

Progress progress_start(bool quiet, long steps) {
    return (Progress){.quiet = quiet, .live = !quiet && isatty(STDERR_FILENO), .steps = steps};
}

const char *with_commas(char out[32], long n) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%ld", n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-') out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
    return out;
}

const char *duration(char out[32], double seconds) {
    long s = seconds > 0 ? (long)(seconds + 0.5) : 0;
    if (s >= 3600)
        snprintf(out, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, 32, "%ld:%02ld", s / 60, s % 60);
    return out;
}

void progress_say(Progress *p, const char *format, ...) {
    if (p->quiet) return;
    va_list args;
    va_start(args, format);
    if (p->live) fputs(CLEAR_LINE, stderr);
    vfprintf(stderr, format, args);
    putc('\n', stderr);
    va_end(args);
}

// "  name 1.2345", or as many blanks where there is no such number.
static int column(char *out, const char *name, const char *format, double value) {
    char number[32];
    snprintf(number, sizeof number, format, isnan(value) ? 0.0 : value);
    int width = sprintf(out, "  %s %s", name, number);
    if (isnan(value)) memset(out, ' ', (size_t)width);
    return width;
}

void progress_end(const Progress *p) {
    if (p->live) fputs(CLEAR_LINE, stderr);
}

void progress_row(Progress *p, const CsvRow *row, double seconds_left) {
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

void progress_live(Progress *p, long step, double loss, double tokens_per_second, double seconds_left) {
    double now = machine_seconds();
    if (!p->live || now - p->last_shown < LIVE_INTERVAL) return;
    p->last_shown = now;
    char speed[32], left[32];
    fprintf(stderr, "%sstep %ld/%ld  train %.4f  %s tokens/s  %s left", CLEAR_LINE, step, p->steps, loss,
            with_commas(speed, (long)tokens_per_second), duration(left, seconds_left));
}
