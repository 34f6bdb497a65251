// memory.c -- how much memory a training run has in use at its peak.
#include "bench.h"
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// One step and one evaluation touch all that a run ever does.
static bool train_and_evaluate(const Model *m, const Corpus *text, Error *err) {
    Run r;
    if (!run_create(&r, m, text, err)) return false;
    run_step(&r);
    gpt_loss(&r.trainer.acts, &r.trainer.w, r.tokens, r.targets, r.trainer.acts.B, m->config.T);
    run_free(&r);
    return true;
}

// Bytes at the peak; the child process ends with the run, and the system knows what it used.
static bool peak_of_run(double *bytes, const Model *m, const Corpus *text, Error *err) {
    int status;
    struct rusage used;
    pid_t child = fork();
    if (child < 0) return fail(err, "cannot start a process: %s", strerror(errno));
    if (child == 0) _exit(train_and_evaluate(m, text, err) ? 0 : 1);
    if (wait4(child, &status, 0, &used) != child || status != 0)
        return fail(err, "the run whose memory was to be measured failed");
    *bytes = 1024.0 * (double)used.ru_maxrss;  // Linux counts in kB
    return true;
}

bool bench_memory(Bench *b, Error *err) {
    static const Column columns[] = {{"model", "model", -36, 0},
                                     {"peak_mb", "MB at the peak", 16, 1},
                                     {"planned_mb", "of them planned", 16, 1}};
    Model m = model_of(MEDIUM, b->text, b->quick);
    double bytes = 0;
    if (!peak_of_run(&bytes, &m, b->text, err)) return false;
    REPORT_TABLE(&b->report, "memory", "memory of a training run (planned: weights, moments, activations)",
                 columns);
    report_text(&b->report, model_name(&m).text);
    report_number(&b->report, bytes / 1e6);
    report_number(&b->report, (double)trainer_bytes(&m.config, m.B) / 1e6);
    return true;
}
