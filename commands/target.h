// target.h -- what a command writes: nothing that was not meant is written over.
#ifndef TARGET_H
#define TARGET_H

#include "../data/error.h"

// Whether `path` is the file at `other`; false where one of them is not there. Where the system does not tell
// that is an error, since it may be.
bool target_is(bool *same, const char *path, const char *other, Error *err);

// The same of what standard input reads.
bool target_is_stdin(bool *same, const char *path, Error *err);

// Fails where something stands at `path`, unless `force`; and always where that is `input`, which the command
// reads.
bool target_is_free(const char *path, const char *input, bool force, Error *err);

// Makes the folder in which a file of this path is to stand, and those above it, and proves that a file can
// be written there.
bool target_folder(const char *path, Error *err);

// Both for a file that is asked for by its name alone: free, and with a folder to stand in.
bool target_prepare(const char *path, const char *input, bool force, Error *err);

#endif
