// threads.h -- how work is shared out, with answers for a build without OpenMP.
//
// A public function of the model opens one parallel region. All threads of its team then walk through the
// same code, and each operator works on this thread's share of the rows or of the columns. A share depends on
// how many there are and on nothing else, so a thread finds the rows that it wrote itself; where it needs
// those of others, there is a thread_barrier(). A region with barriers also ends with one, so that nobody
// waits in OpenMP's own, which watches for longer. Outside a region a thread is a team of one, and its share
// is everything.
#ifndef THREADS_H
#define THREADS_H

#ifdef _OPENMP
#include <omp.h>
static inline int thread_index(void) { return omp_get_thread_num(); }
static inline int thread_team(void) { return omp_get_num_threads(); }
#else
static inline int thread_index(void) { return 0; }
static inline int thread_team(void) { return 1; }
#endif

typedef struct {
    long begin, end;
} Range;

// This thread's share of 0 .. n-1, cut at multiples of `unit`.
static inline Range thread_share(long n, long unit) {
    long units = (n + unit - 1) / unit, me = thread_index(), team = thread_team();
    Range r = {units * me / team * unit, units * (me + 1) / team * unit};
    if (r.begin > n) r.begin = n;
    if (r.end > n) r.end = n;
    return r;
}

// Rows are shared out in groups, which are also the first stage of sums over rows: see layernorm.h.
enum { ROW_GROUP = 8 };
static inline Range thread_rows(long N) { return thread_share(N, ROW_GROUP); }

// Columns are shared out in cache lines, so that no two threads write to the same one, where rows are whole
// lines.
enum { COLUMN_GROUP = 16 };
static inline Range thread_columns(long C) { return thread_share(C, COLUMN_GROUP); }

// Waits until the whole team is here: a moment by watching, then by leaving the processor to others, so that
// a busy machine is not slowed down by waiting. Every thread of the team must call it. One team at a time.
void thread_barrier(void);

// The number of threads to use: what OMP_NUM_THREADS asks for, but no more than this process may keep busy,
// which is the number of processors that it may run on, or the share of them that its container may use.
int thread_default(void);

// Sets and tells how many threads a team has, at most. Fewer where OMP_THREAD_LIMIT says so; one without
// OpenMP.
void thread_use(int threads);
int thread_count(void);

// After a piece of work that took so many seconds, and is like the ones before: adapts the size of the next
// teams to what is free. Where another program has a processor, one thread runs half of the time and all
// others wait for it; a team without it is faster. When threads have slept through a tenth of a window (so
// many seconds of work), a team of one less is tried in the next one, and kept if it is faster; so is, after
// a while, a team of one more. No result depends on it.
void thread_adapt(double seconds, double window);

// The seconds that threads have slept in barriers, all together.
double thread_slept(void);

#endif
