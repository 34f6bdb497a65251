#include "../model/matmul.h"
#include "../model/threads.h"
#include "test.h"

// The naive product, in the order and with the roundings that matmul.h promises.
static void naive(real *out, long out_row, Matrix a, Matrix b, const real *bias, MatmulMode mode, long M,
                  long N, long K) {
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            real *o = &out[i * out_row + j];
            real sum = mode == MATMUL_ADD ? *o : bias ? bias[j] : 0;
            for (long k = 0; k < K; k++)
                sum = real_fma(a.at[i * a.row + k * a.col], b.at[k * b.row + j * b.col], sum);
            *o = sum;
        }
}

// All transpositions and modes of one shape, with rows of out further apart than its columns.
static void check_shape(long M, long N, long K) {
    real *a = normals(M * K), *b = normals(K * N), *bias = normals(N), *start = normals(M * (N + 3));
    size_t bytes = (size_t)(M * (N + 3)) * sizeof(real);
    real *got = array_of(M * (N + 3)), *expected = array_of(M * (N + 3));
    for (int which = 0; which < 12; which++) {
        Matrix ma = which & 1 ? (Matrix){a, 1, M} : (Matrix){a, K, 1};
        Matrix mb = which & 2 ? (Matrix){b, 1, K} : (Matrix){b, N, 1};
        MatmulMode mode = which < 8 ? MATMUL_SET : MATMUL_ADD;
        const real *with = which < 4 ? bias : NULL;
        memcpy(got, start, bytes);
        memcpy(expected, start, bytes);
        matmul(got, N + 3, ma, mb, with, mode, M, N, K);
        naive(expected, N + 3, ma, mb, with, mode, M, N, K);
        if (!CHECK(memcmp(got, expected, bytes) == 0))
            printf("  at M %ld N %ld K %ld, variant %d\n", M, N, K, which);
    }
    free(a), free(b), free(bias), free(start), free(got), free(expected);
}

static void every_small_shape_equals_the_naive_product_bit_for_bit(void) {
    for (long M = 1; M <= 14; M += 3)
        for (long N = 1; N <= 40; N++)
            for (long K = 1; K <= 13; K += 4) check_shape(M, N, K);
}

static void shapes_around_the_blocks_equal_the_naive_product_bit_for_bit(void) {
    static const long shapes[][3] = {{97, 33, 257}, {96, 64, 256},  {5, 1030, 259},
                                     {193, 65, 65}, {1, 1025, 128}, {300, 7, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(shapes[i][0], shapes[i][1], shapes[i][2]);
}

static void equal_bits_for_any_number_of_threads(void) {
    const long M = 131, N = 77, K = 90;
    real *a = normals(M * K), *b = normals(K * N), *one = poisoned(M * N), *many = poisoned(M * N);
    int before = thread_default();
    thread_use(1);
    matmul(one, N, (Matrix){a, K, 1}, (Matrix){b, N, 1}, NULL, MATMUL_SET, M, N, K);
    for (int threads = 2; threads <= 7; threads++) {
        thread_use(threads);
        fill(many, M * N, (real)NAN);
        matmul(many, N, (Matrix){a, K, 1}, (Matrix){b, N, 1}, NULL, MATMUL_SET, M, N, K);
        CHECK(memcmp(one, many, (size_t)(M * N) * sizeof(real)) == 0);
    }
    // Few rows are shared out by columns.
    thread_use(1);
    matmul(one, N * 40, (Matrix){a, K, 1}, (Matrix){a, 1, K}, NULL, MATMUL_SET, 2, M, K);
    thread_use(3);
    matmul(many, N * 40, (Matrix){a, K, 1}, (Matrix){a, 1, K}, NULL, MATMUL_SET, 2, M, K);
    CHECK(memcmp(one, many, (size_t)M * sizeof(real)) == 0);
    thread_use(before);
}

static void nan_and_infinity_go_through(void) {
    real a[] = {(real)INFINITY, 1}, b[] = {0, 1}, out = 0;
    matmul(&out, 1, (Matrix){a, 2, 1}, (Matrix){b, 1, 1}, NULL, MATMUL_SET, 1, 1, 2);
    CHECK(isnan(out));
    b[0] = 2;
    matmul(&out, 1, (Matrix){a, 2, 1}, (Matrix){b, 1, 1}, NULL, MATMUL_SET, 1, 1, 2);
    CHECK(isinf(out) && out > 0);
}

int main(void) {
    RUN(every_small_shape_equals_the_naive_product_bit_for_bit);
    RUN(shapes_around_the_blocks_equal_the_naive_product_bit_for_bit);
    RUN(equal_bits_for_any_number_of_threads);
    RUN(nan_and_infinity_go_through);
    return report();
}
