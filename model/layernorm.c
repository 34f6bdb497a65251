// layernorm.c -- each row is brought to mean 0 and variance 1, then scaled and shifted per channel.
#include "layernorm.h"
#include "threads.h"
#include "vector.h"

static const real EPSILON = (real)1e-5;

void layernorm_forward(real *out, real *mean, real *rstd, const real *inp, const real *weight,
                       const real *bias, long N, long C) {
#pragma omp parallel for schedule(static) if (thread_worth(N * C))
    for (long n = 0; n < N; n++) {
        const real *x = inp + n * C;
        real *y = out + n * C;
        real m = lanes_sum(x, C) / (real)C;
        real r = 1 / sqrt(lanes_square_distance(x, m, C) / (real)C + EPSILON);
        for (long c = 0; c < C; c++) y[c] = real_fma((x[c] - m) * r, weight[c], bias ? bias[c] : 0);
        mean[n] = m;
        rstd[n] = r;
    }
}

// Rows are independent of each other here.
static void input_backward(real *dinp, const real *dout, const real *inp, const real *weight,
                           const real *mean, const real *rstd, long N, long C) {
#pragma omp parallel for schedule(static) if (thread_worth(N * C))
    for (long n = 0; n < N; n++) {
        const real *x = inp + n * C, *dy = dout + n * C;
        real *dx = dinp + n * C;
        real m = mean[n], r = rstd[n];
        Lanes sum_g = lanes_all(0), sum_g_xhat = lanes_all(0);
        for (long c = 0; c < C; c += LANES) {
            Lanes g = lanes_mul(lanes_load(dy + c, C - c, 0), lanes_load(weight + c, C - c, 0));
            Lanes xhat = lanes_mul(lanes_sub(lanes_load(x + c, C - c, m), lanes_all(m)), lanes_all(r));
            sum_g = lanes_add(sum_g, g);
            sum_g_xhat = lanes_fma(g, xhat, sum_g_xhat);
        }
        real avg_g = lanes_join(sum_g) / (real)C, avg_g_xhat = lanes_join(sum_g_xhat) / (real)C;
        for (long c = 0; c < C; c++) {
            real xhat = (x[c] - m) * r;
            dx[c] += r * (real_fma(dy[c], weight[c], -avg_g) - xhat * avg_g_xhat);
        }
    }
}

// Each thread owns a range of channels and adds the rows in order.
static void weights_backward(real *dweight, real *dbias, const real *dout, const real *inp, const real *mean,
                             const real *rstd, long N, long C) {
    enum { CHANNELS = 64 };
#pragma omp parallel for schedule(static) if (thread_worth(N * C))
    for (long begin = 0; begin < C; begin += CHANNELS) {
        long end = begin + CHANNELS < C ? begin + CHANNELS : C;
        for (long n = 0; n < N; n++) {
            const real *x = inp + n * C, *dy = dout + n * C;
            real m = mean[n], r = rstd[n];
            for (long c = begin; c < end; c++) dweight[c] = real_fma((x[c] - m) * r, dy[c], dweight[c]);
            if (dbias)
                for (long c = begin; c < end; c++) dbias[c] += dy[c];
        }
    }
}

// With xhat = (x - m) r and g = dy weight, averaging over the row,
//   dx = r (g - avg(g) - xhat avg(g xhat)),
// and summing over the rows
//   dweight = sum of dy xhat,   dbias = sum of dy.
void layernorm_backward(real *dinp, real *dweight, real *dbias, const real *dout, const real *inp,
                        const real *weight, const real *mean, const real *rstd, long N, long C) {
    input_backward(dinp, dout, inp, weight, mean, rstd, N, C);
    weights_backward(dweight, dbias, dout, inp, mean, rstd, N, C);
}
