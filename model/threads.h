// threads.h -- the few questions that the model asks of OpenMP, with answers for a build without it.
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>

// Whether work on so many numbers is worth waking the other threads: below some thousands, that takes longer
// than the work. The results do not depend on it.
#ifndef THREAD_WORTH
#define THREAD_WORTH 4096
#endif
static inline bool thread_worth(long numbers) { return numbers >= THREAD_WORTH; }

#ifdef _OPENMP
#include <omp.h>
static inline int thread_index(void) { return omp_get_thread_num(); }
static inline int thread_team(void) { return omp_get_num_threads(); }
static inline bool thread_inside_parallel(void) { return omp_in_parallel(); }

// Waits until the whole team is here. Every thread of the team must call it.
static inline void thread_barrier(void) {
#pragma omp barrier
}

// The number of threads to use: what OMP_NUM_THREADS asks for, but no more than the processors this process
// may run on.
static inline int thread_default(void) {
    int wanted = omp_get_max_threads(), available = omp_get_num_procs();
    return wanted < available ? wanted : available;
}
static inline void thread_use(int threads) { omp_set_num_threads(threads); }
static inline int thread_count(void) { return omp_get_max_threads(); }
#else
static inline int thread_index(void) { return 0; }
static inline int thread_team(void) { return 1; }
static inline bool thread_inside_parallel(void) { return false; }
static inline void thread_barrier(void) {}
static inline int thread_default(void) { return 1; }
static inline void thread_use(int threads) { (void)threads; }
static inline int thread_count(void) { return 1; }
#endif

#endif
