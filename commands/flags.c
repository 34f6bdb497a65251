#include "flags.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRAIN = COMMAND_TRAIN,
    SAMPLE = COMMAND_SAMPLE,
    EVAL = COMMAND_EVAL,
    EXPORT = COMMAND_EXPORT,
    IMPORT = COMMAND_IMPORT,
    ATTENTION = COMMAND_ATTENTION
};

#define AT(field) offsetof(Options, field)
#define BILLION 1e9
#define ALMOST_ONE 0.999999

// clang-format off
const Flag FLAGS[] = {
    {"n-layer", FLAG_LONG, AT(n_layer), 1, 1000, "4", TRAIN, SHAPE, "transformer blocks"},
    {"n-head", FLAG_LONG, AT(n_head), 1, 1000, "4", TRAIN, SHAPE,
     "attention heads in each block; must divide n-embd"},
    {"n-embd", FLAG_LONG, AT(n_embd), 1, 65536, "128", TRAIN, SHAPE,
     "channels, the numbers that describe a token"},
    {"block-size", FLAG_LONG, AT(block_size), 1, 1048576, "64", TRAIN, SHAPE,
     "context: how many tokens the model sees"},
    {"dropout", FLAG_DOUBLE, AT(dropout), 0, ALMOST_ONE, "0", TRAIN, MAY_CHANGE,
     "probability of dropping, 0 for none"},
    {"no-bias", FLAG_SWITCH, AT(no_bias), 0, 1, "false", TRAIN, SHAPE,
     "no biases in linear layers and norms"},
    {"untied", FLAG_SWITCH, AT(untied), 0, 1, "false", TRAIN, SHAPE,
     "a head of its own instead of the token embedding"},
    {"tokenizer", FLAG_TOKENIZER, AT(tokenizer), 0, 1, "char", TRAIN | IMPORT, FIXED,
     "a token is a character or a byte"},
    {"vocab-size", FLAG_LONG, AT(vocab_size), 0, 1114112, "0", TRAIN, FIXED,
     "keep the most frequent characters, fold the rest into U+FFFD; 0 keeps all"},
    {"max-iters", FLAG_LONG, AT(max_iters), 0, BILLION, "1500", TRAIN, MAY_CHANGE, "training steps"},
    {"batch-size", FLAG_LONG, AT(batch_size), 1, 65536, "12", TRAIN, MAY_CHANGE, "windows of text a step"},
    {"gradient-accumulation-steps", FLAG_LONG, AT(gradient_accumulation_steps), 1, 65536,
     "1", TRAIN, MAY_CHANGE,
     "batches whose gradients make one step"},
    {"learning-rate", FLAG_DOUBLE, AT(learning_rate), 0, 10, "3e-3", TRAIN, MAY_CHANGE,
     "largest learning rate"},
    {"min-lr", FLAG_DOUBLE, AT(min_lr), 0, 10, "1e-4", TRAIN, MAY_CHANGE,
     "learning rate at the end of the decay; at most a tenth of the largest unless given"},
    {"warmup-iters", FLAG_LONG, AT(warmup_iters), 0, BILLION, "100", TRAIN, MAY_CHANGE,
     "steps of rising learning rate"},
    {"lr-decay-iters", FLAG_LONG, AT(lr_decay_iters), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "steps until min-lr is reached; 0: max-iters"},
    {"weight-decay", FLAG_DOUBLE, AT(weight_decay), 0, 10, "0.1", TRAIN, MAY_CHANGE,
     "AdamW's decay, of matrices only"},
    {"beta1", FLAG_DOUBLE, AT(beta1), 0, ALMOST_ONE, "0.9", TRAIN, MAY_CHANGE,
     "AdamW: memory of the gradient"},
    {"beta2", FLAG_DOUBLE, AT(beta2), 0, ALMOST_ONE, "0.99", TRAIN, MAY_CHANGE,
     "AdamW: memory of its square"},
    {"grad-clip", FLAG_DOUBLE, AT(grad_clip), 0, BILLION, "1", TRAIN, MAY_CHANGE,
     "largest norm of the gradient; 0: any"},
    {"minutes", FLAG_DOUBLE, AT(minutes), 0, 1e6, "0", TRAIN, NOT_SAVED,
     "time until the model is saved: measures, then sets max-iters (given, it is a limit); 0: none"},
    {"patience", FLAG_LONG, AT(patience), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "stop after so many evaluations without improvement; 0: never"},
    {"eval-interval", FLAG_LONG, AT(eval_interval), 1, BILLION, "250", TRAIN, MAY_CHANGE,
     "steps between evaluations"},
    {"eval-iters", FLAG_LONG, AT(eval_iters), 0, BILLION, "0", TRAIN, MAY_CHANGE,
     "batches of the validation split to evaluate; 0: all of it"},
    {"log-interval", FLAG_LONG, AT(log_interval), 1, BILLION, "50", TRAIN, MAY_CHANGE,
     "steps between lines and CSV rows"},
    {"out-dir", FLAG_STRING, AT(out_dir), 0, 0, "out", TRAIN, NOT_SAVED, "folder for the run's files"},
    {"name", FLAG_STRING, AT(name), 0, 0, "", TRAIN, NOT_SAVED,
     "their name; empty: the text's, without its ending"},
    {"resume", FLAG_STRING, AT(resume), 0, 0, "", TRAIN, NOT_SAVED,
     "go on from this out/NAME.state.safetensors"},
    {"init-from", FLAG_STRING, AT(init_from), 0, 0, "", TRAIN, NOT_SAVED,
     "start from the weights of this model"},
    {"force", FLAG_SWITCH, AT(force), 0, 1, "false", TRAIN, NOT_SAVED,
     "begin anew in the place of a run that has not ended"},
    {"start", FLAG_STRING, AT(start), 0, 0, "", TRAIN | SAMPLE | ATTENTION, NOT_SAVED,
     "text to go on from; FILE:path reads a file, - standard input; empty: a new line"},
    {"num-samples", FLAG_LONG, AT(num_samples), 0, BILLION, "1", TRAIN | SAMPLE, NOT_SAVED, "texts to write"},
    {"max-new-tokens", FLAG_LONG, AT(max_new_tokens), 0, BILLION, "500", TRAIN | SAMPLE, NOT_SAVED,
     "tokens in each"},
    {"temperature", FLAG_DOUBLE, AT(temperature), 0, 1000, "0.8", TRAIN | SAMPLE, NOT_SAVED,
     "below 1 more careful, above wilder; 0: always the most probable token"},
    {"top-k", FLAG_LONG, AT(top_k), 0, BILLION, "0", TRAIN | SAMPLE, NOT_SAVED,
     "choose from the k most probable; 0: all"},
    {"top-p", FLAG_DOUBLE, AT(top_p), 0, 1, "1", TRAIN | SAMPLE, NOT_SAVED,
     "choose from the most probable that together have probability p"},
    {"min-p", FLAG_DOUBLE, AT(min_p), 0, 1, "0", TRAIN | SAMPLE, NOT_SAVED,
     "choose from those at least p times as probable as the first"},
    {"drop-unknown", FLAG_SWITCH, AT(drop_unknown), 0, 1, "false", TRAIN | SAMPLE | EVAL | ATTENTION, NOT_SAVED,
     "leave out characters that the model does not know"},
    {"layer", FLAG_LONG, AT(layer), -1, 999, "-1", ATTENTION, NOT_SAVED,
     "only this layer, counted from 0 as in the tensors' names; -1: all"},
    {"head", FLAG_LONG, AT(head), -1, 999, "-1", ATTENTION, NOT_SAVED,
     "only this head of a layer, counted from 0; -1: all"},
    {"html", FLAG_STRING, AT(html), 0, 0, "", SAMPLE | ATTENTION, NOT_SAVED,
     "write a page for the browser to this file; it needs no network"},
    {"svg", FLAG_STRING, AT(svg), 0, 0, "", ATTENTION, NOT_SAVED, "write the maps as a picture to this file"},
    {"json", FLAG_SWITCH, AT(json), 0, 1, "false", SAMPLE | EVAL | ATTENTION, NOT_SAVED,
     "print all numbers in JSON: losses; ids, and the logits after the start; attention weights"},
    {"format", FLAG_FORMAT, AT(format), CHOICE_NONE, 1, "", EXPORT, NOT_SAVED,
     "a Hugging Face folder, or one file for llama.cpp and Ollama"},
    {"out", FLAG_STRING, AT(out), 0, 0, "", EXPORT | IMPORT, NOT_SAVED, "the folder or file to write"},
    {"dtype", FLAG_DTYPE, AT(dtype), 0, 1, "f32", EXPORT, NOT_SAVED,
     "numbers of the matrices in a gguf file"},
    {"n-head", FLAG_LONG, AT(heads), 0, 1000, "0", IMPORT, NOT_SAVED,
     "attention heads, which no tensor tells; 0: as config.json says"},
    {"vocab", FLAG_STRING, AT(vocab), 0, 0, "", IMPORT, NOT_SAVED,
     "text that has the model's characters, where there is no tokenizer.json"},
    {"force", FLAG_SWITCH, AT(force), 0, 1, "false", EXPORT | IMPORT | SAMPLE | ATTENTION, NOT_SAVED,
     "write over what is there"},
    {"seed", FLAG_LONG, AT(seed), 0, 9e15, "1", TRAIN | SAMPLE, FIXED,
     "of all random numbers; equal seeds, equal bits"},
    {"threads", FLAG_LONG, AT(threads), 0, 1024, "0", TRAIN | SAMPLE | EVAL | ATTENTION, NOT_SAVED,
     "processors to use; 0: OMP_NUM_THREADS, or all"},
    {"quiet", FLAG_SWITCH, AT(quiet), 0, 1, "false", TRAIN | SAMPLE | EVAL | EXPORT | IMPORT | ATTENTION, NOT_SAVED,
     "print results and errors only"},
};
// clang-format on
const int FLAGS_COUNT = sizeof FLAGS / sizeof *FLAGS;
_Static_assert(sizeof FLAGS / sizeof *FLAGS <= OPTIONS_MOST, "given[] has a place for every flag");

const FlagGroup FLAG_GROUPS[] = {{"n-layer", "The model"},   {"tokenizer", "Tokens"},
                                 {"max-iters", "Training"},  {"patience", "The run and its files"},
                                 {"start", "Sampling"},      {"layer", "Pictures"},
                                 {"json", "Other programs"}, {"seed", "The machine"}};
const int FLAG_GROUPS_COUNT = sizeof FLAG_GROUPS / sizeof *FLAG_GROUPS;

const CommandWords COMMANDS[] = {
    {"train", COMMAND_TRAIN, "TEXT... [flags]",
     "train on UTF-8 text (- is standard input), then print a sample", 1, "text to train on", true},
    {"sample", COMMAND_SAMPLE, "MODEL [flags]", "write text from a model", 1, "model", false},
    {"eval", COMMAND_EVAL, "MODEL TEXT... [flags]",
     "loss, perplexity and bits per character of a text under a model", 2, "model and a text", true},
    {"info", COMMAND_INFO, "MODEL", "what a model file holds", 1, "model", false},
    {"attention", COMMAND_ATTENTION, "MODEL --start TEXT [flags]",
     "from where each head gathers, character by character", 1, "model", false},
    {"export", COMMAND_EXPORT, "MODEL --format F --out O",
     "a model for other programs: llama.cpp, Ollama, Python", 1, "model", false},
    {"import", COMMAND_IMPORT, "DIR|FILE --out MODEL", "a model of another program for this one", 1,
     "folder or file to import", false},
};
const int COMMANDS_COUNT = sizeof COMMANDS / sizeof *COMMANDS;

const CommandWords *command_words(Command command) {
    for (int i = 0; i < COMMANDS_COUNT; i++)
        if (COMMANDS[i].command == command) return &COMMANDS[i];
    return &COMMANDS[0];
}

const char *const *flag_words(FlagKind kind) {
    static const char *const WORDS[][3] = {
        [FLAG_TOKENIZER] = {"char", "byte"}, [FLAG_FORMAT] = {"hf", "gguf"}, [FLAG_DTYPE] = {"f32", "f16"}};
    return kind >= FLAG_TOKENIZER ? WORDS[kind] : NULL;
}

// ---- values ----

static void *field(Options *o, const Flag *flag) { return (char *)o + flag->offset; }

static bool set_long(long *value, const Flag *flag, const char *text, Error *err) {
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (*end || end == text || errno)
        return fail(err, "--%s needs a whole number, not '%s'", flag->name, text);
    if ((double)v < flag->least || (double)v > flag->most)
        return fail(err, "--%s %s is out of range: it must be from %.10g to %.10g", flag->name, text,
                    flag->least, flag->most);
    *value = v;
    return true;
}

static bool set_double(double *value, const Flag *flag, const char *text, Error *err) {
    char *end;
    double v = strtod(text, &end);
    if (*end || end == text) return fail(err, "--%s needs a number, not '%s'", flag->name, text);
    if (!(v >= flag->least && v <= flag->most))
        return fail(err, "--%s %s is out of range: it must be from %.10g to %.10g", flag->name, text,
                    flag->least, flag->most);
    *value = v;
    return true;
}

static bool set_choice(long *value, const Flag *flag, const char *text, Error *err) {
    const char *const *word = flag_words(flag->kind);
    *value = CHOICE_NONE;
    if (!text[0] && !flag->initial[0]) return true;
    for (long i = 0; word[i]; i++)
        if (strcmp(text, word[i]) == 0) {
            *value = i;
            return true;
        }
    return fail(err, "--%s is %s or %s, not '%s'", flag->name, word[0], word[1], text);
}

bool flag_set(Options *o, const Flag *flag, const char *text, Error *err) {
    void *to = field(o, flag);
    switch (flag->kind) {
    case FLAG_LONG: return set_long(to, flag, text, err);
    case FLAG_DOUBLE: return set_double(to, flag, text, err);
    case FLAG_STRING: *(const char **)to = text; return true;
    case FLAG_SWITCH:
        *(bool *)to = strcmp(text, "true") == 0;
        return *(bool *)to || strcmp(text, "false") == 0 ||
               fail(err, "--%s is true or false, not '%s'", flag->name, text);
    case FLAG_TOKENIZER:
    case FLAG_FORMAT:
    case FLAG_DTYPE: return set_choice(to, flag, text, err);
    }
    return false;
}

void flag_print(char out[64], const Options *o, const Flag *flag) {
    const void *from = (const char *)o + flag->offset;
    switch (flag->kind) {
    case FLAG_LONG: snprintf(out, 64, "%ld", *(const long *)from); break;
    case FLAG_DOUBLE: snprintf(out, 64, "%.17g", *(const double *)from); break;
    case FLAG_SWITCH: snprintf(out, 64, "%s", *(const bool *)from ? "true" : "false"); break;
    case FLAG_TOKENIZER:
    case FLAG_FORMAT:
    case FLAG_DTYPE: {
        long choice = *(const long *)from;
        snprintf(out, 64, "%s", choice == CHOICE_NONE ? "" : flag_words(flag->kind)[choice]);
        break;
    }
    case FLAG_STRING: out[0] = 0; break;  // none is saved
    }
}
