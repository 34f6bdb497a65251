#include "../data/csv.h"
#include "folder.h"
#include "test.h"

static Error err;

static const char HEADER[] =
    "step,epoch,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,seconds\n";

// Rows of the given steps, the odd ones without an evaluation.
static void add_rows(Csv *c, long first, long last) {
    for (long step = first; step <= last; step++) {
        CsvRow row = {.step = step,
                      .epoch = (double)step / 10,
                      .train_loss = 2.5,
                      .val_loss = step % 2 ? (double)NAN : 1.25,
                      .learning_rate = 1e-3,
                      .grad_norm = 0.75,
                      .tokens_per_second = 12345.6,
                      .seconds = (double)step};
        CHECK(csv_add(c, &row, &err));
    }
}

static void check_file(const char *rows) {
    char expected[1024];
    snprintf(expected, sizeof expected, "%s%s", HEADER, rows);
    CHECK(file_is(in_folder("log.csv"), expected, strlen(expected)));
}

#define ROW1 "1,0.1000,2.500000,,1.000000e-03,0.750000,12346,1.00\n"
#define ROW2 "2,0.2000,2.500000,1.250000,1.000000e-03,0.750000,12346,2.00\n"
#define ROW3 "3,0.3000,2.500000,,1.000000e-03,0.750000,12346,3.00\n"

static void rows_have_the_promised_columns_and_missing_numbers_are_empty(void) {
    Csv c;
    CHECK(csv_open(&c, in_folder("log.csv"), -1, &err));
    add_rows(&c, 1, 3);
    CHECK(csv_close(&c, &err));
    check_file(ROW1 ROW2 ROW3);
}

static void going_on_keeps_rows_up_to_a_step_and_their_time(void) {
    Csv c;
    CHECK(csv_open(&c, in_folder("log.csv"), 2, &err));
    CHECK(c.seconds == 2);
    check_file(ROW1 ROW2);
    add_rows(&c, 3, 3);
    CHECK(csv_close(&c, &err));
    check_file(ROW1 ROW2 ROW3);
}

static void all_whole_rows_can_be_read(void) {
    char text[1024];
    CsvRow *row;
    long rows;
    snprintf(text, sizeof text, "%s%s%snonsense\n7,,,,,,,3.50\n8,0.1", HEADER, ROW1, ROW2);
    put_file(in_folder("log.csv"), text, strlen(text));
    if (!CHECK(csv_read(in_folder("log.csv"), &row, &rows, &err) && rows == 3)) return;
    CHECK(row[0].step == 1 && row[0].epoch == 0.1 && row[0].train_loss == 2.5 && isnan(row[0].val_loss));
    CHECK(row[1].val_loss == 1.25 && row[1].learning_rate == 1e-3 && row[1].grad_norm == 0.75);
    CHECK(row[1].tokens_per_second == 12346 && row[1].seconds == 2);
    CHECK(row[2].step == 7 && isnan(row[2].epoch) && isnan(row[2].tokens_per_second) &&
          row[2].seconds == 3.5);
    free(row);
    CHECK(!csv_read(in_folder("nowhere.csv"), &row, &rows, &err) && strstr(err.text, "nowhere.csv"));
}

static void a_row_that_was_cut_short_is_dropped(void) {
    char cut[1024];
    snprintf(cut, sizeof cut, "%s%s2,0.2000,2.5", HEADER, ROW1);
    put_file(in_folder("log.csv"), cut, strlen(cut));
    Csv c;
    CHECK(csv_open(&c, in_folder("log.csv"), 9, &err));
    CHECK(csv_close(&c, &err));
    check_file(ROW1);
}

static void what_is_no_row_is_dropped_and_the_rows_around_it_stay(void) {
    static const char *const none[] = {"",
                                       "1",
                                       "1,",
                                       "1,2,3",
                                       "2,0.2,2.5,1.2,1e-3,0.7,12346",
                                       "2,0.2,2.5,1.2,1e-3,0.7,12346,2.00,9",
                                       "2,0.2,2.5,1.2,1e-3,0.7,12346,nan",
                                       "2,0.2,2.5,1.2,1e-3,0.7,12346,inf",
                                       "2,0.2,2.5,1.2,1e-3,0.7,12346,-1",
                                       "2,0.2,x,1.2,1e-3,0.7,12346,2.00",
                                       "-2,0.2,2.5,1.2,1e-3,0.7,12346,2.00",
                                       " 2,0.2,2.5,1.2,1e-3,0.7,12346,2.00",
                                       "99999999999999999999,0.2,2.5,1.2,1e-3,0.7,12346,2.00"};
    Csv c;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        char log[1024];
        snprintf(log, sizeof log, "%s%s%s\n%s", HEADER, ROW1, none[i], ROW3);
        put_file(in_folder("log.csv"), log, strlen(log));
        CHECK(csv_open(&c, in_folder("log.csv"), 9, &err));
        CHECK(c.seconds == 3);
        csv_close(&c, &err);
        check_file(ROW1 ROW3);
    }
}

// Neither the end of a long line nor what stands behind a NUL is a row of its own.
static void a_row_inside_another_line_is_none(void) {
    enum { LONG = 511 };
    char log[2048];
    int n = snprintf(log, sizeof log, "%s%s%*s", HEADER, ROW1, LONG, "");
    n += snprintf(log + n, sizeof log - (size_t)n, "%s%s?%s%s", ROW2, ROW1, ROW2, ROW3);
    log[strchr(log, '?') - log] = 0;
    put_file(in_folder("log.csv"), log, (size_t)n);
    Csv c;
    CHECK(csv_open(&c, in_folder("log.csv"), 9, &err));
    csv_close(&c, &err);
    check_file(ROW1 ROW1 ROW3);
}

static void a_new_log_replaces_an_old_one(void) {
    Csv c;
    CHECK(csv_open(&c, in_folder("log.csv"), -1, &err));
    CHECK(csv_close(&c, &err));
    check_file("");
}

static void going_on_without_a_log_begins_one(void) {
    Csv c;
    unlink(in_folder("log.csv"));
    CHECK(csv_open(&c, in_folder("log.csv"), 5, &err));
    CHECK(c.seconds == 0);
    CHECK(csv_close(&c, &err));
    check_file("");
}

static void a_folder_that_is_not_there_is_named(void) {
    Csv c;
    CHECK(!csv_open(&c, in_folder("nowhere/log.csv"), -1, &err));
    CHECK(strstr(err.text, "nowhere/log.csv"));
}

int main(void) {
    folder_make();
    RUN(rows_have_the_promised_columns_and_missing_numbers_are_empty);
    RUN(going_on_keeps_rows_up_to_a_step_and_their_time);
    RUN(all_whole_rows_can_be_read);
    RUN(a_row_that_was_cut_short_is_dropped);
    RUN(what_is_no_row_is_dropped_and_the_rows_around_it_stay);
    RUN(a_row_inside_another_line_is_none);
    RUN(a_new_log_replaces_an_old_one);
    RUN(going_on_without_a_log_begins_one);
    RUN(a_folder_that_is_not_there_is_named);
    return report();
}
