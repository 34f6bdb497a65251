#include "../data/crc32.h"
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
                    (e->dims == 1 || e->shape[1] == known[i].shape[1]) &&
                    e->bytes_per_element == (int)sizeof(real);
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

// ---- files that are not what they should be: a good one, changed, and written again ----

enum { ROOM = 128 };
static SafetensorsTensor tensor[ROOM];
static long tensors;
static Metadata settings;

// The tensors and settings of a good file, with moments or without.
static void good_file(bool moments) {
    static const char *const prefix[] = {"", "adamw.m.", "adamw.v."};
    GptConfig config = config_of(true, true);
    long count;
    Tensor *list = weights_list(&config, &count);
    if (!list) abort();
    tensors = 0;
    for (int block = 0; block < (moments ? 3 : 1); block++)
        for (long t = 0; t < count; t++) {
            SafetensorsTensor *to = &tensor[tensors++];
            *to = (SafetensorsTensor){.bytes_per_element = sizeof(real),
                                      .dims = list[t].dims,
                                      .shape = {list[t].shape[0], list[t].shape[1]}};
            snprintf(to->name, sizeof to->name, "%s%s", prefix[block], list[t].name);
        }
    free(list);
    static const char *const setting[][2] = {{"n_layer", "2"},    {"n_head", "2"},     {"n_embd", "4"},
                                             {"block_size", "6"}, {"vocab_size", "5"}, {"no_bias", "false"},
                                             {"untied", "false"}};
    metadata_free(&settings);
    for (int i = 0; i < 7; i++)
        if (!metadata_put(&settings, setting[i][0], setting[i][1], strlen(setting[i][1]), &err)) abort();
}

// Written here rather than by safetensors_write, which waits for the disk. All numbers are zero.
static void write_it(void) {
    static char data[1 << 16];
    char *bytes = NULL;
    size_t length = 0, at = 0;
    FILE *f = open_memstream(&bytes, &length);
    if (!f) abort();
    fwrite(data, 1, 8, f);
    fputs("{\"__metadata__\":{", f);
    for (long i = 0; i < settings.entries; i++) {
        if (i) putc(',', f);
        json_write_string(f, settings.entry[i].key.bytes, settings.entry[i].key.length);
        putc(':', f);
        json_write_string(f, settings.entry[i].value.bytes, settings.entry[i].value.length);
    }
    size_t total = 0;
    for (long i = 0; i < tensors; i++) {
        size_t size = (size_t)tensor[i].bytes_per_element;
        for (int d = 0; d < tensor[i].dims; d++) size *= (size_t)tensor[i].shape[d];
        total += size;
    }
    if (total > sizeof data) abort();
    fprintf(f, "%s\"metadata_crc32\":\"%08x\",\"crc32\":\"%08x\"}", settings.entries ? "," : "",
            (unsigned)metadata_crc32(&settings, SAFETENSORS_CHECKSUMS), (unsigned)crc32_add(0, data, total));
    for (long i = 0; i < tensors; i++) {
        const SafetensorsTensor *t = &tensor[i];
        size_t size = (size_t)t->bytes_per_element;
        fprintf(f, ",\"%s\":{\"dtype\":\"F%d\",\"shape\":[", t->name, 8 * t->bytes_per_element);
        for (int d = 0; d < t->dims; d++) {
            fprintf(f, "%s%ld", d ? "," : "", (long)t->shape[d]);
            size *= (size_t)t->shape[d];
        }
        fprintf(f, "],\"data_offsets\":[%zu,%zu]}", at, at + size);
        at += size;
    }
    putc('}', f);
    long header = ftell(f) - 8;
    if (at > sizeof data || fwrite(data, 1, at, f) != at || fclose(f) != 0) abort();
    for (int i = 0; i < 8; i++) bytes[i] = (char)(header >> 8 * i);
    put_file(path, bytes, length);
    free(bytes);
}

// Writes the file as it has been changed. It must be refused in one line that names it and holds `part`.
static bool refused(const char *part) {
    Safetensors file;
    GptConfig config;
    bool has_moments;
    write_it();
    err.text[0] = 0;
    if (checkpoint_open(&file, &config, &has_moments, path, &err)) {
        safetensors_close(&file);
        return false;
    }
    bool good = one_line_naming(err.text, path) && strstr(err.text, part) && !file.stream && !file.entry;
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

static bool accepted(void) {
    Safetensors file;
    GptConfig config;
    bool has_moments;
    write_it();
    bool good = checkpoint_open(&file, &config, &has_moments, path, &err);
    if (good)
        safetensors_close(&file);
    else
        printf("  message: %s\n", err.text);
    return good;
}

static void the_files_that_are_changed_here_are_good_at_first(void) {
    good_file(false);
    CHECK(accepted());
    good_file(true);
    CHECK(accepted());
}

static void every_missing_tensor_is_named(void) {
    good_file(false);
    for (long t = 0, count = tensors; t < count; t++) {
        char quoted[128];
        good_file(false);
        snprintf(quoted, sizeof quoted, "\"%.95s\" is missing", tensor[t].name);
        tensor[t] = tensor[--tensors];
        CHECK(refused(quoted));
    }
}

static void every_missing_moment_is_refused(void) {
    good_file(true);
    for (long t = 0, count = tensors; t < count; t += 3) {
        good_file(true);
        tensor[t] = tensor[--tensors];
        CHECK(refused(""));
    }
}

static void a_missing_moment_is_named(void) {
    good_file(true);
    for (long t = 0; t < tensors; t++)
        if (strcmp(tensor[t].name, "adamw.v.transformer.wpe.weight") == 0) {
            tensor[t] = tensor[--tensors];
            break;
        }
    CHECK(refused("\"adamw.v.transformer.wpe.weight\" is missing"));
}

static void a_wrong_shape_is_named(void) {
    good_file(true);
    for (long t = 0, count = tensors; t < count; t++) {
        char quoted[128];
        good_file(true);
        SafetensorsTensor *wrong = &tensor[t];
        snprintf(quoted, sizeof quoted, "\"%.95s\" has a shape", wrong->name);
        if (wrong->dims == 1) {  // (C) as (C,1)
            wrong->dims = 2;
            wrong->shape[1] = 1;
        } else if (wrong->shape[0] == wrong->shape[1]) {
            wrong->dims = 1;
            wrong->shape[0] *= wrong->shape[1];
        } else {  // transposed, as OpenAI's own files have it
            int64_t rows = wrong->shape[0];
            wrong->shape[0] = wrong->shape[1];
            wrong->shape[1] = rows;
        }
        CHECK(refused(quoted));
    }
    good_file(false);
    tensor[0].dims = 0;
    CHECK(refused("\"transformer.wte.weight\" has a shape"));
    good_file(false);
    tensor[0].dims = 3;
    tensor[0].shape[2] = 1;
    CHECK(refused("\"transformer.wte.weight\" has a shape"));
}

static void numbers_of_the_other_width_are_refused(void) {
    good_file(false);
    tensor[3].bytes_per_element = REAL_IS_FLOAT ? 8 : 4;
    CHECK(refused(tensor[3].name));
    CHECK(strstr(err.text, REAL_IS_FLOAT ? "F64; this program reads F32" : "F32; this program reads F64") !=
          NULL);
}

static void extra_tensors_are_refused(void) {
    static const char *const names[] = {"extra", "lm_head.weight", "transformer.h.2.ln_1.weight",
                                        "adamw.v.transformer.wte.weight"};
    for (int i = 0; i < 4; i++) {
        good_file(false);
        tensor[tensors] = tensor[0];
        strcpy(tensor[tensors++].name, names[i]);
        CHECK(refused("tensors where the settings call for"));
    }
    good_file(true);
    tensor[tensors] = tensor[0];
    strcpy(tensor[tensors++].name, "adamw.w.transformer.wte.weight");
    CHECK(refused("tensors where the settings call for"));
}

// The settings with one of them changed; with value NULL it is left out.
static void change_setting(const char *key, const char *value, size_t n) {
    Metadata changed = {0};
    for (long i = 0; i < settings.entries; i++) {
        const struct MetadataEntry *e = &settings.entry[i];
        bool it = strcmp(e->key.bytes, key) == 0;
        if (it && !value) continue;
        if (!metadata_put(&changed, e->key.bytes, it ? value : e->value.bytes, it ? n : e->value.length,
                          &err))
            abort();
    }
    metadata_free(&settings);
    settings = changed;
}

static bool setting_refused(const char *key, const char *value, size_t n, const char *part) {
    good_file(false);
    change_setting(key, value, n);
    bool good = refused(part);
    if (!good) printf("  %s = %s\n", key, value ? value : "(none)");
    return good;
}

static const char *const sizes[] = {"n_layer", "n_head", "n_embd", "block_size", "vocab_size"};
static const char *const flags[] = {"no_bias", "untied"};

static void every_missing_setting_is_named(void) {
    for (int i = 0; i < 5; i++) CHECK(setting_refused(sizes[i], NULL, 0, sizes[i]));
    for (int i = 0; i < 2; i++) CHECK(setting_refused(flags[i], NULL, 0, flags[i]));
}

static void settings_that_are_no_sizes_are_refused(void) {
    static const char *const values[] = {"",
                                         "0",
                                         "-1",
                                         "x",
                                         "4x",
                                         "4.0",
                                         "1e3",
                                         "0x4",
                                         "99999999999999999999",
                                         "2097153",
                                         "two",
                                         " 4",
                                         "+4",
                                         "04",
                                         "4 ",
                                         "4\n",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "1114113"};
    for (int i = 0; i < 5; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            CHECK(setting_refused(sizes[i], values[v], strlen(values[v]), sizes[i]));
}

static void a_setting_is_looked_at_to_its_last_byte(void) {
    CHECK(setting_refused("n_layer", "2\0x", 3, "n_layer"));
    CHECK(setting_refused("no_bias", "false\0x", 7, "no_bias"));
}

static void settings_that_are_no_flags_are_refused(void) {
    static const char *const values[] = {"", "0", "1", "True", "yes", "false ", "tru"};
    for (int i = 0; i < 2; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            CHECK(setting_refused(flags[i], values[v], strlen(values[v]), flags[i]));
}

static void settings_that_the_tensors_contradict_are_refused(void) {
    CHECK(setting_refused("n_layer", "1", 1, "tensors where the settings call for"));
    CHECK(setting_refused("n_layer", "3", 1, "\"transformer.h.2.ln_1.weight\" is missing"));
    CHECK(setting_refused("n_layer", "1024", 4, "n_layer"));
    CHECK(setting_refused("n_head", "3", 1, "no multiple"));
    CHECK(setting_refused("n_head", "8", 1, "no multiple"));
    CHECK(setting_refused("n_embd", "8", 1, "shape"));
    CHECK(setting_refused("n_embd", "65536", 5, "shape"));
    CHECK(setting_refused("block_size", "7", 1, "\"transformer.wpe.weight\" has a shape"));
    CHECK(setting_refused("block_size", "1048576", 7, "\"transformer.wpe.weight\" has a shape"));
    CHECK(setting_refused("vocab_size", "6", 1, "\"transformer.wte.weight\" has a shape"));
    CHECK(setting_refused("no_bias", "true", 4, "tensors where the settings call for"));
    CHECK(setting_refused("untied", "true", 4, "\"lm_head.weight\" is missing"));
}

static void settings_beyond_their_range_are_refused(void) {
    static const char *const beyond[] = {"1001", "1001", "65537", "1048577", "1114113"};
    for (int i = 0; i < 5; i++)
        CHECK(setting_refused(sizes[i], beyond[i], strlen(beyond[i]), "not a number"));
}

static void more_tensors_than_any_such_model_has_are_refused_at_once(void) {
    good_file(false);
    long names = 3 * tensors + 1;
    if (names > ROOM) abort();
    for (; tensors < names; tensors++) {
        tensor[tensors] = tensor[0];
        snprintf(tensor[tensors].name, sizeof tensor[0].name, "another %ld", tensors);
    }
    CHECK(refused("tensors where the settings call for at most"));
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

static void a_message_about_a_setting_stays_one_line(void) {
    CHECK(setting_refused("n_layer", "2\nx", 3, "n_layer"));
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
    RUN(the_files_that_are_changed_here_are_good_at_first);
    RUN(every_missing_tensor_is_named);
    RUN(every_missing_moment_is_refused);
    RUN(a_missing_moment_is_named);
    RUN(a_wrong_shape_is_named);
    RUN(numbers_of_the_other_width_are_refused);
    RUN(extra_tensors_are_refused);
    RUN(every_missing_setting_is_named);
    RUN(settings_that_are_no_sizes_are_refused);
    RUN(a_setting_is_looked_at_to_its_last_byte);
    RUN(settings_that_are_no_flags_are_refused);
    RUN(settings_that_the_tensors_contradict_are_refused);
    RUN(settings_beyond_their_range_are_refused);
    RUN(more_tensors_than_any_such_model_has_are_refused_at_once);
    RUN(every_beginning_of_a_model_is_refused);
    RUN(every_beginning_of_a_state_is_refused);
    RUN(every_flipped_bit_of_a_model_is_refused_or_changes_nothing);
    RUN(every_flipped_bit_of_a_state_is_refused_or_changes_nothing);
    RUN(a_message_about_a_setting_stays_one_line);
    RUN(a_damaged_or_missing_file_is_named);
    RUN(a_failed_save_names_the_file_and_leaves_the_old_one);
    metadata_free(&settings);
    return report();
}
