#include "metadata.h"
#include "crc32.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool string_is(const String *s, const char *text) {
    return s->length == strlen(text) && memcmp(s->bytes, text, s->length) == 0;
}

static bool string_copy(String *s, const char *bytes, size_t n, Error *err) {
    *s = (String){.bytes = malloc(n + 1), .length = n};
    if (!s->bytes) return fail(err, "memory is short");
    memcpy(s->bytes, bytes, n);
    s->bytes[n] = 0;
    return true;
}

bool metadata_append(Metadata *m, String key, String value, Error *err) {
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

bool metadata_whole(const Metadata *m, const char *key, long most, long *value) {
    const String *s = metadata_get(m, key);
    if (!s || s->length == 0 || (s->bytes[0] == '0' && s->length > 1)) return false;
    *value = 0;
    for (size_t i = 0; i < s->length; i++) {
        int digit = s->bytes[i] - '0';
        if (digit < 0 || digit > 9 || *value > (most - digit) / 10) return false;
        *value = 10 * *value + digit;
    }
    return *value <= most;
}

bool metadata_finite(const Metadata *m, const char *key, double *value) {
    const String *s = metadata_get(m, key);
    char *end;
    if (!s || s->length == 0 || strspn(s->bytes, "+-.0123456789e") != s->length) return false;
    *value = strtod(s->bytes, &end);
    return *end == 0 && isfinite(*value);
}

void metadata_free(Metadata *m) {
    for (long i = 0; i < m->entries; i++) {
        free(m->entry[i].key.bytes);
        free(m->entry[i].value.bytes);
    }
    free(m->entry);
    *m = (Metadata){0};
}

uint32_t metadata_crc32(const Metadata *m, const char *const *except) {
    uint32_t crc = 0;
    for (long i = 0; i < m->entries; i++) {
        const struct MetadataEntry *e = &m->entry[i];
        const char *const *name = except;
        while (*name && !string_is(&e->key, *name)) name++;
        if (*name) continue;
        // The final 0 of each string is summed, too, so that a letter cannot move from a name to its value.
        crc = crc32_add(crc, e->key.bytes, e->key.length + 1);
        crc = crc32_add(crc, e->value.bytes, e->value.length + 1);
    }
    return crc;
}
