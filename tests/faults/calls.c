// calls.c -- the calls that are not about streams.
#define _GNU_SOURCE
#include "faults.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// ---- memory ----

WRAP(void *, malloc, size_t n) { return fault(MEMORY, "malloc", NULL, FRAME) ? NULL : __real_malloc(n); }
WRAP(void *, calloc, size_t n, size_t each) {
    return fault(MEMORY, "calloc", NULL, FRAME) ? NULL : __real_calloc(n, each);
}
WRAP(void *, realloc, void *old, size_t n) {
    return fault(MEMORY, "realloc", NULL, FRAME) ? NULL : __real_realloc(old, n);
}
WRAP(void *, aligned_alloc, size_t boundary, size_t n) {
    return fault(MEMORY, "aligned_alloc", NULL, FRAME) ? NULL : __real_aligned_alloc(boundary, n);
}
WRAP(char *, strdup, const char *s) { return fault(MEMORY, "strdup", NULL, FRAME) ? NULL : __real_strdup(s); }
WRAP(char *, strndup, const char *s, size_t n) {
    return fault(MEMORY, "strndup", NULL, FRAME) ? NULL : __real_strndup(s, n);
}

// ---- descriptors ----

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (fault(OPEN, "open", path, FRAME)) return -1;
    int fd = __real_open(path, flags, mode);
    fault_opened(fd);
    return fd;
}

WRAP(int, mkstemp, char *path) {
    if (fault(OPEN, "mkstemp", path, FRAME)) return -1;
    int fd = __real_mkstemp(path);
    fault_opened(fd);
    return fd;
}

WRAP(int, close, int fd) {
    bool fails = fault_of(CLOSE, "close", fd, FRAME);
    fault_closed(fd);
    int status = __real_close(fd);
    if (!fails) return status;
    errno = EIO;
    return -1;
}

WRAP(ssize_t, write, int fd, const void *bytes, size_t n) {
    return fault_write("write", fd, bytes, n, FRAME);
}
WRAP(ssize_t, pread, int fd, void *to, size_t n, off_t at) {
    return fault_of(READ, "pread", fd, FRAME) ? -1 : __real_pread(fd, to, n, at);
}
WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t n, off_t at) {
    return fault_of(WRITE, "pwrite", fd, FRAME) ? -1 : __real_pwrite(fd, bytes, n, at);
}
WRAP(int, fsync, int fd) {
    if (fault_of(SYNC, "fsync", fd, FRAME)) return -1;
    fault_worked("fsync", NULL, fd);
    return __real_fsync(fd);
}
WRAP(int, ftruncate, int fd, off_t n) {
    return fault_of(TRUNCATE, "ftruncate", fd, FRAME) ? -1 : __real_ftruncate(fd, n);
}
WRAP(int, flock, int fd, int how) { return fault_of(LOCK, "flock", fd, FRAME) ? -1 : __real_flock(fd, how); }
WRAP(int, fstat, int fd, struct stat *s) {
    return fault_of(STAT, "fstat", fd, FRAME) ? -1 : __real_fstat(fd, s);
}

// ---- names ----

WRAP(int, stat, const char *path, struct stat *s) {
    return fault(STAT, "stat", path, FRAME) ? -1 : __real_stat(path, s);
}
WRAP(int, lstat, const char *path, struct stat *s) {
    return fault(STAT, "lstat", path, FRAME) ? -1 : __real_lstat(path, s);
}
WRAP(int, statvfs, const char *path, struct statvfs *s) {
    return fault(STAT, "statvfs", path, FRAME) ? -1 : __real_statvfs(path, s);
}
WRAP(int, access, const char *path, int how) {
    return fault(STAT, "access", path, FRAME) ? -1 : __real_access(path, how);
}
WRAP(int, mkdir, const char *path, mode_t mode) {
    return fault(FOLDER, "mkdir", path, FRAME) ? -1 : __real_mkdir(path, mode);
}
WRAP(int, unlink, const char *path) {
    if (fault(REMOVE, "unlink", path, FRAME) || __real_unlink(path) != 0) return -1;
    fault_worked("remove", path, -1);
    return 0;
}
WRAP(int, remove, const char *path) {
    return fault(REMOVE, "remove", path, FRAME) ? -1 : __real_remove(path);
}

WRAP(int, rename, const char *from, const char *to) {
    static int kept;
    if (fault(RENAME, "rename", to, FRAME)) return -1;
    int status = __real_rename(from, to);
    if (status == 0) fault_worked("rename", to, -1);
    const char *folder = getenv("FAULT_KEEP");
    char copy[4096];
    if (folder && status == 0) {
        snprintf(copy, sizeof copy, "%s/%d", folder, kept++);
        if (link(to, copy) != 0) _exit(96);
    }
    return status;
}

WRAP(long, sysconf, int name) { return fault(SYSCONF, "sysconf", NULL, FRAME) ? -1 : __real_sysconf(name); }
