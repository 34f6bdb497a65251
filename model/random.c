// random.c -- the normal distribution from two uniform numbers.
#include "random.h"
#include "elementary.h"

double random_normal(uint64_t key, uint64_t index) {
    double u = 1 - random_uniform(key, 2 * index);  // in (0, 1], so that its logarithm exists
    double v = random_uniform(key, 2 * index + 1);
    return sqrt(-2 * log_double(u)) * cos_pi(2 * v);
}
