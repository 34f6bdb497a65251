#include "live.h"
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

// ---- training ----

// What there is to show, the most important first: the first so many of them are shown.
enum { STEP, LOSS, STEPS, TIME_LEFT, NAMES, CURVE, VAL_LOSS, SPEED, VAL_CURVE, PARTS };

enum { LEAST_CURVE = 10 };  // columns

typedef struct {
    char *text;
    int bytes, columns;
} Line;

__attribute__((format(printf, 2, 3))) static void put(Line *line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line->text + line->bytes, (size_t)(LIVE_BYTES - line->bytes), format, args);
    va_end(args);
    line->bytes += n;
    line->columns += n;
}

static void put_curve(Line *line, const Curve *c, int columns) {
    if (columns == 0) return;
    put(line, " ");
    line->bytes += curve_draw(line->text + line->bytes, c, columns);
    line->columns += columns;
    line->text[line->bytes] = 0;
}

// The line with so many parts, with curves of so many columns.
static Line line_of(char *text, const Live *l, int parts, int curve, int val_curve) {
    Line line = {.text = text};
    char total[32], number[32];
    int digits = snprintf(total, sizeof total, "%ld", l->steps);
    bool names = parts > NAMES;
    *text = 0;
    if (parts > STEP) put(&line, "%s%*ld", names ? "step " : "", digits, l->step);
    if (parts > STEPS) put(&line, "/%s", total);
    if (parts > LOSS) put(&line, "  %s%.4f", names ? "train " : "", l->train_loss);
    put_curve(&line, l->train, curve);
    if (parts > VAL_LOSS && !isnan(l->val_loss)) put(&line, "  val %.4f", l->val_loss);
    put_curve(&line, l->val, val_curve);
    if (parts > SPEED) put(&line, "  %s %s/s", with_commas(number, (long)l->tokens_per_second), l->unit);
    if (parts > TIME_LEFT) put(&line, "  %s%s", duration(number, l->seconds_left), names ? " left" : "");
    return line;
}

static int smaller(int a, int b) { return a < b ? a : b; }

void live_training(char out[LIVE_BYTES], const Live *l, int columns) {
    int parts = PARTS, curves, spare;  // columns for the curves
    do {
        curves = l->train ? (parts > CURVE) + (parts > VAL_CURVE && l->val->points > 0) : 0;
        spare = columns - 1 - line_of(out, l, parts, 0, 0).columns - curves;
    } while (spare < curves * LEAST_CURVE && parts-- > 0);
    int val = curves == 2 ? LEAST_CURVE + (spare - 2 * LEAST_CURVE) / 3 : 0;
    if (curves > 0) line_of(out, l, parts, smaller(spare - val, CURVE_POINTS), smaller(val, CURVE_POINTS));
}

// ---- other work ----

// Its bytes are no fewer than its columns, in any script.
static bool keeps_the_cursor(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

void live_work(char out[LIVE_BYTES], const char *what, const char *name, double done, double all,
               int columns) {
    char amount[32];
    int most = smaller(columns, LIVE_BYTES);  // with the NUL
    if (all > 0)
        snprintf(amount, sizeof amount, "%.0f%%", floor(100 * fmin(done / all, 1)));
    else
        snprintf(amount, sizeof amount, "%.0f MB", floor(done / 1e6));
    if (name && keeps_the_cursor(name) && snprintf(out, LIVE_BYTES, "%s %s %s", what, name, amount) < most)
        return;
    if (snprintf(out, LIVE_BYTES, "%s %s", what, amount) < most) return;
    if (snprintf(out, LIVE_BYTES, "%s", amount) >= most) *out = 0;
}
