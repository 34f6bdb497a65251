// lock.h -- files that only one process may write at a time.
#ifndef LOCK_H
#define LOCK_H

#include "error.h"

typedef struct {
    int fd;  // -1 where nothing is held
    char *path;
} Lock;

// Takes the lock that the file at `path` stands for, and makes that file. Fails where another process has it,
// and names that process. The system frees the lock of a process that ends in any way; a file that a crash
// left behind locks nothing. Where the file system has no locks there is no protection either. What stands at
// `path` and is no such file (a link, a folder, anything with more in it than a number) is left alone and is
// an error.
bool lock_take(Lock *lock, const char *path, Error *err);

// Frees it and removes the file. Does nothing where none is held.
void lock_release(Lock *lock);

#endif
