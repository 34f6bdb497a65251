// options.h -- the command line. The table of flags is in flags.c; parsing, the help text and what a state
// keeps are made from it.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "../data/error.h"
#include "../data/safetensors.h"
#include "../tokenizer/tokenizer.h"
#include <stdio.h>

typedef enum {
    COMMAND_TRAIN = 1,
    COMMAND_SAMPLE = 2,
    COMMAND_EVAL = 4,
    COMMAND_INFO = 8,
    COMMAND_EXPORT = 16,
    COMMAND_IMPORT = 32,
    COMMAND_ATTENTION = 64
} Command;

// What --format and --dtype can say.
typedef enum { FORMAT_HF, FORMAT_GGUF } Format;
typedef enum { DTYPE_F32, DTYPE_F16 } Dtype;

enum { CHOICE_NONE = -1 };  // of a choice that has no default and was not given

enum { OPTIONS_MOST = 64 };

typedef struct {
    Command command;
    const char *program;  // as it was called
    char **argument;      // what is not a flag, in order
    long arguments;
    bool help, version;
    bool given[OPTIONS_MOST];  // which flags of the table were on the command line

    // Flags, in the table's order; flags.c says what each means.
    long n_layer, n_head, n_embd, block_size;
    double dropout;
    bool no_bias, untied;
    long tokenizer;  // a TokenizerKind
    long vocab_size;
    long max_iters, batch_size, gradient_accumulation_steps;
    double learning_rate, min_lr;
    long warmup_iters, lr_decay_iters;
    double weight_decay, beta1, beta2, grad_clip;
    long seed;
    double minutes;
    long patience, eval_interval, eval_iters, log_interval;
    const char *out_dir, *name, *resume, *init_from;
    const char *start;
    long num_samples, max_new_tokens;
    double temperature;
    long top_k;
    double top_p, min_p;
    bool drop_unknown;
    long layer, head;  // -1: all
    const char *html, *svg;
    bool json;
    long format;  // a Format
    const char *out;
    long dtype;  // a Dtype
    const char *vocab;
    long heads;
    bool force;
    long threads;
    bool quiet;
} Options;

// Defaults, then the command line. False: the command line is wrong (exit status 2).
bool options_parse(Options *o, int argc, char **argv, Error *err);

// Whether the flag whose value stands in `field` of o was on the command line.
bool options_given(const Options *o, const void *field);

// What hangs together: heads and channels, the two learning rates.
bool options_check(const Options *o, Error *err);

// The help text of one command, or of all with command = 0.
void options_help(FILE *f, int command);

// Puts the flags that shape a run into the metadata of its files.
bool options_save(const Options *o, Metadata *m, Error *err);

// Takes the flags of a stored run. A flag that was given now wins where a run may change it, and is an error
// where it may not (the model's shape, the tokenizer, the seed) and differs. `path` is for messages.
bool options_restore(Options *o, const Metadata *m, const char *path, Error *err);

#endif
