#include "../model/threads.h"
#include "test.h"
#include <time.h>

static void shares_are_in_order_and_leave_nothing_out(void) {
    int before = thread_default();
    for (int team = 1; team <= 7; team++) {
        thread_use(team);
        for (long n = 0; n < 70; n += 3)
            for (long unit = 1; unit <= 16; unit += 5) {
                Range share[8] = {{0, 0}};
                int threads = 1;
#pragma omp parallel
                {
                    share[thread_index()] = thread_share(n, unit);
                    if (thread_index() == 0) threads = thread_team();
                }
                long at = 0;
                for (int i = 0; i < threads; i++) {
                    CHECK(share[i].begin == at && share[i].end >= at);
                    CHECK(share[i].end % unit == 0 || share[i].end == n);
                    at = share[i].end;
                }
                CHECK(at == n);
            }
    }
    thread_use(before);
}

static void outside_a_team_a_share_is_everything(void) {
    Range r = thread_rows(21);
    CHECK(r.begin == 0 && r.end == 21);
    thread_barrier();  // waits for nobody
}

// One comes late, so that the others sleep.
static void nobody_passes_a_barrier_before_all_have_come(void) {
    enum { THREADS = 6, ROUNDS = 200 };
    int before = thread_default(), early = 0;
    static long round_of[THREADS];
    thread_use(THREADS);
#pragma omp parallel reduction(+ : early)
    for (long round = 1; round <= ROUNDS; round++) {
        if (round % 8 == 0 && thread_index() == round / 8 % THREADS)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        round_of[thread_index()] = round;
        thread_barrier();
        for (int i = 0; i < thread_team(); i++) early += round_of[i] != round;
        thread_barrier();
    }
    CHECK(early == 0);
    CHECK(round_of[0] == ROUNDS);
    thread_use(before);
}

static int team_now(void) {
    int team = 1;
#pragma omp parallel
    if (thread_index() == 0) team = thread_team();
    return team;
}

// Work for one or two threads, of which the second, if there is one, is late: so many milliseconds in which
// the other sleeps at the barrier. Alone, a thread takes `alone` milliseconds.
static void work(long alone, long late) {
#pragma omp parallel
    {
        long wait = thread_team() == 1 ? alone : thread_index() == 1 ? late : 0;
        if (wait > 0) nanosleep(&(struct timespec){.tv_nsec = wait * 1000000}, NULL);
        thread_barrier();
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool reaches(int team, long alone, long late) {
    for (int i = 0; i < 300; i++) {
        double begin = now();
        work(alone, late);
        thread_adapt(now() - begin, 0.01);
        if (team_now() == team) return true;
    }
    return false;
}

static void a_team_shrinks_where_that_is_faster_and_grows_again(void) {
    int before = thread_default();
    thread_use(2);
    if (thread_count() == 2) {  // not without OpenMP
        CHECK(reaches(1, 1, 6));
        for (int i = 0; i < 20; i++) {  // it is faster, so it stays
            double begin = now();
            work(1, 6);
            thread_adapt(now() - begin, 0.01);
        }
        CHECK(team_now() == 1);
        CHECK(thread_count() == 2);
        CHECK(reaches(2, 6, 1));
        for (int i = 0; i < 100; i++) {  // long enough for trials of one thread, which is slower
            double begin = now();
            work(6, 1);
            thread_adapt(now() - begin, 0.01);
        }
        CHECK(reaches(2, 6, 1));
    }
    thread_use(before);
}

static void there_is_at_least_one_thread(void) { CHECK(thread_default() >= 1); }

int main(void) {
    RUN(shares_are_in_order_and_leave_nothing_out);
    RUN(outside_a_team_a_share_is_everything);
    RUN(nobody_passes_a_barrier_before_all_have_come);
    RUN(a_team_shrinks_where_that_is_faster_and_grows_again);
    RUN(there_is_at_least_one_thread);
    return report();
}
