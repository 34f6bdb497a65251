// threads.c -- a barrier that is quick among running threads and polite to others.
#include "threads.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int arrived;
static atomic_uint passed;  // counts the barriers
static pthread_mutex_t asleep = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

// Tells the processor that this loop only waits, so that it leaves the core to its other thread.
static void relax(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

void thread_barrier(void) {
    const int WATCH = 2000;  // some tens of microseconds: threads that run arrive within that
    int team = thread_team();
    if (team == 1) return;
    unsigned now = atomic_load_explicit(&passed, memory_order_acquire);
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == team - 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&asleep);
        atomic_store_explicit(&passed, now + 1, memory_order_release);
        pthread_mutex_unlock(&asleep);
        pthread_cond_broadcast(&wake);
        return;
    }
    for (int i = 0; i < WATCH; i++) {
        if (atomic_load_explicit(&passed, memory_order_acquire) != now) return;
        relax();
    }
    // Another program has the core of one that is missing. It gets this one, too, until all are here: a
    // thread that wakes up is let in at once, one that has only stepped aside (sched_yield) waits for its
    // turn.
    pthread_mutex_lock(&asleep);
    while (atomic_load_explicit(&passed, memory_order_relaxed) == now) pthread_cond_wait(&wake, &asleep);
    pthread_mutex_unlock(&asleep);
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
