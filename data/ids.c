#include "ids.h"
#include "byte_order.h"
#include "crc32.h"
#include <stdlib.h>

int ids_width(long V) { return V <= 1 << 8 ? 1 : V <= 1 << 16 ? 2 : 4; }

bool ids_create(Ids *ids, long n, long V, Error *err) {
    *ids = (Ids){.width = ids_width(V), .n = n};
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

void ids_set(Ids *ids, long i, int32_t id) { ids_write(ids, i, &id, 1); }

void ids_write(Ids *ids, long begin, const int32_t *from, long n) {
    if (ids->width == 1)
        for (long i = 0; i < n; i++) ((uint8_t *)ids->at)[begin + i] = (uint8_t)from[i];
    else if (ids->width == 2)
        for (long i = 0; i < n; i++) ((uint16_t *)ids->at)[begin + i] = (uint16_t)from[i];
    else
        for (long i = 0; i < n; i++) ((int32_t *)ids->at)[begin + i] = from[i];
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
    enum { CHUNK = 1 << 14 };  // so large that crc32_add's tables cost little beside it
    int32_t chunk[CHUNK];
    uint32_t crc = 0;
    for (long i = 0; i < ids->n; i += CHUNK) {
        long n = ids->n - i < CHUNK ? ids->n - i : CHUNK;
        size_t bytes = (size_t)n * sizeof *chunk;
        ids_copy(chunk, ids, i, n);
        swap_on_big_endian(chunk, bytes, sizeof *chunk);
        crc = crc32_add(crc, chunk, bytes);
    }
    return crc;
}
