// streams.c -- streams that libc buffers as always, and whose system calls can fail. What libc calls from
// inside itself no linker can turn aside; but fopencookie makes a stream of functions of our own. So fwrite,
// fprintf, putc, fflush, ferror and fclose are libc's, and say what they say on a real file.
#define _GNU_SOURCE
#include "faults.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { STREAMS = 64, BUFFER = 512 };  // small, so that even a short file takes several writes

static struct Stream {
    FILE *file;  // NULL where free
    int fd;
    bool reads;
    char buffer[BUFFER];
    char **bytes;  // of a stream in memory
    size_t *n, room;
} streams[STREAMS];

static ssize_t file_read(void *cookie, char *to, size_t n) {
    int fd = ((struct Stream *)cookie)->fd;
    return fault_of(READ, "read", fd, NULL) ? -1 : read(fd, to, n);
}

// As libc's own streams do it: what a write left over is written by the next.
static ssize_t file_write(void *cookie, const char *bytes, size_t n) {
    size_t done = 0;
    while (done < n) {
        ssize_t k = fault_write("write", ((struct Stream *)cookie)->fd, bytes + done, n - done, NULL);
        if (k < 0) break;
        done += (size_t)k;
    }
    return (ssize_t)done;
}

static int file_seek(void *cookie, off64_t *at, int whence) {
    int fd = ((struct Stream *)cookie)->fd;
    if (fault_of(SEEK, "seek", fd, NULL)) return -1;
    *at = lseek(fd, *at, whence);
    return *at < 0 ? -1 : 0;
}

static int file_close(void *cookie) {
    struct Stream *s = cookie;
    bool fails = fault_of(CLOSE, s->reads ? "fclose_read" : "fclose", s->fd, NULL);
    fault_closed(s->fd);
    int status = __real_close(s->fd);
    s->file = NULL;
    if (!fails) return status;
    errno = EIO;
    return -1;
}

// In memory a write fails only when the buffer has to grow.
static ssize_t memory_write(void *cookie, const char *bytes, size_t n) {
    struct Stream *s = cookie;
    if (*s->n + n + 1 > s->room) {
        size_t room = 2 * (*s->n + n + 1);
        if (fault(MEMORY, "putc", NULL, NULL)) return 0;
        char *larger = __real_realloc(*s->bytes, room);
        if (!larger) return 0;
        *s->bytes = larger;
        s->room = room;
    }
    memcpy(*s->bytes + *s->n, bytes, n);
    *s->n += n;
    (*s->bytes)[*s->n] = 0;
    return (ssize_t)n;
}

static int memory_seek(void *cookie, off64_t *at, int whence) {
    if (whence != SEEK_CUR || *at != 0) return -1;  // only to tell
    *at = (off64_t) * ((struct Stream *)cookie)->n;
    return 0;
}

static int memory_close(void *cookie) {
    ((struct Stream *)cookie)->file = NULL;
    return 0;
}

static struct Stream *free_one(void) {
    for (int i = 0; i < STREAMS; i++)
        if (!streams[i].file) return &streams[i];
    _exit(96);
}

static FILE *stream_of(int fd, const char *mode) {
    struct Stream *s = free_one();
    *s = (struct Stream){.fd = fd, .reads = *mode == 'r'};
    s->file = fopencookie(s, mode, (cookie_io_functions_t){file_read, file_write, file_seek, file_close});
    if (!s->file || setvbuf(s->file, s->buffer, _IOFBF, BUFFER) != 0) _exit(96);
    return s->file;
}

WRAP(FILE *, fopen, const char *path, const char *mode) {
    if (fault(OPEN, "fopen", path, FRAME)) return NULL;
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    int fd = __real_open(path, flags | O_CLOEXEC, 0666);
    fault_opened(fd);
    return fd < 0 ? NULL : stream_of(fd, mode);
}

WRAP(FILE *, fdopen, int fd, const char *mode) {
    return fault_of(OPEN, "fdopen", fd, FRAME) ? NULL : stream_of(fd, mode);
}

WRAP(FILE *, open_memstream, char **bytes, size_t *n) {
    if (fault(MEMORY, "open_memstream", NULL, FRAME)) return NULL;
    struct Stream *s = free_one();
    *s = (struct Stream){.fd = -1, .bytes = bytes, .n = n, .room = 64};
    *n = 0;
    *bytes = __real_realloc(NULL, s->room);
    s->file = fopencookie(s, "w", (cookie_io_functions_t){NULL, memory_write, memory_seek, memory_close});
    if (!*bytes || !s->file) _exit(96);
    setvbuf(s->file, NULL, _IONBF, 0);
    return s->file;
}

WRAP(int, fileno, FILE *file) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].file == file) return streams[i].fd;
    return __real_fileno(file);
}

__attribute__((constructor)) static void standard_streams(void) {
    stdin = stream_of(STDIN_FILENO, "r");
    stdout = stream_of(STDOUT_FILENO, "w");
    stderr = stream_of(STDERR_FILENO, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
}
