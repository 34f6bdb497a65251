#include "../commands/curve.h"
#include "test.h"

static char drawn[CURVE_POINTS * CURVE_BLOCK_BYTES + 1];

// The levels of the columns, as digits from 1 to 8; what is no block is a question mark.
static const char *draw(const Curve *c, int columns) {
    static char levels[CURVE_POINTS + 1];
    int n = curve_draw(drawn, c, columns) / CURVE_BLOCK_BYTES;
    for (int i = 0; i < n; i++) {
        const char *block = drawn + i * CURVE_BLOCK_BYTES;
        bool good = memcmp(block, "\xe2\x96", 2) == 0 && (unsigned char)block[2] >= 0x81 &&
                    (unsigned char)block[2] <= 0x88;
        levels[i] = good ? (char)('1' + (unsigned char)block[2] - 0x81) : '?';
    }
    levels[n] = 0;
    return levels;
}

static Curve of_numbers(int n, const double *y) {
    Curve c = {0};
    for (int i = 0; i < n; i++) curve_add(&c, y[i]);
    return c;
}
#define CURVE_OF(...) of_numbers(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void blocks_are_as_high_as_the_numbers(void) {
    Curve c = CURVE_OF(6, 5, 4, 3, 2, 1, 0);
    CHECK(strcmp(draw(&c, 7), "8765321") == 0);
    Curve rises = CURVE_OF(0, 1, 0, 0.49, 0.51, 0);
    CHECK(strcmp(draw(&rises, 6), "181451") == 0);
}

static void a_column_is_the_mean_of_its_points(void) {
    Curve c = CURVE_OF(8, 6, 4, 4, 1, -1);
    CHECK(strcmp(draw(&c, 3), "851") == 0);
}

static void between_few_points_the_curve_is_straight(void) {
    Curve c = CURVE_OF(0, 8);
    CHECK(strcmp(draw(&c, 5), "13578") == 0);
    CHECK(strcmp(draw(&c, 2), "18") == 0);
}

static void equal_numbers_are_low(void) {
    Curve none = {0}, one = CURVE_OF(3), some = CURVE_OF(3, 3, 3);
    CHECK(strcmp(draw(&none, 5), "") == 0);
    CHECK(strcmp(draw(&one, 1), "1") == 0);
    CHECK(strcmp(draw(&one, 4), "1111") == 0);
    CHECK(strcmp(draw(&some, 2), "11") == 0);
}

static void a_steep_beginning_does_not_flatten_the_rest(void) {
    Curve c = CURVE_OF(100, 8, 7, 6, 5, 4, 3, 0);
    CHECK(strcmp(draw(&c, 8), "88876541") == 0);
}

// Whatever the number of numbers: constant memory, no number counts twice, and the shape stays.
static void a_long_course_keeps_its_shape(void) {
    Curve c = {0};
    const long N = 100000;
    for (long i = 0; i < N; i++) {
        curve_add(&c, (double)i);
        if (c.points >= CURVE_POINTS || c.points < 1) CHECK(false);
    }
    long each = 1L << c.halvings;
    CHECK(c.points >= CURVE_POINTS / 2 - 1 && c.points * each + c.summed == N && c.summed < each);
    for (int i = 0; i < c.points; i++)
        CHECK_NEAR(c.point[i], (double)(i * each) + (double)(each - 1) / 2, 1e-6);
    CHECK(strcmp(draw(&c, 8), "12345678") == 0);
}

static void every_width_has_that_many_blocks(void) {
    Curve c = {0};
    for (int points = 1; points < CURVE_POINTS; points++) {
        curve_add(&c, (double)((points * 37) % 11));
        for (int columns = 1; columns <= CURVE_POINTS; columns++) {
            const char *levels = draw(&c, columns);
            if ((int)strlen(levels) != columns || strchr(levels, '?')) CHECK(false);
        }
    }
}

int main(void) {
    RUN(blocks_are_as_high_as_the_numbers);
    RUN(a_column_is_the_mean_of_its_points);
    RUN(between_few_points_the_curve_is_straight);
    RUN(equal_numbers_are_low);
    RUN(a_steep_beginning_does_not_flatten_the_rest);
    RUN(a_long_course_keeps_its_shape);
    RUN(every_width_has_that_many_blocks);
    return report();
}
