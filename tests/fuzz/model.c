// Proves that what eval and sample load as a model is one, or is refused in one line that names the file: it
// can be run forward, token by token as well, and when it is saved again it is loaded to the same bits.
#include "../../commands/model_file.h"
#include "forward.h"
#include "whole_file.h"

// Saves everything but what checkpoint_save puts there itself.
static void save(const ModelFile *m, const char *path) {
    static const char *const own[] = {"n_layer",           "n_head",  "n_embd", "block_size",
                                      "vocab_size",        "no_bias", "untied", SAFETENSORS_METADATA_CHECKSUM,
                                      SAFETENSORS_CHECKSUM};
    Metadata more = {0};
    Error err;
    for (long i = 0; i < m->metadata.entries; i++) {
        const struct MetadataEntry *e = &m->metadata.entry[i];
        bool there = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) there = there || string_is(&e->key, own[k]);
        if (!there) HOLDS(metadata_put(&more, e->key.bytes, e->value.bytes, e->value.length, &err));
    }
    HOLDS(checkpoint_save(path, &m->w, NULL, NULL, &more, &err));
    metadata_free(&more);
}

static void same_model(const ModelFile *a, const ModelFile *b) {
    HOLDS(a->w.size == b->w.size && a->z.V == b->z.V && a->z.kind == b->z.kind && a->z.capped == b->z.capped);
    HOLDS(memcmp(a->w.memory, b->w.memory, (size_t)a->w.size * sizeof(real)) == 0);
    if (a->z.kind == TOKENIZER_CHAR)
        HOLDS(memcmp(a->z.code, b->z.code, (size_t)a->z.V * sizeof *a->z.code) == 0);
    HOLDS(a->metadata.entries == b->metadata.entries);
    for (long i = 0; i < a->metadata.entries; i++) {
        const struct MetadataEntry *e = &a->metadata.entry[i];
        const String *value = metadata_get(&b->metadata, e->key.bytes);
        bool checksum = strstr(e->key.bytes, "crc32") != NULL;  // of another order of the same
        HOLDS(value && (checksum || (value->length == e->value.length &&
                                     memcmp(value->bytes, e->value.bytes, value->length) == 0)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const char *path = fuzz_path("model"), *copy = fuzz_path("copy");
    ModelFile m, again;
    Error err = {0};
    put_whole_file(path, bytes, n);
    if (!model_file_load(&m, path, &err)) {
        HOLDS(one_line_naming(err.text, path));
        return 0;
    }
    HOLDS(m.w.config.V == m.z.V && m.w.config.C % m.w.config.NH == 0);
    run_forward(&m.w);
    save(&m, copy);
    HOLDS(model_file_load(&again, copy, &err));
    same_model(&m, &again);
    model_file_free(&again);
    model_file_free(&m);
    return 0;
}
