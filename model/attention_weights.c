#include "attention_weights.h"
#include "elementary.h"
#include "threads.h"

void attention_weights(real *p, const real *qkv, const real *lse, long T, long NH, long HS) {
    long C = NH * HS;
    const real scale = 1 / sqrt((real)HS);
    Range mine = thread_share(NH, 1);
    for (long h = mine.begin; h < mine.end; h++)
        for (long i = 0; i < T; i++) {
            const real *q = qkv + i * 3 * C + h * HS;
            real *row = p + (h * T + i) * T;
            for (long j = 0; j <= i; j++) {
                const real *k = qkv + j * 3 * C + C + h * HS;
                real score = 0;
                for (long c = 0; c < HS; c++) score = real_fma(q[c], k[c], score);
                row[j] = exp_real(real_fma(scale, score, -lse[h * T + i]));
            }
            for (long j = i + 1; j < T; j++) row[j] = 0;
        }
}
