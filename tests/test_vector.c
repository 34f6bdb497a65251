#include "../model/vector.h"
#include "test.h"

// Element i belongs to lane i mod 16, and halves of lanes are added until one is left: the promise, in plain
// code.
static real join(const real lane[16]) {
    real s[16];
    memcpy(s, lane, sizeof s);
    for (int half = 8; half > 0; half /= 2)
        for (int j = 0; j < half; j++) s[j] += s[j + half];
    return s[0];
}

static void sums_have_the_promised_order_for_every_length(void) {
    for (long n = 1; n <= 70; n++) {
        real *a = normals(n), *b = normals(n), sum[16] = {0}, product[16] = {0}, square[16] = {0},
             mean = (real)0.3;
        for (long i = 0; i < n; i++) {
            sum[i % 16] += a[i];
            product[i % 16] = real_fma(a[i], b[i], product[i % 16]);
            square[i % 16] = real_fma(a[i] - mean, a[i] - mean, square[i % 16]);
        }
        CHECK(lanes_sum(a, n) == join(sum));
        CHECK(lanes_dot(a, b, n) == join(product));
        CHECK(lanes_square_distance(a, mean, n) == join(square));
        free(a), free(b);
    }
}

static void the_maximum_is_found_at_every_place(void) {
    for (long n = 1; n <= 40; n++)
        for (long at = 0; at < n; at++) {
            real *x = normals(n);
            x[at] = 100;
            CHECK(lanes_max(x, n) == 100);
            free(x);
        }
}

static void loading_past_the_end_gives_the_padding(void) {
    real *x = normals(16);
    for (long left = 0; left <= 16; left++) {
        real got[16];
        Lanes l = lanes_load(x, left, 7);
        memcpy(got, &l, sizeof got);
        for (long j = 0; j < 16; j++) CHECK(got[j] == (j < left ? x[j] : 7));
    }
}

int main(void) {
    RUN(sums_have_the_promised_order_for_every_length);
    RUN(the_maximum_is_found_at_every_place);
    RUN(loading_past_the_end_gives_the_padding);
    return report();
}
