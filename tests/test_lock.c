#include "../data/lock.h"
#include "folder.h"
#include "test.h"
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static Error err;

// What another process gets who asks for the lock: 0 when it gets it, 1 when not. It does not free it.
static int another_asks(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        Lock lock;
        Error ignored;
        _exit(lock_take(&lock, path, &ignored) ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
    return WEXITSTATUS(status);
}

static void one_has_it_until_it_is_released(void) {
    Lock lock, second;
    char *path = in_folder("a.lock");
    CHECK(lock_take(&lock, path, &err));
    CHECK(another_asks(path) == 1);
    CHECK(!lock_take(&second, path, &err));
    CHECK(one_line_naming(err.text, path));
    char process[64];
    snprintf(process, sizeof process, "another run (process %ld)", (long)getpid());
    CHECK(strstr(err.text, process) != NULL);
    lock_release(&second);  // holds nothing
    CHECK(another_asks(path) == 1);
    lock_release(&lock);
    CHECK(access(path, F_OK) != 0);
    CHECK(another_asks(path) == 0);
}

static void a_process_that_ends_leaves_a_file_that_locks_nothing(void) {
    Lock lock;
    char *path = in_folder("b.lock");
    CHECK(another_asks(path) == 0);
    CHECK(access(path, F_OK) == 0);
    CHECK(lock_take(&lock, path, &err));
    lock_release(&lock);
    CHECK(access(path, F_OK) != 0);
}

static void a_lock_in_no_folder_is_an_error(void) {
    Lock lock;
    char *path = in_folder("nowhere/c.lock");
    CHECK(!lock_take(&lock, path, &err));
    CHECK(one_line_naming(err.text, path));
}

// What is no lock is left as it is.
static void is_left_alone(const char *path, const char *bytes) {
    Lock lock;
    put_file(path, bytes, strlen(bytes));
    CHECK(!lock_take(&lock, path, &err));
    CHECK(one_line_naming(err.text, path) && strstr(err.text, "no run's lock"));
    lock_release(&lock);
    CHECK(file_is(path, bytes, strlen(bytes)));
}

static void a_file_of_somebody_else_is_no_lock(void) {
    is_left_alone(in_folder("poetry.lock"), "[[package]]\nname = \"numpy\"\n");
    is_left_alone(in_folder("d.lock"), "12x");
    is_left_alone(in_folder("e.lock"), "12\n\n");
    is_left_alone(in_folder("f.lock"), "123456789012345678901234567890123456789012345678901234567890\n");
}

static void what_a_crash_may_leave_is_taken(void) {
    static const char *const left[] = {"", "\n", "1", "123", "123\n"};
    Lock lock;
    char *path = in_folder("g.lock");
    for (int i = 0; i < 5; i++) {
        put_file(path, left[i], strlen(left[i]));
        CHECK(lock_take(&lock, path, &err));
        lock_release(&lock);
        CHECK(access(path, F_OK) != 0);
    }
}

static void a_link_a_folder_or_a_pipe_is_no_lock(void) {
    Lock lock;
    char *important = in_folder("important"), *link = in_folder("h.lock"), *pipe = in_folder("i.lock");
    put_file(important, "7", 1);
    if (symlink(important, link) != 0 || mkfifo(pipe, 0600) != 0) abort();
    CHECK(!lock_take(&lock, link, &err) && one_line_naming(err.text, link));
    CHECK(file_is(important, "7", 1) && access(link, F_OK) == 0);
    CHECK(!lock_take(&lock, pipe, &err) && one_line_naming(err.text, pipe));
    CHECK(access(pipe, F_OK) == 0);
    CHECK(!lock_take(&lock, folder, &err) && one_line_naming(err.text, folder));
}

// The one who had the lock takes its file away while we have opened it and not locked it yet; and perhaps the
// next one has made another since.
static const char *vanishes;
static bool comes_again;
int flock(int fd, int how) {
    if (vanishes) unlink(vanishes);
    if (vanishes && comes_again) put_file(vanishes, "2\n", 2);
    vanishes = NULL;
    return (int)syscall(SYS_flock, fd, how);
}

static void a_lock_is_on_the_file_that_is_there(void) {
    Lock lock;
    struct stat held, there;
    char *path = in_folder("j.lock");
    for (int again = 0; again < 2; again++) {
        put_file(path, "1", 1);
        comes_again = again;
        vanishes = path;
        CHECK(lock_take(&lock, path, &err));
        CHECK(fstat(lock.fd, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino);
        CHECK(another_asks(path) == 1);
        lock_release(&lock);
    }
}

int main(void) {
    folder_make();
    RUN(one_has_it_until_it_is_released);
    RUN(a_process_that_ends_leaves_a_file_that_locks_nothing);
    RUN(a_lock_in_no_folder_is_an_error);
    RUN(a_file_of_somebody_else_is_no_lock);
    RUN(what_a_crash_may_leave_is_taken);
    RUN(a_link_a_folder_or_a_pipe_is_no_lock);
    RUN(a_lock_is_on_the_file_that_is_there);
    return report();
}
