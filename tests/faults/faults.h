// faults.h -- a call to the system that fails on purpose: the n-th of its kind. The program is linked so that
// its calls end in calls.c and streams.c (see the Makefile), which ask here whether they shall fail.
//
//   FAULT=KIND:N        the N-th call of that kind fails; KIND:N+ all from the N-th on
//   FAULT_LOG=FILE      gets a line "FUNCTION FILE ADDRESS..." about the first call that failed: the file
//   that
//                       it was about, or -, and where in the program it was called from, innermost first
//                       (nothing for calls by libc)
//   FAULT_COUNTS=FILE   gets a line "KIND CALLS" for each kind when the program ends
//   FAULT_ORDER=FILE    gets a line "write PATH", "fsync PATH", "rename PATH" or "remove PATH" for each of
//   these
//                       calls that worked, in order; of writes to the same file in a row the first
//   FAULT_KEEP=FOLDER   gets every file that was renamed, as it was then
//
// A file or a descriptor that the program leaves open is a message and exit status 97.
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef enum {
    MEMORY,   // out of memory
    OPEN,     // no more files may be open
    READ,     // a broken disk
    WRITE,    // a full disk, for a moment
    HALF,     // a disk that becomes full in the middle of this write, and stays so
    MESSAGE,  // standard error cannot be written to
    SYNC,     // what was written did not reach the disk
    RENAME,
    CLOSE,  // closed all the same, as Linux does it
    SEEK,
    STAT,    // stat, fstat, access, statvfs
    FOLDER,  // mkdir
    LOCK,    // a file system without locks
    TRUNCATE,
    REMOVE,
    SYSCONF,
    KINDS
} Kind;

// Counts the call, and returns true, with errno set, where it shall fail. `file` may be NULL. `frame` is
// FRAME in a function that the program calls, NULL in one that libc calls.
bool fault(Kind kind, const char *function, const char *file, void *frame);
#define FRAME __builtin_frame_address(0)

// The same about an open file.
bool fault_of(Kind kind, const char *function, int fd, void *frame);

// One write to a file, or less of it: what the system does, with faults of WRITE, HALF and MESSAGE.
ssize_t fault_write(const char *function, int fd, const void *bytes, size_t n, void *frame);

// A call that worked, about the file of this path or, where that is NULL, of this descriptor.
void fault_worked(const char *function, const char *path, int fd);

// Files that are open. At the end there must be none.
void fault_opened(int fd);
void fault_closed(int fd);

// A function NAME that the linker puts in the place of libc's, which stays reachable as __real_NAME.
#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
ssize_t __real_write(int fd, const void *bytes, size_t n);
void *__real_realloc(void *old, size_t n);

#endif
