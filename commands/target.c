#include "target.h"
#include "../data/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// With `as_link` a link itself instead of what it leads to.
static bool look_at(struct stat *s, bool *there, const char *path, bool as_link, Error *err) {
    *there = (as_link ? lstat(path, s) : stat(path, s)) == 0;
    return *there || errno == ENOENT || errno == ENOTDIR || fail(err, "%s: %s", path, strerror(errno));
}

static bool identify(struct stat *s, bool *there, const char *path, Error *err) {
    return look_at(s, there, path, false, err);
}

bool target_is(bool *same, const char *path, const char *other, Error *err) {
    struct stat a, b;
    bool there, other_there;
    *same = false;
    if (!identify(&a, &there, path, err)) return false;
    if (!there) return true;
    if (!identify(&b, &other_there, other, err)) return false;
    *same = other_there && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return true;
}

bool target_is_stdin(bool *same, const char *path, Error *err) {
    struct stat a, b;
    bool there;
    *same = false;
    if (!identify(&a, &there, path, err)) return false;
    if (!there) return true;
    if (fstat(STDIN_FILENO, &b) != 0) return fail(err, "standard input: %s", strerror(errno));
    *same = a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return true;
}

bool target_is_free(const char *path, const char *input, bool force, Error *err) {
    struct stat s;
    bool there, same, at_work = false;
    char *temporary = file_temporary(path);
    if (!temporary) return fail(err, "%s: memory is short", path);
    bool good = identify(&s, &there, path, err) && target_is(&same, path, input, err) &&
                target_is(&at_work, temporary, input, err);
    free(temporary);
    if (!good) return false;
    if (same || at_work) return fail(err, "%s: is what is read; what is written needs another name", path);
    if (there && S_ISDIR(s.st_mode)) return fail(err, "%s: is a folder; what is written is a file", path);
    if (there && !S_ISREG(s.st_mode))
        return fail(err, "%s: is a pipe or a device, and would become a file", path);
    // A link that leads nowhere is something, too.
    if (!there && !look_at(&s, &there, path, true, err)) return false;
    return !there || force || fail(err, "%s: is there already; --force writes over it", path);
}

bool target_folder(const char *path, Error *err) {
    char *folder = strdup(path);
    if (!folder) return fail(err, "%s: memory is short", path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    bool good = file_folder(slash ? folder : ".", err);
    free(folder);
    return good;
}

bool target_prepare(const char *path, const char *input, bool force, Error *err) {
    return target_is_free(path, input, force, err) && target_folder(path, err);
}
