#include "../model/embedding.h"
#include "test.h"

enum { B = 3, T = 5, C = 7, V = 6 };
static const int32_t tokens[B * T] = {0, 1, 1, 5, 2, 1, 1, 0, 4, 4, 5, 0, 2, 2, 1};  // token 3 is absent
static real *wte, *wpe, *out, *dout;

static double loss(void) {
    embedding_forward(out, tokens, wte, wpe, 0, B, T, C);
    return dot(out, dout, B * T * C);
}

static void setup(void) {
    wte = normals(V * C), wpe = normals((T + 2) * C), dout = normals(B * T * C), out = poisoned(B * T * C);
}

static void a_row_is_token_plus_position(void) {
    setup();
    embedding_forward(out, tokens, wte, wpe, 2, B, T, C);
    for (long n = 0; n < B * T; n++)
        for (long c = 0; c < C; c++)
            CHECK(out[n * C + c] == wte[tokens[n] * C + c] + wpe[(2 + n % T) * C + c]);
}

static void gradients_match_differences(void) {
    setup();
    real *dwte = ones(V * C), *dwpe = ones(T * C);
    embedding_backward(dwte, dwpe, dout, tokens, B, T, C);
    CHECK_GRAD(wte, dwte, V * C, 1, loss);
    CHECK_GRAD(wpe, dwpe, T * C, 1, loss);
    for (long c = 0; c < C; c++) CHECK(dwte[3 * C + c] == 1);
}

int main(void) {
    RUN(a_row_is_token_plus_position);
    RUN(gradients_match_differences);
    return report();
}
