// safetensors.c -- reading: everything in the header is checked before anything is done with it.
#include "safetensors.h"
#include "byte_order.h"
#include "crc32.h"
#include "file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const long METADATA_MOST = 1000;                // entries
static const int64_t HEADER_MOST = 100 * 1000 * 1000;  // as the format's own reader has it

static bool read_metadata(Json *j, Metadata *m) {
    long count = 0;
    bool more;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more) {
        String key, value;
        if (count > METADATA_MOST)
            return fail(j->err, "%s: more than %ld entries of metadata", j->name, METADATA_MOST);
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

const char *const SAFETENSORS_TYPE_NAME[] = {"F64", "F32", "F16", "BF16", "I64",
                                             "I32", "I16", "I8",  "U8",   "BOOL"};
const int SAFETENSORS_TYPE_BYTES[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};

static bool read_dtype(Json *j, SafetensorsEntry *e) {
    String dtype;
    if (!json_string(j, &dtype)) return false;
    bool known = false;
    for (int type = SAFETENSORS_F64; !known && type <= SAFETENSORS_BOOL; type++) {
        known = string_is(&dtype, SAFETENSORS_TYPE_NAME[type]);
        e->type = (SafetensorsType)type;
    }
    if (!known)
        fail(j->err, "%s: tensor \"%s\" has numbers of type %.20s, which this program does not know", j->name,
             e->name.bytes, dtype.bytes);
    free(dtype.bytes);
    return known;
}

// An array of at most `most` whole numbers.
static bool read_naturals(Json *j, int64_t *value, long most, long *count) {
    bool more;
    *count = 0;
    if (!json_expect(j, '[')) return false;
    while (json_next(j, ']', count, &more) && more) {
        if (*count > most)
            return fail(j->err, "%s: a list of more than %ld numbers in the header", j->name, most);
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
        int which = string_is(&key, "dtype")          ? DTYPE
                    : string_is(&key, "shape")        ? SHAPE
                    : string_is(&key, "data_offsets") ? OFFSETS
                                                      : 0;
        free(key.bytes);
        if (!which || seen & which)
            return fail(j->err, "%s: tensor \"%s\" has an unknown or repeated member", j->name,
                        e->name.bytes);
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
    if (seen != (DTYPE | SHAPE | OFFSETS))
        return fail(j->err, "%s: tensor \"%s\" is incomplete", j->name, e->name.bytes);
    e->begin = offset[0];
    int64_t size = SAFETENSORS_TYPE_BYTES[e->type];
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
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->size > y->size) - (x->size < y->size);
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
            return fail(err,
                        "%s: tensor \"%s\" begins at byte %" PRId64 " of the data, where %" PRId64 " is due",
                        s->path, s->entry[i].name.bytes, s->entry[i].begin, at);
    if (at != s->data_size)
        return fail(err,
                    "%s: holds %" PRId64 " bytes of data where the header promises %" PRId64
                    "; the file is cut short or damaged",
                    s->path, s->data_size, at);
    return true;
}

static bool seek(Safetensors *s, int64_t at, Error *err) {
    return fseeko(s->stream, s->data_begin + at, SEEK_SET) == 0 ||
           fail(err, "%s: %s", s->path, strerror(errno));
}

static bool read_bytes(Safetensors *s, void *to, size_t n, Error *err) {
    if (fread(to, 1, n, s->stream) == n) return true;
    return fail(err, "%s: cannot read: %s", s->path,
                ferror(s->stream) ? strerror(errno) : "the file ends too early");
}

static bool check_data(Safetensors *s, Error *err) {
    const String *promised = metadata_get(&s->metadata, SAFETENSORS_CHECKSUM);
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
    if (good && !string_is(promised, found))
        return fail(err, "%s: the checksum of the data is %s, not %.16s; the file is damaged", s->path, found,
                    promised->bytes);
    return good;
}

static bool check_metadata(const Safetensors *s, Error *err) {
    const String *promised = metadata_get(&s->metadata, SAFETENSORS_METADATA_CHECKSUM);
    char found[16];
    snprintf(found, sizeof found, "%08" PRIx32, metadata_crc32(&s->metadata, SAFETENSORS_CHECKSUMS));
    if (!promised || string_is(promised, found)) return true;
    return fail(err, "%s: the checksum of the metadata is %s, not %.16s; the file is damaged", s->path, found,
                promised->bytes);
}

// The length of the header. *foreign where this is no file of the format, or cut short already there.
static bool read_length(Safetensors *s, uint64_t *length, bool *foreign, Error *err) {
    struct stat status;
    unsigned char prefix[8];
    *foreign = false;
    if (fstat(fileno(s->stream), &status) != 0) return fail(err, "%s: %s", s->path, strerror(errno));
    *foreign = status.st_size < 8;
    if (*foreign)
        return fail(err, "%s: not a safetensors file: %jd bytes", s->path, (intmax_t)status.st_size);
    if (!read_bytes(s, prefix, 8, err)) return false;
    *length = 0;
    for (int i = 7; i >= 0; i--) *length = *length << 8 | prefix[i];
    *foreign = *length > (uint64_t)HEADER_MOST || *length > (uint64_t)status.st_size - 8;
    if (*foreign)
        return fail(err, "%s: not a safetensors file, or cut short: its header would have %" PRIu64 " bytes",
                    s->path, *length);
    s->data_begin = 8 + (int64_t)*length;
    s->data_size = status.st_size - s->data_begin;
    return true;
}

bool safetensors_may_be(bool *may_be, const char *path, Error *err) {
    struct stat status;
    uint64_t length;
    bool foreign;
    *may_be = false;
    if (stat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR || fail(err, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode)) return true;
    Safetensors s = {.path = (char *)path};
    if (!file_open(&s.stream, path, err)) return false;
    *may_be = read_length(&s, &length, &foreign, err);
    fclose(s.stream);
    return *may_be || foreign;
}

static bool open_and_check(Safetensors *s, Error *err) {
    uint64_t length;
    bool foreign;
    if (!file_open(&s->stream, s->path, err) || !read_length(s, &length, &foreign, err)) return false;
    char *header = malloc(length + 1);
    if (!header) return fail(err, "%s: memory is short", s->path);
    Json j = {
        .name = s->path, .offset = 8, .begin = header, .at = header, .end = header + length, .err = err};
    bool good = read_bytes(s, header, length, err) && read_header(&j, s) && check_entries(s, err) &&
                check_metadata(s, err) && check_data(s, err);
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

bool safetensors_read(Safetensors *s, const SafetensorsEntry *e, void *to, Error *err) {
    if (!seek(s, e->begin, err) || !read_bytes(s, to, (size_t)e->size, err)) return false;
    swap_on_big_endian(to, (size_t)e->size, SAFETENSORS_TYPE_BYTES[e->type]);
    return true;
}
