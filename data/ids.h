// ids.h -- a text as token ids, each in as few bytes as the vocabulary allows.
#ifndef IDS_H
#define IDS_H

#include "error.h"
#include <stdint.h>

typedef struct {
    void *at;
    int width;  // bytes an id: 1, 2 or 4
    long n;
} Ids;

// How many bytes an id below V takes: 1, 2 or 4.
int ids_width(long V);

// Room for n ids below V.
bool ids_create(Ids *ids, long n, long V, Error *err);
void ids_free(Ids *ids);

// Gives back the memory beyond ids->n, after it was made smaller.
void ids_trim(Ids *ids);
void ids_set(Ids *ids, long i, int32_t id);

// The ids from `begin` on = from[0..n).
void ids_write(Ids *ids, long begin, const int32_t *from, long n);

// to[0..n) = the ids from `begin` on.
void ids_copy(int32_t *to, const Ids *ids, long begin, long n);

// A checksum of all ids, the same for any width.
uint32_t ids_crc32(const Ids *ids);

#endif
