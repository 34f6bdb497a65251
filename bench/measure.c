#include "measure.h"
#include "../commands/machine.h"
#include "../model/threads.h"
#include <stdbool.h>
#include <stdlib.h>

enum { MOST = 501 };  // repetitions

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median; x is sorted.
static double median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, ascending);
    return (x[n / 2] + x[(n - 1) / 2]) / 2;
}

static bool enough(int n, double began, Effort effort) {
    return n == MOST || (n >= effort.least && machine_seconds() - began >= effort.seconds);
}

double measure_limit(Limit limit, Effort effort) {
    double rate[MOST], began = machine_seconds();
    int n = 0;
    do rate[n++] = limit.burst(limit.of);
    while (!enough(n, began, effort));
    return median(rate, n);
}

// Pairs of a burst and a run, whose time `seconds_of` returns.
static Timing measure_pairs(double (*seconds_of)(void *on), void *on, Limit limit, Effort effort) {
    double seconds[MOST], worth[MOST], began = machine_seconds();
    int n = 0;
    do {
        double rate = limit.burst(limit.of);
        seconds[n] = seconds_of(on);
        worth[n] = seconds[n] * rate;
        n++;
    } while (!enough(n, began, effort));
    double middle = median(seconds, n);
    return (Timing){.seconds = middle, .fastest = seconds[0], .worth = median(worth, n)};
}

static double seconds_of_run(void *on) {
    const Work *work = on;
    double start = machine_seconds();
    work->run(work->on);
    return machine_seconds() - start;
}

Timing measure(Work work, Limit limit, Effort effort) {
    return measure_pairs(seconds_of_run, &work, limit, effort);
}

double median_turn(TeamWork work, long first, int turns) {
    double seconds[TURNS_MOST];
#pragma omp parallel
    {
        thread_barrier();  // no thread's start counts
        double before = machine_seconds();
        for (int i = 0; i < turns; i++) {
            work.run(work.on, first + i);
            thread_barrier();
            if (thread_index() > 0) continue;
            double now = machine_seconds();
            seconds[i] = now - before;
            before = now;
        }
    }
    return median(seconds, turns);
}

typedef struct {
    TeamWork work;
    long done;
    int turns;  // in one run
} Turns;

static double seconds_of_turns(void *on) {
    Turns *t = on;
    double seconds = median_turn(t->work, t->done, t->turns);
    t->done += t->turns;
    return seconds;
}

Timing measure_team(TeamWork work, Limit limit, Effort effort) {
    const double RUN = 2e-3;  // seconds, about as long as a burst
    Turns t = {.work = work, .turns = 5};
    double turns = RUN / seconds_of_turns(&t);
    t.turns = turns < 1 ? 1 : turns > TURNS_MOST ? TURNS_MOST : (int)turns;
    return measure_pairs(seconds_of_turns, &t, limit, effort);
}
