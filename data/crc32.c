// crc32.c -- sixteen bytes a step: table k holds the effect of a byte that k others follow.
#include "crc32.h"

enum { TABLES = 16 };

typedef struct {
    uint32_t of[TABLES][256];
} Tables;

// Lets the lowest byte of c take effect on the others.
static uint32_t one_byte(uint32_t c) {
    for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    return c;
}

static void fill(Tables *t) {
    for (uint32_t byte = 0; byte < 256; byte++) t->of[0][byte] = one_byte(byte);
    for (int k = 1; k < TABLES; k++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = t->of[k - 1][byte];
            t->of[k][byte] = before >> 8 ^ t->of[0][before & 255];
        }
}

// Without tables, for a name or a number: they would take longer than the bytes themselves.
static uint32_t add_few(uint32_t c, const unsigned char *p, size_t n) {
    for (; n > 0; n--, p++) c = one_byte(c ^ *p);
    return c;
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n) {
    enum { FEW = 64 };
    if (n <= FEW) return ~add_few(~crc, bytes, n);
    Tables t;  // 16 kB worked out anew each time: nothing beside the megabytes that follow
    fill(&t);
    const unsigned char *p = bytes;
    uint32_t c = ~crc;
    for (; n >= TABLES; n -= TABLES, p += TABLES) {
        c ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        uint32_t next = 0;
        for (int k = 4; k < TABLES; k++) next ^= t.of[TABLES - 1 - k][p[k]];
        for (int k = 0; k < 4; k++) next ^= t.of[TABLES - 1 - k][c >> 8 * k & 255];
        c = next;
    }
    for (; n > 0; n--, p++) c = c >> 8 ^ t.of[0][(c ^ *p) & 255];
    return ~c;
}
