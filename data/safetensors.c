#include "safetensors.h"
#include "crc32.h"
#include "file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const int64_t HEADER_MOST = 100 * 1000 * 1000;  // as the format's own reader has it
static const char CHECKSUM[] = "crc32";

// ---- metadata ----

// Whether the whole string is this one; a name may hold a NUL, where strcmp would stop.
static bool string_is(const String *s, const char *text) {
    return s->length == strlen(text) && memcmp(s->bytes, text, s->length) == 0;
}

static bool string_copy(String *s, const char *bytes, size_t n, Error *err) {
    *s = (String){.bytes = malloc(n + 1), .length = n};
    if (!s->bytes) return fail(err, "memory is short");
    memcpy(s->bytes, bytes, n);
    s->bytes[n] = 0;
    return true;
}

// Takes over the strings.
static bool metadata_append(Metadata *m, String key, String value, Error *err) {
    if (m->entries == m->room) {
        long room = m->room ? 2 * m->room : 32;
        struct MetadataEntry *larger = realloc(m->entry, (size_t)room * sizeof *larger);
        if (!larger) {
            free(key.bytes);
            free(value.bytes);
            return fail(err, "memory is short");
        }
        m->entry = larger;
        m->room = room;
    }
    m->entry[m->entries++] = (struct MetadataEntry){key, value};
    return true;
}

bool metadata_put(Metadata *m, const char *key, const char *bytes, size_t n, Error *err) {
    String k, v;
    if (!string_copy(&k, key, strlen(key), err)) return false;
    if (!string_copy(&v, bytes, n, err)) {
        free(k.bytes);
        return false;
    }
    return metadata_append(m, k, v, err);
}

bool metadata_print(Metadata *m, const char *key, Error *err, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return metadata_put(m, key, text, strlen(text), err);
}

const String *metadata_get(const Metadata *m, const char *key) {
    for (long i = 0; i < m->entries; i++)
        if (string_is(&m->entry[i].key, key)) return &m->entry[i].value;
    return NULL;
}

void metadata_free(Metadata *m) {
    for (long i = 0; i < m->entries; i++) {
        free(m->entry[i].key.bytes);
        free(m->entry[i].value.bytes);
    }
    free(m->entry);
    *m = (Metadata){0};
}

// ---- reading ----

static bool read_metadata(Json *j, Metadata *m) {
    long count = 0;
    bool more;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more) {
        String key, value;
        if (!json_string(j, &key)) return false;
        if (!json_expect(j, ':') || !json_string(j, &value)) {
            free(key.bytes);
            return false;
        }
        if (strlen(key.bytes) != key.length || metadata_get(m, key.bytes)) {
            fail(j->err, "%s: the metadata name \"%s\" stands twice or holds a NUL", j->name, key.bytes);
            free(key.bytes);
            free(value.bytes);
            return false;
        }
        if (!metadata_append(m, key, value, j->err)) return false;
    }
    return !more;
}

static bool read_dtype(Json *j, SafetensorsEntry *e) {
    String dtype;
    if (!json_string(j, &dtype)) return false;
    e->bytes_per_element = string_is(&dtype, "F32") ? 4 : string_is(&dtype, "F64") ? 8 : 0;
    bool good = e->bytes_per_element || fail(j->err, "%s: tensor \"%s\" has numbers of type %.20s; F32 or F64 is needed",
                                             j->name, e->name.bytes, dtype.bytes);
    free(dtype.bytes);
    return good;
}

// An array of at most `most` whole numbers.
static bool read_naturals(Json *j, int64_t *value, long most, long *count) {
    bool more;
    *count = 0;
    if (!json_expect(j, '[')) return false;
    while (json_next(j, ']', count, &more) && more) {
        if (*count > most) return fail(j->err, "%s: a list of more than %ld numbers in the header", j->name, most);
        if (!json_natural(j, &value[*count - 1])) return false;
    }
    return !more;
}

// {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, in any order, each once.
static bool read_entry(Json *j, SafetensorsEntry *e) {
    enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
    int seen = 0;
    long count = 0, numbers;
    int64_t offset[2] = {0};
    bool more;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more) {
        String key;
        if (!json_string(j, &key)) return false;
        int which = string_is(&key, "dtype") ? DTYPE : string_is(&key, "shape") ? SHAPE
                    : string_is(&key, "data_offsets") ? OFFSETS : 0;
        free(key.bytes);
        if (!which || seen & which)
            return fail(j->err, "%s: tensor \"%s\" has an unknown or repeated member", j->name, e->name.bytes);
        seen |= which;
        if (!json_expect(j, ':')) return false;
        if (which == DTYPE && !read_dtype(j, e)) return false;
        if (which == SHAPE) {
            if (!read_naturals(j, e->shape, SAFETENSORS_DIMS, &numbers)) return false;
            e->dims = (int)numbers;
        }
        if (which == OFFSETS && (!read_naturals(j, offset, 2, &numbers) || numbers != 2))
            return fail(j->err, "%s: tensor \"%s\" needs two data_offsets", j->name, e->name.bytes);
    }
    if (more) return false;
    if (seen != (DTYPE | SHAPE | OFFSETS)) return fail(j->err, "%s: tensor \"%s\" is incomplete", j->name, e->name.bytes);
    e->begin = offset[0];
    int64_t size = e->bytes_per_element;
    for (int i = 0; i < e->dims; i++)
        if (__builtin_mul_overflow(size, e->shape[i], &size))
            return fail(j->err, "%s: tensor \"%s\" has an impossible shape", j->name, e->name.bytes);
    if (offset[1] < offset[0] || offset[1] - offset[0] != size)
        return fail(j->err, "%s: tensor \"%s\" has %" PRId64 " bytes where its shape needs %" PRId64, j->name,
                    e->name.bytes, offset[1] - offset[0], size);
    e->size = size;
    return true;
}

static bool read_header(Json *j, Safetensors *s) {
    long count = 0, room = 0;
    bool more, has_metadata = false;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more) {
        String name;
        if (!json_string(j, &name)) return false;
        if (!json_expect(j, ':')) {
            free(name.bytes);
            return false;
        }
        if (string_is(&name, "__metadata__")) {
            free(name.bytes);
            if (has_metadata) return fail(j->err, "%s: __metadata__ stands twice", j->name);
            has_metadata = true;
            if (!read_metadata(j, &s->metadata)) return false;
            continue;
        }
        if (strlen(name.bytes) != name.length) {
            fail(j->err, "%s: the tensor name \"%s\" holds a NUL", j->name, name.bytes);
            free(name.bytes);
            return false;
        }
        if (s->entries == room) {
            room = room ? 2 * room : 64;
            SafetensorsEntry *larger = realloc(s->entry, (size_t)room * sizeof *larger);
            if (!larger) {
                free(name.bytes);
                return fail(j->err, "%s: memory is short", j->name);
            }
            s->entry = larger;
        }
        s->entry[s->entries] = (SafetensorsEntry){.name = name};
        if (!read_entry(j, &s->entry[s->entries++])) return false;
    }
    return !more && json_finish(j);
}

static int by_begin(const void *a, const void *b) {
    const SafetensorsEntry *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin) : (x->size > y->size) - (x->size < y->size);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const SafetensorsEntry *)a)->name.bytes, ((const SafetensorsEntry *)b)->name.bytes);
}

static bool check_entries(Safetensors *s, Error *err) {
    if (s->entries == 0) return fail(err, "%s: holds no tensors", s->path);
    qsort(s->entry, (size_t)s->entries, sizeof *s->entry, by_name);
    for (long i = 1; i < s->entries; i++)
        if (by_name(&s->entry[i - 1], &s->entry[i]) == 0)
            return fail(err, "%s: tensor \"%s\" stands twice", s->path, s->entry[i].name.bytes);
    qsort(s->entry, (size_t)s->entries, sizeof *s->entry, by_begin);
    int64_t at = 0;
    for (long i = 0; i < s->entries; at += s->entry[i++].size)
        if (s->entry[i].begin != at)
            return fail(err, "%s: tensor \"%s\" begins at byte %" PRId64 " of the data, where %" PRId64 " is due", s->path,
                        s->entry[i].name.bytes, s->entry[i].begin, at);
    if (at != s->data_size)
        return fail(err, "%s: holds %" PRId64 " bytes of data where the header promises %" PRId64
                         "; the file is cut short or damaged", s->path, s->data_size, at);
    return true;
}

static bool seek(Safetensors *s, int64_t at, Error *err) {
    return fseeko(s->stream, s->data_begin + at, SEEK_SET) == 0 || fail(err, "%s: %s", s->path, strerror(errno));
}

static bool read_bytes(Safetensors *s, void *to, size_t n, Error *err) {
    if (fread(to, 1, n, s->stream) == n) return true;
    return fail(err, "%s: cannot read: %s", s->path, ferror(s->stream) ? strerror(errno) : "the file ends too early");
}

static bool check_data(Safetensors *s, Error *err) {
    const String *promised = metadata_get(&s->metadata, CHECKSUM);
    if (!promised) return true;
    static const size_t CHUNK = 1 << 16;
    unsigned char *chunk = malloc(CHUNK);
    if (!chunk) return fail(err, "%s: memory is short", s->path);
    uint32_t crc = 0;
    bool good = seek(s, 0, err);
    for (int64_t left = s->data_size; good && left > 0; left -= (int64_t)CHUNK) {
        size_t n = left < (int64_t)CHUNK ? (size_t)left : CHUNK;
        good = read_bytes(s, chunk, n, err);
        if (good) crc = crc32_add(crc, chunk, n);
    }
    free(chunk);
    char found[16];
    snprintf(found, sizeof found, "%08" PRIx32, crc);
    if (good && strcmp(found, promised->bytes) != 0)
        return fail(err, "%s: the checksum of the data is %s, not %.16s; the file is damaged", s->path, found,
                    promised->bytes);
    return good;
}

static bool open_and_check(Safetensors *s, Error *err) {
    struct stat status;
    unsigned char prefix[8];
    s->stream = fopen(s->path, "rb");
    if (!s->stream || fstat(fileno(s->stream), &status) != 0) return fail(err, "%s: %s", s->path, strerror(errno));
    if (S_ISDIR(status.st_mode)) return fail(err, "%s: is a folder, not a model file", s->path);
    if (status.st_size < 8) return fail(err, "%s: not a safetensors file: %jd bytes", s->path, (intmax_t)status.st_size);
    if (!read_bytes(s, prefix, 8, err)) return false;
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--) length = length << 8 | prefix[i];
    if (length > (uint64_t)HEADER_MOST || length > (uint64_t)status.st_size - 8)
        return fail(err, "%s: not a safetensors file, or cut short: its header would have %" PRIu64 " bytes", s->path, length);
    s->data_begin = 8 + (int64_t)length;
    s->data_size = status.st_size - s->data_begin;

    char *header = malloc(length + 1);
    if (!header) return fail(err, "%s: memory is short", s->path);
    Json j = {.name = s->path, .begin = header, .at = header, .end = header + length, .err = err};
    bool good = read_bytes(s, header, length, err) && read_header(&j, s) && check_entries(s, err) && check_data(s, err);
    free(header);
    return good;
}

bool safetensors_open(Safetensors *s, const char *path, Error *err) {
    *s = (Safetensors){.path = strdup(path)};
    if (!s->path) return fail(err, "%s: memory is short", path);
    if (open_and_check(s, err)) return true;
    safetensors_close(s);
    return false;
}

void safetensors_close(Safetensors *s) {
    for (long i = 0; i < s->entries; i++) free(s->entry[i].name.bytes);
    free(s->entry);
    metadata_free(&s->metadata);
    if (s->stream) fclose(s->stream);
    free(s->path);
    *s = (Safetensors){0};
}

const SafetensorsEntry *safetensors_find(const Safetensors *s, const char *name) {
    for (long i = 0; i < s->entries; i++)
        if (strcmp(s->entry[i].name.bytes, name) == 0) return &s->entry[i];
    return NULL;
}

// Turns numbers of `width` bytes from the host's byte order to little-endian, or back.
static void swap_on_big_endian(void *numbers, size_t bytes, int width) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    unsigned char *p = numbers;
    for (size_t i = 0; i < bytes; i += (size_t)width)
        for (int a = 0, b = width - 1; a < b; a++, b--) {
            unsigned char t = p[i + (size_t)a];
            p[i + (size_t)a] = p[i + (size_t)b];
            p[i + (size_t)b] = t;
        }
#else
    (void)numbers, (void)bytes, (void)width;
#endif
}

bool safetensors_read(Safetensors *s, const SafetensorsEntry *e, void *to, Error *err) {
    if (!seek(s, e->begin, err) || !read_bytes(s, to, (size_t)e->size, err)) return false;
    swap_on_big_endian(to, (size_t)e->size, e->bytes_per_element);
    return true;
}

// ---- writing ----

static size_t bytes_of(const SafetensorsTensor *t) {
    size_t n = (size_t)t->bytes_per_element;
    for (int i = 0; i < t->dims; i++) n *= (size_t)t->shape[i];
    return n;
}

// Goes through all tensors' bytes as they stand in the file: into *crc, and into `out` unless it is NULL.
static void each_byte(const SafetensorsTensor *tensor, long tensors, uint32_t *crc, FileWriter *out) {
    unsigned char chunk[1 << 16];
    for (long i = 0; i < tensors; i++) {
        size_t total = bytes_of(&tensor[i]);
        for (size_t at = 0; at < total; at += sizeof chunk) {
            size_t n = total - at < sizeof chunk ? total - at : sizeof chunk;
            memcpy(chunk, (const char *)tensor[i].from + at, n);
            swap_on_big_endian(chunk, n, tensor[i].bytes_per_element);
            if (out) file_write(out, chunk, n);
            else *crc = crc32_add(*crc, chunk, n);
        }
    }
}

static void write_header(FILE *f, const SafetensorsTensor *tensor, long tensors, const Metadata *m, uint32_t crc) {
    fprintf(f, "{\"__metadata__\":{");
    for (long i = 0; i < m->entries; i++) {
        json_write_string(f, m->entry[i].key.bytes, m->entry[i].key.length);
        putc(':', f);
        json_write_string(f, m->entry[i].value.bytes, m->entry[i].value.length);
        putc(',', f);
    }
    fprintf(f, "\"%s\":\"%08" PRIx32 "\"}", CHECKSUM, crc);
    size_t at = 0;
    for (long i = 0; i < tensors; i++) {
        const SafetensorsTensor *t = &tensor[i];
        putc(',', f);
        json_write_string(f, t->name, strlen(t->name));
        fprintf(f, ":{\"dtype\":\"F%d\",\"shape\":[", 8 * t->bytes_per_element);
        for (int d = 0; d < t->dims; d++) fprintf(f, "%s%" PRId64, d ? "," : "", t->shape[d]);
        fprintf(f, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes_of(t));
        at += bytes_of(t);
    }
    putc('}', f);
}

bool safetensors_write(const char *path, const SafetensorsTensor *tensor, long tensors, const Metadata *metadata,
                       Error *err) {
    uint32_t crc = 0;
    each_byte(tensor, tensors, &crc, NULL);
    char *header = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&header, &length);
    if (!memory) return fail(err, "%s: memory is short", path);
    write_header(memory, tensor, tensors, metadata, crc);
    while (ftell(memory) % 8) putc(' ', memory);  // the data begins at a multiple of 8
    bool whole = !ferror(memory);
    if (fclose(memory) != 0 || !whole) {
        free(header);
        return fail(err, "%s: memory is short", path);
    }
    FileWriter f;
    if (!file_create(&f, path, err)) {
        free(header);
        return false;
    }
    unsigned char prefix[8];
    for (int i = 0; i < 8; i++) prefix[i] = (unsigned char)(length >> 8 * i);
    file_write(&f, prefix, 8);
    file_write(&f, header, length);
    free(header);
    each_byte(tensor, tensors, &crc, &f);
    return file_commit(&f, err);
}
