#include "ids.h"
#include "crc32.h"
#include <stdlib.h>

bool ids_create(Ids *ids, long n, long V, Error *err) {
    *ids = (Ids){.width = V <= 1 << 8 ? 1 : V <= 1 << 16 ? 2 : 4, .n = n};
    ids->at = malloc((size_t)n * (size_t)ids->width + 1);
    return ids->at || fail(err, "memory: cannot get %ld bytes for the text's %ld tokens", n * ids->width, n);
}

void ids_free(Ids *ids) {
    free(ids->at);
    *ids = (Ids){0};
}

void ids_trim(Ids *ids) {
    void *smaller = realloc(ids->at, (size_t)ids->n * (size_t)ids->width + 1);
    if (smaller) ids->at = smaller;
}

void ids_set(Ids *ids, long i, int32_t id) {
    if (ids->width == 1)
        ((uint8_t *)ids->at)[i] = (uint8_t)id;
    else if (ids->width == 2)
        ((uint16_t *)ids->at)[i] = (uint16_t)id;
    else
        ((int32_t *)ids->at)[i] = id;
}

void ids_copy(int32_t *to, const Ids *ids, long begin, long n) {
    if (ids->width == 1)
        for (long i = 0; i < n; i++) to[i] = ((const uint8_t *)ids->at)[begin + i];
    else if (ids->width == 2)
        for (long i = 0; i < n; i++) to[i] = ((const uint16_t *)ids->at)[begin + i];
    else
        for (long i = 0; i < n; i++) to[i] = ((const int32_t *)ids->at)[begin + i];
}

uint32_t ids_crc32(const Ids *ids) {
    enum { CHUNK = 1024 };
    int32_t chunk[CHUNK];
    unsigned char bytes[4 * CHUNK];
    uint32_t crc = 0;
    for (long i = 0; i < ids->n; i += CHUNK) {
        long n = ids->n - i < CHUNK ? ids->n - i : CHUNK;
        ids_copy(chunk, ids, i, n);
        for (long j = 0; j < 4 * n; j++) bytes[j] = (unsigned char)((uint32_t)chunk[j / 4] >> 8 * (j % 4));
        crc = crc32_add(crc, bytes, (size_t)(4 * n));
    }
    return crc;
}
