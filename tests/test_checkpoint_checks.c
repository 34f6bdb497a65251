// test_checkpoint_checks.c -- files that are whole and yet not what a checkpoint should be: a good one, with
// its tensors or settings changed, and written again.
#include "../data/crc32.h"
#include "../model/checkpoint.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];

static const GptConfig good_config = {.V = 5, .T = 6, .C = 4, .L = 2, .NH = 2, .bias = true, .tied = true};

enum { ROOM = 128 };
static SafetensorsTensor tensor[ROOM];
static long tensors;
static Metadata settings;

// The tensors and settings of a good file, with moments or without.
static void good_file(bool moments) {
    static const char *const prefix[] = {"", "adamw.m.", "adamw.v."};
    long count;
    Tensor *list = weights_list(&good_config, &count);
    if (!list) abort();
    tensors = 0;
    for (int block = 0; block < (moments ? 3 : 1); block++)
        for (long t = 0; t < count; t++) {
            SafetensorsTensor *to = &tensor[tensors++];
            *to = (SafetensorsTensor){
                .type = CHECKPOINT_TYPE, .dims = list[t].dims, .shape = {list[t].shape[0], list[t].shape[1]}};
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
        size_t size = (size_t)SAFETENSORS_TYPE_BYTES[tensor[i].type];
        for (int d = 0; d < tensor[i].dims; d++) size *= (size_t)tensor[i].shape[d];
        total += size;
    }
    if (total > sizeof data) abort();
    fprintf(f, "%s\"metadata_crc32\":\"%08x\",\"crc32\":\"%08x\"}", settings.entries ? "," : "",
            (unsigned)metadata_crc32(&settings, SAFETENSORS_CHECKSUMS), (unsigned)crc32_add(0, data, total));
    for (long i = 0; i < tensors; i++) {
        const SafetensorsTensor *t = &tensor[i];
        size_t size = (size_t)SAFETENSORS_TYPE_BYTES[t->type];
        fprintf(f, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, SAFETENSORS_TYPE_NAME[t->type]);
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
    tensor[3].type = REAL_IS_FLOAT ? SAFETENSORS_F64 : SAFETENSORS_F32;
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

static void a_message_about_a_setting_stays_one_line(void) {
    CHECK(setting_refused("n_layer", "2\nx", 3, "n_layer"));
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("model"));
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
    RUN(a_message_about_a_setting_stays_one_line);
    metadata_free(&settings);
    return report();
}
