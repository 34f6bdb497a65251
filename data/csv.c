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
static bool read_row(const char *line, CsvRow *row) {
    double *column[] = {&row->epoch,     &row->train_loss,        &row->val_loss, &row->learning_rate,
                        &row->grad_norm, &row->tokens_per_second, &row->seconds};
    char *end;
    if (*line < '0' || *line > '9') return false;
    errno = 0;
    row->step = strtol(line, &end, 10);
    if (errno) return false;
    for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
        if (*end != ',') return false;
        const char *number = end + 1;
        *column[i] = strtod(number, &end);
        if (end == number) *column[i] = (double)NAN;
    }
    return strcmp(end + (*end == '\r'), "\n") == 0 && isfinite(row->seconds) && row->seconds >= 0;
}

// Copies the old log's rows up to step keep_until, if there is one, and notes the time of the last.
static bool copy_rows(Csv *c, FileWriter *to, long keep_until, Error *err) {
    FILE *old;
    if (!file_open(&old, c->path, err)) return errno == ENOENT;
    char *line = NULL;
    size_t room = 0;
    CsvRow row;
    for (ssize_t n; (n = getline(&line, &room, old)) >= 0;) {
        if (strlen(line) != (size_t)n || !read_row(line, &row) || row.step > keep_until) continue;
        file_write(to, line, (size_t)n);
        c->seconds = row.seconds;
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

bool csv_read(const char *path, CsvRow **row, long *rows, Error *err) {
    FILE *f = fopen(path, "r");
    *row = NULL;
    *rows = 0;
    if (!f) return fail(err, "%s: cannot read: %s", path, strerror(errno));
    char *line = NULL;
    size_t room_of_line = 0;
    long room = 0;
    bool good = true;
    for (ssize_t n; good && (n = getline(&line, &room_of_line, f)) >= 0;) {
        CsvRow next;
        if (strlen(line) != (size_t)n || !read_row(line, &next)) continue;
        if (*rows == room) {
            room = room ? 2 * room : 256;
            CsvRow *larger = realloc(*row, (size_t)room * sizeof *larger);
            good = larger || fail(err, "%s: memory is short", path);
            if (!good) break;
            *row = larger;
        }
        (*row)[(*rows)++] = next;
    }
    good = good && (feof(f) || fail(err, "%s: cannot read: %s", path, strerror(errno)));
    free(line);
    fclose(f);
    if (good) return true;
    free(*row);
    *row = NULL;
    return false;
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
