#include "hf_config.h"
#include "../data/json.h"
#include "../data/metadata.h"
#include "../data/text.h"
#include <stdlib.h>
#include <string.h>

// What the file says, until it is judged.
typedef struct {
    HfConfig sizes;
    int64_t n_ctx;
    double epsilon;
    bool scaled, scaled_by_layer, cross_attention;
    bool wrong_type, wrong_gelu;
    char type[40], gelu[40];
} Draft;

// Members of a value that may also be null, which says nothing.
static bool natural(Json *j, int64_t *value) {
    return json_kind(j) == JSON_WORD ? json_null(j) : json_natural(j, value);
}

static bool number(Json *j, double *value) {
    return json_kind(j) == JSON_WORD ? json_null(j) : json_number(j, value);
}

static bool flag(Json *j, bool *value) {
    return json_kind(j) == JSON_WORD && *j->at == 'n' ? json_null(j) : json_flag(j, value);
}

// *is becomes the place of the string among the words, -1 for none; a copy is for messages.
static bool one_of(Json *j, const char *const *words, int *is, char copy[40]) {
    String s;
    if (json_kind(j) == JSON_WORD) return json_null(j);
    if (!json_string(j, &s)) return false;
    *is = -1;
    for (int i = 0; words[i]; i++)
        if (string_is(&s, words[i])) *is = i;
    snprintf(copy, 40, "%s", s.bytes);
    free(s.bytes);
    return true;
}

static bool read_member(Json *j, const String *key, void *draft) {
    static const char *const TYPES[] = {"gpt2", NULL};
    static const char *const GELUS[] = {"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu", NULL};
    enum { EXACT = 3 };
    Draft *d = draft;
    HfConfig *c = &d->sizes;
    if (string_is(key, "vocab_size")) return natural(j, &c->V);
    if (string_is(key, "n_positions")) return natural(j, &c->T);
    if (string_is(key, "n_ctx")) return natural(j, &d->n_ctx);
    if (string_is(key, "n_embd")) return natural(j, &c->C);
    if (string_is(key, "n_layer")) return natural(j, &c->L);
    if (string_is(key, "n_head")) return natural(j, &c->NH);
    if (string_is(key, "n_inner")) return natural(j, &c->F);
    if (string_is(key, "layer_norm_epsilon")) return number(j, &d->epsilon);
    if (string_is(key, "scale_attn_weights")) return flag(j, &d->scaled);
    if (string_is(key, "scale_attn_by_inverse_layer_idx")) return flag(j, &d->scaled_by_layer);
    if (string_is(key, "add_cross_attention")) return flag(j, &d->cross_attention);
    if (string_is(key, "tie_word_embeddings")) {
        bool tied = true;
        if (json_kind(j) == JSON_WORD && *j->at == 'n') return json_null(j);
        if (!json_flag(j, &tied)) return false;
        c->head = tied ? HF_HEAD_TIED : HF_HEAD_UNTIED;
        return true;
    }
    int is = 0;
    if (string_is(key, "model_type")) {
        if (!one_of(j, TYPES, &is, d->type)) return false;
        d->wrong_type = is < 0;
        return true;
    }
    if (string_is(key, "activation_function")) {
        if (!one_of(j, GELUS, &is, d->gelu)) return false;
        d->wrong_gelu = is < 0;
        c->exact_gelu = is == EXACT;
        return true;
    }
    return json_skip(j);
}

static bool judge(Draft *d, const char *path, Error *err) {
    if (d->wrong_type) return fail(err, "%s: model_type is \"%s\"; only gpt2 can be imported", path, d->type);
    if (d->wrong_gelu)
        return fail(err, "%s: activation_function is \"%s\"; GPT-2 as it is computed here has gelu_new", path,
                    d->gelu);
    if (d->epsilon < 0.99e-5 || d->epsilon > 1.01e-5)
        return fail(err, "%s: layer_norm_epsilon is %g; this program computes with 1e-05", path, d->epsilon);
    const char *other = !d->scaled           ? "scale_attn_weights is false"
                        : d->scaled_by_layer ? "scale_attn_by_inverse_layer_idx is true"
                        : d->cross_attention ? "add_cross_attention is true"
                                             : NULL;
    if (other) return fail(err, "%s: %s, which this program does not compute", path, other);
    HfConfig *c = &d->sizes;
    if (c->F >= 0 && (c->F % 4 != 0 || c->F / 4 != c->C))
        return fail(err, "%s: n_inner is %lld; only 4 n_embd can be imported", path, (long long)c->F);
    if (c->T < 0) c->T = d->n_ctx;
    return true;
}

bool hf_config_read(HfConfig *c, const char *path, Error *err) {
    const double MOST = 1e8;  // bytes: no model has so many settings
    Text text;
    if (!text_read_within(&text, MOST, (char *const *)&path, 1, true, NULL, err)) return false;
    const char *bytes = (const char *)text.bytes;
    Json j = {.name = path, .begin = bytes, .at = bytes, .end = bytes + text.n, .err = err};
    Draft d = {.sizes = {-1, -1, -1, -1, -1, -1, false, HF_HEAD_UNTOLD},
               .n_ctx = -1,
               .epsilon = 1e-5,
               .scaled = true};
    bool good = json_members(&j, read_member, &d) && json_finish(&j) && judge(&d, path, err);
    text_free(&text);
    *c = d.sizes;
    return good;
}
