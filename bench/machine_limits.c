// machine_limits.c -- the table of what the machine can do.
#include "../model/threads.h"
#include "../model/vector.h"
#include "bench.h"

// Returns the rate that it reports: operations or bytes a second.
static double row(Bench *b, const char *what, Limit limit, const char *unit) {
    double rate = measure_limit(limit, b->brief);
    report_text(&b->report, what);
    report_number(&b->report, (double)thread_count());
    report_number(&b->report, rate / 1e9);
    report_text(&b->report, unit);
    return rate;
}

void bench_limits(Bench *b) {
    static const Column columns[] = {{"limit", "median of bursts", -36, 0},
                                     {"threads", "threads", 16, 0},
                                     {"rate", "", 16, 1},
                                     {"unit", "", -7, 0}};
    char title[80];
    int threads = thread_count();
    snprintf(title, sizeof title, "limits of this machine (registers of %d bytes)", VEC_BYTES);
    REPORT_TABLE(&b->report, "limits", title, columns);
    thread_use(1);
    row(b, "multiply-adds in registers", limit_arithmetic(), "GFLOP/s");
    thread_use(threads);
    row(b, "multiply-adds in registers", limit_arithmetic(), "GFLOP/s");
    b->reading = row(b, "reading memory", limit_reading(&b->memory), "GB/s");
    row(b, "a = b + s c in memory (triad)", limit_triad(&b->memory), "GB/s");
}
