// threads.c -- a barrier that is quick among running threads and polite to others.
#include "threads.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int arrived;
static atomic_uint round_number;  // counts the barriers passed

void thread_barrier(void) {
    const int WATCH = 4000;  // a few microseconds; threads that run arrive within that
    int team = thread_team();
    if (team == 1) return;
    unsigned now = atomic_load_explicit(&round_number, memory_order_acquire);
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == team - 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&round_number, now + 1, memory_order_release);
        return;
    }
    for (int i = 0; atomic_load_explicit(&round_number, memory_order_acquire) == now; i++)
        if (i >= WATCH) sched_yield();
}

// The processors' worth of time that a container's limit allows; 0 where there is none.
static double container_processors(void) {
    double quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max",
                    "r");  // Linux control groups, version 2: "max 100000" where unlimited
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
#ifdef _OPENMP
    int most = omp_get_num_procs(), wanted = omp_get_max_threads();
    double allowed = container_processors();
    // A fraction of a processor is worth a thread of its own, but less than one is still one.
    if (allowed > 0 && allowed < most) most = (int)allowed < allowed ? (int)allowed + 1 : (int)allowed;
    return wanted < most ? wanted : most;
#else
    (void)container_processors;
    return 1;
#endif
}
