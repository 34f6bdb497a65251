#include "../model/schedule.h"
#include "test.h"

// nanoGPT's settings for its character model.
static const Schedule nano = {.learning_rate = 1e-3, .min_lr = 1e-4, .warmup = 100, .decay = 5000};

// get_lr of nanoGPT's train.py, line by line.
static double nanogpt(const Schedule *s, long it) {
    if (it < s->warmup) return s->learning_rate * (double)(it + 1) / (double)(s->warmup + 1);
    if (it > s->decay) return s->min_lr;
    double ratio = (double)(it - s->warmup) / (double)(s->decay - s->warmup);
    double coefficient = 0.5 * (1 + cos(3.14159265358979324 * ratio));
    return s->min_lr + coefficient * (s->learning_rate - s->min_lr);
}

static void the_rate_rises_in_equal_steps_over_the_warm_up(void) {
    CHECK_NEAR(schedule_rate(&nano, 0), 1e-3 / 101, 1e-18);
    CHECK_NEAR(schedule_rate(&nano, 1), 2e-3 / 101, 1e-18);
    CHECK_NEAR(schedule_rate(&nano, 49), 50e-3 / 101, 1e-18);
    CHECK_NEAR(schedule_rate(&nano, 99), 100e-3 / 101, 1e-18);
}

static void the_rate_is_highest_after_the_warm_up(void) {
    CHECK_NEAR(schedule_rate(&nano, 100), 1e-3, 1e-18);
    for (long step = 0; step < 6000; step++) CHECK(step == 100 || schedule_rate(&nano, step) < 1e-3);
}

static void the_rate_is_halfway_in_the_middle(void) {
    CHECK_NEAR(schedule_rate(&nano, 2550), 5.5e-4, 1e-18);
    CHECK_NEAR(schedule_rate(&nano, 100 + 4900 / 4), 1e-4 + 9e-4 * 0.85355339059327376, 1e-17);
    CHECK_NEAR(schedule_rate(&nano, 100 + 4900 * 3 / 4), 1e-4 + 9e-4 * 0.14644660940672624, 1e-17);
}

static void the_rate_ends_at_its_floor_and_stays_there(void) {
    CHECK_NEAR(schedule_rate(&nano, 5000), 1e-4, 1e-18);
    CHECK(schedule_rate(&nano, 4999) > 1e-4);
    CHECK(schedule_rate(&nano, 5001) == 1e-4);
    CHECK(schedule_rate(&nano, 1000000000000) == 1e-4);
}

static void every_step_has_the_rate_of_nanogpt(void) {
    static const Schedule cases[] = {{1e-3, 1e-4, 100, 5000},
                                     {6e-4, 6e-5, 2000, 6000},
                                     {1, 0, 0, 1000},
                                     {3e-4, 3e-4, 10, 500},
                                     {0.01, 0.001, 1, 3}};
    for (int c = 0; c < 5; c++) {
        bool near = true;
        for (long step = 0; step < 7000; step++)
            near = near && fabs(schedule_rate(&cases[c], step) - nanogpt(&cases[c], step)) <=
                               1e-15 * cases[c].learning_rate;
        CHECK(near);
    }
}

static void the_rate_falls_at_every_step_of_the_decay(void) {
    for (long step = 101; step <= 5000; step++)
        CHECK(schedule_rate(&nano, step) < schedule_rate(&nano, step - 1));
}

static void without_warm_up_the_first_step_has_the_full_rate(void) {
    const Schedule s = {1e-3, 1e-4, 0, 1000};
    CHECK_NEAR(schedule_rate(&s, 0), 1e-3, 1e-18);
    CHECK(schedule_rate(&s, 1) < 1e-3);
    CHECK_NEAR(schedule_rate(&s, 500), 5.5e-4, 1e-18);
    CHECK_NEAR(schedule_rate(&s, 1000), 1e-4, 1e-18);
}

static void a_decay_that_ends_with_the_warm_up_leaves_the_floor(void) {
    const Schedule s = {1e-3, 1e-4, 100, 100}, none = {1e-3, 1e-4, 0, 0}, shorter = {1e-3, 1e-4, 100, 50};
    CHECK_NEAR(schedule_rate(&s, 99), 100e-3 / 101, 1e-18);
    CHECK(schedule_rate(&s, 100) == 1e-4);
    CHECK(schedule_rate(&s, 101) == 1e-4);
    CHECK(schedule_rate(&none, 0) == 1e-4);
    CHECK_NEAR(schedule_rate(&shorter, 75), 76e-3 / 101, 1e-18);
    CHECK(schedule_rate(&shorter, 100) == 1e-4);
}

int main(void) {
    RUN(the_rate_rises_in_equal_steps_over_the_warm_up);
    RUN(the_rate_is_highest_after_the_warm_up);
    RUN(the_rate_is_halfway_in_the_middle);
    RUN(the_rate_ends_at_its_floor_and_stays_there);
    RUN(every_step_has_the_rate_of_nanogpt);
    RUN(the_rate_falls_at_every_step_of_the_decay);
    RUN(without_warm_up_the_first_step_has_the_full_rate);
    RUN(a_decay_that_ends_with_the_warm_up_leaves_the_floor);
    return report();
}
