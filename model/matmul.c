// matmul.c -- a tile of out that stays in registers while k runs.
//
// The innermost loop adds the product of a column of a and a row of b to a tile of MR x NR elements of out,
// which never leaves the registers. Elements of a are wanted one at a time, so a is read where it is, unless
// its columns are what is contiguous and lie far apart: then each number would cost a line of the cache, and
// MC rows are first copied ("packed") into a panel. Rows of b are wanted as whole registers. Where they are
// not so in memory, b transposed or at the right edge, or where many rows of a will use them, KC rows of a
// sliver of b, as wide as the tile, are packed, too.
#include "matmul.h"
#include "vector.h"
#include <assert.h>

// The tests also build with tiny tiles, so that every edge is met: see TINY in the Makefile.
#ifndef MATMUL_MR
#if defined __AVX512F__
enum { MATMUL_MR = 12, MATMUL_NV = 2 };  // the tile holds 24 of 32 registers
#elif defined __AVX__
enum { MATMUL_MR = 6, MATMUL_NV = 2 };  // 12 of 16
#elif defined __aarch64__
enum { MATMUL_MR = 8, MATMUL_NV = 2 };  // 16 of 32
#else
enum { MATMUL_MR = 4, MATMUL_NV = 2 };  // 8 of 16
#endif
enum { MATMUL_ROW_TILES = 16, MATMUL_KC = 512, MATMUL_FAR = 128 };
#endif

enum { MR = MATMUL_MR, NV = MATMUL_NV, NR = NV * VEC, KC = MATMUL_KC, MC = MATMUL_ROW_TILES * MR };
enum {
    FAR = MATMUL_FAR,      // columns of a that are further apart are packed
    PACKING_PAYS = 5 * MR  // rows of a; for fewer, a b that can be read in place is
};

_Static_assert(MR <= 12 && NV <= 2, "tile_of has cases for so many");

static _Thread_local real panel_of_a[MC * KC] __attribute__((aligned(64)));
static _Thread_local real panel_of_b[KC * NR] __attribute__((aligned(64)));

// Memory that will be wanted soon: pairs of cache lines, `stride` apart.
typedef struct {
    const real *at;
    long stride, pairs;
} Fetch;

enum { LINE = 64 / (int)sizeof(real), FETCH_EVERY = 4 };  // terms of the sums of a tile for each pair

// One tile's work: out (rows,columns) = start + a b. Rows of out, start and b are so far apart; start_row is
// 0 for a bias. While the sums run, the next tile of out and a part of the next sliver of b are fetched:
// waiting for memory is hidden behind arithmetic.
typedef struct {
    real *out;
    const real *start, *b;
    Matrix a;
    long out_row, start_row, b_row, K;
    Fetch next_out, next_b;
} Tile;

static inline void fetch(const Tile *t, long pair) {
    const Fetch *f = &t->next_out;
    if (pair >= f->pairs) {
        pair -= f->pairs;
        f = &t->next_b;
        if (pair >= f->pairs) return;
    }
    const real *p = f->at + pair * f->stride;
    __builtin_prefetch(p);
    __builtin_prefetch(p + LINE);
}

static inline __attribute__((always_inline)) void tile(const Tile *t, const int rows, const int vectors,
                                                       const bool a_transposed) {
    vec sum[12][2];
    const real *a = t->a.at, *b = t->b;
    const long a_row = a_transposed ? 1 : t->a.row, a_col = a_transposed ? t->a.col : 1;
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int j = 0; j < vectors; j++) sum[i][j] = vec_load(t->start + i * t->start_row + j * VEC);
    for (long k = 0; k < t->K; k++, a += a_col, b += t->b_row) {
        if (k % FETCH_EVERY == 0) fetch(t, k / FETCH_EVERY);
        vec row[2];
        UNROLL
        for (int j = 0; j < vectors; j++) row[j] = vec_load(b + j * VEC);
        UNROLL
        for (int i = 0; i < rows; i++) {
            vec column = vec_all(a[i * a_row]);
            UNROLL
            for (int j = 0; j < vectors; j++) sum[i][j] = vec_fma(column, row[j], sum[i][j]);
        }
    }
    UNROLL
    for (int i = 0; i < rows; i++) UNROLL
    for (int j = 0; j < vectors; j++) vec_store(t->out + i * t->out_row + j * VEC, sum[i][j]);
}

// The same, compiled for each number of rows: a tile of fewer rows than MR costs only what it has.
static inline __attribute__((always_inline)) void tile_of(const Tile *t, long rows, const int vectors,
                                                          const bool a_transposed) {
    switch (rows) {
#define ROWS(r)                                         \
    case r:                                             \
        if (r <= MR) tile(t, r, vectors, a_transposed); \
        break;
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12)
#undef ROWS
    }
}

static void full_width(const Tile *t, long rows) {
    if (t->a.col != 1)
        tile_of(t, rows, NV, true);
    else
        tile_of(t, rows, NV, false);
}

static void one_vector_wide(const Tile *t, long rows) {
    if (t->a.col != 1)
        tile_of(t, rows, 1, true);
    else
        tile_of(t, rows, 1, false);
}

// A tile that hangs over the right edge of out is worked out in a copy.
static void at_the_edge(const Tile *t, long rows, long columns) {
    real copy[MR * NR];
    Tile inside = *t;
    inside.out = copy, inside.start = copy, inside.out_row = inside.start_row = NR;
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < NR; j++) copy[i * NR + j] = j < columns ? t->start[i * t->start_row + j] : 0;
    if (columns <= VEC)
        one_vector_wide(&inside, rows);
    else
        full_width(&inside, rows);
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) t->out[i * t->out_row + j] = copy[i * NR + j];
}

void transpose(real *to, long to_row, const real *from, long from_row, long rows, long columns) {
    long whole_rows = rows / VEC * VEC, whole_columns = columns / VEC * VEC;
    for (long i = 0; i < whole_rows; i += VEC)
        for (long j = 0; j < whole_columns; j += VEC) {
            vec x[VEC];
            UNROLL
            for (int r = 0; r < VEC; r++) x[r] = vec_load(from + (i + r) * from_row + j);
            vec_transpose(x);
            UNROLL
            for (int r = 0; r < VEC; r++) vec_store(to + (j + r) * to_row + i, x[r]);
        }
    for (long i = 0; i < rows; i++)
        for (long j = i < whole_rows ? whole_columns : 0; j < columns; j++)
            to[j * to_row + i] = from[i * from_row + j];
}

// to[0..n) = from[0..n). Where n is WIDTH, which the compiler knows, it needs no call.
static inline __attribute__((always_inline)) void copy_numbers(real *to, const real *from, long n,
                                                               const int WIDTH) {
    if (n == WIDTH)
        memcpy(to, from, (size_t)WIDTH * sizeof(real));
    else
        memcpy(to, from, (size_t)n * sizeof(real));
}

// panel_of_b (K,NR) = the sliver of b, filled up with zeros.
static void pack_b(Matrix b, long columns, long K) {
    if (columns < NR) memset(panel_of_b, 0, (size_t)(K * NR) * sizeof(real));
    if (b.col == 1)
        for (long k = 0; k < K; k++) copy_numbers(panel_of_b + k * NR, b.at + k * b.row, columns, NR);
    else
        transpose(panel_of_b, NR, b.at, b.col, columns, K);
}

// panel_of_a (M/MR,K,MR) = a, whose columns are contiguous. Some columns at a time, which stay near: what is
// read is in order across the rows of the panel, what is written along them.
static void pack_a(Matrix a, long M, long K) {
    const long NEAR = 16;
    for (long first = 0; first < K; first += NEAR)
        for (long i = 0; i < M; i += MR)
            for (long k = first; k < min_long(first + NEAR, K); k++)
                copy_numbers(panel_of_a + i * K + k * MR, a.at + i + k * a.col, min_long(MR, M - i), MR);
}

// The part of the next sliver of b, NR columns further on, that tile number n of `tiles` fetches.
static Fetch part_of_next(Matrix sliver, long K, long n, long tiles) {
    if (sliver.col == 1) {  // K rows
        long begin = K * n / tiles, end = K * (n + 1) / tiles;
        return (Fetch){sliver.at + NR + begin * sliver.row, sliver.row, end - begin};
    }
    // NR columns of K numbers; they follow each other where K is all of b's depth, which is the usual case.
    long pairs = NR * K / (2 * LINE), begin = pairs * n / tiles, end = pairs * (n + 1) / tiles;
    return (Fetch){sliver.at + NR * sliver.col + begin * 2 * LINE, 2 * LINE, end - begin};
}

// M rows of out and K terms of each sum: the first ones, which start from the bias or from zero, where
// `fresh`.
static void block(real *out, long out_row, Matrix a, Matrix b, const real *bias, bool fresh, long M, long N,
                  long K) {
    static const real zero[NR];
    bool a_packed = a.col > FAR;
    if (a_packed) pack_a(a, M, K);
    for (long j = 0; j < N; j += NR) {
        long columns = min_long(NR, N - j);
        Matrix sliver = {b.at + j * b.col, b.row, b.col};
        bool b_packed = b.col != 1 || columns < NR || M >= PACKING_PAYS;
        if (b_packed) pack_b(sliver, columns, K);
        for (long i = 0; i < M; i += MR) {
            real *corner = out + i * out_row + j;
            Fetch next_out = {0};
            if (i + MR < M)
                next_out = (Fetch){corner + MR * out_row, out_row, min_long(MR, M - i - MR)};
            else if (j + NR < N)
                next_out = (Fetch){out + j + NR, out_row, min_long(MR, M)};
            Tile t = {.out = corner,
                      .start = !fresh ? corner
                               : bias ? bias + j
                                      : zero,
                      .a = a_packed ? (Matrix){panel_of_a + i * K, 1, MR}
                                    : (Matrix){a.at + i * a.row, a.row, a.col},
                      .b = b_packed ? panel_of_b : sliver.at,
                      .out_row = out_row,
                      .start_row = fresh ? 0 : out_row,
                      .b_row = b_packed ? NR : b.row,
                      .K = K,
                      .next_out = next_out};
            if (b_packed && j + NR < N) t.next_b = part_of_next(sliver, K, i / MR, (M + MR - 1) / MR);
            long rows = min_long(MR, M - i);
            if (columns == NR)
                full_width(&t, rows);
            else
                at_the_edge(&t, rows, columns);
        }
    }
}

void matmul(real *out, long out_row, Matrix a, Matrix b, const real *bias, Store store, long M, long N,
            long K) {
    assert(K > 0 && (a.row == 1 || a.col == 1) && (b.row == 1 || b.col == 1));
    long rows_at_once = a.col > FAR ? MC : M;
    for (long i = 0; i < M; i += rows_at_once)
        for (long k = 0; k < K; k += KC)
            block(out + i * out_row, out_row, (Matrix){a.at + i * a.row + k * a.col, a.row, a.col},
                  (Matrix){b.at + k * b.row, b.row, b.col}, bias, store == STORE_SET && k == 0,
                  min_long(rows_at_once, M - i), N, min_long(KC, K - k));
}
