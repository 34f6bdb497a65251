#include "limits.h"
#include "../model/threads.h"
#include "../model/vector.h"
#include <stdlib.h>

enum { PIECES = 16 };  // of a burst, each a turn of the team

// ---- arithmetic ----

// 12 independent sums hide the latency of 4 cycles on two units; a piece takes about a quarter of a
// millisecond.
enum { CHAINS = 12, ROUNDS = 1 << 17 };

static void multiply_and_add(void *of, long piece) {
    (void)of, (void)piece;
    vec sum[CHAINS], a = vec_all((real)0.999), b = vec_all((real)0.001);
    // None starts at 1, which stays what it is, so that a compiler could leave it out.
    for (int c = 0; c < CHAINS; c++) sum[c] = vec_all((real)(c + 2));
    for (long i = 0; i < ROUNDS; i++) {
        UNROLL
        for (int c = 0; c < CHAINS; c++) sum[c] = vec_fma(sum[c], a, b);
    }
    for (int c = 1; c < CHAINS; c++) sum[0] += sum[c];
    volatile real used = sum[0][0];
    (void)used;
}

static double burst_of_arithmetic(void *of) {
    double operations = 2.0 * VEC * CHAINS * ROUNDS * thread_count();
    return operations / median_turn((TeamWork){multiply_and_add, of}, 0, PIECES);
}

Limit limit_arithmetic(void) { return (Limit){burst_of_arithmetic, NULL}; }

// ---- memory ----

enum { CHUNK = 8 * VEC };            // elements that are read in one round
enum { PART = 1 << 24, PARTS = 8 };  // elements; 512 MB in all, about twice the largest caches

bool memory_create(Memory *m, Error *err) {
    size_t bytes = (size_t)PARTS * PART * sizeof(real);
    *m = (Memory){.at = aligned_alloc(64, bytes)};
    if (!m->at) return fail(err, "memory: cannot get %zu bytes to measure reading", bytes);
#pragma omp parallel
    {
        Range r = thread_share((long)PARTS * PART, CHUNK);
        for (long i = r.begin; i < r.end; i++) m->at[i] = 1;
    }
    return true;
}

void memory_free(Memory *m) {
    free(m->at);
    *m = (Memory){0};
}

static Elements next_part(Memory *m) {
    Elements part = {m->at + m->next * PART, PART};
    m->next = (m->next + 1) % PARTS;
    return part;
}

// Elements of a piece of n.
static long piece_of(long n) { return n / PIECES / CHUNK * CHUNK; }

static void read_piece(void *of, long piece) {
    enum { SUMS = CHUNK / VEC };
    const Elements *e = of;
    vec sum[SUMS];
    for (int j = 0; j < SUMS; j++) sum[j] = vec_all(0);
    Range r = thread_share(piece_of(e->n), CHUNK);
    const real *at = e->at + piece * piece_of(e->n);
    for (long i = r.begin; i < r.end; i += CHUNK) {
        UNROLL
        for (int j = 0; j < SUMS; j++) sum[j] += vec_load(at + i + j * VEC);
    }
    for (int j = 1; j < SUMS; j++) sum[0] += sum[j];
    volatile real used = sum[0][0];
    (void)used;
}

static double burst_of_rereading(void *of) {
    const Elements *e = of;
    return (double)piece_of(e->n) * sizeof(real) / median_turn((TeamWork){read_piece, of}, 0, PIECES);
}

static double burst_of_reading(void *of) {
    Elements part = next_part(of);
    return burst_of_rereading(&part);
}

enum { TRIAD = PART / 4 };  // elements of each of three arrays in a part

static void add_piece(void *of, long piece) {
    real *a = (real *)of + piece * (TRIAD / PIECES), *b = a + TRIAD, *c = b + TRIAD;
    Range r = thread_share(TRIAD / PIECES, CHUNK);
    for (long i = r.begin; i < r.end; i++) a[i] = real_fma((real)0.5, c[i], b[i]);
}

static double burst_of_triad(void *of) {
    Elements part = next_part(of);
    double bytes = 3.0 * (TRIAD / PIECES) * sizeof(real);
    return bytes / median_turn((TeamWork){add_piece, (real *)part.at}, 0, PIECES);
}

Limit limit_reading(Memory *m) { return (Limit){burst_of_reading, m}; }
Limit limit_triad(Memory *m) { return (Limit){burst_of_triad, m}; }
Limit limit_rereading(Elements *e) { return (Limit){burst_of_rereading, e}; }
