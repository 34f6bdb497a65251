// threads.c -- a barrier that is quick among running threads and polite to others.
#include "threads.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

// What all threads write to is apart from what all threads watch.
static _Alignas(64) atomic_int arrived;
static _Alignas(64) atomic_uint passed;  // counts the barriers
static _Alignas(64) pthread_mutex_t asleep = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static double slept;  // seconds, of all threads together; whoever has the mutex may add

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Tells the processor that this loop only waits, so that it leaves the core to its other thread.
static void relax(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb");
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
    double begin = seconds();
    pthread_mutex_lock(&asleep);
    while (atomic_load_explicit(&passed, memory_order_relaxed) == now) pthread_cond_wait(&wake, &asleep);
    slept += seconds() - begin;
    pthread_mutex_unlock(&asleep);
}

double thread_slept(void) {
    pthread_mutex_lock(&asleep);
    double seconds_slept = slept;
    pthread_mutex_unlock(&asleep);
    return seconds_slept;
}
