// file.h -- files that are written completely or not at all.
#ifndef FILE_H
#define FILE_H

#include "error.h"
#include <stddef.h>
#include <stdio.h>

// "folder/file", which the caller frees; NULL when memory is short.
char *file_path(const char *folder, const char *file);

// "path.tmp", where a file is written before it is renamed to `path`; the caller frees it, NULL when memory
// is short.
char *file_temporary(const char *path);

// Opens a regular file to read. A folder, a pipe or a device is refused, and not waited for. On failure errno
// tells why, too.
bool file_open(FILE **f, const char *path, Error *err);

// A file being written under `path.tmp`; the file at `path` stays as it is until file_commit replaces it.
typedef struct {
    FILE *stream;
    char *path, *temporary;
    int why;  // errno of the first write that failed, 0 for none
} FileWriter;

bool file_create(FileWriter *f, const char *path, Error *err);

// A failing write is remembered, and reported by file_commit.
void file_write(FileWriter *f, const void *bytes, size_t n);

// Flushes to the disk, renames over `path` and flushes the folder, so that a crash undoes nothing; on failure
// removes the temporary file. Ends f either way.
bool file_commit(FileWriter *f, Error *err);

// Gives up: removes the temporary file, leaves the one at `path` as it is. Ends f.
void file_abandon(FileWriter *f);

// Removes what a process that was killed left of a file being written. Returns whether there was something.
bool file_remove_leftover(const char *path);

// Removes the file, if there is one, so that a crash does not bring it back.
bool file_remove(const char *path, Error *err);

// Makes the folder and those above it unless they are there, and proves that a file can be written in it.
bool file_folder(const char *path, Error *err);

// Bytes that may still be written in the folder; infinite where the system does not tell.
double file_space(const char *folder);

#endif
