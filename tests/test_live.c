#include "../commands/live.h"
#include "test.h"

enum { WIDEST = 1200 };

static char text[LIVE_BYTES];

// Columns of UTF-8 without wide characters.
static int columns_of(const char *s) {
    int n = 0;
    for (; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static Curve falling(int n) {
    Curve c = {0};
    for (int i = 0; i < n; i++) curve_add(&c, 4.0 / (1 + i));
    return c;
}

static Curve train, val;

// A run in its middle, on a terminal with blocks.
static Live middle(void) {
    train = falling(1234);
    val = falling(5);
    return (Live){.step = 1234,
                  .steps = 15000,
                  .train_loss = 1.31012,
                  .val_loss = 1.49061,
                  .tokens_per_second = 43425.7,
                  .unit = "characters",
                  .seconds_left = 65,
                  .train = &train,
                  .val = &val};
}

static bool line_is(const Live *l, int columns, const char *expected) {
    live_training(text, l, columns);
    if (strcmp(text, expected) == 0) return true;
    printf("at %d columns: '%s'\n", columns, text);
    return false;
}

static void a_terminal_without_blocks_shows_numbers(void) {
    Live l = middle();
    l.train = l.val = NULL;
    CHECK(line_is(&l, 200, "step  1234/15000  train 1.3101  val 1.4906  43,425 characters/s  1:05 left"));
    CHECK(line_is(&l, 60, "step  1234/15000  train 1.3101  val 1.4906  1:05 left"));
    CHECK(line_is(&l, 43, "step  1234/15000  train 1.3101  1:05 left"));
    CHECK(line_is(&l, 30, " 1234/15000  1.3101  1:05"));
    CHECK(line_is(&l, 20, " 1234/15000  1.3101"));
    CHECK(line_is(&l, 15, " 1234  1.3101"));
    CHECK(line_is(&l, 13, " 1234"));
    CHECK(line_is(&l, 5, ""));
}

static void a_loss_that_is_not_there_is_left_out(void) {
    Live l = middle();
    l.train = l.val = NULL;
    l.val_loss = (double)NAN;
    CHECK(line_is(&l, 200, "step  1234/15000  train 1.3101  43,425 characters/s  1:05 left"));
    CHECK(line_is(&l, 60, "step  1234/15000  train 1.3101  1:05 left"));
    val = (Curve){0};
    l.train = &train;
    l.val = &val;
    live_training(text, &l, 150);
    CHECK(columns_of(text) == 149 && !strstr(text, "val"));
}

#define B1 "\xe2\x96\x81"
#define B8 "\xe2\x96\x88"

static void curves_stand_behind_their_losses_and_fill_the_line(void) {
    Live l = middle();
    CHECK(line_is(&l, 42, "step  1234/15000  train 1.3101  1:05 left"));
    live_training(text, &l, 53);
    CHECK(strstr(text, "  train 1.3101 " B8) && strstr(text, B1 "  1:05 left") && columns_of(text) == 52);
    live_training(text, &l, 200);
    CHECK(strstr(text, "  train 1.3101 " B8) && strstr(text, B1 "  val 1.4906 " B8));
    CHECK(strstr(text, B1 "  43,425 characters/s  1:05 left") && columns_of(text) == 199);
}

// How many of these are shown, in their order.
static int parts_shown(void) {
    static const char *const parts[] = {" 1234", "1.3101", "/15000", "1:05",
                                        "train", B1,       "val",    "characters/s"};
    int n = 0;
    while (n < 8 && strstr(text, parts[n])) n++;
    for (int i = n; i < 8; i++)
        if (strstr(text, parts[i])) return -1;
    return n;
}

static void no_width_is_exceeded_and_more_of_it_never_shows_less(void) {
    Live with = middle(), without = with;
    without.train = without.val = NULL;
    int before = 0;
    for (int columns = 0; columns <= WIDEST; columns++) {
        live_training(text, &with, columns);
        if (columns_of(text) > (columns > 0 ? columns - 1 : 0)) CHECK(false);
        int parts = parts_shown();
        if (parts < before) CHECK(false);
        before = parts;
        live_training(text, &without, columns);
        if ((int)strlen(text) > (columns > 0 ? columns - 1 : 0)) CHECK(false);
    }
    CHECK(before == 8);
}

static void the_largest_numbers_have_room(void) {
    Live l = middle();
    l.step = l.steps = 1000000000000000;
    l.train_loss = l.val_loss = 1e9;
    l.tokens_per_second = 1e15;
    l.seconds_left = 1e12;
    for (int columns = 0; columns <= WIDEST; columns++) {
        live_training(text, &l, columns);
        if (columns_of(text) > (columns > 0 ? columns - 1 : 0)) CHECK(false);
    }
}

static bool work_is(const char *name, double done, double all, int columns, const char *expected) {
    live_work(text, "reading", name, done, all, columns);
    if (strcmp(text, expected) == 0) return true;
    printf("at %d columns: '%s'\n", columns, text);
    return false;
}

static void other_work_shows_its_share_or_its_amount(void) {
    CHECK(work_is("book.txt", 45.9, 100, 80, "reading book.txt 45%"));
    CHECK(work_is("book.txt", 100, 100, 80, "reading book.txt 100%"));
    CHECK(work_is("book.txt", 120, 100, 80, "reading book.txt 100%"));  // it has grown
    CHECK(work_is("standard input", 12345678, 0, 80, "reading standard input 12 MB"));
    CHECK(work_is(NULL, 0, 100, 80, "reading 0%"));
}

static void a_narrow_terminal_leaves_the_name_out(void) {
    CHECK(work_is("book.txt", 45, 100, 21, "reading book.txt 45%"));
    CHECK(work_is("book.txt", 45, 100, 20, "reading 45%"));
    CHECK(work_is("book.txt", 45, 100, 12, "reading 45%"));
    CHECK(work_is("book.txt", 45, 100, 11, "45%"));
    CHECK(work_is("book.txt", 45, 100, 3, ""));
    CHECK(work_is("book.txt", 45, 100, 0, ""));
}

static void a_name_cannot_move_the_cursor(void) {
    CHECK(work_is("book\n.txt", 45, 100, 80, "reading 45%"));
    CHECK(work_is("\033[2Jbook.txt", 45, 100, 80, "reading 45%"));
    CHECK(work_is("唐诗.txt", 45, 100, 80, "reading 唐诗.txt 45%"));
    static char name[5000];
    memset(name, 'x', sizeof name - 1);
    CHECK(work_is(name, 45, 100, 10000, "reading 45%"));
}

static void a_duration_has_hours_where_it_is_long(void) {
    char out[32];
    CHECK(strcmp(duration(out, 0), "0:00") == 0 && strcmp(duration(out, -1), "0:00") == 0);
    CHECK(strcmp(duration(out, 65.4), "1:05") == 0 && strcmp(duration(out, 3599.5), "1:00:00") == 0);
    CHECK(strcmp(duration(out, 7265), "2:01:05") == 0);
}

static void thousands_have_commas(void) {
    char out[32];
    CHECK(strcmp(with_commas(out, 0), "0") == 0 && strcmp(with_commas(out, 999), "999") == 0);
    CHECK(strcmp(with_commas(out, 1000), "1,000") == 0 && strcmp(with_commas(out, -123456), "-123,456") == 0);
    CHECK(strcmp(with_commas(out, 1234567), "1,234,567") == 0);
}

int main(void) {
    RUN(a_terminal_without_blocks_shows_numbers);
    RUN(a_loss_that_is_not_there_is_left_out);
    RUN(curves_stand_behind_their_losses_and_fill_the_line);
    RUN(no_width_is_exceeded_and_more_of_it_never_shows_less);
    RUN(the_largest_numbers_have_room);
    RUN(other_work_shows_its_share_or_its_amount);
    RUN(a_narrow_terminal_leaves_the_name_out);
    RUN(a_name_cannot_move_the_cursor);
    RUN(a_duration_has_hours_where_it_is_long);
    RUN(thousands_have_commas);
    return report();
}
