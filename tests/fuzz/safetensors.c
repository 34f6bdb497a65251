// Proves that any bytes are opened as a safetensors file or refused in one line that names it; and that a
// file which is accepted, when its tensors and metadata are written again, is read to the same bits.
#include "../../data/safetensors.h"
#include "fuzz.h"

static const char *path, *copy;

static bool checksum(const String *key) {
    for (int i = 0; SAFETENSORS_CHECKSUMS[i]; i++)
        if (string_is(key, SAFETENSORS_CHECKSUMS[i])) return true;
    return false;
}

// All tensors' bytes, one after the other: they cover the data, so they are as many as that.
static unsigned char *read_all(Safetensors *s) {
    unsigned char *data = malloc((size_t)s->data_size + 1);
    Error err;
    if (!data) abort();
    int64_t at = 0;
    for (long i = 0; i < s->entries; at += s->entry[i++].size) {
        HOLDS(s->entry[i].begin == at && s->entry[i].size >= 0 && at + s->entry[i].size <= s->data_size);
        HOLDS(safetensors_read(s, &s->entry[i], data + at, &err));
    }
    HOLDS(at == s->data_size);
    return data;
}

// False where the names are longer than those that can be written.
static bool write_again(const Safetensors *s, const unsigned char *data) {
    SafetensorsTensor *tensor = calloc((size_t)s->entries, sizeof *tensor);
    Metadata m = {0};
    Error err;
    bool fits = true;
    if (!tensor) abort();
    for (long i = 0; i < s->entries; i++) {
        const SafetensorsEntry *e = &s->entry[i];
        tensor[i] = (SafetensorsTensor){.type = e->type, .dims = e->dims, .from = data + e->begin};
        memcpy(tensor[i].shape, e->shape, sizeof e->shape);
        fits = fits && e->name.length < sizeof tensor[i].name;
        if (fits) memcpy(tensor[i].name, e->name.bytes, e->name.length + 1);
    }
    for (long i = 0; i < s->metadata.entries; i++) {
        const struct MetadataEntry *e = &s->metadata.entry[i];
        if (!checksum(&e->key)) HOLDS(metadata_put(&m, e->key.bytes, e->value.bytes, e->value.length, &err));
    }
    if (fits) HOLDS(safetensors_write(copy, tensor, s->entries, &m, true, &err));
    metadata_free(&m);
    free(tensor);
    return fits;
}

static void same_metadata(const Metadata *a, const Metadata *b) {
    HOLDS(metadata_crc32(a, SAFETENSORS_CHECKSUMS) == metadata_crc32(b, SAFETENSORS_CHECKSUMS));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    Safetensors s, again;
    Error err = {0};
    path = fuzz_path("model");
    copy = fuzz_path("copy");
    fuzz_file(path, bytes, n);
    if (!safetensors_open(&s, path, &err)) {
        HOLDS(one_line_naming(err.text, path) && !s.stream && !s.entry && !s.path);
        return 0;
    }
    unsigned char *data = read_all(&s);
    if (write_again(&s, data)) {
        HOLDS(safetensors_open(&again, copy, &err));
        unsigned char *second = read_all(&again);
        HOLDS(again.entries == s.entries && again.data_size == s.data_size);
        HOLDS(memcmp(data, second, (size_t)s.data_size) == 0);
        for (long i = 0; i < s.entries; i++) {
            const SafetensorsEntry *e = safetensors_find(&again, s.entry[i].name.bytes);
            HOLDS(e && e->dims == s.entry[i].dims && e->begin == s.entry[i].begin);
            HOLDS(memcmp(e->shape, s.entry[i].shape, (size_t)e->dims * sizeof *e->shape) == 0);
        }
        same_metadata(&s.metadata, &again.metadata);
        free(second);
        safetensors_close(&again);
    }
    free(data);
    safetensors_close(&s);
    return 0;
}
