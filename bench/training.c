// training.c -- whole steps: data, forward, backward, clipping, AdamW.
#include "../commands/machine.h"
#include "../model/threads.h"
#include "bench.h"

// ---- each model ----

static double tokens_of(const Model *m) { return (double)(m->B * m->config.T); }

static void evaluate(void *run) {
    Run *r = run;
    Acts *a = &r->trainer.acts;
    gpt_loss(a, &r->trainer.w, r->tokens, r->targets, a->B, r->model.config.T);
}

static void report_rate(Report *r, double tokens, double per_token, const Timing *t) {
    report_number(r, tokens / t->seconds);
    report_number(r, per_token * tokens / t->seconds / 1e9);
    report_number(r, 100 * per_token * tokens / t->worth);
}

static bool train_model(Bench *b, int i, Error *err) {
    Run r;
    Model m = model_of(i, b->text, b->quick);
    if (!run_create(&r, &m, b->text, err)) return false;
    double operations = operations_per_token(&m.config);
    b->step[i] = measure((Work){run_step, &r}, limit_arithmetic(), b->thorough);
    Timing evaluation = measure((Work){evaluate, &r}, limit_arithmetic(), b->brief);
    report_text(&b->report, model_name(&m).text);
    report_number(&b->report, (double)m.config.V);
    report_number(&b->report, 1e3 * b->step[i].seconds);
    report_number(&b->report, tokens_of(&m) / b->step[i].fastest);
    report_rate(&b->report, tokens_of(&m), operations, &b->step[i]);
    // Forward is a third of the work.
    report_rate(&b->report, (double)(r.trainer.acts.B * m.config.T), operations / 3, &evaluation);
    bool good = run_check(&r, err);
    run_free(&r);
    return good;
}

bool bench_training(Bench *b, Error *err) {
    static const Column columns[] = {{"model", "model", -36, 0},
                                     {"vocabulary", "V", 5, 0},
                                     {"step_ms", "ms a step", 10, 1},
                                     {"best_tokens_per_second", "the best", 9, 0},
                                     {"tokens_per_second", "tokens/s", 9, 0},
                                     {"gflops", "GFLOP/s", 8, 1},
                                     {"percent", "%", 3, 0},
                                     {"evaluation_tokens_per_second", "evaluation", 11, 0},
                                     {"evaluation_gflops", "GFLOP/s", 8, 1},
                                     {"evaluation_percent", "%", 3, 0}};
    REPORT_TABLE(&b->report, "training",
                 "training steps, and evaluation, in tokens/s; % of the multiply-adds", columns);
    for (int i = 0; i < MODELS; i++)
        if (!train_model(b, i, err)) return false;
    return true;
}

// ---- steps beside other steps ----

static double steps_per_second(Run *r) {
    double start = machine_seconds();
    run_step(r);
    return 1 / (machine_seconds() - start);
}

typedef struct {
    Run *run;
    long B;
} OfBatch;

// A step of another batch as the limit: steps a second.
static double burst_of_batch(void *of) {
    const OfBatch *o = of;
    long B = o->run->model.B;
    o->run->model.B = o->B;
    double rate = steps_per_second(o->run);
    o->run->model.B = B;
    return rate;
}

bool bench_batches(Bench *b, Error *err) {
    static const Column columns[] = {{"model", "model", -36, 0},
                                     {"step_ms", "ms a step", 10, 1},
                                     {"sequence_ms", "ms a sequence", 14, 2},
                                     {"relative", "of the first", 13, 3}};
    Run r;
    Model most = model_of(MEDIUM, b->text, b->quick);
    if (!run_create(&r, &most, b->text, err)) return false;
    OfBatch least = {&r, most.B / 8};
    REPORT_TABLE(&b->report, "batches",
                 "a step takes as long as its sequences; each right after one of the first", columns);
    for (long B = least.B; B <= most.B; B *= 2) {
        r.model.B = B;
        Timing t = measure((Work){run_step, &r}, (Limit){burst_of_batch, &least}, b->thorough);
        report_text(&b->report, model_name(&r.model).text);
        report_number(&b->report, 1e3 * t.seconds);
        report_number(&b->report, 1e3 * t.seconds / (double)B);
        report_number(&b->report, t.worth * (double)least.B / (double)B);
    }
    bool good = run_check(&r, err);
    run_free(&r);
    return good;
}

typedef struct {
    Run *run;
    int threads;
} OnAll;

// A step on all threads as the limit of one on a single thread. Leaves one thread in use.
static double burst_on_all(void *of) {
    const OnAll *a = of;
    thread_use(a->threads);
    double rate = steps_per_second(a->run);
    thread_use(1);
    return rate;
}

static bool compare_threads(Bench *b, Model m, Error *err) {
    Run r;
    if (!run_create(&r, &m, b->text, err)) return false;
    OnAll all = {&r, thread_count()};
    Timing one = measure((Work){run_step, &r}, (Limit){burst_on_all, &all}, b->thorough);
    thread_use(all.threads);
    report_text(&b->report, model_name(&m).text);
    report_number(&b->report, 1e3 * one.seconds);
    report_number(&b->report, 1e3 * one.seconds / one.worth);
    report_number(&b->report, one.worth);
    bool good = run_check(&r, err);
    run_free(&r);
    return good;
}

bool bench_threads(Bench *b, Error *err) {
    static const Column columns[] = {{"model", "model", -36, 0},
                                     {"one_thread_ms", "one thread", 10, 1},
                                     {"all_threads_ms", "all", 10, 1},
                                     {"speed_up", "speed-up", 9, 2}};
    char title[80];
    snprintf(title, sizeof title, "one thread against all %d: ms a step, one right after the other",
             thread_count());
    Model small = model_of(SMALL, b->text, b->quick), medium = model_of(MEDIUM, b->text, b->quick);
    medium.B /= 8;  // since a step takes as long as its sequences
    REPORT_TABLE(&b->report, "threads", title, columns);
    return compare_threads(b, small, err) && compare_threads(b, medium, err);
}
