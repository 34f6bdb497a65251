// loss.c -- with the row's largest logit m taken out, no exponential overflows:
//   lse = m + ln sum over v of e^(logits[v] - m),   loss = lse - logits[target].
#include "loss.h"
#include "elementary.h"
#include "threads.h"
#include "vector.h"

// The sum over v of e^(x[v] - largest).
static real sum_of_exponentials(const real *x, real largest, long V) {
    enum { CHUNK = 16 * LANES };
    real e[CHUNK];
    Lanes sum = lanes_all(0);
    for (long v = 0; v < V; v += CHUNK) {
        long n = V - v < CHUNK ? V - v : CHUNK;
#pragma omp simd
        for (long j = 0; j < n; j++) e[j] = exp_real(x[v + j] - largest);
        for (long j = 0; j < n; j += LANES) sum = lanes_add(sum, lanes_load(e + j, n - j, 0));
    }
    return lanes_join(sum);
}

void loss_forward(double *losses, const real *logits, const int32_t *targets, long N, long V) {
    Range rows = thread_rows(N);
    for (long n = rows.begin; n < rows.end; n++) {
        const real *x = logits + n * V;
        real largest = lanes_max(x, V);
        losses[n] =
            log_double((double)sum_of_exponentials(x, largest, V)) + (double)(largest - x[targets[n]]);
    }
}

// With p = softmax(logits),  dloss/dlogits[v] = p[v] - (v is the target).
void loss_forward_backward(double *losses, real *logits, const int32_t *targets, real dloss, long N, long V) {
    Range rows = thread_rows(N);
    for (long n = rows.begin; n < rows.end; n++) {
        real *x = logits + n * V;
        real largest = lanes_max(x, V), at_target = x[targets[n]];
#pragma omp simd
        for (long v = 0; v < V; v++) x[v] = exp_real(x[v] - largest);
        real sum = lanes_sum(x, V), scale = dloss / sum;
        losses[n] = log_double((double)sum) + (double)(largest - at_target);
        for (long v = 0; v < V; v++) x[v] *= scale;
        x[targets[n]] -= dloss;
    }
}
