// help.c -- the help text, made from the table of flags.
#include "flags.h"
#include <math.h>
#include <string.h>

// A bound of a range as people write it: 1e9, not 1000000000.
static const char *bound(char out[32], double value) {
    int exponent = 0;
    double rest = value;
    while (rest >= 10 && fmod(rest, 10) == 0) rest /= 10, exponent++;
    if (exponent >= 6)
        snprintf(out, 32, "%.0fe%d", rest, exponent);
    else
        snprintf(out, 32, "%.10g", value);
    return out;
}

static void help_flag(FILE *f, const Flag *flag) {
    enum { WIDTH = 110, COLUMN = 37 };
    static const char *const value[] = {" N", " X", "", " TEXT"};
    char head[64], range[160] = "", least[32], most[32];
    const char *initial = flag->initial[0] ? flag->initial : "empty";
    const char *const *word = flag_words(flag->kind);
    if (word)
        snprintf(head, sizeof head, "--%s %s|%s", flag->name, word[0], word[1]);
    else
        snprintf(head, sizeof head, "--%s%s", flag->name, value[flag->kind]);
    if (flag->kind == FLAG_LONG || flag->kind == FLAG_DOUBLE)
        snprintf(range, sizeof range, "(%s to %s; default %s)", bound(least, flag->least),
                 bound(most, flag->most), initial);
    else if (flag->kind == FLAG_STRING || flag->initial[0])
        snprintf(range, sizeof range, "(default %s)", initial);
    fprintf(f, "  %-*s", COLUMN - 2, head);
    bool fits = COLUMN + strlen(flag->meaning) + 1 + strlen(range) <= WIDTH;
    if (fits)
        fprintf(f, "%s%s%s\n", flag->meaning, range[0] ? " " : "", range);
    else
        fprintf(f, "%s\n%*s%s\n", flag->meaning, COLUMN, "", range);
}

// The flags of one command, under the headings of their groups.
static void help_flags(FILE *f, Command command) {
    const char *group = NULL;
    for (int k = 0; k < FLAGS_COUNT; k++) {
        for (int g = 0; g < FLAG_GROUPS_COUNT; g++)
            if (strcmp(FLAGS[k].name, FLAG_GROUPS[g].first) == 0) group = FLAG_GROUPS[g].heading;
        if (!(FLAGS[k].commands & (int)command)) continue;
        if (group) fprintf(f, "\n%s\n", group);
        group = NULL;
        help_flag(f, &FLAGS[k]);
    }
}

void options_help(FILE *f, int command) {
    fprintf(f, "train_gpt trains a character-level GPT-2 on any text, and writes text from it.\n\n");
    for (int c = 0; c < COMMANDS_COUNT; c++)
        if (!command || (int)COMMANDS[c].command == command)
            fprintf(f, "  train_gpt %-9s %-26s %s\n", COMMANDS[c].name, COMMANDS[c].arguments,
                    COMMANDS[c].meaning);
    if (!command)
        fprintf(f, "  train_gpt TEXT... is the same as train_gpt train TEXT...; --help after a command is "
                   "about that command.\n");
    if (command)
        help_flags(f, (Command)command);
    else {
        help_flags(f, COMMAND_TRAIN);
        fprintf(
            f, "\nsample takes the flags under Sampling and The machine; eval --drop-unknown, --threads "
               "and --quiet; both --json.\nattention --help, export --help and import --help show theirs.\n");
    }
    fprintf(f, "\n--flag value and --flag=value are the same, and so are - and _ inside a flag's name.\n"
               "Exit status: 0 done, 1 failed, 2 wrong command line, 130 or 143 stopped by a signal after "
               "saving.\n");
}
