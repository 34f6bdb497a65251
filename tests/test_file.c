#include "../data/file.h"
#include "folder.h"
#include "test.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

static Error err;

static bool write_file(const char *path, const char *bytes) {
    FileWriter f;
    if (!file_create(&f, path, &err)) return false;
    file_write(&f, bytes, strlen(bytes));
    return file_commit(&f, &err);
}

static void a_committed_file_holds_what_was_written(void) {
    FileWriter f;
    char *path = in_folder("new");
    CHECK(file_create(&f, path, &err));
    file_write(&f, "one\0", 4);
    file_write(&f, "", 0);
    file_write(&f, "two", 3);
    CHECK(file_commit(&f, &err));
    CHECK(file_is(path, "one\0two", 7));
    CHECK(access(in_folder("new.tmp"), F_OK) != 0);
    CHECK(f.stream == NULL && f.path == NULL && f.temporary == NULL);
}

static void the_old_file_stays_until_the_commit(void) {
    FileWriter f;
    char *path = in_folder("old");
    put_file(path, "old", 3);
    CHECK(file_create(&f, path, &err));
    file_write(&f, "longer than the old", 19);
    fflush(f.stream);
    CHECK(file_is(path, "old", 3));
    CHECK(file_is(in_folder("old.tmp"), "longer than the old", 19));
    CHECK(file_commit(&f, &err));
    CHECK(file_is(path, "longer than the old", 19));
    CHECK(write_file(path, "s"));
    CHECK(file_is(path, "s", 1));
    CHECK(access(in_folder("old.tmp"), F_OK) != 0);
}

static void a_temporary_file_left_by_a_crash_is_no_obstacle(void) {
    put_file(in_folder("again.tmp"), "half of something much longer", 29);
    CHECK(write_file(in_folder("again"), "whole"));
    CHECK(file_is(in_folder("again"), "whole", 5));
    CHECK(access(in_folder("again.tmp"), F_OK) != 0);
}

static void an_empty_file_is_a_file(void) {
    CHECK(write_file(in_folder("empty"), ""));
    CHECK(file_is(in_folder("empty"), "", 0));
}

static void a_path_without_a_folder_is_in_the_working_one(void) {
    char before[1024];
    if (!getcwd(before, sizeof before) || chdir(folder) != 0) abort();
    CHECK(write_file("bare", "x"));
    if (chdir(before) != 0) abort();
    CHECK(file_is(in_folder("bare"), "x", 1));
}

static void a_missing_folder_is_an_error_that_names_the_file(void) {
    FileWriter f;
    char *path = in_folder("missing/x"), *temporary = in_folder("missing/x.tmp");
    CHECK(!file_create(&f, path, &err));
    CHECK(one_line_naming(err.text, temporary));
    CHECK(strstr(err.text, strerror(ENOENT)) != NULL);
    CHECK(f.stream == NULL && f.path == NULL && f.temporary == NULL);
}

static void a_file_in_the_place_of_the_folder_is_an_error(void) {
    FileWriter f;
    put_file(in_folder("plain"), "p", 1);
    char *temporary = in_folder("plain/x.tmp");
    CHECK(!file_create(&f, in_folder("plain/x"), &err));
    CHECK(one_line_naming(err.text, temporary));
    CHECK(strstr(err.text, strerror(ENOTDIR)) != NULL);
}

static void a_target_that_cannot_be_replaced_is_an_error_and_leaves_no_temporary_file(void) {
    char *path = in_folder("a_folder"), *inside = in_folder("a_folder/inside");
    mkdir(path, 0777);
    put_file(inside, "kept", 4);
    CHECK(!write_file(path, "x"));
    CHECK(one_line_naming(err.text, path));
    CHECK(access(in_folder("a_folder.tmp"), F_OK) != 0);
    CHECK(file_is(inside, "kept", 4));
}

// The system refuses to let a file grow beyond 64 kB here, as a full disk would.
static void a_failed_write_is_reported_with_its_reason_and_the_old_file_stays(void) {
    static char much[1 << 18];
    FileWriter f;
    struct rlimit before, small;
    char *path = in_folder("full");
    put_file(path, "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &before) != 0) abort();
    small = before;
    small.rlim_cur = 1 << 16;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) abort();
    CHECK(file_create(&f, path, &err));
    file_write(&f, much, sizeof much);
    errno = 0;  // much may happen between the failing write and the commit
    CHECK(!file_commit(&f, &err));
    if (setrlimit(RLIMIT_FSIZE, &before) != 0) abort();
    CHECK(one_line_naming(err.text, path));
    if (!CHECK(strstr(err.text, strerror(EFBIG)) != NULL)) printf("  message: %s\n", err.text);
    CHECK(file_is(path, "old", 3));
    CHECK(access(in_folder("full.tmp"), F_OK) != 0);
}

// Too little to leave the stream's buffer before the commit.
static void a_write_that_fails_in_the_last_flush_is_reported_too(void) {
    FileWriter f;
    struct rlimit before, small;
    char *path = in_folder("full2");
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &before) != 0) abort();
    small = before;
    small.rlim_cur = 4;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) abort();
    CHECK(file_create(&f, path, &err));
    file_write(&f, "12345678", 8);
    CHECK(!file_commit(&f, &err));
    if (setrlimit(RLIMIT_FSIZE, &before) != 0) abort();
    CHECK(one_line_naming(err.text, path));
    CHECK(strstr(err.text, strerror(EFBIG)) != NULL);
    CHECK(access(path, F_OK) != 0);
    CHECK(access(in_folder("full2.tmp"), F_OK) != 0);
}

static void a_folder_is_made_once_and_left_empty(void) {
    struct stat status;
    char *path = in_folder("out");
    CHECK(file_folder(path, &err));
    CHECK(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
    CHECK(files_in(path) == 0);
    put_file(in_folder("out/kept"), "k", 1);
    CHECK(file_folder(path, &err));
    CHECK(files_in(path) == 1);
}

static void folders_above_are_made_too(void) {
    struct stat status;
    char *path = in_folder("not/yet/");
    CHECK(file_folder(path, &err));
    CHECK(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

static void a_folder_that_cannot_be_made_is_named(void) {
    put_file(in_folder("flat"), "f", 1);
    char *path = in_folder("flat/such");
    CHECK(!file_folder(path, &err));
    CHECK(one_line_naming(err.text, path));
    CHECK(strstr(err.text, strerror(ENOTDIR)) != NULL);
}

static void no_name_is_no_folder(void) {
    CHECK(!file_folder("", &err));
    CHECK(strstr(err.text, strerror(ENOENT)) != NULL);
}

static void only_a_regular_file_is_opened(void) {
    FILE *f;
    char *path = in_folder("regular"), *pipe = in_folder("pipe");
    put_file(path, "x", 1);
    if (mkfifo(pipe, 0600) != 0) abort();
    CHECK(file_open(&f, path, &err) && getc(f) == 'x' && fclose(f) == 0);
    CHECK(!file_open(&f, pipe, &err) && one_line_naming(err.text, pipe) && strstr(err.text, "pipe"));
    CHECK(!file_open(&f, folder, &err) && one_line_naming(err.text, folder) && strstr(err.text, "folder"));
    CHECK(!file_open(&f, "/dev/null", &err) && strstr(err.text, "device"));
    CHECK(!file_open(&f, in_folder("nothing"), &err) && errno == ENOENT);
}

static void what_is_removed_may_be_gone_already(void) {
    char *path = in_folder("gone");
    put_file(path, "x", 1);
    CHECK(file_remove(path, &err) && access(path, F_OK) != 0);
    CHECK(file_remove(path, &err));
    CHECK(!file_remove(folder, &err) && one_line_naming(err.text, folder));
}

static void a_leftover_is_removed_and_the_file_stays(void) {
    char *path = in_folder("left"), *temporary = in_folder("left.tmp");
    put_file(path, "good", 4);
    CHECK(!file_remove_leftover(path));
    put_file(temporary, "half", 4);
    CHECK(file_remove_leftover(path));
    CHECK(access(temporary, F_OK) != 0 && file_is(path, "good", 4));
}

static void what_is_written_goes_through_no_link(void) {
    put_file(in_folder("elsewhere"), "safe", 4);
    if (symlink(in_folder("elsewhere"), in_folder("linked.tmp")) != 0) abort();
    CHECK(write_file(in_folder("linked"), "new"));
    CHECK(file_is(in_folder("linked"), "new", 3) && file_is(in_folder("elsewhere"), "safe", 4));
}

static void there_is_some_space(void) {
    CHECK(file_space(folder) > 0);
    CHECK(isinf(file_space(in_folder("nowhere"))));
}

static void a_file_is_no_folder(void) {
    char *path = in_folder("file");
    put_file(path, "f", 1);
    CHECK(!file_folder(path, &err));
    CHECK(one_line_naming(err.text, path));
    CHECK(strstr(err.text, strerror(ENOTDIR)) != NULL);
    CHECK(file_is(path, "f", 1));
}

int main(void) {
    folder_make();
    RUN(a_committed_file_holds_what_was_written);
    RUN(the_old_file_stays_until_the_commit);
    RUN(a_temporary_file_left_by_a_crash_is_no_obstacle);
    RUN(an_empty_file_is_a_file);
    RUN(a_path_without_a_folder_is_in_the_working_one);
    RUN(a_missing_folder_is_an_error_that_names_the_file);
    RUN(a_file_in_the_place_of_the_folder_is_an_error);
    RUN(a_target_that_cannot_be_replaced_is_an_error_and_leaves_no_temporary_file);
    RUN(a_failed_write_is_reported_with_its_reason_and_the_old_file_stays);
    RUN(a_write_that_fails_in_the_last_flush_is_reported_too);
    RUN(a_folder_is_made_once_and_left_empty);
    RUN(folders_above_are_made_too);
    RUN(no_name_is_no_folder);
    RUN(only_a_regular_file_is_opened);
    RUN(what_is_removed_may_be_gone_already);
    RUN(a_leftover_is_removed_and_the_file_stays);
    RUN(what_is_written_goes_through_no_link);
    RUN(there_is_some_space);
    RUN(a_folder_that_cannot_be_made_is_named);
    RUN(a_file_is_no_folder);
    return report();
}
