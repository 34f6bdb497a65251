#include "checkpoint.h"
#include <stdlib.h>
#include <string.h>

// A tensor stands in a file up to three times: itself and its two moments.
static const char *const PREFIX[] = {"", "adamw.m.", "adamw.v."};
enum { PREFIXES = 3 };

// ---- settings ----

static bool put_settings(Metadata *m, const GptConfig *c, Error *err) {
    return metadata_print(m, "n_layer", err, "%ld", c->L) && metadata_print(m, "n_head", err, "%ld", c->NH) &&
           metadata_print(m, "n_embd", err, "%ld", c->C) &&
           metadata_print(m, "block_size", err, "%ld", c->T) &&
           metadata_print(m, "vocab_size", err, "%ld", c->V) &&
           metadata_print(m, "no_bias", err, "%s", c->bias ? "false" : "true") &&
           metadata_print(m, "untied", err, "%s", c->tied ? "false" : "true");
}

// The ranges are those of the flags, and a vocabulary is one of code points.
static bool get_size(const Safetensors *f, const char *key, long most, long *value, Error *err) {
    const String *s = metadata_get(&f->metadata, key);
    if (!s) return fail(err, "%s: not a train_gpt model: the metadata has no \"%s\"", f->path, key);
    if (!metadata_whole(&f->metadata, key, most, value) || *value < 1)
        return fail(err, "%s: %s is \"%.20s\", not a number from 1 to %ld", f->path, key, s->bytes, most);
    return true;
}

static bool get_flag(const Safetensors *f, const char *key, bool *value, Error *err) {
    const String *s = metadata_get(&f->metadata, key);
    *value = s && string_is(s, "true");
    if (*value || (s && string_is(s, "false"))) return true;
    return fail(err, "%s: not a train_gpt model: %s is neither true nor false in the metadata", f->path, key);
}

static bool get_settings(const Safetensors *f, GptConfig *c, Error *err) {
    bool no_bias = false, untied = false;
    bool good = get_size(f, "n_layer", 1000, &c->L, err) && get_size(f, "n_head", 1000, &c->NH, err) &&
                get_size(f, "n_embd", 1 << 16, &c->C, err) &&
                get_size(f, "block_size", 1 << 20, &c->T, err) &&
                get_size(f, "vocab_size", 0x110000, &c->V, err) && get_flag(f, "no_bias", &no_bias, err) &&
                get_flag(f, "untied", &untied, err);
    if (!good) return false;
    c->bias = !no_bias;
    c->tied = !untied;
    return c->C % c->NH == 0 ||
           fail(err, "%s: n_embd %ld is no multiple of n_head %ld", f->path, c->C, c->NH);
}

// ---- tensors ----

static const SafetensorsEntry *find(const Safetensors *f, const char *prefix, const Tensor *t) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", prefix, t->name);
    return safetensors_find(f, name);
}

static bool check_entry(const Safetensors *f, const char *prefix, const Tensor *t, Error *err) {
    const SafetensorsEntry *e = find(f, prefix, t);
    if (!e) return fail(err, "%s: tensor \"%s%s\" is missing", f->path, prefix, t->name);
    bool same =
        e->dims == t->dims && e->shape[0] == t->shape[0] && (t->dims == 1 || e->shape[1] == t->shape[1]);
    if (!same)
        return fail(err, "%s: tensor \"%s\" has a shape that the settings do not give it", f->path,
                    e->name.bytes);
    if (e->type != CHECKPOINT_TYPE)
        return fail(err, "%s: tensor \"%s\" is %s; this program reads %s", f->path, e->name.bytes,
                    SAFETENSORS_TYPE_NAME[e->type], SAFETENSORS_TYPE_NAME[CHECKPOINT_TYPE]);
    return true;
}

bool checkpoint_open(Safetensors *file, GptConfig *config, bool *has_moments, const char *path, Error *err) {
    if (!safetensors_open(file, path, err)) return false;
    Tensor *list = NULL;
    long tensors = 0;
    bool good = get_settings(file, config, err);
    // A list as long as the file's own, before any is made.
    if (good && config->L > file->entries)
        good = fail(err, "%s: too few tensors for n_layer %ld", path, config->L);
    if (good && !(list = weights_list(config, &tensors))) good = fail(err, "%s: memory is short", path);
    // And a file as short as the list, before any is looked for: of a million names that would take hours.
    if (good && file->entries > PREFIXES * tensors)
        good = fail(err, "%s: holds %ld tensors where the settings call for at most %ld", path, file->entries,
                    PREFIXES * tensors);
    if (good) *has_moments = find(file, PREFIX[1], &list[0]) != NULL;
    int blocks = good && *has_moments ? PREFIXES : 1;
    for (int block = 0; good && block < blocks; block++)
        for (long t = 0; good && t < tensors; t++) good = check_entry(file, PREFIX[block], &list[t], err);
    if (good && file->entries != blocks * tensors)
        good = fail(err, "%s: holds %ld tensors where the settings call for %ld", path, file->entries,
                    blocks * tensors);
    for (const char *const *key = SAFETENSORS_CHECKSUMS; good && *key; key++)
        if (!metadata_get(&file->metadata, *key))
            good = fail(err, "%s: not a train_gpt model: the metadata has no \"%s\"", path, *key);
    free(list);
    if (!good) safetensors_close(file);
    return good;
}

bool checkpoint_read(Safetensors *file, Weights *w, real *m, real *v, Error *err) {
    real *block[PREFIXES] = {w->memory, m, v};
    for (int b = 0; b < PREFIXES; b++)
        for (long t = 0; block[b] && t < w->tensors; t++) {
            const Tensor *tensor = &w->tensor[t];
            if (!safetensors_read(file, find(file, PREFIX[b], tensor), block[b] + tensor->offset, err))
                return false;
        }
    return true;
}

bool checkpoint_save(const char *path, const Weights *w, const real *m, const real *v, const Metadata *more,
                     Error *err) {
    const real *block[PREFIXES] = {w->memory, m, v};
    SafetensorsTensor *list = calloc((size_t)(PREFIXES * w->tensors), sizeof *list);
    if (!list) return fail(err, "%s: memory is short", path);
    long tensors = 0;
    for (int b = 0; b < PREFIXES; b++)
        for (long t = 0; block[b] && t < w->tensors; t++) {
            const Tensor *tensor = &w->tensor[t];
            SafetensorsTensor *to = &list[tensors++];
            *to = (SafetensorsTensor){.type = CHECKPOINT_TYPE,
                                      .dims = tensor->dims,
                                      .shape = {tensor->shape[0], tensor->shape[1]},
                                      .from = block[b] + tensor->offset};
            snprintf(to->name, sizeof to->name, "%s%s", PREFIX[b], tensor->name);
        }
    Metadata all = {0};
    bool good = put_settings(&all, &w->config, err);
    for (long i = 0; good && i < more->entries; i++)
        good = metadata_put(&all, more->entry[i].key.bytes, more->entry[i].value.bytes,
                            more->entry[i].value.length, err);
    good = good && safetensors_write(path, list, tensors, &all, true, err);
    metadata_free(&all);
    free(list);
    return good;
}
