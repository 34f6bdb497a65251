#include "chart.h"
#include "page.h"
#include <math.h>
#include <string.h>

enum {
    LEFT = CHART_LEFT,
    RIGHT = CHART_RIGHT,
    TOP = CHART_TOP,
    BOTTOM = CHART_BOTTOM,
    MARK_WIDTH = 110,  // at least, between marks on the axes
    MARK_HEIGHT = 45,
    ROUND_PIECES = 8,  // of a range that ends on round numbers
    WIDE = 400         // above: shrunk on a phone, so its letters are larger there
};

const char CHART_STYLE[] =
    "<style>\n"
    ".chart{--axis:#646a73;--grid:#e3e6ea;--one:#0b62c4;--two:#b5480f;--three:#4a7d19;--ground:#fff;"
    "font:14px system-ui,sans-serif}\n"
    "@media(prefers-color-scheme:dark){.chart{--axis:#9aa1ab;--grid:#31363e;--one:#6cb0ff;--two:#ff9f66;"
    "--three:#9bd06a;--ground:#16181c}}\n"
    "@media(max-width:34rem){.chart.wide{font-size:22px}}\n"
    "@media "
    "print{.chart{--axis:#444;--grid:#ccc;--one:#0b62c4;--two:#b5480f;--three:#4a7d19;--ground:#fff}}\n"
    ".chart text{fill:var(--axis);stroke:none}\n"
    ".chart path,.chart circle{fill:none;stroke-linejoin:round;vector-effect:non-scaling-stroke}\n"
    ".chart .grid{stroke:var(--grid)}.chart .level{stroke:var(--axis);stroke-dasharray:5 4}\n"
    ".chart .halo{stroke:var(--ground);stroke-width:4px;paint-order:stroke;stroke-linejoin:round}\n"
    ".chart .train{stroke:var(--one);stroke-width:1.5px}\n"
    ".chart .val{stroke:var(--two);stroke-width:2.5px}.chart circle.val{fill:var(--two)}\n"
    ".chart .third{stroke:var(--three);stroke-width:1.5px}.chart .ring{stroke:var(--two);stroke-width:2px}\n"
    "</style>\n";

// ---- places ----

static double place_x(const Chart *c, double x) {
    return LEFT + (c->width - LEFT - RIGHT) * (c->x_most > 0 ? x / c->x_most : 0);
}

static double place_y(const Chart *c, double y) {
    double share = (y - c->y_least) / (c->y_most - c->y_least);
    return TOP + (c->height - TOP - BOTTOM) * (1 - fmin(fmax(share, 0), 1));
}

// The smallest of 1, 2, 5 times a power of ten that cuts the range into no more than `pieces`.
static double round_step(double range, int pieces) {
    double step = pow(10, floor(log10(range / pieces)));
    for (int i = 0; range / step > pieces; i++) step *= i % 3 == 1 ? 2.5 : 2;
    return step;
}

// The same in seconds: pieces of a minute or an hour that people count in.
static double round_seconds(double range, int pieces) {
    static const double STEPS[] = {1,   2,    5,    10,   20,   30,    60,    120,  300,
                                   600, 1200, 1800, 3600, 7200, 14400, 43200, 86400};
    if (range < 4) return round_step(range, pieces);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        if (range / STEPS[i] <= pieces) return STEPS[i];
    return round_step(range / 86400, pieces) * 86400;
}

void chart_range(double *least, double *most, const double *y, long n, bool from_zero) {
    *least = from_zero ? 0 : (double)INFINITY;
    *most = from_zero ? 0 : (double)-INFINITY;
    for (long i = 0; i < n; i++) {
        if (!isfinite(y[i])) continue;
        *least = fmin(*least, y[i]);
        *most = fmax(*most, y[i]);
    }
    if (!(*least <= *most)) *least = 0, *most = 1;  // there are none
    if (*least == *most) *most += *most ? fabs(*most) : 1;
    double step = round_step(*most - *least, ROUND_PIECES);
    *least = floor(*least / step + 1e-9) * step;
    *most = ceil(*most / step - 1e-9) * step;
}

// ---- axes ----

static void put_number(FILE *f, ChartUnit unit, double value, double step) {
    long s = (long)(value + 0.5);
    if (unit == CHART_NUMBER && value >= 1e6)
        fprintf(f, "%gM", value / 1e6);
    else if (unit == CHART_NUMBER && value >= 1e4)
        fprintf(f, "%gk", value / 1e3);
    else if (unit == CHART_NUMBER && value > 0 && step < 1e-5)
        fprintf(f, "%.1e", value);
    else if (unit == CHART_NUMBER)
        fprintf(f, "%.*f", step < 1 ? (int)fmin(ceil(-log10(step) - 1e-9), 5) : 0, value);
    else if (step < 1)
        fprintf(f, "%.1f s", value);
    else if (step >= 3600)
        fprintf(f, "%ld h", s / 3600);
    else if (s >= 3600)
        fprintf(f, "%ld:%02ld h", s / 3600, s / 60 % 60);
    else
        fprintf(f, "%ld:%02ld", s / 60, s % 60);
}

static void put_axes(FILE *f, const Chart *c) {
    double right = c->width - RIGHT, bottom = c->height - BOTTOM;
    double step = round_step(c->y_most - c->y_least, c->height / MARK_HEIGHT);
    for (double y = ceil(c->y_least / step - 1e-9) * step; y <= c->y_most + step * 1e-6; y += step) {
        double at = place_y(c, y);
        fprintf(f,
                "<path class=\"grid\" d=\"M%d %.1fH%.0f\"/>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                LEFT, at, right, LEFT - 6, at + 5);
        put_number(f, CHART_NUMBER, fabs(y) < step / 2 ? 0 : y, step);
        fprintf(f, "</text>\n");
    }
    double range = c->x_most > 0 ? c->x_most : 1;
    int marks = c->width / MARK_WIDTH;
    step = c->x_unit == CHART_SECONDS ? round_seconds(range, marks) : fmax(round_step(range, marks), 1);
    for (double x = 0; x <= range * (1 + 1e-9); x += step) {
        bool last = place_x(c, x) > right - 20;
        fprintf(f,
                "<path class=\"grid\" d=\"M%.1f %.0fv5\"/>\n<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">",
                place_x(c, x), bottom, last ? right : place_x(c, x), bottom + 32, last ? "end" : "middle");
        put_number(f, c->x_unit, x, step);
        fprintf(f, "</text>\n");
    }
    fprintf(f, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"end\">%s</text>\n", right, c->height - 6, c->x_name);
}

void chart_begin(FILE *f, const Chart *c, bool style) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart%s\" viewBox=\"0 0 %d %d\" "
            "role=\"img\">\n<title>",
            c->width > WIDE ? " wide" : "", c->width, c->height);
    page_text(f, c->title, strlen(c->title));
    fprintf(f, "</title>\n<desc>");
    page_text(f, c->description, strlen(c->description));
    fprintf(f, "</desc>\n%s", style ? CHART_STYLE : "");
    put_axes(f, c);
}

// ---- what is in it ----

void chart_line(FILE *f, const Chart *c, const char *name, const double *x, const double *y, long n,
                bool dots) {
    long points = 0;
    for (long i = 0; i < n; i++) {
        if (!isfinite(y[i])) continue;
        fprintf(f, "%s%.1f %.1f", points ? "L" : "<path d=\"M", place_x(c, x[i]), place_y(c, y[i]));
        points++;
    }
    if (points) fprintf(f, "\" class=\"%s\"/>\n", name);
    // Where they would run into each other, a line alone says as much.
    if (!dots || points > 60) return;
    for (long i = 0; i < n; i++)
        if (isfinite(y[i]))
            fprintf(f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", name, place_x(c, x[i]),
                    place_y(c, y[i]));
}

void chart_levels(FILE *f, const Chart *c, const ChartLevel *level, int n) {
    // Names stand clear of each other, also in the larger letters of a phone.
    const double BETWEEN = 24;
    double above[2] = {c->height, c->height};  // the lowest places that the next names may have
    for (int i = 0; i < n; i++) {
        const ChartLevel *l = &level[i];
        if (!(l->y >= c->y_least && l->y <= c->y_most)) continue;
        double at = place_y(c, l->y), name = fmin(at - 5, above[l->left] - BETWEEN);
        int right = c->width - RIGHT;
        above[l->left] = name;
        fprintf(f,
                "<path class=\"level\" d=\"M%d %.1fH%d\"/>\n"
                "<text class=\"halo\" x=\"%d\" y=\"%.1f\" text-anchor=\"%s\">",
                LEFT, at, right, l->left ? LEFT + 6 : right - 2, name, l->left ? "start" : "end");
        page_text(f, l->name, strlen(l->name));
        fprintf(f, " %.4f</text>\n", l->y);
    }
}

void chart_ring(FILE *f, const Chart *c, double x, double y, const char *says) {
    fprintf(f, "<circle class=\"ring\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"><title>", place_x(c, x),
            place_y(c, y));
    page_text(f, says, strlen(says));
    fprintf(f, "</title></circle>\n");
}

void chart_end(FILE *f) { fprintf(f, "</svg>\n"); }
