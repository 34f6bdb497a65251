// export_model.h -- the models of tests/golden/export, of which make_export.py has the other half: their
// weights are multiples of 1/64 that name, row and column decide, so that nothing but the formula is shared.
#ifndef EXPORT_MODEL_H
#define EXPORT_MODEL_H

#include "../model/weights.h"
#include "../tokenizer/tokenizer.h"
#include "test.h"

typedef struct {
    Weights w;
    Tokenizer z;
} Model;

static inline real formula(const char *name, long row, long column) {
    long k = 0;
    for (long i = 0; name[i]; i++) k = (k + (i + 1) * name[i]) % 1009;
    long mixed = 17 * k + 31 * row + 11 * column;
    size_t n = strlen(name);
    bool norm = strstr(name, ".ln_") && n > 7 && strcmp(name + n - 7, ".weight") == 0;
    return norm ? 1 + (real)(mixed % 63 - 31) / 64 : (real)(mixed % 127 - 63) / 64;
}

static inline bool model_create(Model *m, const GptConfig *c, TokenizerKind kind, const char *characters,
                                size_t n, bool capped) {
    Error err;
    if (!weights_create(&m->w, c, &err) || !tokenizer_restore(&m->z, kind, characters, n, capped, &err))
        abort();
    for (long i = 0; i < m->w.tensors; i++) {
        const Tensor *t = &m->w.tensor[i];
        long columns = t->dims == 2 ? t->shape[1] : 1;
        for (long e = 0; e < t->size; e++)
            m->w.memory[t->offset + e] = formula(t->name, e / columns, e % columns);
    }
    return m->z.V == c->V || check(false, __FILE__, __LINE__, "the characters are as many as the tokens");
}

static inline void model_free(Model *m) {
    weights_free(&m->w);
    tokenizer_free(&m->z);
}

// Characters of 1 to 4 bytes, some of which begin with the same bytes; a new line, a quote, a backslash.
#define TIED_CHARACTERS                                                                              \
    "\n\"\\\xc3\xa8\xc3\xa9\xe6\xbc\xa2\xe6\xbc\xa3\xe6\xbd\x80\xf0\x9f\x98\x80\xf0\x9f\x98\x81\xf0" \
    "\x9f\x99\x80"

static inline bool model_tied(Model *m) {
    GptConfig c = {.V = 11, .T = 5, .C = 6, .L = 2, .NH = 2, .bias = true, .tied = true};
    return model_create(m, &c, TOKENIZER_CHAR, TIED_CHARACTERS, sizeof TIED_CHARACTERS - 1, false);
}

// Without biases, and with a head of its own.
static inline bool model_untied(Model *m) {
    GptConfig c = {.V = 3, .T = 3, .C = 6, .L = 1, .NH = 3};
    return model_create(m, &c, TOKENIZER_CHAR, " ab", 3, false);
}

#endif
