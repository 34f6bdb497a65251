// layernorm.c -- each row is brought to mean 0 and variance 1, then scaled and shifted per channel.
#include "layernorm.h"
#include "threads.h"
#include "vector.h"

static const real EPSILON = (real)1e-5;

void layernorm_forward(real *out, real *mean, real *rstd, const real *inp, const real *weight,
                       const real *bias, long N, long C) {
    Range rows = thread_rows(N);
    for (long n = rows.begin; n < rows.end; n++) {
        const real *x = inp + n * C;
        real *y = out + n * C;
        real m = lanes_sum(x, C) / (real)C;
        real r = 1 / sqrt(lanes_square_distance(x, m, C) / (real)C + EPSILON);
        if (bias)
            for (long c = 0; c < C; c++) y[c] = real_fma((x[c] - m) * r, weight[c], bias[c]);
        else
            for (long c = 0; c < C; c++) y[c] = (x[c] - m) * r * weight[c];
        mean[n] = m;
        rstd[n] = r;
    }
}

// With xhat = (x - m) r and g = dy weight, averaging over the row,
//   dx = r (g - avg(g) - xhat avg(g xhat)),
// and summing over the rows
//   dweight = sum of dy xhat,   dbias = sum of dy.
static void row_backward(real *dx, const real *dresid, const real *dy, const real *x, const real *weight,
                         real m, real r, long C) {
    Lanes sum_g = lanes_all(0), sum_g_xhat = lanes_all(0);
    for (long c = 0; c < C; c += LANES) {
        Lanes g = lanes_mul(lanes_load(dy + c, C - c, 0), lanes_load(weight + c, C - c, 0));
        Lanes xhat = lanes_mul(lanes_sub(lanes_load(x + c, C - c, m), lanes_all(m)), lanes_all(r));
        sum_g = lanes_add(sum_g, g);
        sum_g_xhat = lanes_fma(g, xhat, sum_g_xhat);
    }
    real avg_g = lanes_join(sum_g) / (real)C, avg_g_xhat = lanes_join(sum_g_xhat) / (real)C;
    for (long c = 0; c < C; c++) {
        real d = r * (real_fma(dy[c], weight[c], -avg_g) - (x[c] - m) * r * avg_g_xhat);
        dx[c] = dresid ? dresid[c] + d : d;
    }
}

long layernorm_sums(long N, long C) { return (N + ROW_GROUP - 1) / ROW_GROUP * 2 * C; }

void layernorm_backward_input(real *dinp, real *sums, const real *dresid, const real *dout, const real *inp,
                              const real *weight, const real *mean, const real *rstd, long N, long C) {
    Range rows = thread_rows(N);
    for (long first = rows.begin; first < rows.end; first += ROW_GROUP) {
        long end = min_long(first + ROW_GROUP, rows.end);
        real *dweight = sums + first / ROW_GROUP * 2 * C, *dbias = dweight + C;
        for (long c = 0; c < C; c++) dweight[c] = dbias[c] = 0;
        for (long n = first; n < end; n++) {
            const real *x = inp + n * C, *dy = dout + n * C;
            real m = mean[n], r = rstd[n];
            for (long c = 0; c < C; c++) {
                dweight[c] = real_fma((x[c] - m) * r, dy[c], dweight[c]);
                dbias[c] += dy[c];
            }
            row_backward(dinp + n * C, dresid ? dresid + n * C : NULL, dy, x, weight, m, r, C);
        }
    }
}

void layernorm_backward_weight(real *dweight, real *dbias, const real *sums, Store store, long N, long C) {
    Range columns = thread_columns(C);
    for (long first = 0; first < N; first += ROW_GROUP, sums += 2 * C) {
        bool set = store == STORE_SET && first == 0;
        for (long c = columns.begin; c < columns.end; c++) dweight[c] = (set ? 0 : dweight[c]) + sums[c];
        if (dbias)
            for (long c = columns.begin; c < columns.end; c++) dbias[c] = (set ? 0 : dbias[c]) + sums[C + c];
    }
}
