// bench.c -- how fast the parts and the whole are, in one run, as shares of what this processor can do: make
// bench.
//
// The limit is measured first: fused multiply-adds in registers on all threads. Everything else is a median,
// because machines are shared and noisy.
#include "../model/decode.h"
#include "../model/matmul.h"
#include "../model/threads.h"
#include "../model/trainer.h"
#include "../model/vector.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median time of a function, run for about a second and at least five times.
static double median_time(void (*work)(void)) {
    enum { MOST = 1000 };
    double time[MOST], start = seconds();
    int runs = 0;
    work();
    while (runs < MOST && (runs < 5 || seconds() - start < 1)) {
        double t = seconds();
        work();
        time[runs++] = seconds() - t;
    }
    qsort(time, (size_t)runs, sizeof *time, ascending);
    return time[runs / 2];
}

// ---- the limit ----

enum { CHAINS = 12, ROUNDS = 1 << 20 };  // 12 independent sums hide the latency of 4 cycles on two units

static volatile real sink[256];

static void multiply_add_in_registers(void) {
#pragma omp parallel
    {
        vec sum[CHAINS], a = vec_all((real)0.999), b = vec_all((real)0.001);
        for (int c = 0; c < CHAINS; c++) sum[c] = vec_all((real)c);
        for (long i = 0; i < ROUNDS; i++)
#pragma GCC unroll 16
            for (int c = 0; c < CHAINS; c++) sum[c] = vec_fma(sum[c], a, b);
        for (int c = 1; c < CHAINS; c++) sum[0] += sum[c];
        sink[thread_index() % 256] = sum[0][0];
    }
}

// ---- matrix products ----

static real *a, *b, *out;
static long M, N, K;

static void forward(void) { matmul(out, N, (Matrix){a, K, 1}, (Matrix){b, 1, K}, NULL, STORE_SET, M, N, K); }
static void input_gradient(void) {
    matmul(a, K, (Matrix){out, N, 1}, (Matrix){b, K, 1}, NULL, STORE_SET, M, K, N);
}
static void weight_gradient(void) {
    matmul(b, K, (Matrix){out, 1, N}, (Matrix){a, K, 1}, NULL, STORE_SET, N, K, M);
}

static void bench_product(double peak, long rows, long columns, long depth) {
    M = rows, N = columns, K = depth;
    a = calloc((size_t)(M * K), sizeof *a), b = calloc((size_t)(N * K), sizeof *b),
    out = calloc((size_t)(M * N), sizeof *out);
    if (!a || !b || !out) exit(1);
    double flops = 2.0 * (double)M * (double)N * (double)K;
    printf("%6ld x %6ld x %5ld ", M, N, K);
    void (*const product[])(void) = {forward, input_gradient, weight_gradient};
    for (int i = 0; i < 3; i++) {
        double rate = flops / median_time(product[i]);
        printf("  %6.1f GFLOP/s %3.0f%%", rate / 1e9, 100 * rate / peak);
    }
    printf("\n");
    free(a), free(b), free(out);
}

// ---- the whole ----

static Trainer trainer;
static Decoder decoder;
static long batch;
static int32_t *tokens;

static void step(void) {
    AdamW s = {.learning_rate = 1e-3, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};
    trainer_step(&trainer, tokens, tokens + 1, batch, 0, 1, 1, &s);
}

static void evaluate(void) {
    gpt_loss(&trainer.acts, &trainer.w, tokens, tokens + 1, trainer.acts.B, trainer.w.config.T);
}

static void sample(void) { decoder_append(&decoder, tokens); }

// 6 operations per parameter of a matrix product and token (2 forward, 4 backward), and attention: 2 products
// of T/2 keys on average forward, 5 backward.
static double operations_per_token(const GptConfig *c, long parameters) {
    return 6.0 * (double)(parameters - c->T * c->C) + 6.0 * (double)(c->L * c->T * c->C);
}

static void bench_model(double peak, const char *name, GptConfig config, long B) {
    Error err;
    batch = B;
    long T = config.T;
    tokens = malloc((size_t)(B * T + 1) * sizeof *tokens);
    if (!tokens || !trainer_create(&trainer, &config, B, &err) ||
        !decoder_create(&decoder, &trainer.w, 1, &err))
        exit(1);
    for (long i = 0; i <= B * T; i++) tokens[i] = (int32_t)(i * 7 % config.V);
    weights_init(&trainer.w, 1);
    double time = median_time(step), per_token = operations_per_token(&config, weights_parameters(&config));
    double rate = (double)(B * T) / time;
    printf("%s: %.1f ms a step, %.0f tokens/s, %.0f%% of the peak; ", name, 1e3 * time, rate,
           100 * rate * per_token / peak);
    printf("evaluation %.0f tokens/s; ", (double)(trainer.acts.B * T) / median_time(evaluate));
    decoder_start(&decoder, tokens, 1);
    printf("sampling %.0f tokens/s\n", 1 / median_time(sample));
    trainer_free(&trainer);
    decoder_free(&decoder);
    free(tokens);
}

int main(void) {
    thread_use(thread_default());
    double flops = 2.0 * VEC * CHAINS * ROUNDS * thread_default();
    double peak = flops / median_time(multiply_add_in_registers);
    printf("%d threads, vectors of %d bytes: fused multiply-adds in registers %.1f GFLOP/s\n\n",
           thread_default(), (int)VEC_BYTES, peak / 1e9);

    printf("matrix products: rows x outputs x inputs; forward, gradient of the input, of the weight\n");
    static const long shapes[][3] = {{256, 384, 128},  {256, 128, 128},  {256, 512, 128},  {256, 128, 512},
                                     {256, 65, 128},   {256, 1152, 384}, {256, 384, 384},  {256, 1536, 384},
                                     {256, 384, 1536}, {256, 65, 384},   {256, 2304, 768}, {256, 50257, 768}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        bench_product(peak, shapes[i][0], shapes[i][1], shapes[i][2]);

    printf("\ntraining, end to end without data\n");
    bench_model(peak, "4 layers, 4 heads, 128 wide, T 64, B 12", (GptConfig){65, 64, 128, 4, 4, true, true},
                12);
    bench_model(peak, "6 layers, 6 heads, 384 wide, T 256, B 8", (GptConfig){65, 256, 384, 6, 6, true, true},
                8);
    bench_model(peak, "12 layers, 12 heads, 768 wide, T 64, B 4, V 50257",
                (GptConfig){50257, 64, 768, 12, 12, true, true}, 4);
    return 0;
}
