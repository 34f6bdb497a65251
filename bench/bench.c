// bench.c -- how fast the parts and the whole are, in one run, as shares of what this machine can do: make
// bench.
#include "bench.h"
#include "../data/file.h"
#include "../model/threads.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DONE = 0, FAILED = 1, WRONG_COMMAND_LINE = 2 };

typedef struct {
    const char *json, *corpus;  // NULL for none
    bool quick;
    int steps_of;  // only the training steps of one model, counted from 1; 0: everything
} Arguments;

static int complain(const Error *err, int status) {
    fprintf(stderr, "bench: %s\n", err->text);
    return status;
}

static bool parse(Arguments *a, int argc, char **argv, Error *err) {
    *a = (Arguments){0};
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(flag, "--quick") == 0) {
            a->quick = true;
            continue;
        }
        bool json = strcmp(flag, "--json") == 0, corpus = strcmp(flag, "--corpus") == 0,
             steps = strcmp(flag, "--steps") == 0;
        if (!json && !corpus && !steps)
            return fail(err,
                        "'%s' is unknown; there are --json FILE, --corpus FILE, --quick and --steps 1 to %d",
                        flag, MODELS);
        if (!value) return fail(err, "%s needs a value", flag);
        if (json) a->json = value;
        if (corpus) a->corpus = value;
        if (steps) {
            a->steps_of = value[0] - '0';
            if (a->steps_of < 1 || a->steps_of > MODELS || value[1])
                return fail(err, "--steps %s: the models are 1 to %d", value, MODELS);
        }
        i++;
    }
    return true;
}

static bool read_corpus(Corpus *text, const char *path, Error *err) {
    char *name = (char *)path;
    Options o = {.argument = &name, .arguments = 1, .tokenizer = TOKENIZER_CHAR};
    Progress silent = progress_start(true, 0);
    return corpus_read(text, &o, NULL, &silent, err);
}

// The line that bench/peer.sh compares with PyTorch's.
static bool steps_alone(Bench *b, int i, Error *err) {
    Run r;
    Model m = model_of(i, b->text, b->quick);
    if (!run_create(&r, &m, b->text, err)) return false;
    Timing t = measure((Work){run_step, &r}, limit_arithmetic(), (Effort){3, 3});  // as peer.py does
    double tokens = (double)(m.B * m.config.T);
    printf("tokens/s: median %.0f best %.0f\n", tokens / t.seconds, tokens / t.fastest);
    bool good = run_check(&r, err);
    run_free(&r);
    return good;
}

static bool everything(Bench *b, Error *err) {
    if (!bench_memory(b, err) || !memory_create(&b->memory, err)) return false;
    bench_limits(b);
    bool good = bench_products(b, err) && bench_training(b, err) && bench_batches(b, err) &&
                bench_threads(b, err) && bench_sampling(b, err) && bench_shares(b, err);
    memory_free(&b->memory);
    return good;
}

static bool run_with_json(Bench *b, const char *path, Error *err) {
    FileWriter json;
    if (!file_create(&json, path, err)) return false;
    report_begin(&b->report, json.stream);
    if (!everything(b, err)) {
        file_abandon(&json);
        return false;
    }
    report_end(&b->report);
    return file_commit(&json, err);
}

static bool run(const Arguments *a, Error *err) {
    Corpus text = {0};
    if (a->corpus && !read_corpus(&text, a->corpus, err)) return false;
    Bench b = {.text = a->corpus ? &text : NULL,
               .quick = a->quick,
               .brief = {a->quick ? 1 : 9, a->quick ? 0 : 0.15},
               .few = {a->quick ? 1 : 5, a->quick ? 0 : 0.15},
               .thorough = {a->quick ? 1 : 5, a->quick ? 0 : 1.5}};
    bool good = a->steps_of ? steps_alone(&b, a->steps_of - 1, err)
                : a->json   ? run_with_json(&b, a->json, err)
                            : everything(&b, err);
    corpus_free(&text);
    return good;
}

int main(int argc, char **argv) {
    Arguments a;
    Error err = {0};
    if (!parse(&a, argc, argv, &err)) return complain(&err, WRONG_COMMAND_LINE);
    thread_use(thread_default());
    if (!run(&a, &err)) return complain(&err, FAILED);
    if (fflush(stdout) != 0) {
        fail(&err, "standard output: %s", strerror(errno));
        return complain(&err, FAILED);
    }
    return DONE;
}
