// golden_gpt.h -- what the tests of the model and of the trainer share: PyTorch's GPTs in tests/golden/.
#ifndef GOLDEN_GPT_H
#define GOLDEN_GPT_H

#include "../model/weights.h"
#include "test.h"

// The golden files' short name of a tensor: h0.qkv.w for transformer.h.0.attn.c_attn.weight, say.
static inline void golden_name(char out[64], const char *prefix, const char *name) {
    static const char *const parts[][2] = {
        {"ln_1", "ln1"}, {"attn.c_attn", "qkv"}, {"attn.c_proj", "attproj"},
        {"ln_2", "ln2"}, {"mlp.c_fc", "fc"},     {"mlp.c_proj", "fcproj"}};
    long layer;
    int at = 0;
    if (strcmp(name, "lm_head.weight") == 0)
        snprintf(out, 64, "%slm_head", prefix);
    else if (strcmp(name, "transformer.wte.weight") == 0)
        snprintf(out, 64, "%swte", prefix);
    else if (strcmp(name, "transformer.wpe.weight") == 0)
        snprintf(out, 64, "%swpe", prefix);
    else if (sscanf(name, "transformer.h.%ld.%n", &layer, &at) == 1 && at > 0) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            size_t n = strlen(parts[i][0]);
            if (strncmp(name + at, parts[i][0], n) == 0)
                snprintf(out, 64, "%sh%ld.%s.%c", prefix, layer, parts[i][1], name[at + (int)n + 1]);
        }
    } else
        snprintf(out, 64, "%slnf.%c", prefix, name[strlen("transformer.ln_f.")]);
}

// Compares a block shaped like w with the golden tensors of that prefix, each tensor by its own size.
static inline void check_golden_block(const char *path, const char *prefix, const Weights *w,
                                      const real *block, double tolerance) {
    for (long t = 0; t < w->tensors; t++) {
        char name[64];
        long n;
        golden_name(name, prefix, w->tensor[t].name);
        real *expected = golden(path, name, &n);
        CHECK(n == w->tensor[t].size);
        if (!CHECK_NEAR(relative_distance(block + w->tensor[t].offset, expected, n), 0, tolerance))
            printf("  in %s of %s\n", name, path);
        free(expected);
    }
}

// All zero, until the program ends.
static inline Weights weights_of(const GptConfig *c) {
    Weights w;
    Error err;
    if (!weights_create(&w, c, &err)) abort();
    keep(w.memory), keep(w.tensor), keep(w.block);
    return w;
}

typedef struct {
    const char *path;
    GptConfig config;
    long B;
    int32_t tokens[64], targets[64];
} GoldenGpt;

// The settings and inputs of a golden file, and its weights in *w.
static inline GoldenGpt golden_gpt(const char *path, Weights *w) {
    real *s = golden(path, "shape_V_T_C_L_NH_B_bias_tied", NULL);
    GoldenGpt g = {.path = path,
                   .config = {.V = (long)s[0],
                              .T = (long)s[1],
                              .C = (long)s[2],
                              .L = (long)s[3],
                              .NH = (long)s[4],
                              .bias = s[6] != 0,
                              .tied = s[7] != 0},
                   .B = (long)s[5]};
    *w = weights_of(&g.config);
    for (long t = 0; t < w->tensors; t++) {
        char name[64];
        golden_name(name, "param.", w->tensor[t].name);
        real *x = golden(path, name, NULL);
        memcpy(w->memory + w->tensor[t].offset, x, (size_t)w->tensor[t].size * sizeof(real));
        free(x);
    }
    real *tokens = golden(path, "tokens", NULL), *targets = golden(path, "targets", NULL);
    for (long i = 0; i < g.B * g.config.T; i++)
        g.tokens[i] = (int32_t)tokens[i], g.targets[i] = (int32_t)targets[i];
    return g;
}

static const char *const GOLDEN_GPTS[] = {"tests/golden/gpt_tied_bias.txt",
                                          "tests/golden/gpt_untied_nobias.txt"};

#endif
