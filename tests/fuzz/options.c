// Proves that any command line is parsed or refused in one line; that what is accepted is in range, and the
// same when it is written as a flag's value, or into a state, and read again. Arguments end with a newline.
#include "../../commands/flags.h"
#include "fuzz.h"
#include <math.h>

enum { MOST = 32 };

static void in_range(const Options *o, const Flag *flag) {
    const void *field = (const char *)o + flag->offset;
    if (flag->kind == FLAG_LONG || flag_words(flag->kind)) {
        double value = (double)*(const long *)field;
        HOLDS(value >= flag->least && value <= flag->most);
    }
    if (flag->kind == FLAG_DOUBLE) {
        double value = *(const double *)field;
        HOLDS(value >= flag->least && value <= flag->most);
    }
}

static void value_comes_back(const Options *o, const Flag *flag) {
    char text[64], again[64];
    Options other = *o;
    Error err;
    if (flag->kind == FLAG_STRING) return;
    flag_print(text, o, flag);
    HOLDS(flag_set(&other, flag, text, &err));
    flag_print(again, &other, flag);
    HOLDS(strcmp(text, again) == 0);
}

// The shape stands in a state under the flags' names, too; checkpoint.c puts it there.
static void put_shape(const Options *o, Metadata *m) {
    Error err;
    for (int k = 0; k < FLAGS_COUNT; k++) {
        char name[64], value[64];
        if (FLAGS[k].saved != SHAPE) continue;
        snprintf(name, sizeof name, "%s", FLAGS[k].name);
        for (char *p = name; *p; p++)
            if (*p == '-') *p = '_';
        flag_print(value, o, &FLAGS[k]);
        HOLDS(metadata_put(m, name, value, strlen(value), &err));
    }
}

// A state that such a run saves is read by a run without flags, which then saves the same one.
static void state_comes_back(const Options *o) {
    char *argv[] = {"train_gpt", "text", NULL};
    Options plain;
    Metadata m = {0}, again = {0};
    Error err;
    HOLDS(options_save(o, &m, &err));
    put_shape(o, &m);
    HOLDS(options_parse(&plain, 2, argv, &err));
    HOLDS(options_restore(&plain, &m, "state", &err));
    HOLDS(options_save(&plain, &again, &err));
    put_shape(&plain, &again);
    const char *const all[] = {NULL};
    HOLDS(metadata_crc32(&m, all) == metadata_crc32(&again, all));
    metadata_free(&m);
    metadata_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    char *text = malloc(n + 1), *argv[MOST + 1] = {"train_gpt"};
    int argc = 1;
    if (!text) abort();
    for (size_t i = 0; i < n; i++) text[i] = (char)(bytes[i] == '\n' ? 0 : bytes[i]);
    text[n] = 0;
    for (size_t at = 0; at < n && argc < MOST; at += strlen(text + at) + 1) argv[argc++] = text + at;
    Options o;
    Error err = {0};
    if (!options_parse(&o, argc, argv, &err))
        HOLDS(one_line(&err));
    else if (!o.help && !o.version) {
        HOLDS(o.arguments <= argc - 1);
        for (int k = 0; k < FLAGS_COUNT; k++) {
            in_range(&o, &FLAGS[k]);
            value_comes_back(&o, &FLAGS[k]);
        }
        if (o.command == COMMAND_TRAIN && !o.resume[0] && !o.init_from[0]) state_comes_back(&o);
    }
    free(text);
    return 0;
}
