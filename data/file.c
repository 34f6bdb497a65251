#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static char *with_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path) + strlen(suffix) + 1;
    char *s = malloc(n);
    if (s) snprintf(s, n, "%s%s", path, suffix);
    return s;
}

char *file_temporary(const char *path) { return with_suffix(path, ".tmp"); }

char *file_path(const char *folder, const char *file) {
    size_t n = strlen(folder) + strlen(file) + 2;
    char *path = malloc(n);
    if (path) snprintf(path, n, "%s/%s", folder, file);
    return path;
}

bool file_open(FILE **f, const char *path, Error *err) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), why = 0;
    bool known = fd >= 0 && fstat(fd, &status) == 0;
    *f = NULL;
    if (known && S_ISREG(status.st_mode) && (*f = fdopen(fd, "rb"))) return true;
    if (known && !S_ISREG(status.st_mode)) {
        why = EINVAL;
        fail(err, "%s: is a %s, not a regular file", path,
             S_ISDIR(status.st_mode)    ? "folder"
             : S_ISFIFO(status.st_mode) ? "pipe"
                                        : "device");
    } else {
        why = errno;
        fail(err, "%s: %s", path, strerror(why));
    }
    if (fd >= 0) close(fd);
    errno = why;
    return false;
}

static void forget(FileWriter *f) {
    free(f->path);
    free(f->temporary);
    *f = (FileWriter){0};
}

bool file_create(FileWriter *f, const char *path, Error *err) {
    *f = (FileWriter){.path = with_suffix(path, ""), .temporary = file_temporary(path)};
    if (!f->path || !f->temporary) {
        forget(f);
        return fail(err, "%s: memory is short", path);
    }
    // A new file, never what something else of this name leads to.
    unlink(f->temporary);
    int fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
        f->stream = fdopen(fd, "wb");
        if (f->stream) return true;
        int why = errno;
        close(fd);
        unlink(f->temporary);
        errno = why;
    }
    fail(err, "%s: cannot write: %s", f->temporary, strerror(errno));
    forget(f);
    return false;
}

void file_write(FileWriter *f, const void *bytes, size_t n) {
    if (fwrite(bytes, 1, n, f->stream) != n && !f->why) f->why = errno;
}

// The folder that holds `path` must reach the disk, too, or a crash may undo the rename. Some file systems
// cannot flush a folder and say EINVAL; some folders can be written in, but not be read. There is nothing to
// be done about either.
static bool flush_folder_of(const char *path) {
    char *folder = with_suffix(path, "");
    if (!folder) return false;
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) return errno == EACCES;
    bool good = fsync(fd) == 0 || errno == EINVAL;
    int why = errno;
    close(fd);
    errno = why;
    return good;
}

bool file_commit(FileWriter *f, Error *err) {
    bool good = !f->why && fflush(f->stream) == 0 && fsync(fileno(f->stream)) == 0;
    int why = f->why ? f->why : errno;
    if (fclose(f->stream) != 0 && good) {
        good = false;
        why = errno;
    }
    if (good && rename(f->temporary, f->path) != 0) {
        good = false;
        why = errno;
    }
    if (!good) {
        remove(f->temporary);
    } else if (!flush_folder_of(f->path)) {
        good = false;
        why = errno;
    }
    if (!good) fail(err, "%s: cannot write: %s", f->path, strerror(why));
    forget(f);
    return good;
}

void file_abandon(FileWriter *f) {
    fclose(f->stream);
    remove(f->temporary);
    forget(f);
}

bool file_remove_leftover(const char *path) {
    char *temporary = file_temporary(path);
    bool removed = temporary && unlink(temporary) == 0;
    free(temporary);
    return removed;
}

bool file_remove(const char *path, Error *err) {
    if (unlink(path) != 0)
        return errno == ENOENT || fail(err, "%s: cannot remove: %s", path, strerror(errno));
    return flush_folder_of(path) || fail(err, "%s: cannot remove: %s", path, strerror(errno));
}

// A folder above that is there already may also be answered with "read-only" or "not allowed".
static bool make_folders(char *path) {
    if (!*path) {
        errno = ENOENT;
        return false;
    }
    for (char *c = path + 1; *c; c++) {
        if (*c != '/') continue;
        *c = 0;
        bool good = mkdir(path, 0777) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
        *c = '/';
        if (!good) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

bool file_folder(const char *path, Error *err) {
    char *copy = with_suffix(path, "");
    if (!copy) return fail(err, "%s: memory is short", path);
    bool made = make_folders(copy) || fail(err, "%s: cannot make this folder: %s", path, strerror(errno));
    free(copy);
    if (!made) return false;
    char *probe = file_path(path, ".train_gpt.XXXXXX");
    if (!probe) return fail(err, "%s: memory is short", path);
    int fd = mkstemp(probe), why = errno;
    if (fd >= 0) {
        close(fd);
        unlink(probe);
    }
    free(probe);
    return fd >= 0 || fail(err, "%s: cannot write in this folder: %s", path, strerror(why));
}

double file_space(const char *folder) {
    struct statvfs s;
    if (statvfs(folder, &s) != 0 || s.f_blocks == 0) return (double)INFINITY;
    return (double)s.f_bavail * (double)s.f_frsize;
}
