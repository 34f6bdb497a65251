#include "options.h"
#include "flags.h"
#include "sample_page.h"
#include <math.h>
#include <string.h>

// ---- the command line ----

// Whether a typed flag is this name; - and _ are the same.
static bool same_name(const char *typed, size_t n, const char *name) {
    if (strlen(name) != n) return false;
    for (size_t i = 0; i < n; i++)
        if ((typed[i] == '_' ? '-' : typed[i]) != name[i]) return false;
    return true;
}

// How many characters must be inserted, deleted or replaced to come from a to b (Levenshtein).
static size_t distance(const char *a, size_t n, const char *b) {
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1], m = strlen(b);
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replace = diagonal + (a[i - 1] != b[j - 1]),
                   least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = replace < least ? replace : least;
        }
    }
    return row[m];
}

static bool unknown_flag(const Options *o, const char *typed, size_t n, Error *err) {
    const Flag *nearest = NULL;
    size_t best = 0;
    for (int i = 0; i < FLAGS_COUNT; i++) {
        if (!(FLAGS[i].commands & (int)o->command)) continue;
        size_t d = distance(typed, n, FLAGS[i].name);
        if (!nearest || d < best) nearest = &FLAGS[i], best = d;
    }
    const char *command = command_words(o->command)->name;
    if (!nearest) return fail(err, "'%s' has no flag --%.*s", command, (int)n, typed);
    return fail(err, "'%s' has no flag --%.*s; the nearest is --%s (train_gpt %s --help shows all)", command,
                (int)n, typed, nearest->name, command);
}

// One flag, which stands in argv[*i]; moves *i on to its value where that is the next argument.
static bool parse_flag(Options *o, int argc, char **argv, int *i, Error *err) {
    const char *typed = argv[*i] + 2, *equals = strchr(typed, '=');
    size_t n = equals ? (size_t)(equals - typed) : strlen(typed);
    if (same_name(typed, n, "help")) return o->help = true;
    if (same_name(typed, n, "version")) return o->version = true;
    for (int k = 0; k < FLAGS_COUNT; k++) {
        const Flag *flag = &FLAGS[k];
        if (!same_name(typed, n, flag->name) || !(flag->commands & (int)o->command)) continue;
        o->given[k] = true;
        if (flag->kind == FLAG_SWITCH) {
            if (equals) return fail(err, "--%s takes no value", flag->name);
            return flag_set(o, flag, "true", err);
        }
        if (!equals && *i + 1 == argc) return fail(err, "--%s needs a value", flag->name);
        return flag_set(o, flag, equals ? equals + 1 : argv[++*i], err);
    }
    return unknown_flag(o, typed, n, err);
}

static bool count_arguments(const Options *o, Error *err) {
    const CommandWords *c = command_words(o->command);
    if (o->arguments < c->least)
        return fail(err, "'%s' needs a %s (train_gpt %s --help)", c->name, c->takes, c->name);
    if (!c->several && o->arguments > c->least)
        return fail(err, "'%s' takes one %s; what is '%s'?", c->name, c->takes, o->argument[c->least]);
    return true;
}

// What the other commands than training ask for.
static bool check_command(const Options *o, Error *err) {
    const char *name = command_words(o->command)->name;
    if (o->command == COMMAND_SAMPLE && (o->json || o->html[0]) && o->num_samples == 0)
        return fail(err, "%s with --num-samples 0 leaves nothing to print", o->json ? "--json" : "--html");
    if (o->command == COMMAND_SAMPLE && o->html[0] && o->max_new_tokens > SAMPLE_PAGE_MOST / o->num_samples)
        return fail(err, "--html shows %d tokens at most; --num-samples times --max-new-tokens is more",
                    SAMPLE_PAGE_MOST);
    if (o->command == COMMAND_ATTENTION && !o->start[0])
        return fail(err, "'%s' needs --start, the text to look at", name);
    if (o->html[0] && strcmp(o->html, o->svg) == 0)
        return fail(err, "--html and --svg write two files; both name %s", o->html);
    if (o->command == COMMAND_EXPORT && o->format == CHOICE_NONE)
        return fail(err, "'%s' needs --format hf or --format gguf", name);
    if ((o->command == COMMAND_EXPORT || o->command == COMMAND_IMPORT) && !o->out[0])
        return fail(err, "'%s' needs --out, the %s to write", name,
                    o->command == COMMAND_EXPORT && o->format == FORMAT_HF ? "folder" : "file");
    if (o->format == FORMAT_HF && o->dtype != DTYPE_F32)
        return fail(err, "--dtype f16 is for --format gguf; a Hugging Face folder holds float32");
    return true;
}

// Of the run's files. An empty one would mean something else than whoever gave it, a script say, can want.
static bool check_names(const Options *o, Error *err) {
    const struct {
        const char *flag;
        const char *const *value;
    } path[] = {{"out-dir", &o->out_dir}, {"resume", &o->resume}, {"init-from", &o->init_from}};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        if (options_given(o, path[i].value) && !**path[i].value)
            return fail(err, "--%s needs a path, not ''", path[i].flag);
    return !strchr(o->name, '/') || fail(err, "--name %s has a / in it; --out-dir names the folder", o->name);
}

bool options_parse(Options *o, int argc, char **argv, Error *err) {
    *o = (Options){
        .command = COMMAND_TRAIN, .program = argc > 0 ? argv[0] : "train_gpt", .argument = argv + (argc > 0)};
    for (int k = 0; k < FLAGS_COUNT; k++)
        if (!flag_set(o, &FLAGS[k], FLAGS[k].initial, err)) return false;
    int i = 1;
    for (int c = 0; c < COMMANDS_COUNT && argc > 1; c++)
        if (strcmp(argv[1], COMMANDS[c].name) == 0) o->command = COMMANDS[c].command, i = 2;
    bool flags_end = false;
    for (; i < argc; i++) {
        if (!flags_end && strcmp(argv[i], "--") == 0)
            flags_end = true;
        else if (!flags_end && strncmp(argv[i], "--", 2) == 0) {
            if (!parse_flag(o, argc, argv, &i, err)) return false;
        } else if (!flags_end && argv[i][0] == '-' && argv[i][1])
            return fail(err, "flags begin with --; '%s' does not", argv[i]);
        else
            o->argument[o->arguments++] = argv[i];  // never ahead of what is still to be read
    }
    if (o->help || o->version) return true;
    if (!check_names(o, err)) return false;
    if (!options_given(o, &o->min_lr)) o->min_lr = fmin(o->min_lr, o->learning_rate / 10);
    // What a state or a model decides is not known yet.
    if (o->resume[0] && o->init_from[0]) return fail(err, "--resume and --init-from exclude each other");
    bool decided = !o->resume[0] && !o->init_from[0];
    return count_arguments(o, err) && check_command(o, err) && (!decided || options_check(o, err));
}

bool options_given(const Options *o, const void *value) {
    for (int k = 0; k < FLAGS_COUNT; k++)
        if ((const char *)o + FLAGS[k].offset == value) return o->given[k];
    return false;
}

bool options_check(const Options *o, Error *err) {
    if (o->min_lr > o->learning_rate)
        return fail(err, "--min-lr %g is above --learning-rate %g", o->min_lr, o->learning_rate);
    if (o->n_embd % o->n_head != 0)
        return fail(err, "--n-embd %ld cannot be shared out to --n-head %ld: it must be a multiple",
                    o->n_embd, o->n_head);
    if (o->tokenizer == TOKENIZER_BYTE && options_given(o, &o->vocab_size))
        return fail(err, "--vocab-size is about characters; --tokenizer byte has its 256 bytes");
    if (o->vocab_size == 1)
        return fail(err, "--vocab-size 1 leaves nothing to learn; 0 keeps all characters");
    if (o->top_p == 0)
        return fail(err, "--top-p 0 leaves nothing to choose from; --temperature 0 takes the most probable");
    return true;
}

// ---- states ----

static const char *saved_name(const Flag *flag, char out[64]) {
    snprintf(out, 64, "%s", flag->name);
    for (char *p = out; *p; p++)
        if (*p == '-') *p = '_';
    // The model's own vocab_size is what came of this one.
    if (strcmp(out, "vocab_size") == 0) snprintf(out, 64, "vocab_size_cap");
    return out;
}

bool options_save(const Options *o, Metadata *m, Error *err) {
    for (int k = 0; k < FLAGS_COUNT; k++) {
        char name[64], value[64];
        if (FLAGS[k].saved != MAY_CHANGE && FLAGS[k].saved != FIXED) continue;
        flag_print(value, o, &FLAGS[k]);
        if (!metadata_put(m, saved_name(&FLAGS[k], name), value, strlen(value), err)) return false;
    }
    return true;
}

bool options_restore(Options *o, const Metadata *m, const char *path, Error *err) {
    for (int k = 0; k < FLAGS_COUNT; k++) {
        const Flag *flag = &FLAGS[k];
        char name[64], now[64];
        if (flag->saved == NOT_SAVED) continue;
        const String *stored = metadata_get(m, saved_name(flag, name));
        if (!stored) return fail(err, "%s: not a training state: the metadata has no \"%s\"", path, name);
        if (strlen(stored->bytes) != stored->length) return fail(err, "%s: %s holds a NUL", path, name);
        flag_print(now, o, flag);
        if (o->given[k] && flag->saved != MAY_CHANGE && strcmp(now, stored->bytes) != 0)
            return fail(err, "%s: was trained with --%s %s, which resuming cannot change to %s", path,
                        flag->name, stored->bytes, now);
        Error why;
        if (!o->given[k] && !flag_set(o, flag, stored->bytes, &why))
            return fail(err, "%s: %s", path, why.text);
    }
    if (o->min_lr > o->learning_rate && !options_given(o, &o->min_lr)) o->min_lr = o->learning_rate / 10;
    return options_check(o, err);
}
