// test.h -- what the unit tests share: checks that count, gradients against differences, golden files, a
// report.
//
// A test program is a list of functions whose names are sentences, run by RUN; it ends with `return
// report();`. Every test is compiled for float and for double. Gradients are proven in double, where
// differences are exact enough.
#ifndef TEST_H
#define TEST_H

#include "../model/random.h"
#include "../model/real.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests_passed, tests_failed;
static bool test_good;

static inline bool check(bool good, const char *file, int line, const char *what) {
    if (!good) printf("%s:%d: does not hold: %s\n", file, line, what);
    test_good = test_good && good;
    return good;
}

static inline bool check_near(double a, double b, double tolerance, const char *file, int line,
                              const char *what) {
    bool good = fabs(a - b) <= tolerance;  // false for NaN
    if (!good)
        printf("%s:%d: %s: %.17g is not %.17g (differs by %.3g, allowed %.3g)\n", file, line, what, a, b,
               fabs(a - b), tolerance);
    test_good = test_good && good;
    return good;
}

#define CHECK(condition) check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tolerance) check_near((double)(a), (double)(b), (tolerance), __FILE__, __LINE__, #a)
#define RUN(test) run(test, #test)

static inline void run(void (*test)(void), const char *name) {
    test_good = true;
    test();
    if (test_good)
        tests_passed++;
    else
        tests_failed++;
    if (!test_good) printf("FAILED: %s\n", name);
}

static inline int report(void) {
    printf("%d passed, %d failed\n", tests_passed, tests_failed);
    return tests_failed > 0;
}

// ---- arrays ----

// Remembers memory that a test leaves to the end of the program, so that a search for leaks finds it in use.
static inline void *keep(void *memory) {
    static void *kept[1 << 16] __attribute__((used));
    static long n;
    if (!memory) abort();
    kept[n++ % (1 << 16)] = memory;
    return memory;
}

// Until the program ends, unless the test frees it.
static inline real *array_of(long n) { return keep(malloc((size_t)(n > 0 ? n : 1) * sizeof(real))); }

static inline void fill(real *x, long n, real value) {
    for (long i = 0; i < n; i++) x[i] = value;
}

// Before a forward pass: an output that is not overwritten shows.
static inline real *poisoned(long n) {
    real *x = array_of(n);
    fill(x, n, (real)NAN);
    return x;
}

// Before a backward pass: a gradient that is overwritten instead of added to shows.
static inline real *ones(long n) {
    real *x = array_of(n);
    fill(x, n, 1);
    return x;
}

// Standard normal numbers; a different stream for each call.
static inline real *normals(long n) {
    static uint64_t stream;
    uint64_t key = random_key(42, RANDOM_SAMPLE, 1000, stream++);
    real *x = array_of(n);
    for (long i = 0; i < n; i++) x[i] = (real)random_normal(key, (uint64_t)i);
    return x;
}

static inline double dot(const real *a, const real *b, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

// The largest |a[i] - b[i]| over the largest |b[i]|; infinite where an element is NaN.
static inline double relative_distance(const real *a, const real *b, long n) {
    double distance = 0, size = 0;
    for (long i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]), s = fabs((double)b[i]);
        if (!(d <= distance)) distance = isnan(d) ? (double)INFINITY : d;
        if (s > size) size = s;
    }
    return size > 0 ? distance / size : distance;
}

// ---- gradients ----

// Compares dx - start, the gradient of loss() in x that a backward pass gave, with differences of loss() at
// four points (error of order h^4), element by element: relative to the larger of the two, or to a thousandth
// of the tensor's largest gradient where that is larger still. A gradient that is zero everywhere is refused:
// it would prove nothing. In the float build, where differences say little, it only checks that the gradient
// is finite.
static inline void check_grad_at(const char *name, real *x, const real *dx, long n, double start,
                                 double (*loss)(void), const char *file, int line) {
    const double allowed = 1e-6;
    double largest = 0, worst = 0;
    long at = 0;
    for (long i = 0; i < n; i++) {
        double g = fabs((double)dx[i] - start);
        if (!check(isfinite(g), file, line, "the gradient is finite")) return;
        if (g > largest) largest = g;
    }
    if (!check(largest > 0, file, line, "the gradient is not zero everywhere")) printf("  in %s\n", name);
    if (REAL_IS_FLOAT) return;
    for (long i = 0; i < n; i++) {
        const double h = 1e-3;
        real kept = x[i];
        double f[4];
        for (int k = 0; k < 4; k++) {
            static const double place[] = {-2, -1, 1, 2};
            x[i] = (real)((double)kept + place[k] * h);
            f[k] = loss();
        }
        x[i] = kept;
        double numeric = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h), given = (double)dx[i] - start;
        double size = fmax(fmax(fabs(numeric), fabs(given)), largest / 1000);
        double error = fabs(numeric - given) / size;
        if (!(error <= worst)) {
            worst = error;
            at = i;
        }
    }
    if (!check(worst < allowed, file, line, "the gradient equals the difference quotient"))
        printf("  in %s: relative error %.3g at element %ld\n", name, worst, at);
}
#define CHECK_GRAD(x, dx, n, start, loss) check_grad_at(#x, x, dx, n, start, loss, __FILE__, __LINE__)

// ---- golden files: records of a line "name ndim d0 d1 ..." and a line of values ----

// The numbers of one tensor of a golden file; stops the test program where it is not there. *n may be NULL.
static inline real *golden(const char *path, const char *name, long *n) {
    FILE *f = fopen(path, "r");
    char found[128];
    int dims;
    while (f && fscanf(f, "%127s %d", found, &dims) == 2) {
        long size = 1, d;
        for (int i = 0; i < dims; i++) {
            if (fscanf(f, "%ld", &d) != 1) abort();
            size *= d;
        }
        real *x = array_of(size);
        for (long i = 0; i < size; i++) {
            double value;
            if (fscanf(f, "%lf", &value) != 1) abort();
            x[i] = (real)value;
        }
        if (strcmp(found, name) == 0) {
            fclose(f);
            if (n) *n = size;
            return x;
        }
        free(x);
    }
    printf("%s: no tensor %s\n", path, name);
    exit(1);
}

// What is allowed against PyTorch's float64: 1e-9 in the double build.
static inline double golden_tolerance(double in_float) { return REAL_IS_FLOAT ? in_float : 1e-9; }

#endif
