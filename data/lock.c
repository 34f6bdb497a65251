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

bool lock_take(Lock *lock, const char *path, Error *err) {
    *lock = (Lock){-1, strdup(path)};
    if (!lock->path) return fail(err, "%s: memory is short", path);
    for (;;) {
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->fd < 0) {
            fail(err, "%s: cannot write: %s", path, strerror(errno));
            break;
        }
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
