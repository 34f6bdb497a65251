#include "lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// The process that has the lock writes its number into the file.
static bool somebody_has_it(int fd, const char *path, Error *err) {
    char owner[32];
    ssize_t n = pread(fd, owner, sizeof owner - 1, 0);
    owner[n > 0 ? n : 0] = 0;
    long process = strtol(owner, NULL, 10);
    char who[48] = "";
    if (process > 0) snprintf(who, sizeof who, " (process %ld)", process);
    return fail(err, "%s: another run%s is writing these files; --name or --out-dir puts them elsewhere",
                path, who);
}

// Whether the file that was locked is still the one at the path: whoever had it may have removed it between
// our opening and our locking. *known becomes false where the system does not tell.
static bool is_at(int fd, const char *path, bool *known) {
    struct stat held, there;
    *known = fstat(fd, &held) == 0;
    if (!*known) return false;
    if (stat(path, &there) == 0) return held.st_dev == there.st_dev && held.st_ino == there.st_ino;
    *known = errno == ENOENT;
    return false;
}

// Whether the file is a lock that a run has made and a crash may have left: empty, or a number and a newline.
// Anything else is somebody's. *known as above.
static bool is_a_lock(int fd, bool *known) {
    struct stat s;
    char text[32];
    *known = fstat(fd, &s) == 0;
    if (!*known || !S_ISREG(s.st_mode) || s.st_size >= (off_t)sizeof text) return false;
    if (s.st_size == 0) return true;
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    *known = n >= 0;
    if (!*known) return false;
    text[n] = 0;
    size_t digits = strspn(text, "0123456789");
    return digits == (size_t)n || (digits + 1 == (size_t)n && text[digits] == '\n');
}

static bool refuse(const char *path, Error *err) {
    return fail(err, "%s: is there and is no run's lock; --name or --out-dir puts the run's files elsewhere",
                path);
}

// Opens the file, or makes it; follows no link, and waits for nobody at a pipe.
static int open_lock(const char *path, Error *err) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    bool known = true;
    if (fd >= 0 && is_a_lock(fd, &known)) return fd;
    if (fd >= 0 ? known : errno == ELOOP || errno == EISDIR || errno == ENXIO)
        refuse(path, err);
    else
        fail(err, "%s: cannot %s: %s", path, fd >= 0 ? "lock" : "write", strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

bool lock_take(Lock *lock, const char *path, Error *err) {
    *lock = (Lock){-1, strdup(path)};
    if (!lock->path) return fail(err, "%s: memory is short", path);
    for (;;) {
        lock->fd = open_lock(path, err);
        if (lock->fd < 0) break;
        if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            somebody_has_it(lock->fd, path, err);
            close(lock->fd);
            break;
        }
        bool known;
        if (is_at(lock->fd, path, &known)) {
            char number[32];
            int n = snprintf(number, sizeof number, "%ld\n", (long)getpid());
            // Only a help for whoever finds the lock taken.
            if (ftruncate(lock->fd, 0) != 0 || pwrite(lock->fd, number, (size_t)n, 0) != n) errno = 0;
            return true;
        }
        if (!known) fail(err, "%s: cannot lock: %s", path, strerror(errno));
        close(lock->fd);
        if (!known) break;
    }
    free(lock->path);
    *lock = (Lock){-1, NULL};
    return false;
}

void lock_release(Lock *lock) {
    if (!lock->path) return;
    unlink(lock->path);
    close(lock->fd);
    free(lock->path);
    *lock = (Lock){-1, NULL};
}
