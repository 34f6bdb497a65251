#include "../model/attention.h"
#include "../model/attention_weights.h"
#include "test.h"

enum { T = 37, NH = 3, HS = 5, C = NH * HS };

static real *qkv, *out, *lse, *p;

static void setup(real scale) {
    qkv = normals(T * 3 * C), out = poisoned(T * C), lse = poisoned(NH * T), p = poisoned(NH * T * T);
    real *scratch = poisoned(attention_scratch(HS));
    for (long n = 0; n < T * 3 * C; n++) qkv[n] *= scale;
    attention_forward(out, lse, scratch, qkv, NULL, 1, T, NH, HS);
    attention_weights(p, qkv, lse, T, NH, HS);
}

// The weights of one row as the formula has them, in float64.
static void softmax_of_row(double weight[T], long h, long i) {
    double largest = -(double)INFINITY, sum = 0;
    for (long j = 0; j <= i; j++) {
        double score = 0;
        for (long c = h * HS; c < (h + 1) * HS; c++)
            score += (double)qkv[i * 3 * C + c] * (double)qkv[j * 3 * C + C + c];
        weight[j] = score / sqrt((double)HS);
        largest = fmax(largest, weight[j]);
    }
    for (long j = 0; j <= i; j++) sum += weight[j] = exp(weight[j] - largest);
    for (long j = 0; j < T; j++) weight[j] = j <= i ? weight[j] / sum : 0;
}

static void rows_sum_to_one(void) {
    setup(1);
    for (long row = 0; row < NH * T; row++) {
        double sum = 0;
        for (long j = 0; j < T; j++) sum += (double)p[row * T + j];
        CHECK_NEAR(sum, 1, REAL_IS_FLOAT ? 2e-6 : 1e-14);
    }
}

static void they_are_a_softmax_and_nothing_of_the_future(void) {
    for (real scale = (real)0.1; scale < 10; scale *= 5) {
        setup(scale);
        for (long row = 0; row < NH * T; row++) {
            double weight[T];
            softmax_of_row(weight, row / T, row % T);
            for (long j = 0; j < T; j++) CHECK_NEAR(p[row * T + j], weight[j], REAL_IS_FLOAT ? 2e-5 : 1e-13);
            for (long j = row % T + 1; j < T; j++) CHECK(p[row * T + j] == 0);
        }
    }
}

static void they_are_those_that_attention_applied(void) {
    setup(1);
    for (long h = 0; h < NH; h++)
        for (long i = 0; i < T; i++)
            for (long c = h * HS; c < (h + 1) * HS; c++) {
                double sum = 0;
                for (long j = 0; j < T; j++)
                    sum += (double)p[(h * T + i) * T + j] * (double)qkv[j * 3 * C + 2 * C + c];
                CHECK_NEAR(out[i * C + c], sum, REAL_IS_FLOAT ? 1e-5 : 1e-13);
            }
}

int main(void) {
    RUN(rows_sum_to_one);
    RUN(they_are_a_softmax_and_nothing_of_the_future);
    RUN(they_are_those_that_attention_applied);
    return report();
}
