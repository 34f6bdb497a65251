#include "curve.h"
#include <math.h>

static void halve(Curve *c) {
    c->points /= 2;
    for (int i = 0; i < c->points; i++) c->point[i] = (c->point[2 * i] + c->point[2 * i + 1]) / 2;
    c->halvings++;
}

void curve_add(Curve *c, double y) {
    c->sum += y;
    if (++c->summed < 1L << c->halvings) return;
    c->point[c->points++] = c->sum / (double)c->summed;
    c->sum = 0;
    c->summed = 0;
    if (c->points == CURVE_POINTS) halve(c);
}

// What stands in column i of fewer columns than points, or as many.
static double mean_of_share(const Curve *c, int i, int columns) {
    int begin = i * c->points / columns, end = (i + 1) * c->points / columns;
    double sum = 0;
    for (int k = begin; k < end; k++) sum += c->point[k];
    return sum / (end - begin);
}

// And of more.
static double between_points(const Curve *c, int i, int columns) {
    int along = i * (c->points - 1), k = along / (columns - 1);
    double share = (double)(along % (columns - 1)) / (columns - 1);
    return share > 0 ? c->point[k] + share * (c->point[k + 1] - c->point[k]) : c->point[k];
}

int curve_draw(char *out, const Curve *c, int columns) {
    enum { LEVELS = 8, LOWEST = 0x81 };  // U+2581 is e2 96 81
    double y[CURVE_POINTS], low = (double)INFINITY, high = -(double)INFINITY;
    if (c->points == 0) return 0;
    for (int i = 0; i < columns; i++) {
        y[i] = c->points >= columns ? mean_of_share(c, i, columns) : between_points(c, i, columns);
        low = fmin(low, y[i]);
        if (i >= columns / 8) high = fmax(high, y[i]);
    }
    for (int i = 0; i < columns; i++) {
        double share = high > low ? (y[i] - low) / (high - low) : 0;
        *out++ = (char)0xe2;
        *out++ = (char)0x96;
        *out++ = (char)(LOWEST + (int)fmin(share * LEVELS, LEVELS - 1));
    }
    return columns * CURVE_BLOCK_BYTES;
}
