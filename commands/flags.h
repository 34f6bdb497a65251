// flags.h -- the table of all flags: what each is called, where it belongs, what it means.
#ifndef FLAGS_H
#define FLAGS_H

#include "options.h"
#include <stddef.h>

// Those after FLAG_STRING are choices between words.
typedef enum {
    FLAG_LONG,
    FLAG_DOUBLE,
    FLAG_SWITCH,
    FLAG_STRING,
    FLAG_TOKENIZER,
    FLAG_FORMAT,
    FLAG_DTYPE
} FlagKind;

// What a training state does with a flag: it is no part of it; resuming may change it; resuming may not. The
// SHAPE of the model is FIXED, too, and written by checkpoint.c under the same names.
typedef enum { NOT_SAVED, MAY_CHANGE, FIXED, SHAPE } FlagSaved;

typedef struct {
    const char *name;
    FlagKind kind;
    size_t offset;
    double least, most;   // of numbers; of choices, by their place among the words
    const char *initial;  // of a choice: empty where it must be given
    int commands;
    FlagSaved saved;
    const char *meaning;
} Flag;

// In the order of the help text.
extern const Flag FLAGS[];
extern const int FLAGS_COUNT;

// The headings of the help text, each before its first flag.
typedef struct {
    const char *first, *heading;
} FlagGroup;
extern const FlagGroup FLAG_GROUPS[];
extern const int FLAG_GROUPS_COUNT;

typedef struct {
    const char *name;
    Command command;
    const char *arguments, *meaning;
    long least;         // arguments that it needs
    const char *takes;  // what they are; one alone where several make no sense
    bool several;
} CommandWords;
extern const CommandWords COMMANDS[];
extern const int COMMANDS_COUNT;

const CommandWords *command_words(Command command);

// The words of a choice, up to NULL, in the order of its enum; NULL for other kinds.
const char *const *flag_words(FlagKind kind);

// Sets the flag's field of o from text. Fails where it is no value of its kind, or out of range.
bool flag_set(Options *o, const Flag *flag, const char *text, Error *err);

// The field's value as text that flag_set reads back to the same bits; empty for strings, which no state
// keeps.
void flag_print(char out[64], const Options *o, const Flag *flag);

#endif
