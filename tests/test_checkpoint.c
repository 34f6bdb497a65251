#include "../model/checkpoint.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];
static const Metadata none;

static GptConfig config_of(bool bias, bool tied) {
    return (GptConfig){.V = 5, .T = 6, .C = 4, .L = 2, .NH = 2, .bias = bias, .tied = tied};
}

// The block of one moment: random where tensors are, zero in the gaps.
static real *moment(const Weights *w, uint64_t stream) {
    real *x = array_of(w->size);
    fill(x, w->size, 0);
    for (long t = 0; t < w->tensors; t++)
        for (long i = 0; i < w->tensor[t].size; i++)
            x[w->tensor[t].offset + i] =
                (real)random_normal(random_key(9, RANDOM_INIT, stream, (uint64_t)t), (uint64_t)i);
    return x;
}

// The same bits in every tensor; the gaps between them still hold what they held.
static bool same_tensors(const Weights *w, const real *found, const real *expected, real in_gaps) {
    bool *inside = calloc((size_t)w->size, sizeof *inside), same = inside != NULL;
    for (long t = 0; t < w->tensors; t++) {
        const Tensor *tensor = &w->tensor[t];
        same = same && memcmp(found + tensor->offset, expected + tensor->offset,
                              (size_t)tensor->size * sizeof(real)) == 0;
        for (long i = 0; same && i < tensor->size; i++) inside[tensor->offset + i] = true;
    }
    for (long i = 0; same && i < w->size; i++) same = inside[i] || found[i] == in_gaps;
    free(inside);
    return same;
}

static bool same_config(const GptConfig *a, const GptConfig *b) {
    return a->V == b->V && a->T == b->T && a->C == b->C && a->L == b->L && a->NH == b->NH &&
           a->bias == b->bias && a->tied == b->tied;
}

static void saved_and_loaded_bits_are_equal(bool bias, bool tied, bool moments) {
    GptConfig config = config_of(bias, tied), found;
    Weights w, back;
    Safetensors file;
    bool has_moments = !moments;
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 7);
    w.memory[w.tensor[0].offset] = (real)NAN;
    w.memory[w.tensor[1].offset] = (real)-0.0;
    w.memory[w.tensor[2].offset] = (real)INFINITY;
    real *m = moment(&w, 1), *v = moment(&w, 2);
    CHECK(checkpoint_save(path, &w, moments ? m : NULL, moments ? v : NULL, &none, &err));
    CHECK(access(in_folder("model.tmp"), F_OK) != 0);
    if (!CHECK(checkpoint_open(&file, &found, &has_moments, path, &err))) return;
    CHECK(same_config(&found, &config));
    CHECK(has_moments == moments);
    CHECK(file.entries == w.tensors * (moments ? 3 : 1));
    if (!weights_create(&back, &found, &err)) abort();
    CHECK(back.size == w.size);
    fill(back.memory, back.size, 77);
    real *m2 = array_of(w.size), *v2 = array_of(w.size);
    fill(m2, w.size, 78);
    fill(v2, w.size, 79);
    CHECK(checkpoint_read(&file, &back, moments ? m2 : NULL, moments ? v2 : NULL, &err));
    CHECK(same_tensors(&w, back.memory, w.memory, 77));
    CHECK(!moments || same_tensors(&w, m2, m, 78));
    CHECK(!moments || same_tensors(&w, v2, v, 79));
    // A state can be read for its weights alone.
    fill(back.memory, back.size, 77);
    CHECK(checkpoint_read(&file, &back, NULL, NULL, &err) && same_tensors(&w, back.memory, w.memory, 77));
    safetensors_close(&file);
    weights_free(&w);
    weights_free(&back);
    free(m), free(v), free(m2), free(v2);
}

static void weights_come_back_bit_by_bit(void) {
    for (int k = 0; k < 4; k++) saved_and_loaded_bits_are_equal(k & 1, k & 2, false);
}

static void weights_and_moments_come_back_bit_by_bit(void) {
    for (int k = 0; k < 4; k++) saved_and_loaded_bits_are_equal(k & 1, k & 2, true);
}

static void names_and_shapes_are_those_of_nanogpt(void) {
    GptConfig config = config_of(true, false), found;
    Weights w;
    Safetensors file;
    bool has_moments;
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 1);
    CHECK(checkpoint_save(path, &w, w.memory, w.memory, &none, &err));
    if (!CHECK(checkpoint_open(&file, &found, &has_moments, path, &err))) return;
    static const struct {
        const char *name;
        int dims;
        int64_t shape[2];
    } known[] = {{"transformer.wte.weight", 2, {5, 4}},
                 {"transformer.wpe.weight", 2, {6, 4}},
                 {"transformer.h.0.ln_1.weight", 1, {4}},
                 {"transformer.h.0.ln_1.bias", 1, {4}},
                 {"transformer.h.0.attn.c_attn.weight", 2, {12, 4}},
                 {"transformer.h.0.attn.c_attn.bias", 1, {12}},
                 {"transformer.h.0.attn.c_proj.weight", 2, {4, 4}},
                 {"transformer.h.0.attn.c_proj.bias", 1, {4}},
                 {"transformer.h.0.ln_2.weight", 1, {4}},
                 {"transformer.h.0.ln_2.bias", 1, {4}},
                 {"transformer.h.0.mlp.c_fc.weight", 2, {16, 4}},
                 {"transformer.h.0.mlp.c_fc.bias", 1, {16}},
                 {"transformer.h.0.mlp.c_proj.weight", 2, {4, 16}},
                 {"transformer.h.1.mlp.c_proj.bias", 1, {4}},
                 {"transformer.ln_f.weight", 1, {4}},
                 {"transformer.ln_f.bias", 1, {4}},
                 {"lm_head.weight", 2, {5, 4}},
                 {"adamw.m.transformer.wte.weight", 2, {5, 4}},
                 {"adamw.v.transformer.h.1.mlp.c_fc.weight", 2, {16, 4}},
                 {"adamw.v.lm_head.weight", 2, {5, 4}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const SafetensorsEntry *e = safetensors_find(&file, known[i].name);
        bool good = e && e->dims == known[i].dims && e->shape[0] == known[i].shape[0] &&
                    (e->dims == 1 || e->shape[1] == known[i].shape[1]) && e->type == CHECKPOINT_TYPE;
        if (!CHECK(good)) printf("  %s\n", known[i].name);
    }
    CHECK(file.entries == 3 * (2 + 2 * 12 + 2 + 1));
    safetensors_close(&file);
    weights_free(&w);
}

static bool setting_is(const Safetensors *file, const char *key, const char *value) {
    const String *s = metadata_get(&file->metadata, key);
    return s && strcmp(s->bytes, value) == 0;
}

static void settings_and_what_callers_add_stand_in_the_metadata(void) {
    GptConfig config = config_of(false, true), found;
    Weights w;
    Safetensors file;
    Metadata more = {0};
    bool has_moments;
    if (!weights_create(&w, &config, &err)) abort();
    CHECK(metadata_put(&more, "vocabulary", "a\0b", 3, &err) && metadata_put(&more, "step", "12", 2, &err));
    CHECK(checkpoint_save(path, &w, NULL, NULL, &more, &err));
    metadata_free(&more);
    if (!CHECK(checkpoint_open(&file, &found, &has_moments, path, &err))) return;
    CHECK(setting_is(&file, "n_layer", "2") && setting_is(&file, "n_head", "2") &&
          setting_is(&file, "n_embd", "4"));
    CHECK(setting_is(&file, "block_size", "6") && setting_is(&file, "vocab_size", "5"));
    CHECK(setting_is(&file, "no_bias", "true") && setting_is(&file, "untied", "false") &&
          setting_is(&file, "step", "12"));
    const String *vocabulary = metadata_get(&file.metadata, "vocabulary");
    CHECK(vocabulary && vocabulary->length == 3 && memcmp(vocabulary->bytes, "a\0b", 3) == 0);
    safetensors_close(&file);
    weights_free(&w);
}

static void equal_weights_give_equal_files(void) {
    GptConfig config = config_of(true, true);
    Weights w;
    size_t n = 0, n2 = 0;
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 3);
    CHECK(checkpoint_save(path, &w, w.memory, w.memory, &none, &err));
    char *one = get_file(path, &n);
    CHECK(checkpoint_save(path, &w, w.memory, w.memory, &none, &err));
    char *two = get_file(path, &n2);
    CHECK(one && two && n == n2 && memcmp(one, two, n) == 0);
    free(one), free(two);
    weights_free(&w);
}

// ---- every damage that a disk or a cable can do to a small file ----

// What loading it gives: settings, metadata, weights, moments.
typedef struct {
    GptConfig config;
    bool has_moments;
    Metadata metadata;
    long size;
    real *block[3];
} Loaded;

static void unload(Loaded *l) {
    metadata_free(&l->metadata);
    for (int b = 0; b < 3; b++) free(l->block[b]);
    *l = (Loaded){0};
}

static bool load(Loaded *l) {
    Safetensors file;
    Weights w;
    *l = (Loaded){0};
    err.text[0] = 0;
    if (!checkpoint_open(&file, &l->config, &l->has_moments, path, &err)) return false;
    if (!weights_create(&w, &l->config, &err)) abort();
    l->size = w.size;
    for (int b = 0; b < 3; b++)
        if (!(l->block[b] = calloc((size_t)w.size, sizeof(real)))) abort();
    bool good = checkpoint_read(&file, &w, l->has_moments ? l->block[1] : NULL,
                                l->has_moments ? l->block[2] : NULL, &err);
    memcpy(l->block[0], w.memory, (size_t)w.size * sizeof(real));
    l->metadata = file.metadata;
    file.metadata = (Metadata){0};
    safetensors_close(&file);
    weights_free(&w);
    if (!good) unload(l);
    return good;
}

static bool same_string(const String *a, const String *b) {
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static bool same_loaded(const Loaded *a, const Loaded *b) {
    bool same = same_config(&a->config, &b->config) && a->has_moments == b->has_moments &&
                a->size == b->size && a->metadata.entries == b->metadata.entries;
    for (long i = 0; same && i < a->metadata.entries; i++)
        same = same_string(&a->metadata.entry[i].key, &b->metadata.entry[i].key) &&
               same_string(&a->metadata.entry[i].value, &b->metadata.entry[i].value);
    for (int k = 0; same && k < 3; k++)
        same = memcmp(a->block[k], b->block[k], (size_t)a->size * sizeof(real)) == 0;
    return same;
}

// A file of the smallest model, with what a run puts into the metadata: characters that JSON must escape,
// too.
static char *small_file(bool moments, size_t *n) {
    GptConfig config = {.V = 4, .T = 1, .C = 1, .L = 1, .NH = 1, .bias = false, .tied = true};
    Weights w;
    Metadata more = {0};
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 5);
    real *m = moment(&w, 1), *v = moment(&w, 2);
    CHECK(metadata_put(&more, "step", "12", 2, &err) &&
          metadata_put(&more, "vocabulary", "\n\"\\\xc3\xa9", 5, &err));
    CHECK(checkpoint_save(path, &w, moments ? m : NULL, moments ? v : NULL, &more, &err));
    metadata_free(&more);
    weights_free(&w);
    free(m), free(v);
    return get_file(path, n);
}

static void every_beginning_is_refused(bool moments) {
    size_t n = 0;
    char *whole = small_file(moments, &n);
    Loaded found;
    // From the end, so that nothing is ever written.
    for (size_t cut = n; cut-- > 0;) {
        if (truncate(path, (off_t)cut) != 0) abort();
        bool refused_it = !load(&found) && one_line_naming(err.text, path);
        if (!CHECK(refused_it)) printf("  the first %zu of %zu bytes: %s\n", cut, n, err.text);
    }
    free(whole);
}

// The digits of an escape may be large or small letters, and mean the same; nothing else is unused.
static void every_flipped_bit_is_refused_or_changes_nothing(bool moments) {
    size_t n = 0;
    long accepted_flips = 0;
    char *whole = small_file(moments, &n);
    Loaded right, found;
    if (!CHECK(whole && load(&right))) return;
    FILE *f = fopen(path, "r+b");
    if (!f) abort();
    setbuf(f, NULL);
    for (size_t i = 0; i < n; i++) {
        for (int bit = 0; bit < 8; bit++) {
            if (fseek(f, (long)i, SEEK_SET) != 0 || putc(whole[i] ^ 1 << bit, f) == EOF) abort();
            if (load(&found)) {
                accepted_flips++;
                if (!CHECK(same_loaded(&right, &found))) printf("  byte %zu, bit %d\n", i, bit);
                unload(&found);
            } else if (!CHECK(one_line_naming(err.text, path)))
                printf("  byte %zu, bit %d: %s\n", i, bit, err.text);
        }
        if (fseek(f, (long)i, SEEK_SET) != 0 || putc(whole[i], f) == EOF) abort();
    }
    fclose(f);
    CHECK(accepted_flips == 1);  // of \u000a and \u000A
    CHECK(load(&found) && same_loaded(&right, &found));
    unload(&found);
    unload(&right);
    free(whole);
}

static void every_beginning_of_a_model_is_refused(void) { every_beginning_is_refused(false); }
static void every_beginning_of_a_state_is_refused(void) { every_beginning_is_refused(true); }
static void every_flipped_bit_of_a_model_is_refused_or_changes_nothing(void) {
    every_flipped_bit_is_refused_or_changes_nothing(false);
}
static void every_flipped_bit_of_a_state_is_refused_or_changes_nothing(void) {
    every_flipped_bit_is_refused_or_changes_nothing(true);
}

static void a_damaged_or_missing_file_is_named(void) {
    Safetensors file;
    GptConfig config = config_of(true, true);
    Weights w;
    bool has_moments;
    size_t n = 0;
    if (!weights_create(&w, &config, &err)) abort();
    CHECK(checkpoint_save(path, &w, NULL, NULL, &none, &err));
    weights_free(&w);
    char *bytes = get_file(path, &n);
    if (!CHECK(bytes && n > 100)) return;
    put_file(path, bytes, n - 1);
    CHECK(!checkpoint_open(&file, &config, &has_moments, path, &err) && one_line_naming(err.text, path));
    bytes[n - 1] ^= 1;
    put_file(path, bytes, n);
    CHECK(!checkpoint_open(&file, &config, &has_moments, path, &err) && one_line_naming(err.text, path));
    free(bytes);
    unlink(path);
    CHECK(!checkpoint_open(&file, &config, &has_moments, path, &err) && one_line_naming(err.text, path));
}

static void a_failed_save_names_the_file_and_leaves_the_old_one(void) {
    GptConfig config = config_of(true, true);
    Weights w;
    if (!weights_create(&w, &config, &err)) abort();
    CHECK(!checkpoint_save(in_folder("missing/model"), &w, NULL, NULL, &none, &err));
    CHECK(strstr(err.text, "missing/model") && !strchr(err.text, '\n'));
    put_file(path, "old", 3);
    mkdir(in_folder("model.tmp"), 0777);  // where the temporary file would be
    CHECK(!checkpoint_save(path, &w, NULL, NULL, &none, &err));
    CHECK(file_is(path, "old", 3));
    rmdir(in_folder("model.tmp"));
    weights_free(&w);
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("model"));
    RUN(weights_come_back_bit_by_bit);
    RUN(weights_and_moments_come_back_bit_by_bit);
    RUN(names_and_shapes_are_those_of_nanogpt);
    RUN(settings_and_what_callers_add_stand_in_the_metadata);
    RUN(equal_weights_give_equal_files);
    RUN(every_beginning_of_a_model_is_refused);
    RUN(every_beginning_of_a_state_is_refused);
    RUN(every_flipped_bit_of_a_model_is_refused_or_changes_nothing);
    RUN(every_flipped_bit_of_a_state_is_refused_or_changes_nothing);
    RUN(a_damaged_or_missing_file_is_named);
    RUN(a_failed_save_names_the_file_and_leaves_the_old_one);
    return report();
}
