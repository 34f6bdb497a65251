// thread_count.c -- how many threads there are: what was asked for, what there is, and what is free now.
#include "threads.h"
#include <stdbool.h>
#include <stdio.h>

#ifdef _OPENMP

static int most;  // what thread_use was given; 0 before

static int at_most(int threads) {
    int limit = omp_get_thread_limit();
    return threads < limit ? threads : limit;
}

void thread_use(int threads) {
    most = at_most(threads);
    omp_set_num_threads(most);
}

int thread_count(void) { return most > 0 ? most : at_most(omp_get_max_threads()); }

// The processors' worth of time that a container's limit allows; 0 where there is none.
static double container_processors(void) {
    double quota = 0, period = 0;
    // Linux control groups. Version 2: "max 100000" where unlimited.
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (f) {
        if (fscanf(f, "%lf %lf", &quota, &period) != 2) quota = 0;
        fclose(f);
        return period > 0 ? quota / period : 0;
    }
    if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r"))) {  // version 1: -1 where unlimited
        if (fscanf(f, "%lf", &quota) != 1) quota = 0;
        fclose(f);
    }
    if (quota > 0 && (f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r"))) {
        if (fscanf(f, "%lf", &period) != 1) period = 0;
        fclose(f);
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

int thread_default(void) {
    int available = omp_get_num_procs(), wanted = thread_count();
    double allowed = container_processors();
    // A fraction of a processor is worth a thread of its own, but less than one is still one.
    if (allowed > 0 && allowed < available)
        available = (int)allowed < allowed ? (int)allowed + 1 : (int)allowed;
    return wanted < available ? wanted : available;
}

enum { CALM = 20 };  // windows between a change of size and the next trial

// What thread_adapt remembers between two windows.
static struct {
    double seconds, slept;  // of this window; slept when it began
    long pieces;
    int calm;    // windows since the size changed
    int before;  // while another size is on trial: the size to go back to, and its speed
    double rate_before;
    bool shrinking;  // the last trial was of a smaller team, and it was faster
} adapt = {.calm = CALM};

static void try_team(int size, double rate) {
    adapt.before = omp_get_max_threads();
    adapt.rate_before = rate;
    omp_set_num_threads(size);
}

void thread_adapt(double seconds, double window) {
    const double TOO_MUCH = 0.1;
    adapt.seconds += seconds;
    adapt.pieces++;
    if (adapt.seconds < window) return;
    int team = omp_get_max_threads();
    double rate = (double)adapt.pieces / adapt.seconds;
    double slept = thread_slept(), part = (slept - adapt.slept) / adapt.seconds / team;
    adapt.seconds = 0, adapt.pieces = 0, adapt.slept = slept;
    adapt.calm++;
    if (adapt.before) {
        adapt.shrinking = team < adapt.before && rate > adapt.rate_before;
        if (rate <= adapt.rate_before) omp_set_num_threads(adapt.before);
        adapt.before = adapt.calm = 0;
    } else if (team > 1 && part > TOO_MUCH && (adapt.shrinking || adapt.calm >= CALM)) {
        try_team(team - 1, rate);
    } else if (team < thread_count() && adapt.calm >= CALM) {
        try_team(team + 1, rate);
    }
}

#else

void thread_use(int threads) { (void)threads; }
int thread_count(void) { return 1; }
int thread_default(void) { return 1; }
void thread_adapt(double seconds, double window) { (void)seconds, (void)window; }

#endif
