// Proves that the n-gram counter gives the losses of the definition, for texts small enough to search: the
// first byte is the vocabulary's size, the second where the training text ends.
#include "../../model/ngram.h"
#include "fuzz.h"
#include <math.h>

enum { MOST = 48, LETTERS = 5 };

// For each token to predict, all of the training text is searched for its context.
static void definition(double loss[NGRAM_MODELS], const int32_t *training, long n, const int32_t *validation,
                       long m, long V) {
    for (int k = 0; k < NGRAM_MODELS; k++) loss[k] = 0;
    for (long i = 0; i < m; i++) {
        double p = 1 / (double)V;
        for (long k = 0; k < NGRAM_MODELS; k++) {
            double N = 0, T = 0, count[LETTERS] = {0};
            for (long j = k; k <= i && j < n; j++) {
                if (k > 0 && memcmp(training + j - k, validation + i - k, (size_t)k * sizeof *training) != 0)
                    continue;
                N++;
                T += count[training[j]]++ == 0;
            }
            if (N > 0) p = (count[validation[i]] + T * p) / (N + T);
            loss[k] -= log(p) / (double)m;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 3) return 0;
    long V = 1 + bytes[0] % LETTERS, tokens = size - 2 < MOST ? (long)size - 2 : MOST, n = bytes[1] % tokens;
    // Two blocks of their own sizes, so that a sanitizer sees a read from one into the other.
    int32_t *training = malloc((size_t)n * sizeof *training + 1),
            *validation = malloc((size_t)(tokens - n) * sizeof *validation);
    if (!training || !validation) abort();
    for (long i = 0; i < tokens; i++)
        (i < n ? training : validation)[i < n ? i : i - n] = (int32_t)(bytes[2 + i] % V);
    double found[NGRAM_MODELS], right[NGRAM_MODELS];
    Error err;
    HOLDS(ngram_losses(found, training, n, validation, tokens - n, V, NULL, &err));
    definition(right, training, n, validation, tokens - n, V);
    for (int k = 0; k < NGRAM_MODELS; k++) HOLDS(fabs(found[k] - right[k]) <= 1e-12);
    free(training);
    free(validation);
    return 0;
}
