// shares.c -- what each operator takes of a step: timed alone, with the arrays and the threads of a step, and
// multiplied by how often a step uses it.
//
// Each repetition comes right after a pass of a micro-batch, forward and backward, and is compared with that:
// a neighbour on the machine slows both.
#include "../commands/machine.h"
#include "bench.h"
#include "operators.h"

// A pass as the limit: passes a second.
static double burst_of_pass(void *run) {
    double start = machine_seconds();
    operators_pass(run);
    return 1 / (machine_seconds() - start);
}

static Timing time_operator(const Operator *o, Run *r, Limit limit, Effort effort) {
    return o->alone ? measure((Work){o->alone, r}, limit, effort)
                    : measure_team((TeamWork){o->in_team, r}, limit, effort);
}

// The share of a step that each operator takes; returns what is left.
static double find_shares(double share[OPERATORS], const Operator list[OPERATORS], Run *r, Effort effort) {
    double micro_batches = (double)model_micro_batches(&r->model);
    double step = micro_batches, rest = micro_batches;  // as numbers of passes
    for (int i = 0; i < OPERATORS; i++) {
        share[i] = time_operator(&list[i], r, (Limit){burst_of_pass, r}, effort).worth;
        if (list[i].in_pass > 0)
            rest -= share[i] *= list[i].in_pass * micro_batches;
        else
            step += share[i];
    }
    for (int i = 0; i < OPERATORS; i++) share[i] /= step;
    return rest / step;
}

static void report_share(Report *r, const char *name, double share, double step_seconds) {
    report_text(r, name);
    report_number(r, 1e3 * share * step_seconds);
    report_number(r, 100 * share);
}

static void report_shares(Bench *b, const char *key, Run *r, const Timing *step) {
    static const Column columns[] = {{"operator", "", -40, 0},
                                     {"step_ms", "ms a step", 10, 2},
                                     {"percent", "%", 6, 1},
                                     {"percent_of_peak", "% of the multiply-adds", 24, 0}};
    Operator list[OPERATORS];
    double share[OPERATORS];
    char title[128];
    operators_list(list, r);
    double rest = find_shares(share, list, r, b->few);
    snprintf(title, sizeof title, "what a step is made of: %s", model_name(&r->model).text);
    REPORT_TABLE(&b->report, key, title, columns);
    for (int i = 0; i < OPERATORS; i++) {
        report_share(&b->report, list[i].name, share[i], step->seconds);
        if (list[i].operations > 0)
            report_number(&b->report, 100 * list[i].operations /
                                          time_operator(&list[i], r, limit_arithmetic(), b->brief).worth);
        else
            report_nothing(&b->report);
    }
    report_share(&b->report, "the rest: waiting, and memory", rest, step->seconds);
    report_nothing(&b->report);
    report_share(&b->report, "the step", 1, step->seconds);
    report_number(&b->report, 100 * operations_per_step(&r->model) / step->worth);
}

static bool shares_of(Bench *b, int i, const char *key, Error *err) {
    Run r;
    Model m = model_of(i, b->text, b->quick);
    if (!run_create(&r, &m, b->text, err)) return false;
    run_draw(&r);
    report_shares(b, key, &r, &b->step[i]);
    run_free(&r);
    return true;
}

bool bench_shares(Bench *b, Error *err) {
    return shares_of(b, SMALL, "shares_small", err) && shares_of(b, MEDIUM, "shares_medium", err);
}
