#include "machine.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double bytes = pages > 0 && page > 0 ? (double)pages * (double)page : (double)INFINITY, limit;
    // Linux control groups, version 2; holds "max" where unlimited.
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (f) {
        if (fscanf(f, "%lf", &limit) == 1 && limit < bytes) bytes = limit;
        fclose(f);
    }
    return bytes;
}

double machine_stack(void) {
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known ? (double)limit.rlim_cur : (double)INFINITY;
}

double machine_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
