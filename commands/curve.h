// curve.h -- the course of a number in constant memory, and its picture, one line high.
#ifndef CURVE_H
#define CURVE_H

enum { CURVE_POINTS = 256, CURVE_BLOCK_BYTES = 3 };

// Beginning as {0}. Each point is the mean of as many numbers as all others; when there is no room for
// another, neighbours become one.
typedef struct {
    double point[CURVE_POINTS];
    int points;
    int halvings;  // a point is the mean of 2^halvings numbers
    double sum;    // of those that are no point yet
    long summed;
} Curve;

void curve_add(Curve *c, double y);

// The points as `columns` (at most CURVE_POINTS) of the characters U+2581 to U+2588, from the lowest to the
// highest: in a column the mean of its share of the points, or, where there are fewer of them, what lies on
// the line between two. What is higher than all that comes after the first eighth is drawn like the highest
// there, so that a steep beginning does not flatten the rest. Returns the bytes written to `out`,
// CURVE_BLOCK_BYTES a column and no NUL; none where there is no point.
int curve_draw(char *out, const Curve *c, int columns);

#endif
