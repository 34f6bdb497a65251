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

static void there_is_at_least_one_thread(void) { CHECK(thread_default() >= 1); }

int main(void) {
    RUN(shares_are_in_order_and_leave_nothing_out);
    RUN(outside_a_team_a_share_is_everything);
    RUN(nobody_passes_a_barrier_before_all_have_come);
    RUN(there_is_at_least_one_thread);
    return report();
}
