// folder.h -- a temporary folder for the tests that need files. It is removed when the test program ends.
#ifndef FOLDER_H
#define FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[512];

static inline void remove_all(const char *path) {
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat status;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char *inside = malloc(strlen(path) + strlen(e->d_name) + 2);
        if (!inside) abort();
        strcat(strcat(strcpy(inside, path), "/"), e->d_name);
        if (lstat(inside, &status) == 0 && S_ISDIR(status.st_mode))
            remove_all(inside);
        else
            unlink(inside);
        free(inside);
    }
    if (d) closedir(d);
    rmdir(path);
}

static inline void folder_remove(void) { remove_all(folder); }

static inline void folder_make(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/train_gpt.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        printf("%s: cannot make this folder\n", folder);
        exit(1);
    }
    atexit(folder_remove);
}

// The path of a file in the folder; the last eight remain valid.
static inline char *in_folder(const char *name) {
    static char path[8][1024];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, 1024, "%s/%s", folder, name);
    return p;
}

static inline void put_file(const char *path, const void *bytes, size_t n) {
    unlink(path);  // some file systems wait for the disk when a file is cut to nothing and written again
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) {
        printf("%s: cannot write\n", path);
        exit(1);
    }
}

// The file's bytes and an extra 0; NULL where there is no such file. The caller frees them.
static inline char *get_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *bytes = NULL;
    size_t room = 0;
    *n = 0;
    for (size_t got = 1; got > 0; *n += got) {
        if (room < *n + 4096) bytes = realloc(bytes, room = 2 * *n + 8192);
        if (!bytes) abort();
        got = fread(bytes + *n, 1, room - *n - 1, f);
    }
    fclose(f);
    bytes[*n] = 0;
    return bytes;
}

static inline bool file_is(const char *path, const void *bytes, size_t n) {
    size_t size = 0;
    char *found = get_file(path, &size);
    bool same = found && size == n && memcmp(found, bytes, n) == 0;
    free(found);
    return same;
}

// Names in the folder itself, other than . and ..
static inline int files_in(const char *path) {
    int n = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d) closedir(d);
    return n;
}

// One line, without control characters, that begins with "name: ".
static inline bool one_line_naming(const char *message, const char *name) {
    for (const char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20) return false;
    size_t n = strlen(name);
    return strncmp(message, name, n) == 0 && message[n] == ':' && message[n + 1] == ' ' && message[n + 2];
}

#endif
