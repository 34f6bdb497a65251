#include "run_files.h"
#include "../data/file.h"
#include "generate.h"
#include "model_file.h"
#include "target.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The text's file name without folder and ending, unless --name says otherwise. *n becomes its length.
static const char *run_name(const Options *o, int *n) {
    const char *text = o->argument[0], *name = o->name, *slash = strrchr(text, '/');
    if (!name[0] && strcmp(text, "-") == 0) name = "stdin";
    if (name[0]) {
        *n = (int)strlen(name);
        return name;
    }
    name = slash ? slash + 1 : text;
    const char *dot = strrchr(name, '.');
    *n = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    return name;
}

static char *path_of(const Options *o, const char *ending) {
    int n;
    const char *name = run_name(o, &n);
    size_t size = strlen(o->out_dir) + (size_t)n + strlen(ending) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%.*s%s", o->out_dir, n, name, ending);
    return path;
}

// Whether what the run makes or removes at `path` is not this input. NULL or empty is none, "-" standard
// input.
static bool spares(const char *path, const char *input, Error *err) {
    bool same, standard = input && strcmp(input, "-") == 0;
    if (!input || !input[0]) return true;
    if (!(standard ? target_is_stdin(&same, path, err) : target_is(&same, path, input, err))) return false;
    return !same || fail(err, "%s: the run would overwrite it; --name or --out-dir puts its files elsewhere",
                         standard ? "standard input" : input);
}

// Whether it is none of those that the run reads; the state that a run goes on from may become its own.
static bool spares_inputs(const char *path, bool is_state, const Options *o, Error *err) {
    bool good = spares(path, o->init_from, err) && (is_state || spares(path, o->resume, err)) &&
                spares(path, generate_start_file(o), err);
    for (long i = 0; good && i < o->arguments; i++) good = spares(path, o->argument[i], err);
    return good;
}

// The same of the file and of the temporary one before it.
static bool spares_both(const char *path, bool is_state, const Options *o, Error *err) {
    char *temporary = file_temporary(path);
    bool good = temporary || fail(err, "memory is short");
    good = good && spares_inputs(path, is_state, o, err) && spares_inputs(temporary, false, o, err);
    free(temporary);
    return good;
}

// The lock first: until it is taken, the leftovers may be another run's work.
static bool claim(RunPaths *paths, const Options *o, Progress *p, Error *err) {
    char *path = path_of(o, ".lock");
    if (!path) return fail(err, "memory is short");
    bool taken = spares_inputs(path, false, o, err) && lock_take(&paths->lock, path, err);
    free(path);
    if (!taken) return false;
    const char *files[] = {paths->model, paths->state, paths->csv, paths->page};
    for (int i = 0; i < 4; i++)
        if (file_remove_leftover(files[i]))
            progress_say(p, "removed %s.tmp, which a run that was killed has left", files[i]);
    return true;
}

// Where the run with this state stands.
typedef struct {
    long step, last;  // 0 where it is none, or none that anything can be lost of
    bool ended;
} OlderRun;

static OlderRun older_run(const Metadata *m) {
    OlderRun run = {0};
    long patience, since;
    if (!metadata_whole(m, "step", LONG_MAX, &run.step) ||
        !metadata_whole(m, "max_iters", LONG_MAX, &run.last))
        return (OlderRun){0};
    bool out_of_patience = metadata_whole(m, "patience", LONG_MAX, &patience) &&
                           metadata_whole(m, "evaluations_since_best", LONG_MAX, &since) && patience > 0 &&
                           since >= patience;
    run.ended = run.step >= run.last || out_of_patience;
    return run;
}

// Whether a run may begin where an older one's files are.
static bool may_replace(RunPaths *paths, const Options *o, Error *err) {
    bool own = false, may_be;
    Safetensors file;
    if (o->resume[0] && !target_is(&own, paths->state, o->resume, err)) return false;
    if (own) return true;
    if (!safetensors_may_be(&may_be, paths->state, err)) return false;
    if (!may_be) return true;
    Error why;
    if (!safetensors_open(&file, paths->state, &why))
        return o->force || fail(err, "%s; --force begins anew, --name keeps it", why.text);
    OlderRun run = older_run(&file.metadata);
    safetensors_close(&file);
    if (run.step == 0) return true;
    if (!run.ended && !o->force)
        return fail(
            err,
            "%s: is of a run at step %ld of %ld; --resume %s goes on, --force begins anew, --name keeps "
            "both",
            paths->state, run.step, run.last, paths->state);
    paths->older_steps = run.step;
    return true;
}

bool run_replace(const RunPaths *paths, Progress *p, Error *err) {
    if (paths->older_steps)
        progress_say(p, "replaces the run of %ld steps in %s", paths->older_steps, paths->state);
    return file_remove(paths->state, err) && file_remove(paths->csv, err) && file_remove(paths->page, err);
}

// The same of what makes a model in the metadata of both.
static bool same_shape(const Metadata *a, const Metadata *b) {
    static const char *const keys[] = {"n_layer",    "n_head",  "n_embd", "block_size",
                                       "vocab_size", "no_bias", "untied", "vocabulary"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const String *x = metadata_get(a, keys[i]), *y = metadata_get(b, keys[i]);
        if (!x || !y || x->length != y->length || memcmp(x->bytes, y->bytes, x->length) != 0) return false;
    }
    return true;
}

// A run that was killed between its model and its state has left a model that is better than its state knows,
// and makes it again: `own`, where both stand in this run's place.
static bool is_best_of(const Metadata *model, const Metadata *state, bool own) {
    long step, best_step, now;
    double loss, best_loss;
    if (!metadata_whole(state, "best_step", LONG_MAX, &best_step) ||
        !metadata_whole(state, "step", LONG_MAX, &now) ||
        !metadata_finite(state, "best_val_loss", &best_loss))
        return true;  // no state, as its reader will say
    if (!metadata_whole(model, "step", LONG_MAX, &step) || !metadata_finite(model, "val_loss", &loss) ||
        !same_shape(model, state))
        return false;
    return (step == best_step && loss == best_loss) || (own && step > now && loss < best_loss);
}

bool run_best_is_there(const RunPaths *paths, const Safetensors *state, Error *err) {
    const char *path = paths->model;
    Safetensors model;
    bool own;
    if (access(path, R_OK) != 0)
        return fail(err, "%s: the best model of the run so far is not there; it belongs beside the state",
                    path);
    if (!target_is(&own, paths->state, state->path, err) || !safetensors_open(&model, path, err))
        return false;
    bool good = is_best_of(&model.metadata, &state->metadata, own);
    safetensors_close(&model);
    return good ||
           fail(err,
                "%s: is not the best model of the run in %s; copy that one here, or choose another --name or "
                "--out-dir",
                path, state->path);
}

bool run_paths(RunPaths *paths, const Options *o, Progress *p, Error *err) {
    *paths = (RunPaths){0};
    if (!file_folder(o->out_dir, err)) return false;
    int n;
    const char *name = run_name(o, &n);
    *paths = (RunPaths){.name = strndup(name, (size_t)n),
                        .model = path_of(o, ".safetensors"),
                        .state = path_of(o, ".state.safetensors"),
                        .csv = path_of(o, ".csv"),
                        .page = path_of(o, ".html"),
                        .lock = {-1, NULL}};
    bool good = (paths->name && paths->model && paths->state && paths->csv && paths->page) ||
                fail(err, "memory is short");
    good = good && spares_both(paths->model, false, o, err) && spares_both(paths->state, true, o, err) &&
           spares_both(paths->csv, false, o, err) && spares_both(paths->page, false, o, err) &&
           claim(paths, o, p, err) && may_replace(paths, o, err);
    if (!good) run_paths_free(paths);
    return good;
}

void run_paths_free(RunPaths *paths) {
    free(paths->name);
    free(paths->page);
    free(paths->model);
    free(paths->state);
    free(paths->csv);
    lock_release(&paths->lock);
    *paths = (RunPaths){0};
}

static double size_of(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

bool run_space(const RunPaths *paths, const Options *o, const GptConfig *config, Error *err) {
    const double REST = 2e6;  // headers, the log, the page
    double weights = (double)weights_parameters(config) * sizeof(real), state = 3 * weights;
    double needed = weights + 2 * state + REST - size_of(paths->model) - size_of(paths->state);
    double space = file_space(o->out_dir);
    return needed <= space ||
           fail(err,
                "%s: the run's files need %.0f MB there, and %.0f are free; --out-dir puts them elsewhere",
                o->out_dir, needed / 1e6, space / 1e6);
}

bool run_save_model(const char *path, const Options *o, const Corpus *c, const Trainer *t,
                    const RunPlace *place, Error *err) {
    Metadata m = {0};
    bool good = metadata_print(&m, "step", err, "%ld", t->step) &&
                metadata_print(&m, "val_loss", err, "%.17g", place->val_loss) && options_save(o, &m, err) &&
                model_file_put_tokenizer(&m, &c->z, err) && checkpoint_save(path, &t->w, NULL, NULL, &m, err);
    metadata_free(&m);
    return good;
}

bool run_save_state(const char *path, const Options *o, const Corpus *c, const Trainer *t,
                    const RunPlace *place, Error *err) {
    Metadata m = {0};
    bool good = metadata_print(&m, "step", err, "%ld", t->step) &&
                metadata_print(&m, "epoch", err, "%ld", place->epochs.epoch) &&
                metadata_print(&m, "epoch_windows_done", err, "%ld", place->epochs.next) &&
                metadata_print(&m, "val_loss", err, "%.17g", place->val_loss) &&
                metadata_print(&m, "best_val_loss", err, "%.17g", place->best_val_loss) &&
                metadata_print(&m, "best_step", err, "%ld", place->best_step) &&
                metadata_print(&m, "evaluations_since_best", err, "%ld", place->evaluations_since_best) &&
                metadata_print(&m, "text_tokens", err, "%ld", c->ids.n) &&
                metadata_print(&m, "text_crc32", err, "%08" PRIx32, c->crc) && options_save(o, &m, err) &&
                model_file_put_tokenizer(&m, &c->z, err) && run_samples_save(&place->samples, &m, err) &&
                checkpoint_save(path, &t->w, t->m, t->v, &m, err);
    metadata_free(&m);
    return good;
}

// As $'...', which shells read back and terminals do not obey.
static void print_escaped(FILE *f, const char *word) {
    fputs("$'", f);
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f || *c == '\'' || *c == '\\')
            fprintf(f, "\\%03o", (unsigned char)*c);
        else
            putc(*c, f);
    putc('\'', f);
}

static bool has_controls(const char *word) {
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f ||
            (c[0] == '\xc2' && (unsigned char)c[1] >= 0x80 && (unsigned char)c[1] < 0xa0))
            return true;
    return false;
}

static void print_quoted(FILE *f, const char *word) {
    bool plain =
        word[0] && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:") ==
                       strlen(word);
    if (plain) {
        fputs(word, f);
        return;
    }
    if (has_controls(word)) {
        print_escaped(f, word);
        return;
    }
    putc('\'', f);
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            fputs("'\\''", f);
        else
            putc(*c, f);
    putc('\'', f);
}

void run_say_resume(const RunPaths *paths, const Options *o) {
    fprintf(stderr, "to go on: ");
    print_quoted(stderr, o->program);
    fprintf(stderr, " --resume ");
    print_quoted(stderr, paths->state);
    for (long i = 0; i < o->arguments; i++) {
        const char *text = o->argument[i];
        fprintf(stderr, text[0] == '-' && text[1] ? " -- " : " ");
        print_quoted(stderr, text);
    }
    putc('\n', stderr);
}

// ---- reading a state's metadata ----

static bool get_whole(const Metadata *m, const char *key, long most, long *value, const char *path,
                      Error *err) {
    return metadata_whole(m, key, most, value) ||
           fail(err, "%s: %s is missing or no whole number from 0 to %ld", path, key, most);
}

static bool get_loss(const Metadata *m, const char *key, double *value, const char *path, Error *err) {
    return metadata_finite(m, key, value) || fail(err, "%s: %s is missing or no number", path, key);
}

static bool same_text(const Metadata *m, const Corpus *c, const char *path, Error *err) {
    long tokens;
    char crc[16];
    snprintf(crc, sizeof crc, "%08" PRIx32, c->crc);
    const String *stored = metadata_get(m, "text_crc32");
    if (!get_whole(m, "text_tokens", LONG_MAX, &tokens, path, err)) return false;
    if (tokens == c->ids.n && stored && string_is(stored, crc)) return true;
    return fail(
        err,
        "%s: was trained on another text (%ld tokens, checksum %.16s; this one has %ld, %s); --init-from "
        "starts on a new text",
        path, tokens, stored ? stored->bytes : "none", c->ids.n, crc);
}

bool run_restore_place(RunPlace *place, Trainer *t, const Metadata *m, const Corpus *c, const char *path,
                       Error *err) {
    // No more than --max-iters can ask for, and windows than so many steps can visit.
    const long STEPS = 1000 * 1000 * 1000, EPOCHS = STEPS << 32;
    Epochs *e = &place->epochs;
    if (!same_text(m, c, path, err)) return false;
    if (e->T >= e->n) return fail(err, "%s: block_size %ld is too long for the text", path, e->T);
    if (!get_whole(m, "step", STEPS, &t->step, path, err) ||
        !get_whole(m, "epoch", EPOCHS, &e->epoch, path, err) ||
        !get_whole(m, "epoch_windows_done", epochs_windows(e), &e->next, path, err) ||
        !get_loss(m, "val_loss", &place->val_loss, path, err) ||
        !get_loss(m, "best_val_loss", &place->best_val_loss, path, err))
        return false;
    return get_whole(m, "best_step", t->step, &place->best_step, path, err) &&
           get_whole(m, "evaluations_since_best", t->step, &place->evaluations_since_best, path, err) &&
           run_samples_restore(&place->samples, m, t->step, path, err);
}
