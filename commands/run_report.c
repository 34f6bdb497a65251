#include "run_report.h"
#include "flags.h"
#include "live.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool put_facts(Metadata *m, const Options *o, const Corpus *c, const GptConfig *g, Error *err) {
    char n[4][32];
    const char *tokens = c->z.kind == TOKENIZER_CHAR ? "characters" : "bytes";
    bool good = true;
    for (long i = 0; good && i < o->arguments; i++) {
        const char *name = strcmp(o->argument[i], "-") == 0 ? "standard input" : o->argument[i];
        char key[32];
        snprintf(key, sizeof key, o->arguments > 1 ? "text %ld" : "text", i + 1);
        good = metadata_put(m, key, name, strlen(name), err);
    }
    return good &&
           metadata_print(m, "its size", err, "%s %s, %s distinct%s", with_commas(n[0], c->ids.n), tokens,
                          with_commas(n[1], c->z.V), c->z.capped ? " (the rest is read as U+FFFD)" : "") &&
           metadata_print(m, "split", err, "%s to train on, %s to validate", with_commas(n[2], c->train_n),
                          with_commas(n[3], c->val_n)) &&
           metadata_print(m, "model", err, "%ld layers, %ld heads, %ld channels, context %ld", g->L, g->NH,
                          g->C, g->T) &&
           metadata_print(m, "parameters", err, "%s", with_commas(n[0], weights_parameters(g))) &&
           metadata_print(m, "best n-gram", err, "%.4f nats, from %d %s of context", c->ngram[c->best_ngram],
                          c->best_ngram, tokens);
}

static bool put_settings(Metadata *m, const Options *o, Error *err) {
    for (int k = 0; k < FLAGS_COUNT; k++) {
        char name[64], value[64];
        if (FLAGS[k].saved == NOT_SAVED) continue;
        flag_print(value, o, &FLAGS[k]);
        snprintf(name, sizeof name, "--%s", FLAGS[k].name);
        if (!metadata_put(m, name, value, strlen(value), err)) return false;
    }
    return true;
}

static void describe(char out[160], const Options *o, const Trainer *t, RunStatus status,
                     double seconds_left) {
    char step[32], of[32], left[32];
    with_commas(step, t->step);
    with_commas(of, o->max_iters);
    if (status == RUN_GOES_ON)
        snprintf(out, 160, "Step %s of %s, about %s left", step, of, duration(left, seconds_left));
    else
        snprintf(out, 160,
                 status == RUN_ENDED ? "Ended at step %s of %s"
                                     : "Stopped at step %s of %s; --resume goes on",
                 step, of);
}

bool run_report(const RunPaths *paths, const Options *o, const Corpus *c, const Trainer *t,
                const RunPlace *place, RunStatus status, double seconds_left, Error *err) {
    char now[160];
    CsvRow *row;
    long rows;
    Metadata facts = {0}, settings = {0};
    if (!csv_read(paths->csv, &row, &rows, err)) return false;
    describe(now, o, t, status, seconds_left);
    const RunPage page = {.name = paths->name,
                          .unit = c->z.kind == TOKENIZER_CHAR ? "character" : "byte",
                          .now = now,
                          .ended = status != RUN_GOES_ON,
                          .step = t->step,
                          .max_iters = o->max_iters,
                          .row = row,
                          .rows = rows,
                          .uniform = log((double)c->z.V),
                          .bigram = c->ngram[1],
                          .best_ngram = c->ngram[c->best_ngram],
                          .val_loss = place->val_loss,
                          .best_val_loss = place->best_val_loss,
                          .best_step = place->best_step,
                          .evaluations_since_best = place->evaluations_since_best,
                          .facts = &facts,
                          .settings = &settings,
                          .sample = place->samples.at,
                          .samples = place->samples.n};
    bool good = put_facts(&facts, o, c, &t->w.config, err) && put_settings(&settings, o, err) &&
                run_page_write(paths->page, &page, err);
    metadata_free(&facts);
    metadata_free(&settings);
    free(row);
    return good;
}
