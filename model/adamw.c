// adamw.c -- with g the clipped gradient,
//   m += (1 - beta1) (g - m),   v += (1 - beta2) (g^2 - v),
//   w -= lr (m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + 1e-8) + decay w).
#include "adamw.h"
#include "threads.h"
#include "vector.h"
#include <stddef.h>

double gradient_norm(const Weights *dw) {
    // Always the same 64 parts, whatever the number of threads; within a part, 4096 squares at a time in 16
    // lanes.
    enum { PARTS = 64, CHUNK = 4096 };
    double part[PARTS];
#pragma omp parallel for schedule(static)
    for (long p = 0; p < PARTS; p++) {
        long begin = dw->size * p / PARTS, end = dw->size * (p + 1) / PARTS;
        part[p] = 0;
        for (long i = begin; i < end; i += CHUNK) {
            long n = end - i < CHUNK ? end - i : CHUNK;
            part[p] += (double)lanes_dot(dw->memory + i, dw->memory + i, n);
        }
    }
    double sum = 0;
    for (long p = 0; p < PARTS; p++) sum += part[p];
    return sqrt(sum);
}

double gradient_clip_factor(double norm, double clip) {
    const double tiny = 1e-6;  // as PyTorch's clip_grad_norm_ has it
    double factor = clip / (norm + tiny);
    return clip > 0 && factor < 1 ? factor : 1;
}

// beta^t by repeated squaring: pow() differs between C libraries.
static double power(double beta, long t) {
    double result = 1;
    for (; t > 0; t /= 2, beta *= beta)
        if (t % 2) result *= beta;
    return result;
}

void adamw_step(Weights *w, real *m, real *v, const Weights *dw, double factor, long t, const AdamW *s) {
    const real epsilon = (real)1e-8;
    double correct1 = 1 - power(s->beta1, t), correct2 = 1 - power(s->beta2, t);
    real rate = (real)(s->learning_rate / correct1), root2 = (real)(1 / sqrt(correct2));
    real gain1 = (real)(1 - s->beta1), gain2 = (real)(1 - s->beta2), f = (real)factor;
#pragma omp parallel
    {
        Range share = thread_share(w->size, COLUMN_GROUP);
        for (long n = 0; n < w->tensors; n++) {
            const Tensor *tensor = &w->tensor[n];
            real keep = tensor->dims == 2 ? (real)(1 - s->learning_rate * s->weight_decay) : 1;
            long begin = tensor->offset > share.begin ? tensor->offset : share.begin;
            long end = tensor->offset + tensor->size < share.end ? tensor->offset + tensor->size : share.end;
            real *x = w->memory;
            const real *d = dw->memory;
#pragma omp simd
            for (long i = begin; i < end; i++) {
                real g = d[i] * f;
                real m1 = real_fma(gain1, g - m[i], m[i]), v1 = real_fma(gain2, real_fma(g, g, -v[i]), v[i]);
                m[i] = m1;
                v[i] = v1;
                x[i] = x[i] * keep - rate * m1 / real_fma(sqrt(v1), root2, epsilon);
            }
        }
        thread_barrier();
    }
}

const char *weights_first_nonfinite(const Weights *w, bool from_the_end) {
    for (long n = 0; n < w->tensors; n++) {
        const Tensor *tensor = &w->tensor[from_the_end ? w->tensors - 1 - n : n];
        if (!all_finite(w->memory + tensor->offset, tensor->size)) return tensor->name;
    }
    return NULL;
}
