// chart.h -- line charts in SVG.
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>
#include <stdio.h>

typedef enum { CHART_NUMBER, CHART_SECONDS } ChartUnit;

// From the picture's edges to where the curves are, for a script that points at them.
enum { CHART_LEFT = 58, CHART_RIGHT = 12, CHART_TOP = 14, CHART_BOTTOM = 64 };

// What a chart shows, and from where to where. Sizes are in units of the picture.
typedef struct {
    const char *title, *description;  // for those who cannot see it
    const char *x_name, *y_name;
    ChartUnit x_unit;
    double x_most, y_least, y_most;  // x begins at 0
    int width, height;
} Chart;

// The style that all charts of a page need, as an element inside the first: so that this one is a picture of
// its own, too, when it is taken out.
extern const char CHART_STYLE[];

// The beginning: axes, their marks and names. With `style`, CHART_STYLE.
void chart_begin(FILE *f, const Chart *c, bool style);

// A line through n points (a NaN has no point); with `dots` each of them is marked. `name` is its class:
// train, val, third.
void chart_line(FILE *f, const Chart *c, const char *name, const double *x, const double *y, long n,
                bool dots);

// Horizontal lines with names, those within the chart, from the lowest up; names do not cover each other.
typedef struct {
    const char *name;
    double y;
    bool left;  // where its name stands
} ChartLevel;
void chart_levels(FILE *f, const Chart *c, const ChartLevel *level, int n);

// A ring around one point.
void chart_ring(FILE *f, const Chart *c, double x, double y, const char *says);

void chart_end(FILE *f);

// A range that holds the numbers and ends on round ones. With from_zero it begins at 0.
void chart_range(double *least, double *most, const double *y, long n, bool from_zero);

#endif
