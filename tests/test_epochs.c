#include "../model/epochs.h"
#include "test.h"

static bool is_a_bijection(uint64_t key, uint64_t n) {
    bool *seen = calloc(n, sizeof *seen), good = seen != NULL;
    for (uint64_t i = 0; good && i < n; i++) {
        uint64_t to = permuted(key, i, n);
        good = to < n && !seen[to];
        if (good) seen[to] = true;
    }
    free(seen);
    return good;
}

static void every_permutation_is_a_bijection(void) {
    for (uint64_t n = 1; n <= 200; n++)
        for (uint64_t key = 0; key < 5; key++) CHECK(is_a_bijection(random_mix(key + 1), n));
    static const uint64_t larger[] = {255,  256,  257,   1000,  1023,  1024,  1025,
                                      4096, 4097, 65535, 65536, 65537, 100003};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        CHECK(is_a_bijection(random_mix(i), larger[i]));
}

static void a_permutation_of_many_numbers_stays_among_them(void) {
    static const uint64_t sizes[] = {(uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, 5000000000u,
                                     ((uint64_t)1 << 62) + 1, (uint64_t)1 << 63};
    for (int s = 0; s < 5; s++) {
        bool inside = true, moved = false;
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t from = i % 2 ? sizes[s] - 1 - i : i, to = permuted(3, from, sizes[s]);
            inside = inside && to < sizes[s];
            moved = moved || to != from;
        }
        CHECK(inside);
        CHECK(moved);
    }
}

static void all_orders_of_a_few_numbers_come_up_equally_often(void) {
    enum { KEYS = 12000 };
    long count[6] = {0};
    for (uint64_t key = 0; key < KEYS; key++) {
        uint64_t a = permuted(random_mix(key), 0, 3), b = permuted(random_mix(key), 1, 3);
        count[2 * a + (b > a ? b - 1 : b)]++;
    }
    for (int i = 0; i < 6; i++) CHECK(labs(count[i] - KEYS / 6) < 200);  // five standard deviations
}

static void every_number_goes_everywhere_equally_often(void) {
    enum { N = 10, KEYS = 20000 };
    static long count[N][N];
    for (uint64_t key = 0; key < KEYS; key++)
        for (uint64_t i = 0; i < N; i++) count[i][permuted(random_mix(key), i, N)]++;
    bool even = true;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) even = even && labs(count[i][j] - KEYS / N) < 220;
    CHECK(even);
}

static void neighbours_do_not_stay_together(void) {
    enum { N = 10000 };
    long together = 0, fixed = 0;
    for (uint64_t i = 0; i + 1 < N; i++) {
        uint64_t a = permuted(5, i, N), b = permuted(5, i + 1, N);
        together += b == a + 1;
        fixed += a == i;
    }
    CHECK(together < 10 && fixed < 10);  // each is 1 in the mean
}

// One epoch from its beginning: whether its windows stand side by side from some phase, each once, within the
// text, and no further window would fit. Leaves e at the end of the epoch, and the starts in order in
// start[].
static bool epoch_is_whole(Epochs *e, long *start) {
    long first = epochs_next(e), windows = epochs_windows(e), epoch = e->epoch, lowest = first;
    if (e->next != 1 || windows < 1) return false;
    bool *seen = calloc((size_t)windows, sizeof *seen);
    start[0] = first;
    for (long w = 1; w < windows; w++) {
        start[w] = epochs_next(e);
        if (start[w] < lowest) lowest = start[w];
    }
    bool good = e->epoch == epoch && e->next == windows && lowest >= 0 && lowest < e->T;
    for (long w = 0; good && w < windows; w++) {
        long place = (start[w] - lowest) / e->T;
        good =
            (start[w] - lowest) % e->T == 0 && place < windows && !seen[place] && start[w] + e->T + 1 <= e->n;
        if (good) seen[place] = true;
    }
    free(seen);
    return good && lowest + windows * e->T + e->T + 1 > e->n;
}

static void each_epoch_visits_each_window_once_and_stays_inside_the_text(void) {
    static long start[1000];
    for (long T = 1; T <= 9; T++)
        for (long n = T + 1; n <= 60; n++) {
            Epochs e = {.seed = (uint64_t)(100 * T + n), .n = n, .T = T};
            for (int epoch = 0; epoch < 6; epoch++) {
                bool good =
                    e.epoch == (epoch ? epoch - 1 : 0) && epoch_is_whole(&e, start) && e.epoch == epoch;
                if (!CHECK(good)) printf("  T %ld, n %ld, epoch %d\n", T, n, epoch);
            }
        }
}

static void the_smallest_text_has_one_window(void) {
    static const long lengths[] = {1, 2, 64, 1024};
    for (int i = 0; i < 4; i++) {
        Epochs e = {.seed = 1, .n = lengths[i] + 1, .T = lengths[i]};
        for (long k = 0; k < 20; k++) {
            CHECK(epochs_windows(&e) == 1);
            CHECK(epochs_next(&e) == 0);
            CHECK(e.epoch == k && e.next == 1);
        }
    }
}

static void over_the_epochs_every_token_is_a_target(void) {
    enum { SIZE = 50 };
    long as_target[SIZE] = {0};
    Epochs e = {.seed = 3, .n = SIZE, .T = 7};
    for (int k = 0; k < 400; k++) {
        long start = epochs_next(&e);
        for (long t = 0; t < e.T; t++) as_target[start + t + 1]++;
    }
    CHECK(as_target[0] == 0);  // nothing stands before the first token
    for (int i = 1; i < SIZE; i++) CHECK(as_target[i] > 0);
}

static void phases_take_every_value(void) {
    bool seen[8] = {false};
    Epochs e = {.seed = 4, .n = 200, .T = 8};
    for (e.epoch = 0; e.epoch < 200; e.epoch++) {
        e.next = 0;
        seen[epochs_next(&e) % 8] = true;
    }
    for (int i = 0; i < 8; i++) CHECK(seen[i]);
}

static void a_saved_place_continues_identically(void) {
    enum { STEPS = 200 };
    long whole[STEPS];
    Epochs e = {.seed = 12, .n = 100, .T = 6};
    for (int k = 0; k < STEPS; k++) whole[k] = epochs_next(&e);
    bool same = true;
    for (int cut = 0; cut < STEPS; cut++) {
        Epochs before = {.seed = 12, .n = 100, .T = 6};
        for (int k = 0; k < cut; k++) epochs_next(&before);
        Epochs after = {.seed = 12, .n = 100, .T = 6, .epoch = before.epoch, .next = before.next};
        for (int k = cut; k < STEPS; k++) same = same && epochs_next(&after) == whole[k];
    }
    CHECK(same);
}

static void epochs_and_seeds_differ(void) {
    enum { N = 100000, T = 100 };
    static long first[2000], second[2000], other[2000];
    Epochs e = {.seed = 1, .n = N, .T = T}, f = {.seed = 2, .n = N, .T = T};
    CHECK(epoch_is_whole(&e, first) && epoch_is_whole(&e, second) && epoch_is_whole(&f, other));
    long same = 0, same_seed = 0, ascending = 0;
    for (long w = 0; w < 999; w++) {
        same += first[w] / T == second[w] / T;
        same_seed += first[w] / T == other[w] / T;
        ascending += first[w + (w < 998)] > first[w];
    }
    CHECK(same < 10 && same_seed < 10);
    CHECK(ascending > 400 && ascending < 600);
}

static void a_text_beyond_four_gigabytes_is_no_obstacle(void) {
    Epochs e = {.seed = 1, .n = 10000000000, .T = 256};
    long far = 0;
    bool inside = true;
    for (int k = 0; k < 1000; k++) {
        long start = epochs_next(&e);
        inside = inside && start >= 0 && start + e.T + 1 <= e.n;
        far += start > (long)1 << 32;
    }
    CHECK(inside);
    CHECK(far > 450 && far < 690);  // 57% lie beyond
}

int main(void) {
    RUN(every_permutation_is_a_bijection);
    RUN(a_permutation_of_many_numbers_stays_among_them);
    RUN(all_orders_of_a_few_numbers_come_up_equally_often);
    RUN(every_number_goes_everywhere_equally_often);
    RUN(neighbours_do_not_stay_together);
    RUN(each_epoch_visits_each_window_once_and_stays_inside_the_text);
    RUN(the_smallest_text_has_one_window);
    RUN(over_the_epochs_every_token_is_a_target);
    RUN(phases_take_every_value);
    RUN(a_saved_place_continues_identically);
    RUN(epochs_and_seeds_differ);
    RUN(a_text_beyond_four_gigabytes_is_no_obstacle);
    return report();
}
