#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *with_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path) + strlen(suffix) + 1;
    char *s = malloc(n);
    if (s) snprintf(s, n, "%s%s", path, suffix);
    return s;
}

static void forget(FileWriter *f) {
    free(f->path);
    free(f->temporary);
    *f = (FileWriter){0};
}

bool file_create(FileWriter *f, const char *path, Error *err) {
    *f = (FileWriter){.path = with_suffix(path, ""), .temporary = with_suffix(path, ".tmp")};
    if (!f->path || !f->temporary) {
        forget(f);
        return fail(err, "%s: memory is short", path);
    }
    f->stream = fopen(f->temporary, "wb");
    if (f->stream) return true;
    fail(err, "%s: cannot write: %s", f->temporary, strerror(errno));
    forget(f);
    return false;
}

void file_write(FileWriter *f, const void *bytes, size_t n) {
    if (fwrite(bytes, 1, n, f->stream) != n && !f->why) f->why = errno;
}

// The folder that holds `path` should reach the disk too, or a crash may undo the rename. Where a folder
// cannot be opened or flushed there is nothing to be done about it: the file itself is complete in any case.
static void flush_folder_of(const char *path) {
    char *folder = with_suffix(path, "");
    if (!folder) return;
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
    free(folder);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
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
    if (good) {
        flush_folder_of(f->path);
    } else {
        remove(f->temporary);
        fail(err, "%s: cannot write: %s", f->path, strerror(why));
    }
    forget(f);
    return good;
}

void file_abandon(FileWriter *f) {
    fclose(f->stream);
    remove(f->temporary);
    forget(f);
}

bool file_folder(const char *path, Error *err) {
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail(err, "%s: cannot make this folder: %s", path, strerror(errno));
    char *probe = with_suffix(path, "/.train_gpt.XXXXXX");
    if (!probe) return fail(err, "%s: memory is short", path);
    int fd = mkstemp(probe), why = errno;
    if (fd >= 0) {
        close(fd);
        unlink(probe);
    }
    free(probe);
    return fd >= 0 || fail(err, "%s: cannot write in this folder: %s", path, strerror(why));
}
