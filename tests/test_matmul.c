#include "../model/matmul.h"
#include "test.h"

// The naive product, in the order and with the roundings that matmul.h promises.
static void naive(real *out, long out_row, Matrix a, Matrix b, const real *bias, Store store, long M, long N,
                  long K) {
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            real *o = &out[i * out_row + j];
            real sum = store == STORE_ADD ? *o : bias ? bias[j] : 0;
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
        Store store = which < 8 ? STORE_SET : STORE_ADD;
        const real *with = which < 4 ? bias : NULL;
        memcpy(got, start, bytes);
        memcpy(expected, start, bytes);
        matmul(got, N + 3, ma, mb, with, store, M, N, K);
        naive(expected, N + 3, ma, mb, with, store, M, N, K);
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
    static const long shapes[][3] = {{97, 33, 257},  {96, 64, 256},   {5, 1030, 259}, {193, 65, 65},
                                     {1, 1025, 128}, {300, 7, 3},     {97, 33, 513},  {59, 64, 1025},
                                     {60, 64, 512},  {200, 40, 1030}, {129, 1, 700}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_shape(shapes[i][0], shapes[i][1], shapes[i][2]);
}

// Threads cut products by rows and by columns, micro-batches cut sums.
static void cutting_a_product_anywhere_changes_no_bit(void) {
    const long M = 131, N = 77, K = 90;
    real *a = normals(M * K), *b = normals(K * N), *whole = poisoned(M * N), *cut = poisoned(M * N);
    for (int which = 0; which < 4; which++) {
        Matrix ma = which & 1 ? (Matrix){a, 1, M} : (Matrix){a, K, 1};
        Matrix mb = which & 2 ? (Matrix){b, 1, K} : (Matrix){b, N, 1};
        matmul(whole, N, ma, mb, NULL, STORE_SET, M, N, K);
        for (long at = 1; at < K; at += 13) {
            long m = at, n = N - at < 1 ? 1 : N - at, k = at;
            fill(cut, M * N, (real)NAN);
            for (int part = 0; part < 8; part++) {  // the two parts of k innermost
                long i = part & 4 ? m : 0, j = part & 2 ? n : 0, l = part & 1 ? k : 0;
                matmul(cut + i * N + j, N, (Matrix){ma.at + i * ma.row + l * ma.col, ma.row, ma.col},
                       (Matrix){mb.at + l * mb.row + j * mb.col, mb.row, mb.col}, NULL,
                       l ? STORE_ADD : STORE_SET, i ? M - m : m, j ? N - n : n, l ? K - k : k);
            }
            CHECK(memcmp(whole, cut, (size_t)(M * N) * sizeof(real)) == 0);
        }
    }
}

static void transposing_twice_gives_the_same(void) {
    for (long rows = 1; rows < 40; rows += 7)
        for (long columns = 1; columns < 40; columns++) {
            real *x = normals(rows * columns), *t = poisoned(columns * (rows + 2)),
                 *back = poisoned(rows * columns);
            transpose(t, rows + 2, x, columns, rows, columns);
            for (long i = 0; i < rows; i++)
                for (long j = 0; j < columns; j++) CHECK(t[j * (rows + 2) + i] == x[i * columns + j]);
            transpose(back, columns, t, rows + 2, columns, rows);
            CHECK(memcmp(x, back, (size_t)(rows * columns) * sizeof(real)) == 0);
            CHECK(isnan(t[rows]));  // the gaps are not touched
            free(x), free(t), free(back);
        }
}

static void nan_and_infinity_go_through(void) {
    real a[] = {(real)INFINITY, 1}, b[] = {0, 1}, out = 0;
    matmul(&out, 1, (Matrix){a, 2, 1}, (Matrix){b, 1, 1}, NULL, STORE_SET, 1, 1, 2);
    CHECK(isnan(out));
    b[0] = 2;
    matmul(&out, 1, (Matrix){a, 2, 1}, (Matrix){b, 1, 1}, NULL, STORE_SET, 1, 1, 2);
    CHECK(isinf(out) && out > 0);
}

int main(void) {
    RUN(every_small_shape_equals_the_naive_product_bit_for_bit);
    RUN(shapes_around_the_blocks_equal_the_naive_product_bit_for_bit);
    RUN(cutting_a_product_anywhere_changes_no_bit);
    RUN(transposing_twice_gives_the_same);
    RUN(nan_and_infinity_go_through);
    return report();
}
