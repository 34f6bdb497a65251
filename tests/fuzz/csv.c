// Proves that going on with any file as the old log keeps nothing but whole lines of it, in their order and
// up to the step asked for, that doing so again changes nothing, and that a row added after it is readable.
#include "../../data/csv.h"
#include "fuzz.h"
#include <math.h>

// The next line of the text that begins at *at, with its newline; 0 where there is none.
static size_t next_line(const char *text, size_t n, size_t at) {
    const char *end = at < n ? memchr(text + at, '\n', n - at) : NULL;
    return end ? (size_t)(end - text) + 1 - at : 0;
}

static void kept_lines_are_lines_of(const char *old, size_t n, const char *log, size_t m, long keep) {
    size_t from = 0, line, length;
    HOLDS((line = next_line(log, m, 0)) > 0 && strncmp(log, "step,epoch,", 11) == 0);
    for (size_t at = line; at < m; at += line) {
        HOLDS((line = next_line(log, m, at)) > 0);
        HOLDS(strtol(log + at, NULL, 10) <= keep && log[at] >= '0' && log[at] <= '9');
        int commas = 0;
        for (size_t i = 0; i < line; i++) commas += log[at + i] == ',';
        HOLDS(commas == 7);
        for (;; from += length) {
            HOLDS((length = next_line(old, n, from)) > 0);
            if (length == line && memcmp(old + from, log + at, line) == 0) break;
        }
        from += length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 1) return 0;
    const char *path = fuzz_path("log.csv");
    char *once, *again;
    size_t m = 0, l = 0;
    Error err;
    Csv c;
    fuzz_file(path, bytes + 1, n - 1);
    HOLDS(csv_open(&c, path, bytes[0], &err));
    double seconds = c.seconds;
    csv_close(&c, &err);
    HOLDS(isfinite(seconds) && seconds >= 0);
    HOLDS((once = get_file(path, &m)));
    kept_lines_are_lines_of((const char *)bytes + 1, n - 1, once, m, bytes[0]);
    HOLDS(csv_open(&c, path, bytes[0], &err) && c.seconds == seconds);
    csv_close(&c, &err);
    HOLDS((again = get_file(path, &l)) && l == m && memcmp(once, again, m) == 0);
    free(once);
    free(again);
    return 0;
}
