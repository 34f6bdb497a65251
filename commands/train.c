// train.c -- the training run: reads the text, makes or restores a model, steps, evaluates, saves, and writes
// a sample.
#include "../model/decode.h"
#include "../model/schedule.h"
#include "../model/threads.h"
#include "commands.h"
#include "generate.h"
#include "machine.h"
#include "mean_loss.h"
#include "origin.h"
#include "run_report.h"
#include "stop.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    Options o;  // with what the text, a state or a model changed
    Corpus corpus;
    Ids start;  // of the sample at the end
    Trainer t;
    RunPaths paths;
    RunPlace place;
    Csv csv;
    Progress progress;
    const char *last_good;      // path of the state that this run can go on from; NULL where there is none
    int32_t *tokens, *targets;  // (B,T) of one step
    double began;               // when the program started to work
    double step_seconds, eval_seconds;  // how long one takes, as last measured
} Run;

// ---- getting ready ----

static long sequences(const Options *o) { return o->batch_size * o->gradient_accumulation_steps; }

static GptConfig config_of(const Options *o, const Corpus *c) {
    return (GptConfig){.V = c->z.V,
                       .T = o->block_size,
                       .C = o->n_embd,
                       .L = o->n_layer,
                       .NH = o->n_head,
                       .bias = !o->no_bias,
                       .tied = !o->untied};
}

// Says what the run will need, refuses what the machine does not have, and takes it.
static bool reserve_memory(Run *r, const Origin *from, Error *err) {
    GptConfig config = config_of(&r->o, &r->corpus);
    long B = sequences(&r->o);
    double weights = (double)weights_size(&config) * sizeof(real);
    // Training; the model to start from; at the end the best model and the decoder, for the sample.
    double bytes = (double)trainer_bytes(&config, B) + (from->model.w.memory ? weights : 0) + weights +
                   (double)decoder_bytes(&config, generate_streams(&r->o, &config)) +
                   (double)r->corpus.ids.n * r->corpus.ids.width +
                   (double)(2 * B * config.T) * sizeof *r->tokens;
    char number[32];
    double megabytes = bytes / 1e6, machine = machine_memory() / 1e6;
    progress_say(&r->progress, "model: %ld layers, %ld heads, %ld channels, context %ld: %s parameters",
                 config.L, config.NH, config.C, config.T, with_commas(number, weights_parameters(&config)));
    progress_say(&r->progress, "training needs %.1f MB of memory; %d threads", megabytes, thread_count());
    if (megabytes > machine)
        return fail(err,
                    "this model and batch need %.0f MB of memory, more than this machine's %.0f; a smaller "
                    "--n-embd, --n-layer, --block-size or --batch-size needs less",
                    megabytes, machine);
    if (!run_space(&r->paths, &r->o, &config, err) || !trainer_create(&r->t, &config, B, err)) return false;
    r->tokens = malloc((size_t)(2 * B * config.T) * sizeof *r->tokens);
    if (!r->tokens) return fail(err, "memory is short");
    r->targets = r->tokens + B * config.T;
    return true;
}

// ---- steps ----

static double rate_at(const Options *o, long step) {
    Schedule s = {.learning_rate = o->learning_rate,
                  .min_lr = o->min_lr,
                  .warmup = o->warmup_iters,
                  .decay = o->lr_decay_iters ? o->lr_decay_iters : o->max_iters};
    return schedule_rate(&s, step);
}

static StepResult one_step(Run *r) {
    const Options *o = &r->o;
    long B = sequences(o), T = o->block_size;
    for (long b = 0; b < B; b++) {
        long from = epochs_next(&r->place.epochs);
        ids_copy(r->tokens + b * T, &r->corpus.ids, from, T);
        ids_copy(r->targets + b * T, &r->corpus.ids, from + 1, T);
    }
    AdamW adamw = {.learning_rate = rate_at(o, r->t.step),
                   .beta1 = o->beta1,
                   .beta2 = o->beta2,
                   .weight_decay = o->weight_decay};
    return trainer_step(&r->t, r->tokens, r->targets, B, o->dropout, (uint64_t)o->seed, o->grad_clip, &adamw);
}

// The loss on so many windows of the validation split, 0 for all; where it is not finite, `bad` names why.
static bool loss_of(Run *r, double *loss, char bad[TRAINER_NAME], long windows, Error *err) {
    const Corpus *c = &r->corpus;
    Watch watch = progress_watch(&r->progress);
    return mean_loss(loss, bad, &r->t.acts, &r->t.w, &c->ids, c->val_begin, c->val_n, windows, &watch, err);
}

static bool validate(Run *r, double *loss, char bad[TRAINER_NAME], Error *err) {
    double start = machine_seconds();
    if (!loss_of(r, loss, bad, r->o.eval_iters * r->o.batch_size, err)) return false;
    r->eval_seconds = machine_seconds() - start;
    return true;
}

static double seconds_left(const Run *r) {
    long steps = r->o.max_iters - r->t.step;
    return (double)steps * r->step_seconds +
           ceil((double)steps / (double)r->o.eval_interval) * r->eval_seconds;
}

// --minutes: takes a few steps and an evaluation that are not kept, to find how many steps fit after the
// `done` ones, and sets max-iters. The run that follows is the very one that --max-iters with the printed
// number gives; the caller puts back weights, moments and place.
static bool fit_into_time(Run *r, long done, Error *err) {
    const double MEASURE = 0.02, KEEP_BACK = 0.03;  // shares of the time
    const long MOST_STEPS = 1000;
    double budget = 60 * r->o.minutes, loss;
    char bad[TRAINER_NAME];
    long steps = 0;
    if (!validate(r, &loss, bad, err)) return false;
    (void)one_step(r);  // the first one is slow: memory is touched for the first time
    double start = machine_seconds();
    Watch watch = progress_watch(&r->progress);
    double share;
    // What becomes of these steps does not matter, not even whether they are finite.
    do {
        (void)one_step(r);
        steps++;
        r->step_seconds = (machine_seconds() - start) / (double)steps;
        share = fmax((double)steps * r->step_seconds / (MEASURE * budget), (double)steps / MOST_STEPS);
        watch_tell(&watch, "measuring a step", NULL, share, 1);
    } while (share < 1 && !stop_asked());

    // The first and the last evaluation come in any case, others every eval-interval.
    double left = budget * (1 - KEEP_BACK) - (machine_seconds() - r->began) - 2 * r->eval_seconds;
    double each = r->step_seconds + r->eval_seconds / (double)r->o.eval_interval;
    long fit = done + (left > each ? (long)(left / each) : 1);
    if (!options_given(&r->o, &r->o.max_iters) || fit < r->o.max_iters) r->o.max_iters = fit;
    r->o.minutes = 0;
    progress_say(&r->progress, "a step takes %.1f ms here: --max-iters %ld", 1000 * r->step_seconds,
                 r->o.max_iters);
    return true;
}

// ---- saving and saying ----

static bool best_so_far(const Run *r) { return r->place.evaluations_since_best == 0; }

static bool not_finite(const Run *r, long step, const char *bad, Error *err) {
    if (!r->last_good)
        return fail(err, "step %ld: %s is not finite; nothing can go on from there", step, bad);
    return fail(
        err,
        "step %ld: %s is not finite; lower --learning-rate (%g), going on from the last good state in "
        "%s with --resume",
        step, bad, r->o.learning_rate, r->last_good);
}

// Only what a run can go on from is saved: this loss of it, the weights and the moments are finite. `bad`
// names what made the loss otherwise.
static bool is_sound(Run *r, double loss, char bad[TRAINER_NAME], Error *err) {
    return (isfinite(loss) && trainer_is_good(&r->t, bad)) || not_finite(r, r->t.step, bad, err);
}

static bool evaluate(Run *r, Error *err) {
    RunPlace *p = &r->place;
    char bad[TRAINER_NAME];
    if (!validate(r, &p->val_loss, bad, err) || !is_sound(r, p->val_loss, bad, err)) return false;
    if (p->val_loss < p->best_val_loss) {
        p->best_val_loss = p->val_loss;
        p->best_step = r->t.step;
        p->evaluations_since_best = 0;
    } else {
        p->evaluations_since_best++;
    }
    return run_samples_add(&p->samples, &r->t.w, &r->corpus.z, (uint64_t)r->o.seed, r->t.step, err);
}

// After an evaluation: saves the model where it is the best so far. The state is saved after the log.
static bool keep_best(const Run *r, Error *err) {
    return !best_so_far(r) || run_save_model(r->paths.model, &r->o, &r->corpus, &r->t, &r->place, err);
}

static double epoch_now(const Epochs *e) {
    return (double)e->epoch + (double)e->next / (double)epochs_windows(e);
}

// ---- the loop ----

// One row of the log, and its line. Speed is measured since the row before, without evaluations.
static bool log_row(Run *r, const StepResult *result, double val_loss, double tokens_per_second,
                    double seconds, Error *err) {
    CsvRow row = {.step = r->t.step,
                  .epoch = epoch_now(&r->place.epochs),
                  .train_loss = result ? result->loss : (double)NAN,
                  .val_loss = val_loss,
                  .learning_rate = result ? rate_at(&r->o, r->t.step - 1) : (double)NAN,
                  .grad_norm = result ? result->norm : (double)NAN,
                  .tokens_per_second = tokens_per_second,
                  .seconds = seconds};
    progress_row(&r->progress, &row, seconds_left(r));
    return csv_add(&r->csv, &row, err);
}

// The log first: a state that goes on from a step needs the rows up to it.
static bool save_state(Run *r, Error *err) {
    if (!csv_sync(&r->csv, err) || !run_save_state(r->paths.state, &r->o, &r->corpus, &r->t, &r->place, err))
        return false;
    r->last_good = r->paths.state;
    return true;
}

// One that no evaluation has seen: a step may have spoilt it, and it would replace the last good one.
static bool save_unseen_state(Run *r, Error *err) {
    const long FEW = 8;
    char bad[TRAINER_NAME];
    double loss;
    return loss_of(r, &loss, bad, FEW, err) && is_sound(r, loss, bad, err) && save_state(r, err);
}

static bool report(const Run *r, RunStatus status, Error *err) {
    return run_report(&r->paths, &r->o, &r->corpus, &r->t, &r->place, status, seconds_left(r), err);
}

// Of an older run nothing is touched before this one has proven that it can begin.
static bool begin(Run *r, Error *err) {
    return evaluate(r, err) && run_replace(&r->paths, &r->progress, err) && keep_best(r, err) &&
           csv_open(&r->csv, r->paths.csv, -1, err) &&
           log_row(r, NULL, r->place.val_loss, (double)NAN, 0, err) && save_state(r, err) &&
           report(r, RUN_GOES_ON, err);
}

static bool out_of_patience(const Run *r) {
    return r->o.patience > 0 && r->place.evaluations_since_best >= r->o.patience;
}

static bool train(Run *r, Error *err) {
    const Options *o = &r->o;
    double started = machine_seconds() - r->csv.seconds, working = 0;  // seconds in steps since the last row
    long since = 0;                                                    // steps since then
    long saved_at = r->t.step;
    while (r->t.step < o->max_iters && !stop_asked() && !out_of_patience(r)) {
        double before = machine_seconds();
        StepResult result = one_step(r);
        if (!result.finite) return not_finite(r, r->t.step + 1, result.bad, err);
        double took = machine_seconds() - before;
        thread_adapt(took, 0.1);  // some steps of a small model, one of a large one
        working += took;
        since++;
        r->step_seconds = working / (double)since;
        double speed = (double)(sequences(o) * o->block_size) / r->step_seconds;
        progress_step(&r->progress, r->t.step, result.loss, speed, seconds_left(r));

        bool due = r->t.step % o->eval_interval == 0 || r->t.step == o->max_iters;
        if (due && !(evaluate(r, err) && keep_best(r, err))) return false;
        if (due || r->t.step % o->log_interval == 0) {
            if (!log_row(r, &result, due ? r->place.val_loss : (double)NAN, speed,
                         machine_seconds() - started, err))
                return false;
            working = 0;
            since = 0;
        }
        if (due) {
            if (!save_state(r, err)) return false;
            saved_at = r->t.step;
            if (r->t.step < o->max_iters && !report(r, RUN_GOES_ON, err)) return false;
        }
    }
    return (saved_at == r->t.step || save_unseen_state(r, err)) &&
           report(r, stop_asked() ? RUN_STOPPED : RUN_ENDED, err);
}

// ---- the whole ----

static bool read_text(Run *r, Origin *from, Error *err) {
    Options *o = &r->o;
    if (!corpus_read(&r->corpus, o, from->has_tokenizer ? &from->z : NULL, &r->progress, err)) return false;
    if (!from->state.stream) corpus_fit(&r->corpus, o, &r->progress);
    // The start of the sample at the end: better to know now that it has an unknown character.
    if (o->num_samples > 0 && !generate_start(&r->start, o, &r->corpus.z, o->block_size, err)) return false;
    return corpus_count(&r->corpus, &r->progress, err);
}

static void begin_at_zero(Run *r) {
    run_samples_free(&r->place.samples);
    r->place =
        (RunPlace){.epochs = {.seed = (uint64_t)r->o.seed, .n = r->corpus.train_n, .T = r->o.block_size},
                   .best_val_loss = (double)INFINITY};
    r->t.step = 0;
    memset(r->t.m, 0, (size_t)r->t.w.size * sizeof(real));
    memset(r->t.v, 0, (size_t)r->t.w.size * sizeof(real));
}

static bool first_weights(Run *r, Origin *from, Error *err) {
    begin_at_zero(r);
    return origin_weights(from, &r->t, &r->place, &r->o, &r->corpus, err);
}

static bool prepare(Run *r, Origin *from, Error *err) {
    Options *o = &r->o;
    r->progress = progress_start(o->quiet, o->max_iters);
    if (!origin_open(from, o, err) || !run_paths(&r->paths, o, &r->progress, err)) return false;
    if (from->state.stream && !run_best_is_there(&r->paths, &from->state, err)) return false;
    if (!read_text(r, from, err) || !reserve_memory(r, from, err)) return false;
    stop_listen();
    if (!first_weights(r, from, err)) return false;
    if (from->state.stream) r->last_good = o->resume;
    if (o->minutes > 0 && (!fit_into_time(r, r->t.step, err) || !first_weights(r, from, err))) return false;
    if (r->t.step >= o->max_iters && r->t.step > 0)
        progress_say(&r->progress, "the run is at step %ld already; a larger --max-iters goes on", r->t.step);
    r->progress.steps = o->max_iters;
    r->progress.unit = r->corpus.z.kind == TOKENIZER_CHAR ? "characters" : "bytes";
    return !from->state.stream || csv_open(&r->csv, r->paths.csv, r->t.step, err);
}

static void say_result(const Run *r) {
    Progress p = r->progress;
    double best = r->place.best_val_loss, count = r->corpus.ngram[r->corpus.best_ngram];
    progress_say(&p, "best validation loss %.4f at step %ld; best n-gram %.4f: %.4f %s", best,
                 r->place.best_step, count, fabs(best - count), best < count ? "better" : "short of it");
    progress_say(&p, "saved %s (the best model), %s (to resume), %s (the log), %s (all of it as a page)",
                 r->paths.model, r->paths.state, r->paths.csv, r->paths.page);
}

// A sample of the best model, which is the one in the file.
static bool write_sample(const Run *r, Error *err) {
    ModelFile best;
    if (r->o.num_samples == 0) return true;
    if (!model_file_load(&best, r->paths.model, err)) return false;
    bool good = generate(&best.w, &best.z, &r->start, &r->o, err);
    model_file_free(&best);
    return good;
}

static bool run(Run *r, Origin *from, int *stopped_by, Error *err) {
    if (!prepare(r, from, err)) return false;
    if (!from->state.stream && !begin(r, err)) return false;
    if (!train(r, err) || !csv_close(&r->csv, err)) return false;
    *stopped_by = stop_asked();
    if (*stopped_by) {
        progress_say(&r->progress, "stopped at step %ld of %ld; saved %s", r->t.step, r->o.max_iters,
                     r->paths.state);
        run_say_resume(&r->paths, &r->o);
        return true;
    }
    if (out_of_patience(r))
        progress_say(&r->progress, "no improvement in %ld evaluations: stopping", r->o.patience);
    stop_listen_no_more();  // all is saved: Ctrl-C may end the sample
    say_result(r);
    return write_sample(r, err);
}

bool command_train(const Options *given, int *stopped_by, Error *err) {
    Run r = {.o = *given, .began = machine_seconds()};
    Origin from = {0};
    bool good = run(&r, &from, stopped_by, err);
    if (!good) progress_end(&r.progress);
    origin_close(&from);
    ids_free(&r.start);
    corpus_free(&r.corpus);
    run_samples_free(&r.place.samples);
    trainer_free(&r.t);
    run_paths_free(&r.paths);
    Error second;  // of a run that has failed already
    csv_close(&r.csv, &second);
    free(r.tokens);
    return good;
}
