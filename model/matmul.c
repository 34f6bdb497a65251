// matmul.c -- packed panels, a tile of registers, threads over independent rows or columns of tiles.
//
// The innermost loop adds outer products of an MR-column of a and an NR-row of b to a tile of out that never
// leaves the registers. For that, both operands are first copied ("packed") into panels, in exactly the order
// in which the loop reads them; packing absorbs the strides, so that every transposition is the same code,
// and pads the edges with zeros. A KC x NC block of b is packed once, by all threads together; each thread
// packs MC rows of a at a time for itself.
#include "matmul.h"
#include "threads.h"
#include "vector.h"
#include <assert.h>

#ifndef MATMUL_MR  // the tests also build with tiny tiles, so that every edge is met: see TINY in the
                   // Makefile
#if defined __AVX512F__
enum { MATMUL_MR = 12, MATMUL_NV = 2 };  // the tile holds 24 of 32 registers
#elif defined __AVX__
enum { MATMUL_MR = 6, MATMUL_NV = 2 };  // 12 of 16
#elif defined __aarch64__
enum { MATMUL_MR = 8, MATMUL_NV = 2 };  // 16 of 32
#else
enum { MATMUL_MR = 4, MATMUL_NV = 2 };  // 8 of 16
#endif
enum { MATMUL_ROW_TILES = 96 / MATMUL_MR, MATMUL_KC = 256, MATMUL_NC = 1024 };
#endif

enum {
    MR = MATMUL_MR,
    NV = MATMUL_NV,
    NR = NV * VEC,
    MC = MATMUL_ROW_TILES * MR,
    KC = MATMUL_KC,
    NC = (MATMUL_NC + NR - 1) / NR * NR,
};

static _Thread_local real panel_of_a[MC * KC] __attribute__((aligned(64)));
static _Thread_local real panel_of_b[KC * NC] __attribute__((aligned(64)));

// One call of matmul, as each thread of its team sees it.
typedef struct {
    real *out;
    const real *bias;
    Matrix a, b;
    long out_row, M, N, K;
    MatmulMode mode;
    real *packed_b;  // shared by the team
} Product;

static long min_long(long a, long b) { return a < b ? a : b; }

// to (K,WIDTH) = from, whose element (k, w) is from[k * along + w * across]; columns past `width` become 0.
static inline void pack(real *to, const real *from, long along, long across, long width, const long WIDTH,
                        long K) {
    if (across == 1 && width == WIDTH) {
        for (long k = 0; k < K; k++) memcpy(to + k * WIDTH, from + k * along, (size_t)WIDTH * sizeof(real));
        return;
    }
    for (long w = 0; w < WIDTH; w++)
        for (long k = 0; k < K; k++) to[k * WIDTH + w] = w < width ? from[k * along + w * across] : 0;
}

// out[MR][NR] = start[MR][NR] + sum over k of a[k][MR] times b[k][NR].
static void tile(real *out, long out_row, const real *start, long start_row, const real *restrict a,
                 const real *restrict b, long K) {
    vec sum[MR][NV];
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 16
        for (int j = 0; j < NV; j++) sum[i][j] = vec_load(start + i * start_row + j * VEC);
    for (long k = 0; k < K; k++) {
        vec row[NV];
#pragma GCC unroll 16
        for (int j = 0; j < NV; j++) row[j] = vec_load(b + k * NR + j * VEC);
#pragma GCC unroll 16
        for (int i = 0; i < MR; i++) {
            vec column = vec_all(a[k * MR + i]);
#pragma GCC unroll 16
            for (int j = 0; j < NV; j++) sum[i][j] = vec_fma(column, row[j], sum[i][j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < MR; i++)
#pragma GCC unroll 16
        for (int j = 0; j < NV; j++) vec_store(out + i * out_row + j * VEC, sum[i][j]);
}

// The tile at (i, j) of out, rows x columns of which exist: where it hangs over the edge, it is worked out in
// a copy.
static void tile_at(const Product *p, long i, long j, bool first, const real *a, const real *b, long K) {
    static const real zero[NR];
    long rows = min_long(MR, p->M - i), columns = min_long(NR, p->N - j);
    real *out = p->out + i * p->out_row + j;
    bool fresh = first && p->mode == MATMUL_SET;
    const real *start = !fresh ? out : p->bias ? p->bias + j : zero;
    long start_row = fresh ? 0 : p->out_row;
    if (rows == MR && columns == NR) {
        tile(out, p->out_row, start, start_row, a, b, K);
        return;
    }
    real edge[MR * NR] = {0};
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++) edge[r * NR + c] = start[r * start_row + c];
    tile(edge, NR, edge, NR, a, b, K);
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++) out[r * p->out_row + c] = edge[r * NR + c];
}

// The part of thread `me` of `team`: it owns a range of rows of tiles, or of columns where there are few
// rows.
static void product_share(const Product *p, int me, int team) {
    long row_tiles = (p->M + MR - 1) / MR;
    bool by_rows = row_tiles >= team;
    long row_begin = by_rows ? row_tiles * me / team * MR : 0;
    long row_end = by_rows ? min_long(row_tiles * (me + 1) / team * MR, p->M) : p->M;

    for (long j0 = 0; j0 < p->N; j0 += NC) {
        long column_tiles = (min_long(NC, p->N - j0) + NR - 1) / NR;
        long tile_begin = by_rows ? 0 : column_tiles * me / team;
        long tile_end = by_rows ? column_tiles : column_tiles * (me + 1) / team;
        for (long k0 = 0; k0 < p->K; k0 += KC) {
            long kc = min_long(KC, p->K - k0);
            for (long t = column_tiles * me / team; t < column_tiles * (me + 1) / team; t++)
                pack(p->packed_b + t * NR * kc, p->b.at + k0 * p->b.row + (j0 + t * NR) * p->b.col, p->b.row,
                     p->b.col, min_long(NR, p->N - j0 - t * NR), NR, kc);
            if (team > 1) thread_barrier();  // alone inside another's parallel region, the team is not ours
            for (long i0 = row_begin; i0 < row_end; i0 += MC) {
                long i_end = min_long(i0 + MC, row_end);
                for (long i = i0; i < i_end; i += MR)
                    pack(panel_of_a + (i - i0) * kc, p->a.at + i * p->a.row + k0 * p->a.col, p->a.col,
                         p->a.row, min_long(MR, p->M - i), MR, kc);
                for (long t = tile_begin; t < tile_end; t++)
                    for (long i = i0; i < i_end; i += MR)
                        tile_at(p, i, j0 + t * NR, k0 == 0, panel_of_a + (i - i0) * kc,
                                p->packed_b + t * NR * kc, kc);
            }
            if (team > 1) thread_barrier();  // before the block of b is packed anew
        }
    }
}

void matmul(real *out, long out_row, Matrix a, Matrix b, const real *bias, MatmulMode mode, long M, long N,
            long K) {
    assert(M > 0 && N > 0 && K > 0);
    Product p = {out, bias, a, b, out_row, M, N, K, mode, panel_of_b};
    const long at_once = 16;  // a multiply-add costs a fraction of what other work on a number does
    if (thread_inside_parallel() || !thread_worth(M * N * K / at_once)) {
        product_share(&p, 0, 1);
        return;
    }
#pragma omp parallel
    product_share(&p, thread_index(), thread_team());
}
