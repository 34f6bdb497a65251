#include "csv.h"
#include "file.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char HEADER[] =
    "step,epoch,train_loss,val_loss,learning_rate,grad_norm,tokens_per_second,seconds\n";

// Whether the line is a whole row: a step, then numbers or nothing, the last one seconds. Anything may have
// been done to the file since it was written.
static bool read_row(const char *line, long *step, double *seconds) {
    enum { COLUMNS = 8 };
    char *end;
    if (*line < '0' || *line > '9') return false;
    errno = 0;
    *step = strtol(line, &end, 10);
    if (errno) return false;
    for (int column = 1; column < COLUMNS; column++) {
        if (*end != ',') return false;
        const char *number = end + 1;
        *seconds = strtod(number, &end);
    }
    return strcmp(end + (*end == '\r'), "\n") == 0 && isfinite(*seconds) && *seconds >= 0;
}

// Copies the old log's rows up to step keep_until, if there is one, and notes the time of the last.
static bool copy_rows(Csv *c, FileWriter *to, long keep_until, Error *err) {
    FILE *old = fopen(c->path, "r");
    if (!old) return errno == ENOENT || fail(err, "%s: cannot read: %s", c->path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    long step;
    double seconds;
    for (ssize_t n; (n = getline(&line, &room, old)) >= 0;) {
        if (strlen(line) != (size_t)n || !read_row(line, &step, &seconds) || step > keep_until) continue;
        file_write(to, line, (size_t)n);
        c->seconds = seconds;
    }
    bool good = feof(old) || fail(err, "%s: cannot read: %s", c->path, strerror(errno));
    free(line);
    fclose(old);
    return good;
}

bool csv_open(Csv *c, const char *path, long keep_until, Error *err) {
    *c = (Csv){.path = strdup(path)};
    if (!c->path) return fail(err, "%s: memory is short", path);
    FileWriter f;
    bool good = file_create(&f, path, err);
    if (good) {
        file_write(&f, HEADER, strlen(HEADER));
        good = keep_until < 0 || copy_rows(c, &f, keep_until, err);
        if (good)
            good = file_commit(&f, err);
        else
            file_abandon(&f);
    }
    if (good && !(c->stream = fopen(path, "a")))
        good = fail(err, "%s: cannot write: %s", path, strerror(errno));
    if (!good) {
        free(c->path);
        *c = (Csv){0};
    }
    return good;
}

static void put(FILE *f, const char *format, double value, char after) {
    if (!isnan(value)) fprintf(f, format, value);
    putc(after, f);
}

bool csv_add(Csv *c, const CsvRow *row, Error *err) {
    fprintf(c->stream, "%ld,", row->step);
    put(c->stream, "%.4f", row->epoch, ',');
    put(c->stream, "%.6f", row->train_loss, ',');
    put(c->stream, "%.6f", row->val_loss, ',');
    put(c->stream, "%.6e", row->learning_rate, ',');
    put(c->stream, "%.6f", row->grad_norm, ',');
    put(c->stream, "%.0f", row->tokens_per_second, ',');
    put(c->stream, "%.2f", row->seconds, '\n');
    return fflush(c->stream) == 0 || fail(err, "%s: cannot write: %s", c->path, strerror(errno));
}

bool csv_sync(Csv *c, Error *err) {
    return fsync(fileno(c->stream)) == 0 || fail(err, "%s: cannot write: %s", c->path, strerror(errno));
}

bool csv_close(Csv *c, Error *err) {
    bool good = !c->stream || fclose(c->stream) == 0;
    if (!good) fail(err, "%s: cannot write: %s", c->path, strerror(errno));
    free(c->path);
    *c = (Csv){0};
    return good;
}
