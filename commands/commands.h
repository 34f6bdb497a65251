// commands.h -- what the program can do. Each command returns false, with a message, when it fails.
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

// *stopped_by becomes the number of the signal that ended training early, after saving; 0 where none did.
bool command_train(const Options *given, int *stopped_by, Error *err);
bool command_sample(const Options *o, Error *err);
bool command_eval(const Options *o, Error *err);
bool command_info(const Options *o, Error *err);
bool command_attention(const Options *o, Error *err);
bool command_export(const Options *o, Error *err);
bool command_import(const Options *o, Error *err);

#endif
