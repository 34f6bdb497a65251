#include "options.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum { LONG, DOUBLE, FLAG, STRING, CHOICE } Kind;

// What a training state does with a flag: it is no part of it; resuming may change it; resuming may not. The SHAPE of the
// model is FIXED, too, and written by checkpoint.c under the same names.
typedef enum { NOT_SAVED, MAY_CHANGE, FIXED, SHAPE } Saved;

typedef struct {
    const char *name;
    Kind kind;
    size_t offset;
    double least, most;  // of numbers
    const char *initial;
    int commands;
    Saved saved;
    const char *meaning;
} Option;

enum { TRAIN = COMMAND_TRAIN, SAMPLE = COMMAND_SAMPLE, EVAL = COMMAND_EVAL, INFO = COMMAND_INFO };
enum { EVERY = TRAIN | SAMPLE | EVAL | INFO };

static const char *const TOKENIZERS[] = {"char", "byte"};

#define AT(field) offsetof(Options, field)
#define BILLION 1e9
#define ALMOST_ONE 0.999999

static const Option OPTIONS[] = {
    {"n-layer", LONG, AT(n_layer), 1, 1000, "4", TRAIN, SHAPE, "transformer blocks"},
    {"n-head", LONG, AT(n_head), 1, 1000, "4", TRAIN, SHAPE, "attention heads in each block; must divide n-embd"},
    {"n-embd", LONG, AT(n_embd), 1, 65536, "128", TRAIN, SHAPE, "channels, the numbers that describe a token"},
    {"block-size", LONG, AT(block_size), 1, 1048576, "64", TRAIN, SHAPE, "context: how many tokens the model sees"},
    {"dropout", DOUBLE, AT(dropout), 0, ALMOST_ONE, "0", TRAIN, MAY_CHANGE, "probability of dropping, 0 for none"},
    {"no-bias", FLAG, AT(no_bias), 0, 1, "false", TRAIN, SHAPE, "no biases in linear layers and norms"},
    {"untied", FLAG, AT(untied), 0, 1, "false", TRAIN, SHAPE, "a head of its own instead of the token embedding"},
    {"tokenizer", CHOICE, AT(tokenizer), 0, 1, "char", TRAIN, FIXED, "a token is a character or a byte"},
    {"vocab-size", LONG, AT(vocab_size), 0, 1114112, "0", TRAIN, SHAPE,
     "keep the most frequent characters, fold the rest into U+FFFD; 0 keeps all"},
    {"max-iters", LONG, AT(max_iters), 0, BILLION, "1500", TRAIN, MAY_CHANGE, "training steps"},
    {"batch-size", LONG, AT(batch_size), 1, 65536, "12", TRAIN, MAY_CHANGE, "windows of text a step"},
    {"gradient-accumulation-steps", LONG, AT(gradient_accumulation_steps), 1, 65536, "1", TRAIN, MAY_CHANGE,
     "batches whose gradients make one step"},
    {"learning-rate", DOUBLE, AT(learning_rate), 0, 10, "3e-3", TRAIN, MAY_CHANGE, "largest learning rate"},
    {"min-lr", DOUBLE, AT(min_lr), 0, 10, "1e-4", TRAIN, MAY_CHANGE, "learning rate at the end of the decay"},
    {"warmup-iters", LONG, AT(warmup_iters), 0, BILLION, "100", TRAIN, MAY_CHANGE, "steps of rising learning rate"},
    {"lr-decay-iters", LONG, AT(lr_decay_iters), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "steps until min-lr is reached; 0: max-iters"},
    {"weight-decay", DOUBLE, AT(weight_decay), 0, 10, "0.1", TRAIN, MAY_CHANGE, "AdamW's decay, of matrices only"},
    {"beta1", DOUBLE, AT(beta1), 0, ALMOST_ONE, "0.9", TRAIN, MAY_CHANGE, "AdamW: memory of the gradient"},
    {"beta2", DOUBLE, AT(beta2), 0, ALMOST_ONE, "0.99", TRAIN, MAY_CHANGE, "AdamW: memory of its square"},
    {"grad-clip", DOUBLE, AT(grad_clip), 0, BILLION, "1", TRAIN, MAY_CHANGE, "largest norm of the gradient; 0: any"},
    {"minutes", DOUBLE, AT(minutes), 0, 1e6, "0", TRAIN, NOT_SAVED,
     "time for the whole run: measures, then sets max-iters; 0: no limit"},
    {"patience", LONG, AT(patience), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "stop after so many evaluations without improvement; 0: never"},
    {"eval-interval", LONG, AT(eval_interval), 1, BILLION, "250", TRAIN, MAY_CHANGE, "steps between evaluations"},
    {"eval-iters", LONG, AT(eval_iters), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "batches of the validation split to evaluate; 0: all of it"},
    {"log-interval", LONG, AT(log_interval), 1, BILLION, "50", TRAIN, MAY_CHANGE, "steps between lines and CSV rows"},
    {"out-dir", STRING, AT(out_dir), 0, 0, "out", TRAIN, NOT_SAVED, "folder for the run's files"},
    {"name", STRING, AT(name), 0, 0, "", TRAIN, NOT_SAVED, "their name; empty: the text's, without its ending"},
    {"resume", STRING, AT(resume), 0, 0, "", TRAIN, NOT_SAVED, "go on from this out/NAME.state.safetensors"},
    {"init-from", STRING, AT(init_from), 0, 0, "", TRAIN, NOT_SAVED, "start from the weights of this model"},
    {"start", STRING, AT(start), 0, 0, "", TRAIN | SAMPLE, NOT_SAVED,
     "text to go on from; FILE:path reads a file, - standard input; empty: a new line"},
    {"num-samples", LONG, AT(num_samples), 0, BILLION, "1", TRAIN | SAMPLE, NOT_SAVED, "texts to write"},
    {"max-new-tokens", LONG, AT(max_new_tokens), 0, BILLION, "500", TRAIN | SAMPLE, NOT_SAVED, "tokens in each"},
    {"temperature", DOUBLE, AT(temperature), 0, 1000, "0.8", TRAIN | SAMPLE, NOT_SAVED,
     "below 1 more careful, above wilder; 0: always the most probable token"},
    {"top-k", LONG, AT(top_k), 0, BILLION, "0", TRAIN | SAMPLE, NOT_SAVED, "choose from the k most probable; 0: all"},
    {"top-p", DOUBLE, AT(top_p), 0, 1, "1", TRAIN | SAMPLE, NOT_SAVED,
     "choose from the most probable that together have probability p"},
    {"min-p", DOUBLE, AT(min_p), 0, 1, "0", TRAIN | SAMPLE, NOT_SAVED,
     "choose from those at least p times as probable as the first"},
    {"drop-unknown", FLAG, AT(drop_unknown), 0, 1, "false", SAMPLE | EVAL, NOT_SAVED,
     "leave out characters that the model does not know"},
    {"seed", LONG, AT(seed), 0, 9e15, "1337", TRAIN | SAMPLE, FIXED, "of all random numbers; equal seeds, equal bits"},
    {"threads", LONG, AT(threads), 0, 1024, "0", TRAIN | SAMPLE | EVAL, NOT_SAVED,
     "processors to use; 0: OMP_NUM_THREADS, or all"},
    {"quiet", FLAG, AT(quiet), 0, 1, "false", TRAIN | SAMPLE | EVAL, NOT_SAVED, "print results and errors only"},
};
enum { COUNT = sizeof OPTIONS / sizeof *OPTIONS };
_Static_assert((int)COUNT <= (int)OPTIONS_MOST, "given[] has a place for every flag");

// The headings of the help text, each before its first flag.
static const struct {
    const char *first, *heading;
} GROUPS[] = {{"n-layer", "The model"}, {"tokenizer", "Tokens"}, {"max-iters", "Training"},
              {"patience", "The run and its files"}, {"start", "Sampling"}, {"seed", "The machine"}};

static const struct {
    const char *name;
    Command command;
    const char *arguments, *meaning;
} COMMANDS[] = {
    {"train", COMMAND_TRAIN, "TEXT... [flags]", "train on UTF-8 text (- is standard input), then print a sample"},
    {"sample", COMMAND_SAMPLE, "MODEL [flags]", "write text from a model"},
    {"eval", COMMAND_EVAL, "MODEL TEXT... [flags]", "loss, perplexity and bits per character of a text under a model"},
    {"info", COMMAND_INFO, "MODEL", "what a model file holds"},
};
enum { COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static const Option *option_named(const char *name) {
    const Option *option = OPTIONS;
    while (strcmp(option->name, name) != 0) option++;
    return option;
}

static const char *command_name(Command command) {
    for (int i = 0; i < COMMANDS_COUNT; i++)
        if (COMMANDS[i].command == command) return COMMANDS[i].name;
    return "";
}

// ---- values ----

static void *field(Options *o, const Option *option) { return (char *)o + option->offset; }

static bool set_long(long *value, const Option *option, const char *text, Error *err) {
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (*end || end == text || errno) return fail(err, "--%s needs a whole number, not '%s'", option->name, text);
    if ((double)v < option->least || (double)v > option->most)
        return fail(err, "--%s %s is out of range: it must be from %.10g to %.10g", option->name, text, option->least, option->most);
    *value = v;
    return true;
}

static bool set_double(double *value, const Option *option, const char *text, Error *err) {
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text) return fail(err, "--%s needs a number, not '%s'", option->name, text);
    if (!(v >= option->least && v <= option->most))
        return fail(err, "--%s %s is out of range: it must be from %.10g to %.10g", option->name, text, option->least, option->most);
    *value = v;
    return true;
}

static bool set(Options *o, const Option *option, const char *text, Error *err) {
    void *to = field(o, option);
    switch (option->kind) {
    case LONG: return set_long(to, option, text, err);
    case DOUBLE: return set_double(to, option, text, err);
    case STRING: *(const char **)to = text; return true;
    case FLAG: *(bool *)to = strcmp(text, "true") == 0; return true;
    case CHOICE:
        for (long i = 0; i <= (long)option->most; i++)
            if (strcmp(text, TOKENIZERS[i]) == 0) {
                *(long *)to = i;
                return true;
            }
        return fail(err, "--%s is %s or %s, not '%s'", option->name, TOKENIZERS[0], TOKENIZERS[1], text);
    }
    return false;
}

// The value as text that set() reads back to the same bits.
static void print_value(char out[64], const Options *o, const Option *option) {
    const void *from = (const char *)o + option->offset;
    switch (option->kind) {
    case LONG: snprintf(out, 64, "%ld", *(const long *)from); break;
    case DOUBLE: snprintf(out, 64, "%.17g", *(const double *)from); break;
    case FLAG: snprintf(out, 64, "%s", *(const bool *)from ? "true" : "false"); break;
    case CHOICE: snprintf(out, 64, "%s", TOKENIZERS[*(const long *)from]); break;
    case STRING: out[0] = 0; break;  // none is saved
    }
}

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
            size_t replace = diagonal + (a[i - 1] != b[j - 1]), least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = replace < least ? replace : least;
        }
    }
    return row[m];
}

static bool unknown_flag(const Options *o, const char *typed, size_t n, Error *err) {
    const Option *nearest = NULL;
    size_t best = 0;
    for (int i = 0; i < COUNT; i++) {
        if (!(OPTIONS[i].commands & (int)o->command)) continue;
        size_t d = distance(typed, n, OPTIONS[i].name);
        if (!nearest || d < best) nearest = &OPTIONS[i], best = d;
    }
    const char *command = command_name(o->command);
    if (!nearest) return fail(err, "'%s' has no flag --%.*s", command, (int)n, typed);
    return fail(err, "'%s' has no flag --%.*s; the nearest is --%s (train_gpt %s --help shows all)", command, (int)n, typed,
                nearest->name, command);
}

// One flag, which stands in argv[*i]; moves *i on to its value where that is the next argument.
static bool parse_flag(Options *o, int argc, char **argv, int *i, Error *err) {
    const char *typed = argv[*i] + 2, *equals = strchr(typed, '=');
    size_t n = equals ? (size_t)(equals - typed) : strlen(typed);
    if (same_name(typed, n, "help")) return o->help = true;
    if (same_name(typed, n, "version")) return o->version = true;
    for (int k = 0; k < COUNT; k++) {
        const Option *option = &OPTIONS[k];
        if (!same_name(typed, n, option->name) || !(option->commands & (int)o->command)) continue;
        o->given[k] = true;
        if (option->kind == FLAG) {
            if (equals) return fail(err, "--%s takes no value", option->name);
            return set(o, option, "true", err);
        }
        if (!equals && *i + 1 == argc) return fail(err, "--%s needs a value", option->name);
        return set(o, option, equals ? equals + 1 : argv[++*i], err);
    }
    return unknown_flag(o, typed, n, err);
}

static bool count_arguments(const Options *o, Error *err) {
    bool needs_text = o->command == COMMAND_TRAIN || o->command == COMMAND_EVAL;
    long least = o->command == COMMAND_EVAL ? 2 : 1;
    if (o->arguments < least)
        return fail(err, "'%s' needs %s (train_gpt %s --help)", command_name(o->command),
                    o->command == COMMAND_TRAIN ? "a text to train on" : o->command == COMMAND_EVAL ? "a model and a text" : "a model",
                    command_name(o->command));
    if (!needs_text && o->arguments > 1)
        return fail(err, "'%s' takes one model; what is '%s'?", command_name(o->command), o->argument[1]);
    return true;
}

bool options_parse(Options *o, int argc, char **argv, Error *err) {
    *o = (Options){.command = COMMAND_TRAIN, .argument = argv};
    for (int k = 0; k < COUNT; k++)
        if (!set(o, &OPTIONS[k], OPTIONS[k].initial, err)) return false;
    int i = 1;
    for (int c = 0; c < COMMANDS_COUNT && argc > 1; c++)
        if (strcmp(argv[1], COMMANDS[c].name) == 0) o->command = COMMANDS[c].command, i = 2;
    bool flags_end = false;
    for (; i < argc; i++) {
        if (!flags_end && strcmp(argv[i], "--") == 0) flags_end = true;
        else if (!flags_end && strncmp(argv[i], "--", 2) == 0) {
            if (!parse_flag(o, argc, argv, &i, err)) return false;
        } else if (!flags_end && argv[i][0] == '-' && argv[i][1])
            return fail(err, "flags begin with --; '%s' does not", argv[i]);
        else o->argument[o->arguments++] = argv[i];  // never ahead of what is still to be read
    }
    if (o->help || o->version) return true;
    return count_arguments(o, err) && options_check(o, err);
}

bool options_given(const Options *o, const void *value) {
    for (int k = 0; k < COUNT; k++)
        if ((const char *)o + OPTIONS[k].offset == value) return o->given[k];
    return false;
}

bool options_check(const Options *o, Error *err) {
    if (o->n_embd % o->n_head != 0)
        return fail(err, "--n-embd %ld cannot be shared out to --n-head %ld: it must be a multiple", o->n_embd, o->n_head);
    if (o->resume[0] && o->init_from[0]) return fail(err, "--resume and --init-from exclude each other");
    if (o->vocab_size == 1) return fail(err, "--vocab-size 1 leaves nothing to learn; 0 keeps all characters");
    if (o->top_p == 0) return fail(err, "--top-p 0 leaves nothing to choose from; --temperature 0 takes the most probable");
    return true;
}

// ---- help ----

// A bound of a range as people write it: 1e9, not 1000000000.
static const char *bound(char out[32], double value) {
    int exponent = 0;
    double rest = value;
    while (rest >= 10 && fmod(rest, 10) == 0) rest /= 10, exponent++;
    if (exponent >= 6) snprintf(out, 32, "%.0fe%d", rest, exponent);
    else snprintf(out, 32, "%.10g", value);
    return out;
}

static void help_flag(FILE *f, const Option *option) {
    enum { WIDTH = 110, COLUMN = 37 };
    static const char *const value[] = {" N", " X", "", " TEXT", " char|byte"};
    char head[64], range[160] = "", least[32], most[32];
    const char *initial = option->initial[0] ? option->initial : "empty";
    snprintf(head, sizeof head, "--%s%s", option->name, value[option->kind]);
    if (option->kind == LONG || option->kind == DOUBLE)
        snprintf(range, sizeof range, "(%s to %s; default %s)", bound(least, option->least), bound(most, option->most), initial);
    else if (option->kind != FLAG) snprintf(range, sizeof range, "(default %s)", initial);
    fprintf(f, "  %-*s", COLUMN - 2, head);
    bool fits = COLUMN + strlen(option->meaning) + 1 + strlen(range) <= WIDTH;
    if (fits) fprintf(f, "%s%s%s\n", option->meaning, range[0] ? " " : "", range);
    else fprintf(f, "%s\n%*s%s\n", option->meaning, COLUMN, "", range);
}

// The flags of one command, under the headings of their groups.
static void help_flags(FILE *f, Command command) {
    const char *group = NULL;
    for (int k = 0; k < COUNT; k++) {
        for (size_t g = 0; g < sizeof GROUPS / sizeof *GROUPS; g++)
            if (strcmp(OPTIONS[k].name, GROUPS[g].first) == 0) group = GROUPS[g].heading;
        if (!(OPTIONS[k].commands & (int)command)) continue;
        if (group) fprintf(f, "\n%s\n", group);
        group = NULL;
        help_flag(f, &OPTIONS[k]);
    }
}

void options_help(FILE *f, int command) {
    fprintf(f, "train_gpt trains a character-level GPT-2 on any text, and writes text from it.\n\n");
    for (int c = 0; c < COMMANDS_COUNT; c++)
        if (!command || (int)COMMANDS[c].command == command)
            fprintf(f, "  train_gpt %-6s %-22s %s\n", COMMANDS[c].name, COMMANDS[c].arguments, COMMANDS[c].meaning);
    if (!command) fprintf(f, "  train_gpt TEXT... is the same as train_gpt train TEXT...; --help after a command is about that command.\n");
    if (command) help_flags(f, (Command)command);
    else {
        help_flags(f, COMMAND_TRAIN);
        fprintf(f, "\nsample takes the flags under Sampling and The machine; sample and eval also take\n");
        help_flag(f, option_named("drop-unknown"));
    }
    fprintf(f, "\n--flag value and --flag=value are the same, and so are - and _ inside a flag's name.\n"
               "Exit status: 0 done, 1 failed, 2 wrong command line, 130 or 143 stopped by a signal after saving.\n");
}

// ---- states ----

static const char *saved_name(const Option *option, char out[64]) {
    snprintf(out, 64, "%s", option->name);
    for (char *p = out; *p; p++)
        if (*p == '-') *p = '_';
    return out;
}

bool options_save(const Options *o, Metadata *m, Error *err) {
    for (int k = 0; k < COUNT; k++) {
        char name[64], value[64];
        if (OPTIONS[k].saved != MAY_CHANGE && OPTIONS[k].saved != FIXED) continue;
        print_value(value, o, &OPTIONS[k]);
        if (!metadata_put(m, saved_name(&OPTIONS[k], name), value, strlen(value), err)) return false;
    }
    return true;
}

bool options_restore(Options *o, const Metadata *m, const char *path, Error *err) {
    for (int k = 0; k < COUNT; k++) {
        const Option *option = &OPTIONS[k];
        char name[64], now[64];
        if (option->saved == NOT_SAVED) continue;
        const String *stored = metadata_get(m, saved_name(option, name));
        if (!stored) return fail(err, "%s: not a training state: the metadata has no \"%s\"", path, name);
        print_value(now, o, option);
        if (o->given[k] && option->saved != MAY_CHANGE && strcmp(now, stored->bytes) != 0)
            return fail(err, "%s: was trained with --%s %s, which resuming cannot change to %s", path, option->name, stored->bytes, now);
        Error why;
        if (!o->given[k] && !set(o, option, stored->bytes, &why)) return fail(err, "%s: %s", path, why.text);
    }
    return options_check(o, err);
}
