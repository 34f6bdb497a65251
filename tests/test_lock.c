#include "../data/lock.h"
#include "folder.h"
#include "test.h"
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

int main(void) {
    folder_make();
    RUN(one_has_it_until_it_is_released);
    RUN(a_process_that_ends_leaves_a_file_that_locks_nothing);
    RUN(a_lock_in_no_folder_is_an_error);
    return report();
}
