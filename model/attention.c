// attention.c -- softmax(q k' / sqrt(HS)) v, a tile of queries against a tile of keys at a time.
//
// A row of scores is never complete. Forward, each row of queries carries its largest score m so far and the
// sum l of e^(score - m); when a tile brings a larger m, l and the row of out are scaled down to it ("online
// softmax"). Backward, the weights of a tile are made again from lse = m + ln l. Both walk only the tiles on
// and below the diagonal.
#include "attention.h"
#include "elementary.h"
#include "matmul.h"
#include "threads.h"
#include "vector.h"

#ifndef ATTENTION_TILE  // the tests also build with tiny tiles
enum { ATTENTION_TILE = 64 };
#endif
enum { TILE = ATTENTION_TILE };

// One head of one sequence. Element (i, c) of q is q[i * q_row + c], and so on.
typedef struct {
    const real *q, *k, *v;
    long q_row, kv_row;
    long HS;
    long past;            // query i sees the keys 0 .. past + i
    const Dropout *drop;  // NULL for none
    uint64_t drop_at;     // index of weight (0,0), and `drop_row` further for each query
    uint64_t drop_row;
} Head;

static long min_long(long a, long b) { return a < b ? a : b; }

static real score_scale(const Head *h) { return 1 / sqrt((real)h->HS); }

// How many of the keys j0 .. j0+keys-1 query i sees.
static long keys_seen(const Head *h, long i, long j0, long keys) {
    long seen = h->past + i - j0 + 1;
    return seen < 0 ? 0 : min_long(seen, keys);
}

// scores (queries,TILE) = q k', not yet scaled.
static void tile_scores(real *scores, const Head *h, long i0, long queries, long j0, long keys) {
    matmul(scores, TILE, (Matrix){h->q + i0 * h->q_row, h->q_row, 1},
           (Matrix){h->k + j0 * h->kv_row, 1, h->kv_row}, NULL, MATMUL_SET, queries, keys, h->HS);
}

static void drop_weights(real *to, const real *from, const Head *h, long i, long j0, long n) {
    uint64_t at = h->drop_at + (uint64_t)i * h->drop_row + (uint64_t)j0;
#pragma omp simd
    for (long j = 0; j < n; j++) to[j] = from[j] * dropout_factor(h->drop, at + (uint64_t)j);
}

// Queries i0 .. i0+queries-1, at most TILE of them. lse may be NULL.
static void head_forward(real *out, long out_row, real *lse, const Head *h, long i0, long queries) {
    real p[TILE * TILE], largest[TILE], sum[TILE];
    real scale = score_scale(h);
    for (long i = 0; i < queries; i++) {
        largest[i] = -(real)INFINITY;
        sum[i] = 0;
        for (long c = 0; c < h->HS; c++) out[(i0 + i) * out_row + c] = 0;
    }
    long keys_end = h->past + i0 + queries;
    for (long j0 = 0; j0 < keys_end; j0 += TILE) {
        long keys = min_long(TILE, keys_end - j0);
        tile_scores(p, h, i0, queries, j0, keys);
        for (long i = 0; i < queries; i++) {
            real *row = p + i * TILE, *o = out + (i0 + i) * out_row;
            long seen = keys_seen(h, i0 + i, j0, keys);
            for (long j = seen; j < keys; j++) row[j] = 0;
            if (seen == 0) continue;
            real m = fmax(largest[i], scale * lanes_max(row, seen)), shrink = exp_real(largest[i] - m);
#pragma omp simd
            for (long j = 0; j < seen; j++) row[j] = exp_real(real_fma(scale, row[j], -m));
            sum[i] = real_fma(sum[i], shrink, lanes_sum(row, seen));
            largest[i] = m;
            if (shrink != 1)
                for (long c = 0; c < h->HS; c++) o[c] *= shrink;
            if (h->drop) drop_weights(row, row, h, i0 + i, j0, seen);
        }
        matmul(out + i0 * out_row, out_row, (Matrix){p, TILE, 1},
               (Matrix){h->v + j0 * h->kv_row, h->kv_row, 1}, NULL, MATMUL_ADD, queries, h->HS, keys);
    }
    for (long i = 0; i < queries; i++) {
        real inverse = 1 / sum[i];
        for (long c = 0; c < h->HS; c++) out[(i0 + i) * out_row + c] *= inverse;
        if (lse) lse[i0 + i] = largest[i] + (real)log_double((double)sum[i]);
    }
}

static Head head_of(const real *qkv, const Dropout *drop, long b, long head, long T, long NH, long HS) {
    long C = NH * HS;
    const real *q = qkv + b * T * 3 * C + head * HS;
    return (Head){.q = q,
                  .k = q + C,
                  .v = q + 2 * C,
                  .q_row = 3 * C,
                  .kv_row = 3 * C,
                  .HS = HS,
                  .past = 0,
                  .drop = drop,
                  .drop_at = (uint64_t)((b * NH + head) * T * T),
                  .drop_row = (uint64_t)T};
}

void attention_forward(real *out, real *lse, const real *qkv, const Dropout *drop, long B, long T, long NH,
                       long HS) {
    long tiles = (T + TILE - 1) / TILE;
    // Later tiles of a head have more keys, so the threads take them one by one.
#pragma omp parallel for schedule(dynamic) if (thread_worth(B * NH * T * T))
    for (long n = B * NH * tiles - 1; n >= 0; n--) {
        long i0 = n % tiles * TILE, b = n / tiles / NH, head = n / tiles % NH;
        Head h = head_of(qkv, drop, b, head, T, NH, HS);
        head_forward(out + b * T * NH * HS + head * HS, NH * HS, lse + (b * NH + head) * T, &h, i0,
                     min_long(TILE, T - i0));
    }
}

void attention_decode(real *out, const real *q, long q_row, const real *kcache, const real *vcache, long n,
                      long T, long NH, long HS) {
    long C = NH * HS;
#pragma omp parallel for schedule(static) if (thread_worth(NH * n * T))
    for (long head = 0; head < NH; head++) {
        Head h = {.q = q + head * HS,
                  .k = kcache + head * HS,
                  .v = vcache + head * HS,
                  .q_row = q_row,
                  .kv_row = C,
                  .HS = HS,
                  .past = T - n};
        for (long i0 = 0; i0 < n; i0 += TILE)
            head_forward(out + head * HS, C, NULL, &h, i0, min_long(TILE, n - i0));
    }
}

// The weights of a tile, made again: p (queries,TILE) = e^(score - lse) where seen, 0 elsewhere.
static void tile_weights(real *p, const Head *h, const real *lse, long i0, long queries, long j0, long keys) {
    real scale = score_scale(h);
    tile_scores(p, h, i0, queries, j0, keys);
    for (long i = 0; i < queries; i++) {
        real *row = p + i * TILE, l = lse[i0 + i];
        long seen = keys_seen(h, i0 + i, j0, keys);
#pragma omp simd
        for (long j = 0; j < seen; j++) row[j] = exp_real(real_fma(scale, row[j], -l));
        for (long j = seen; j < keys; j++) row[j] = 0;
    }
}

// One head, all its tiles, by one thread: dk and dv of a key sum over queries, dq of a query over keys, in
// fixed order.
static void head_backward(real *dq, real *dk, real *dv, const real *dout, const real *out, long out_row,
                          const real *lse, const Head *h, long T) {
    real p[TILE * TILE], dp[TILE * TILE], delta[TILE];
    real scale = score_scale(h);
    long HS = h->HS, row = h->q_row;
    for (long j0 = 0; j0 < T; j0 += TILE) {
        long keys = min_long(TILE, T - j0);
        Matrix k = {h->k + j0 * row, row, 1}, v_transposed = {h->v + j0 * row, 1, row};
        for (long i0 = j0; i0 < T; i0 += TILE) {
            long queries = min_long(TILE, T - i0);
            Matrix q = {h->q + i0 * row, row, 1}, d = {dout + i0 * out_row, out_row, 1};
            tile_weights(p, h, lse, i0, queries, j0, keys);
            matmul(dp, TILE, d, v_transposed, NULL, MATMUL_SET, queries, keys, HS);
            for (long i = 0; i < queries; i++) {
                long at = (i0 + i) * out_row;
                delta[i] = lanes_dot(dout + at, out + at, HS);
                if (h->drop) drop_weights(dp + i * TILE, dp + i * TILE, h, i0 + i, j0, keys);
                // dp becomes ds.
                for (long j = i * TILE; j < i * TILE + keys; j++) dp[j] = p[j] * (dp[j] - delta[i]) * scale;
                if (h->drop) drop_weights(p + i * TILE, p + i * TILE, h, i0 + i, j0, keys);
            }
            Matrix p_transposed = {p, 1, TILE}, ds = {dp, TILE, 1}, ds_transposed = {dp, 1, TILE};
            matmul(dv + j0 * row, row, p_transposed, d, NULL, MATMUL_ADD, keys, HS, queries);
            matmul(dq + i0 * row, row, ds, k, NULL, MATMUL_ADD, queries, HS, keys);
            matmul(dk + j0 * row, row, ds_transposed, q, NULL, MATMUL_ADD, keys, HS, queries);
        }
    }
}

// With p = e^(s - lse), f the dropout factors and delta[i] = dout[i] . out[i],
//   dv[j] = sum over i of p[i,j] f[i,j] dout[i],
//   ds[i,j] = p[i,j] (f[i,j] dout[i] . v[j] - delta[i]) scale,
//   dq[i] = sum over j of ds[i,j] k[j],   dk[j] = sum over i of ds[i,j] q[i].
void attention_backward(real *dqkv, const real *dout, const real *qkv, const real *out, const real *lse,
                        const Dropout *drop, long B, long T, long NH, long HS) {
    long C = NH * HS;
#pragma omp parallel for schedule(dynamic) if (thread_worth(B * NH * T * T))
    for (long n = 0; n < B * NH; n++) {
        long b = n / NH, head = n % NH, at = b * T * C + head * HS;
        Head h = head_of(qkv, drop, b, head, T, NH, HS);
        real *dq = dqkv + b * T * 3 * C + head * HS;
        head_backward(dq, dq + C, dq + 2 * C, dout + at, out + at, C, lse + n * T, &h, T);
    }
}
