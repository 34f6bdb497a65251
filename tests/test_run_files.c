#include "../commands/run_files.h"
#include "folder.h"
#include "test.h"
#include <limits.h>

static Error err;

// The metadata of a good state, as pairs; `key` gets another value there, or with NULL none.
static const char *const GOOD[][2] = {{"step", "12"},
                                      {"epoch", "3"},
                                      {"epoch_windows_done", "2"},
                                      {"val_loss", "1.5"},
                                      {"best_val_loss", "1.25e-3"},
                                      {"best_step", "10"},
                                      {"evaluations_since_best", "2"},
                                      {"text_tokens", "100"},
                                      {"text_crc32", "0badcafe"}};

static Metadata state_with(const char *key, const char *value, size_t n) {
    Metadata m = {0};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        bool it = key && strcmp(key, GOOD[i][0]) == 0;
        const char *text = it ? value : GOOD[i][1];
        if (text && !metadata_put(&m, GOOD[i][0], text, it ? n : strlen(text), &err)) abort();
    }
    return m;
}

static bool restore(RunPlace *place, Trainer *t, const char *key, const char *value, size_t n) {
    Metadata m = state_with(key, value, n);
    Corpus c = {.ids = {.n = 100, .width = 1}, .crc = 0x0badcafe, .train_n = 90};
    *place = (RunPlace){.epochs = {.seed = 1, .n = c.train_n, .T = 8}};
    *t = (Trainer){0};
    err.text[0] = 0;
    bool good = run_restore_place(place, t, &m, &c, "state.x", &err);
    metadata_free(&m);
    return good;
}

static bool refused(const char *key, const char *value, size_t n) {
    RunPlace place;
    Trainer t;
    bool good =
        !restore(&place, &t, key, value, n) && one_line_naming(err.text, "state.x") && strstr(err.text, key);
    if (!good) printf("  %s = %s: %s\n", key, value ? value : "(none)", err.text);
    return good;
}

static bool accepted(const char *key, const char *value) {
    RunPlace place;
    Trainer t;
    bool good = restore(&place, &t, key, value, strlen(value));
    if (!good) printf("  %s = %s: %s\n", key, value, err.text);
    return good;
}

static void a_place_is_read_from_the_metadata(void) {
    RunPlace p;
    Trainer t;
    if (!CHECK(restore(&p, &t, NULL, NULL, 0))) return;
    CHECK(t.step == 12 && p.epochs.epoch == 3 && p.epochs.next == 2);
    CHECK(p.val_loss == 1.5 && p.best_val_loss == 1.25e-3);
    CHECK(p.best_step == 10 && p.evaluations_since_best == 2);
}

static const char *const WHOLE[] = {"step", "epoch", "epoch_windows_done", "best_step",
                                    "evaluations_since_best"};
static const char *const LOSS[] = {"val_loss", "best_val_loss"};

static void missing_numbers_are_named(void) {
    for (int i = 0; i < 5; i++) CHECK(refused(WHOLE[i], NULL, 0));
    for (int i = 0; i < 2; i++) CHECK(refused(LOSS[i], NULL, 0));
    CHECK(refused("text_tokens", NULL, 0));
}

static void what_is_no_whole_number_is_refused(void) {
    static const char *const values[] = {"",
                                         "-1",
                                         "x",
                                         "1x",
                                         "1.0",
                                         "1e3",
                                         " 1",
                                         "+1",
                                         "01",
                                         "0x1",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "99999999999999999999"};
    for (int i = 0; i < 5; i++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            CHECK(refused(WHOLE[i], values[v], strlen(values[v])));
        CHECK(refused(WHOLE[i], "1\0x", 3));
        CHECK(accepted(WHOLE[i], i == 0 ? "12" : "0"));
    }
}

// A step more than the largest, or an epoch, would not fit into its number.
static void numbers_beyond_their_range_are_refused(void) {
    CHECK(accepted("step", "1000000000") && refused("step", "1000000001", 10));
    CHECK(accepted("epoch", "4294967296000000000") && refused("epoch", "4294967296000000001", 19));
    CHECK(refused("epoch_windows_done", "12", 2));  // of at most 11
    CHECK(accepted("best_step", "12") && refused("best_step", "13", 2));
    CHECK(accepted("evaluations_since_best", "12") && refused("evaluations_since_best", "13", 2));
}

static void losses_that_are_not_finite_are_refused(void) {
    static const char *const values[] = {"",   "nan", "inf", "-inf",  "1e999", "x",
                                         "1x", "1 ",  " 1",  "0x1p3", "--1"};
    for (int i = 0; i < 2; i++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            CHECK(refused(LOSS[i], values[v], strlen(values[v])));
        CHECK(refused(LOSS[i], "1\0x", 3));
        CHECK(accepted(LOSS[i], "0"));
    }
}

static void another_text_is_refused(void) {
    RunPlace p;
    Trainer t;
    CHECK(!restore(&p, &t, "text_tokens", "101", 3) && strstr(err.text, "another text (101 tokens"));
    CHECK(!restore(&p, &t, "text_crc32", "0badcaff", 8) && strstr(err.text, "checksum 0badcaff"));
    CHECK(!restore(&p, &t, "text_crc32", "0badcafe\0", 9) && strstr(err.text, "another text"));
    CHECK(!restore(&p, &t, "text_crc32", NULL, 0) && strstr(err.text, "checksum none"));
}

int main(void) {
    RUN(a_place_is_read_from_the_metadata);
    RUN(missing_numbers_are_named);
    RUN(what_is_no_whole_number_is_refused);
    RUN(numbers_beyond_their_range_are_refused);
    RUN(losses_that_are_not_finite_are_refused);
    RUN(another_text_is_refused);
    return report();
}
