#include "mean_loss.h"
#include <math.h>
#include <stdlib.h>

// The summed loss of `windows` windows of T inputs, each beginning at from(i) = begin + (i * of / windows) *
// T.
static double sum_of_windows(char *bad, Acts *a, const Weights *w, const Ids *ids, int32_t *tokens,
                             int32_t *targets, long begin, long windows, long of, long T,
                             const Watch *watch) {
    double sum = 0;
    for (long i = 0; i < windows; i += a->B) {
        long B = windows - i < a->B ? windows - i : a->B;
        for (long b = 0; b < B; b++) {
            long from = begin + (i + b) * of / windows * T;
            ids_copy(tokens + b * T, ids, from, T);
            ids_copy(targets + b * T, ids, from + 1, T);
        }
        watch_tell(watch, "evaluating", NULL, (double)i, (double)windows);
        sum += gpt_loss(a, w, tokens, targets, B, T);
        if (isfinite(sum)) continue;
        if (bad) trainer_name_culprit(bad, w, a, B, T);
        break;
    }
    return sum;
}

bool mean_loss(double *loss, char bad[TRAINER_NAME], Acts *a, const Weights *w, const Ids *ids, long begin,
               long n, long most_windows, const Watch *watch, Error *err) {
    long T = w->config.T, full = (n - 1) / T, rest = (n - 1) % T;
    int32_t *tokens = malloc((size_t)(2 * a->B * T) * sizeof *tokens);
    if (!tokens) return fail(err, "memory is short");
    int32_t *targets = tokens + a->B * T;
    if (most_windows > 0 && most_windows < full) {
        *loss = sum_of_windows(bad, a, w, ids, tokens, targets, begin, most_windows, full, T, watch) /
                (double)(most_windows * T);
    } else {
        double sum = sum_of_windows(bad, a, w, ids, tokens, targets, begin, full, full, T, watch);
        if (rest > 0 && isfinite(sum))
            sum += sum_of_windows(bad, a, w, ids, tokens, targets, begin + full * T, 1, 1, rest, NULL);
        *loss = sum / (double)(n - 1);
    }
    free(tokens);
    return true;
}
