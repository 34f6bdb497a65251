#include "text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";
static const size_t PIECE = 1 << 20;  // bytes that are read at a time

// Where the bytes go: there is room for so many, and never for more than `most`.
typedef struct {
    size_t room;
    double most;
} Room;

static bool resize(Text *t, Room *r, size_t larger, const char *name, Error *err) {
    if ((double)larger > r->most)
        return fail(err, "%s: takes more memory than the %.0f MB that there are for it", name, r->most / 1e6);
    unsigned char *bytes = realloc(t->bytes, larger);
    if (!bytes) return fail(err, "memory: cannot get %zu bytes for %s", larger, name);
    t->bytes = bytes;
    r->room = larger;
    return true;
}

// Room for one more byte than there are, so that a read can find the end of the file.
static bool reserve(Text *t, Room *r, const char *name, Error *err) {
    return t->n < r->room || resize(t, r, t->n + t->n / 2 + 4096, name, err);
}

static bool append_stream(Text *t, Room *r, FILE *f, const char *name, Error *err) {
    struct stat status;
    size_t begin = t->n, size = 0;  // 0: not known
    if (fstat(fileno(f), &status) == 0) {
        if (S_ISDIR(status.st_mode)) return fail(err, "%s: is a folder, not a text file", name);
        // The exact size where it is known: a file of gigabytes should not be copied to grow.
        if (S_ISREG(status.st_mode)) size = (size_t)status.st_size;
        size_t exact = t->n + size + 1;
        if (size && exact > r->room && !resize(t, r, exact, name, err)) return false;
    }
    for (;;) {
        if (!reserve(t, r, name, err)) return false;
        size_t space = r->room - t->n, got = fread(t->bytes + t->n, 1, space < PIECE ? space : PIECE, f);
        t->n += got;
        if (got == 0) break;
        watch_tell(t->watch, "reading", name, (double)(t->n - begin), (double)size);
    }
    return !ferror(f) || fail(err, "%s: cannot read: %s", name, strerror(errno));
}

static bool append_file(Text *t, Room *r, const char *path, Error *err) {
    if (strcmp(path, "-") == 0) return append_stream(t, r, stdin, "standard input", err);
    FILE *f = fopen(path, "rb");
    if (!f) return fail(err, "%s: %s", path, strerror(errno));
    bool good = append_stream(t, r, f, path, err);
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
    return text_read_within(t, (double)INFINITY, paths, files, drop_marks, watch, err);
}

bool text_read_within(Text *t, double most, char *const *paths, long files, bool drop_marks,
                      const Watch *watch, Error *err) {
    *t = (Text){.watch = watch};
    Room room = {.most = most};
    t->part = calloc((size_t)files, sizeof *t->part);
    bool good = (t->part || fail(err, "memory is short")) && reserve(t, &room, "a text", err);
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
