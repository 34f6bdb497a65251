// fuzz.h -- what the fuzz targets share.
//
// A target is one function that takes any bytes and stops the program where a property does not hold. With
// clang's libFuzzer it is called with millions of inputs, guided by what they reach (`make fuzz`); with
// replay.c it is called once for each file in seeds/TARGET, by any compiler (`make test`).
#ifndef FUZZ_H
#define FUZZ_H

#include "../../data/error.h"
#include "../folder.h"
#include <fcntl.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

// A property that does not hold is a finding, like a crash.
#define HOLDS(condition)                                          \
    do {                                                          \
        if (!(condition)) broken(#condition, __FILE__, __LINE__); \
    } while (0)

static inline void broken(const char *condition, const char *file, int line) {
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

// Whatever is wrong is said in one line.
static inline bool one_line(const Error *err) {
    if (!err->text[0]) return false;
    for (const char *c = err->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return false;
    return true;
}

// A folder that is made when it is first asked for, and the path of a file in it.
static inline const char *fuzz_path(const char *name) {
    if (!folder[0]) folder_make();
    return in_folder(name);
}

// Makes the file hold exactly these bytes. It is written over, which is faster than a new one.
static inline void fuzz_file(const char *path, const void *bytes, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) != 0) {
        fprintf(stderr, "%s: cannot write\n", path);
        exit(1);
    }
}

#endif
