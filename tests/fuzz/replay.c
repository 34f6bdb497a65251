// replay.c -- calls a target with each file of seeds/TARGET, without libFuzzer: what was once found stays
// fixed. TARGET is the program's own name, or the files are those on the command line.
#include "fuzz.h"

static int replayed;

static void replay(const char *path) {
    size_t n = 0;
    char *bytes = get_file(path, &n);
    if (!bytes) {
        printf("%s: cannot read\n", path);
        exit(1);
    }
    // Exactly the bytes, so that a sanitizer sees one read too many.
    uint8_t *exact = malloc(n + !n);
    if (!exact) abort();
    memcpy(exact, bytes, n);
    free(bytes);
    printf("%s\n", path);
    fflush(stdout);  // the last one named is the one that did it
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    replayed++;
}

static int usual_file(const struct dirent *e) { return e->d_name[0] != '.'; }

int main(int argc, char **argv) {
    const char *slash = strrchr(argv[0], '/');
    char seeds[512], path[1024];
    snprintf(seeds, sizeof seeds, "tests/fuzz/seeds/%s", slash ? slash + 1 : argv[0]);
    for (int i = 1; i < argc; i++) replay(argv[i]);
    struct dirent **file;
    int files = argc > 1 ? 0 : scandir(seeds, &file, usual_file, alphasort);
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s/%s", seeds, file[i]->d_name);
        replay(path);
        free(file[i]);
    }
    if (files > 0) free(file);
    printf("%d passed, %d failed\n", replayed, replayed == 0);
    return replayed == 0;
}
