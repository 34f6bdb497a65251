// attention.c -- softmax(q k' / sqrt(HS)) v, a tile of queries against a tile of keys at a time.
//
// A row of scores is never complete. Forward, each query carries its largest score m so far and the sum l of
// e^(score - m); when a tile brings a larger m, l and the query's row of out are scaled down to it ("online
// softmax"). Backward, the weights of a tile are made again from lse = m + ln l. Both walk only the tiles on
// and below the diagonal, and on the diagonal only what is below it, in strips.
//
// A tile of scores is kept transposed, keys x queries: a register then holds one key's score for several
// queries, and maxima and sums over keys need no sum across a register.
#include "attention.h"
#include "elementary.h"
#include "matmul.h"
#include "threads.h"
#include "vector.h"

#ifndef ATTENTION_TILE  // the tests also build with tiny tiles
enum { ATTENTION_TILE = 64, ATTENTION_STRIP = 24 };
#endif
enum {
    TILE = ATTENTION_TILE,
    STRIP = ATTENTION_STRIP,
    STEP = 32,  // queries are filled up to whole registers, and whole tiles of a product
    WIDTH = (TILE + STEP - 1) / STEP * STEP  // of a row of scores
};

_Static_assert(STEP % LANES == 0, "a row of scores has whole lanes");

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

// A tile: `queries` queries from i0 on against `keys` keys from j0 on.
typedef struct {
    long i0, queries, j0, keys;
} Tile;

long attention_scratch(long HS) { return 2 * HS * WIDTH; }

static real score_scale(const Head *h) { return 1 / sqrt((real)h->HS); }

// The first of the tile's queries that sees its key j, and how many of its keys query i sees.
static long first_query(const Head *h, const Tile *t, long j) {
    long first = t->j0 + j - h->past - t->i0;
    return first < 0 ? 0 : min_long(first, t->queries);
}
static long keys_seen(const Head *h, const Tile *t, long i) {
    long seen = h->past + t->i0 + i - t->j0 + 1;
    return seen < 0 ? 0 : min_long(seen, t->keys);
}
static bool on_diagonal(const Head *h, const Tile *t) { return first_query(h, t, t->keys - 1) > 0; }

static long filled(long queries) { return (queries + STEP - 1) / STEP * STEP; }

// to (HS,WIDTH) = the tile's rows of x, transposed and filled up with zeros.
static void transpose_rows(real *to, const real *x, long row, const Tile *t, long HS) {
    for (long c = 0; c < HS; c++)
        for (long i = t->queries; i < filled(t->queries); i++) to[c * WIDTH + i] = 0;
    transpose(to, WIDTH, x + t->i0 * row, row, t->queries, HS);
}

// s (keys,WIDTH) = rows j0.. of k times the transposed rows of queries, where the key is seen.
static void products_with_keys(real *s, const Head *h, const Tile *t, const real *k, const real *transposed) {
    long step = on_diagonal(h, t) ? STEP : t->keys;
    for (long j = 0; j < t->keys; j += step) {
        long from = first_query(h, t, j) / STEP * STEP, to = filled(t->queries);
        if (from < to)
            matmul(s + j * WIDTH + from, WIDTH, (Matrix){k + (t->j0 + j) * h->kv_row, h->kv_row, 1},
                   (Matrix){transposed + from, WIDTH, 1}, NULL, STORE_SET, min_long(step, t->keys - j),
                   to - from, h->HS);
    }
}

// out (queries,HS) = or += p' x, where p (keys,WIDTH) and x are the tile's rows of keys.
static void sum_over_keys(real *out, long out_row, Store store, const real *p, const real *x, const Head *h,
                          const Tile *t) {
    long step = on_diagonal(h, t) ? STRIP : t->queries;
    for (long i = 0; i < t->queries; i += step) {
        long rows = min_long(step, t->queries - i), seen = keys_seen(h, t, i + rows - 1);
        if (seen > 0)
            matmul(out + (t->i0 + i) * out_row, out_row, (Matrix){p + i, 1, WIDTH},
                   (Matrix){x + t->j0 * h->kv_row, h->kv_row, 1}, NULL, store, rows, h->HS, seen);
    }
}

// out (keys,HS) = or += p x, where p (keys,WIDTH) and x are the tile's rows of queries.
static void sum_over_queries(real *out, long out_row, Store store, const real *p, const real *x, long x_row,
                             const Head *h, const Tile *t) {
    long step = on_diagonal(h, t) ? STRIP : t->keys;
    for (long j = 0; j < t->keys; j += step) {
        long from = first_query(h, t, j);
        matmul(out + (t->j0 + j) * out_row, out_row, (Matrix){p + j * WIDTH + from, WIDTH, 1},
               (Matrix){x + (t->i0 + from) * x_row, x_row, 1}, NULL, store, min_long(step, t->keys - j),
               h->HS, t->queries - from);
    }
}

static void drop_weights(real *row, const Head *h, const Tile *t, long j) {
    uint64_t at = h->drop_at + (uint64_t)t->i0 * h->drop_row + (uint64_t)(t->j0 + j);
    for (long i = 0; i < t->queries; i++) row[i] *= dropout_factor(h->drop, at + (uint64_t)i * h->drop_row);
}

// What a query carries from one tile of keys to the next.
typedef struct {
    real largest[WIDTH], sum[WIDTH];
} Online;

// Scores become e^(score - largest so far); shrink is what earlier sums are multiplied by. Loops over 16
// lanes at a time, since a row has a multiple of that.
static void softmax_step(real *s, real *shrink, Online *o, const Head *h, const Tile *t) {
    real scale = score_scale(h);
    for (long i = 0; i < filled(t->queries); i += LANES) {
        real largest[LANES], sum[LANES], *column = s + i;
        for (int l = 0; l < LANES; l++) largest[l] = -(real)INFINITY, sum[l] = 0;
        long keys = keys_seen(h, t, i + LANES - 1);  // by any of these queries
        for (long j = 0; j < keys; j++) {
            real *row = column + j * WIDTH;
            for (long l = 0; l < first_query(h, t, j) - i; l++) row[l] = -(real)INFINITY;
            for (int l = 0; l < LANES; l++) largest[l] = row[l] > largest[l] ? row[l] : largest[l];
        }
        for (int l = 0; l < LANES; l++) {
            real before = o->largest[i + l], m = scale * largest[l] > before ? scale * largest[l] : before;
            shrink[i + l] = exp_real(before - m);
            o->largest[i + l] = largest[l] = m;
        }
        for (long j = 0; j < keys; j++) {
            real *row = column + j * WIDTH;
            for (int l = 0; l < LANES; l++) {
                row[l] = exp_real(real_fma(scale, row[l], -largest[l]));
                sum[l] += row[l];
            }
        }
        for (long j = keys; j < t->keys; j++)
            for (int l = 0; l < LANES; l++) column[j * WIDTH + l] = 0;
        for (int l = 0; l < LANES; l++) o->sum[i + l] = real_fma(o->sum[i + l], shrink[i + l], sum[l]);
    }
}

// Queries i0 .. i0+queries-1, at most TILE of them. lse may be NULL.
static void head_forward(real *out, long out_row, real *lse, real *scratch, const Head *h, long i0,
                         long queries) {
    real p[TILE * WIDTH], shrink[WIDTH];
    Online o;
    for (long i = 0; i < WIDTH; i++) o.largest[i] = -(real)INFINITY, o.sum[i] = 0;
    Tile t = {.i0 = i0, .queries = queries};
    transpose_rows(scratch, h->q, h->q_row, &t, h->HS);
    long keys_end = h->past + i0 + queries;
    for (; t.j0 < keys_end; t.j0 += TILE) {
        t.keys = min_long(TILE, keys_end - t.j0);
        products_with_keys(p, h, &t, h->k, scratch);
        softmax_step(p, shrink, &o, h, &t);
        for (long i = 0; i < queries && t.j0 > 0; i++)
            if (shrink[i] != 1)
                for (long c = 0; c < h->HS; c++) out[(i0 + i) * out_row + c] *= shrink[i];
        for (long j = 0; h->drop && j < t.keys; j++) drop_weights(p + j * WIDTH, h, &t, j);
        sum_over_keys(out, out_row, t.j0 == 0 ? STORE_SET : STORE_ADD, p, h->v, h, &t);
    }
    for (long i = 0; i < queries; i++) {
        real inverse = 1 / o.sum[i];
        for (long c = 0; c < h->HS; c++) out[(i0 + i) * out_row + c] *= inverse;
    }
    for (long i = 0; lse && i < queries; i++) lse[i0 + i] = o.largest[i] + (real)log_double((double)o.sum[i]);
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

static real *own(real *scratch, long HS) { return scratch + thread_index() * attention_scratch(HS); }

void attention_forward(real *out, real *lse, real *scratch, const real *qkv, const Dropout *drop, long B,
                       long T, long NH, long HS) {
    // Tile i of a head meets i + 1 tiles of keys. The threads share the sum of that, in order, so that a
    // thread's sequences are mostly those whose rows it has made.
    long tiles = (T + TILE - 1) / TILE, total = B * NH * tiles * (tiles + 1) / 2, done = 0;
    Range mine = thread_share(total, 1);
    for (long n = 0; n < B * NH * tiles; n++) {
        long i = n % tiles, b = n / tiles / NH, head = n / tiles % NH, middle = done + i / 2;
        done += i + 1;
        if (middle < mine.begin || middle >= mine.end) continue;
        Head h = head_of(qkv, drop, b, head, T, NH, HS);
        head_forward(out + b * T * NH * HS + head * HS, NH * HS, lse + (b * NH + head) * T, own(scratch, HS),
                     &h, i * TILE, min_long(TILE, T - i * TILE));
    }
}

void attention_decode(real *out, long out_row, real *scratch, const real *q, long q_row, const real *k,
                      const real *v, long kv_row, long n, long T, long HS) {
    Head h = {.q = q, .k = k, .v = v, .q_row = q_row, .kv_row = kv_row, .HS = HS, .past = T - n};
    for (long i0 = 0; i0 < n; i0 += TILE)
        head_forward(out, out_row, NULL, own(scratch, HS), &h, i0, min_long(TILE, n - i0));
}

// Scores become p (keys,WIDTH) = e^(score - lse) where seen, 0 elsewhere, and dp becomes ds.
static void scores_backward(real *p, real *dp, const real *lse, const real *delta, const Head *h,
                            const Tile *t) {
    real scale = score_scale(h);
    for (long j = 0; j < t->keys; j++) {
        real *s = p + j * WIDTH, *d = dp + j * WIDTH;
        long seen_from = first_query(h, t, j), from = seen_from / LANES * LANES;
        for (long i = 0; i < from; i++) s[i] = d[i] = 0;
        for (long i = from; i < seen_from; i++) s[i] = -(real)INFINITY, d[i] = 0;
        if (h->drop) drop_weights(d, h, t, j);
        for (long i = from; i < filled(t->queries); i += LANES)
            for (int l = 0; l < LANES; l++) {
                real weight = exp_real(real_fma(scale, s[i + l], -lse[i + l]));
                s[i + l] = weight;
                d[i + l] = weight * (d[i + l] - delta[i + l]) * scale;
            }
        if (h->drop) drop_weights(s, h, t, j);
    }
}

// One head, all its tiles, by one thread: dk and dv of a key sum over queries, dq of a query over keys, in
// fixed order. Rows of dq, dk, dv are as far apart as those of q, k, v.
static void head_backward(real *dq, real *dk, real *dv, real *scratch, const real *dout, const real *out,
                          long out_row, const real *lse, const Head *h, long T) {
    real p[TILE * WIDTH], dp[TILE * WIDTH], delta[WIDTH] = {0}, lse_of_tile[WIDTH] = {0};
    real *q_transposed = scratch, *dout_transposed = scratch + h->HS * WIDTH;
    long row = h->q_row;
    Tile t;
    for (t.i0 = 0; t.i0 < T; t.i0 += TILE) {
        t.queries = min_long(TILE, T - t.i0);
        transpose_rows(q_transposed, h->q, row, &t, h->HS);
        transpose_rows(dout_transposed, dout, out_row, &t, h->HS);
        for (long i = 0; i < t.queries; i++) {
            delta[i] = lanes_dot(dout + (t.i0 + i) * out_row, out + (t.i0 + i) * out_row, h->HS);
            lse_of_tile[i] = lse[t.i0 + i];
        }
        for (t.j0 = 0; t.j0 <= t.i0; t.j0 += TILE) {
            t.keys = min_long(TILE, T - t.j0);
            Store first_of_keys = t.j0 == t.i0 ? STORE_SET : STORE_ADD;
            products_with_keys(p, h, &t, h->k, q_transposed);
            products_with_keys(dp, h, &t, h->v, dout_transposed);
            scores_backward(p, dp, lse_of_tile, delta, h, &t);
            sum_over_queries(dv, row, first_of_keys, p, dout, out_row, h, &t);
            sum_over_queries(dk, row, first_of_keys, dp, h->q, row, h, &t);
            sum_over_keys(dq, row, t.j0 == 0 ? STORE_SET : STORE_ADD, dp, h->k, h, &t);
        }
    }
}

// With p = e^(s - lse), f the dropout factors and delta[i] = dout[i] . out[i],
//   dv[j] = sum over i of p[i,j] f[i,j] dout[i],
//   ds[i,j] = p[i,j] (f[i,j] dout[i] . v[j] - delta[i]) scale,
//   dq[i] = sum over j of ds[i,j] k[j],   dk[j] = sum over i of ds[i,j] q[i].
void attention_backward(real *dqkv, real *scratch, const real *dout, const real *qkv, const real *out,
                        const real *lse, const Dropout *drop, long B, long T, long NH, long HS) {
    long C = NH * HS;
    Range mine = thread_share(B * NH, 1);
    for (long n = mine.begin; n < mine.end; n++) {
        long b = n / NH, head = n % NH, at = b * T * C + head * HS;
        Head h = head_of(qkv, drop, b, head, T, NH, HS);
        real *dq = dqkv + b * T * 3 * C + head * HS;
        head_backward(dq, dq + C, dq + 2 * C, own(scratch, HS), dout + at, out + at, C, lse + n * T, &h, T);
    }
}
