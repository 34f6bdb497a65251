#include "faults.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int why;
} KIND[KINDS] = {
    [MEMORY] = {"memory", ENOMEM},   [OPEN] = {"open", EMFILE},      [READ] = {"read", EIO},
    [WRITE] = {"write", ENOSPC},     [HALF] = {"half", ENOSPC},      [MESSAGE] = {"message", EIO},
    [SYNC] = {"sync", EIO},          [RENAME] = {"rename", EIO},     [CLOSE] = {"close", EIO},
    [SEEK] = {"seek", EIO},          [STAT] = {"stat", EIO},         [FOLDER] = {"folder", ENOSPC},
    [LOCK] = {"lock", ENOLCK},       [TRUNCATE] = {"truncate", EIO}, [REMOVE] = {"remove", EIO},
    [SYSCONF] = {"sysconf", EINVAL},
};

enum { FILES = 1024 };
static long calls[KINDS];
static bool is_open[FILES];
static bool logged;

extern char __executable_start[], etext[];  // made by the linker

// To a file, without the functions that can be made to fail.
static void say(const char *path, const char *text) {
    int fd = path ? __real_open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (fd < 0) return;
    if (__real_write(fd, text, strlen(text)) < 0) _exit(96);
    __real_close(fd);
}

// The program is built with frame pointers: a frame begins with the address of its caller's and that of the
// call.
static void log_fault(const char *function, const char *file, void *frame) {
    enum { DEPTH = 4 };
    char line[4300];
    if (logged) return;
    logged = true;
    int n = snprintf(line, sizeof line, "%s %s", function, file ? file : "-");
    void **at = frame;
    for (int i = 0; at && i < DEPTH; i++, at = *at) {
        uintptr_t call = (uintptr_t)at[1] - 1 - (uintptr_t)__executable_start;
        if (call >= (uintptr_t)(etext - __executable_start)) break;  // what called main
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%lx", (unsigned long)call);
    }
    snprintf(line + n, sizeof line - (size_t)n, "\n");
    say(getenv("FAULT_LOG"), line);
}

static bool shall_fail(Kind kind) {
    const char *wanted = getenv("FAULT"), *name = KIND[kind].name;
    size_t n = strlen(name);
    calls[kind]++;
    if (!wanted || strncmp(wanted, name, n) != 0 || wanted[n] != ':') return false;
    char *end;
    long at = strtol(wanted + n + 1, &end, 10);
    return calls[kind] == at || (*end == '+' && calls[kind] > at);
}

bool fault(Kind kind, const char *function, const char *file, void *frame) {
    if (!shall_fail(kind)) return false;
    log_fault(function, file, frame);
    errno = KIND[kind].why;
    return true;
}

static void path_of(int fd, char file[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, file, 4095);
    file[n > 0 ? n : 0] = 0;
}

void fault_worked(const char *function, const char *path, int fd) {
    static char last[4200];
    char file[4096], line[4200];
    const char *to = getenv("FAULT_ORDER");
    if (!to || (!path && fd <= STDERR_FILENO)) return;
    if (!path) path_of(fd, file);
    snprintf(line, sizeof line, "%s %s\n", function, path ? path : file);
    if (strcmp(line, last) == 0) return;
    strcpy(last, line);
    say(to, line);
}

bool fault_of(Kind kind, const char *function, int fd, void *frame) {
    if (!shall_fail(kind)) return false;
    static const char *const standard[] = {"stdin", "stdout", "stderr"};
    char file[4096];
    path_of(fd, file);
    log_fault(function, fd >= 0 && fd <= STDERR_FILENO ? standard[fd] : file, frame);
    errno = KIND[kind].why;
    return true;
}

ssize_t fault_write(const char *function, int fd, const void *bytes, size_t n, void *frame) {
    static bool full;
    if (fd == STDERR_FILENO) return fault_of(MESSAGE, function, fd, frame) ? -1 : __real_write(fd, bytes, n);
    if (fault_of(WRITE, function, fd, frame)) return -1;
    fault_worked("write", NULL, fd);
    if (full) {
        errno = ENOSPC;
        return -1;
    }
    full = fault_of(HALF, function, fd, frame);
    return full && n < 2 ? -1 : __real_write(fd, bytes, full ? n / 2 : n);
}

void fault_opened(int fd) {
    if (fd >= 0 && fd < FILES) is_open[fd] = true;
}

void fault_closed(int fd) {
    if (fd >= 0 && fd < FILES) is_open[fd] = false;
}

__attribute__((destructor)) static void at_end(void) {
    char text[64 * KINDS] = "";
    for (int k = 0; k < KINDS; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %ld\n", KIND[k].name, calls[k]);
    say(getenv("FAULT_COUNTS"), text);
    for (int fd = 0; fd < FILES; fd++)
        if (is_open[fd]) {
            dprintf(STDERR_FILENO, "faults: descriptor %d was left open\n", fd);
            _exit(97);
        }
}
