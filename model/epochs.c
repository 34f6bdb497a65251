#include "epochs.h"
#include "random.h"

// The phase leaves room for at least one window.
static long phase(const Epochs *e) {
    long most = e->n - e->T < e->T ? e->n - e->T : e->T;
    return (long)(random_bits(random_key(e->seed, RANDOM_DATA, (uint64_t)e->epoch, 0), 0) % (uint64_t)most);
}

long epochs_windows(const Epochs *e) { return (e->n - 1 - phase(e)) / e->T; }

long epochs_next(Epochs *e) {
    if (e->next >= epochs_windows(e)) {
        e->epoch++;
        e->next = 0;
    }
    uint64_t key = random_key(e->seed, RANDOM_DATA, (uint64_t)e->epoch, 1);
    uint64_t window = permuted(key, (uint64_t)e->next++, (uint64_t)epochs_windows(e));
    return phase(e) + (long)window * e->T;
}

// A Feistel network (Luby & Rackoff 1988, doi:10.1137/0217022) permutes the numbers of 2h bits; a result
// outside 0 .. n-1 is permuted again until it falls inside (Black & Rogaway 2002, "cycle walking").
uint64_t permuted(uint64_t key, uint64_t i, uint64_t n) {
    int half = 1;
    while (half < 32 && (uint64_t)1 << 2 * half < n) half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < 6; round++) {
            uint64_t mixed = left ^ (random_bits(key, round << 32 | right) & mask);
            left = right;
            right = mixed;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}
