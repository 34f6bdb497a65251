#include "text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";
static const size_t PIECE = 1 << 20;  // bytes that are read at a time

// Room for one more byte than asked, so that a read can find the end of the file.
static bool reserve(Text *t, size_t *room, size_t wanted, Error *err) {
    if (wanted < *room) return true;
    size_t larger = wanted + wanted / 2 + 4096;
    unsigned char *bytes = realloc(t->bytes, larger);
    if (!bytes) return fail(err, "memory: cannot get %zu bytes for the text", larger);
    t->bytes = bytes;
    *room = larger;
    return true;
}

static bool append_stream(Text *t, size_t *room, FILE *f, const char *name, Error *err) {
    struct stat status;
    size_t begin = t->n, size = 0;  // 0: not known
    if (fstat(fileno(f), &status) == 0) {
        if (S_ISDIR(status.st_mode)) return fail(err, "%s: is a folder, not a text file", name);
        // The exact size where it is known: a file of gigabytes should not be copied to grow.
        if (S_ISREG(status.st_mode)) size = (size_t)status.st_size;
        if (S_ISREG(status.st_mode) && t->n + (size_t)status.st_size >= *room) {
            size_t exact = t->n + (size_t)status.st_size + 1;
            unsigned char *bytes = realloc(t->bytes, exact);
            if (!bytes) return fail(err, "memory: cannot get %zu bytes for %s", exact, name);
            t->bytes = bytes;
            *room = exact;
        }
    }
    for (;;) {
        if (!reserve(t, room, t->n, err)) return false;
        size_t space = *room - t->n, got = fread(t->bytes + t->n, 1, space < PIECE ? space : PIECE, f);
        t->n += got;
        if (got == 0) break;
        watch_tell(t->watch, "reading", name, (double)(t->n - begin), (double)size);
    }
    return !ferror(f) || fail(err, "%s: cannot read: %s", name, strerror(errno));
}

static bool append_file(Text *t, size_t *room, const char *path, Error *err) {
    if (strcmp(path, "-") == 0) return append_stream(t, room, stdin, "standard input", err);
    FILE *f = fopen(path, "rb");
    if (!f) return fail(err, "%s: %s", path, strerror(errno));
    bool good = append_stream(t, room, f, path, err);
    fclose(f);
    return good;
}

static void drop_mark(Text *t, struct TextPart *part) {
    size_t length = strlen(BYTE_ORDER_MARK);
    if (t->n - part->begin < length || memcmp(t->bytes + part->begin, BYTE_ORDER_MARK, length) != 0) return;
    t->n -= length;
    memmove(t->bytes + part->begin, t->bytes + part->begin + length, t->n - part->begin);
    part->dropped = length;
    t->byte_order_marks++;
}

static long count_crlf(const Text *t) {
    long lines = 0;
    const unsigned char *p = t->bytes, *end = t->bytes + t->n;
    while (p < end && (p = memchr(p, '\r', (size_t)(end - p)))) {
        p++;
        if (p < end && *p == '\n') lines++;
    }
    return lines;
}

bool text_read(Text *t, char *const *paths, long files, bool drop_marks, const Watch *watch, Error *err) {
    *t = (Text){.watch = watch};
    size_t room = 0;
    t->part = calloc((size_t)files, sizeof *t->part);
    bool good = (t->part && reserve(t, &room, 1, err)) || fail(err, "memory is short");
    for (; good && t->parts < files; t->parts++) {
        const char *path = paths[t->parts];
        struct TextPart *part = &t->part[t->parts];
        *part = (struct TextPart){.name = strcmp(path, "-") == 0 ? "standard input" : path, .begin = t->n};
        good = append_file(t, &room, path, err);
        if (good && drop_marks) drop_mark(t, part);
    }
    if (good)
        t->crlf_lines = count_crlf(t);
    else
        text_free(t);
    return good;
}

bool text_from(Text *t, const char *name, const char *bytes, size_t n, Error *err) {
    *t = (Text){.n = n, .parts = 1, .bytes = malloc(n + 1), .part = calloc(1, sizeof *t->part)};
    if (!t->bytes || !t->part) {
        text_free(t);
        return fail(err, "memory is short");
    }
    memcpy(t->bytes, bytes, n);
    t->part[0].name = name;
    return true;
}

void text_free(Text *t) {
    free(t->bytes);
    free(t->part);
    *t = (Text){0};
}

void text_place(const Text *t, size_t at, const char **name, size_t *offset) {
    long p = t->parts - 1;
    while (p > 0 && t->part[p].begin > at) p--;
    *name = t->part[p].name;
    *offset = at - t->part[p].begin + t->part[p].dropped;
}
