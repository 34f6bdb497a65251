#include "../commands/origin.h"
#include "folder.h"
#include "test.h"

static Error err;

// A run of a few weights that has taken three steps.
typedef struct {
    Options o;
    Corpus c;
    Trainer t;
    RunPlace place;
} Run;

static void make_run(Run *r) {
    static char *argv[] = {"train_gpt", "text", "--n-layer",    "1", "--n-head",    "1",
                           "--n-embd",  "2",    "--block-size", "2", "--tokenizer", "byte"};
    *r = (Run){.c = {.ids = {.n = 100, .width = 1}, .crc = 0x0badcafe, .train_n = 90}};
    const GptConfig config = {.V = 256, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    Text text;
    if (!options_parse(&r->o, sizeof argv / sizeof *argv, argv, &err) ||
        !text_from(&text, "t", "x", 1, &err) || !tokenizer_learn(&r->c.z, TOKENIZER_BYTE, &text, 0, &err) ||
        !trainer_create(&r->t, &config, 1, &err))
        abort();
    text_free(&text);
    weights_init(&r->t.w, 1);
    for (long n = 0; n < r->t.w.tensors; n++)
        for (long i = 0; i < r->t.w.tensor[n].size; i++)
            r->t.m[r->t.w.tensor[n].offset + i] = -1, r->t.v[r->t.w.tensor[n].offset + i] = 2;
    r->t.step = 3;
    r->place =
        (RunPlace){.epochs = {.seed = 1, .n = 90, .T = 2, .next = 3}, .val_loss = 2, .best_val_loss = 2};
}

static void free_run(Run *r) {
    trainer_free(&r->t);
    tokenizer_free(&r->c.z);
}

// Saves the state and reads it back.
static bool comes_back(const Run *r, char *path) {
    if (!run_save_state(path, &r->o, &r->c, &r->t, &r->place, &err)) abort();
    char *argv[] = {"train_gpt", "text", "--resume", path};
    Options o;
    Origin from = {0};
    Trainer t;
    RunPlace place = {.epochs = {.seed = 1, .n = 90, .T = 2}};
    if (!options_parse(&o, 4, argv, &err) || !origin_open(&from, &o, &err) ||
        !trainer_create(&t, &r->t.w.config, 1, &err))
        abort();
    bool good = origin_weights(&from, &t, &place, &o, &r->c, &err);
    if (good) CHECK(memcmp(t.v, r->t.v, (size_t)t.w.size * sizeof *t.v) == 0 && t.step == r->t.step);
    trainer_free(&t);
    origin_close(&from);
    return good;
}

static void moments_that_no_step_leaves_are_refused(void) {
    char *path = in_folder("moments.state.safetensors"), bad[TRAINER_NAME];
    Run r;
    make_run(&r);
    CHECK(trainer_is_good(&r.t, bad));
    CHECK(comes_back(&r, path));
    const Tensor *last = &r.t.w.tensor[r.t.w.tensors - 1];
    real *m = &r.t.m[last->offset + last->size - 1], *v = &r.t.v[last->offset + last->size - 1];
    const real wrong[] = {-1, (real)INFINITY, (real)-INFINITY, (real)NAN};
    for (int i = 0; i < 8; i++) {
        real *moment = i < 4 ? v : m, before = *moment;
        if (i == 4) continue;  // a mean may be negative
        *moment = wrong[i % 4];
        CHECK(!trainer_is_good(&r.t, bad) && strstr(bad, last->name));
        CHECK(!comes_back(&r, path));
        CHECK(one_line_naming(err.text, path) && strstr(err.text, last->name));
        *moment = before;
    }
    free_run(&r);
}

static void weights_that_are_not_finite_are_refused(void) {
    char *path = in_folder("weights.state.safetensors"), bad[TRAINER_NAME];
    Run r;
    make_run(&r);
    r.t.w.wpe[1] = (real)NAN;
    CHECK(!trainer_is_good(&r.t, bad) && strcmp(bad, "the weight transformer.wpe.weight") == 0);
    CHECK(!comes_back(&r, path));
    CHECK(one_line_naming(err.text, path) && strstr(err.text, "transformer.wpe.weight"));
    free_run(&r);
}

int main(void) {
    folder_make();
    RUN(moments_that_no_step_leaves_are_refused);
    RUN(weights_that_are_not_finite_are_refused);
    return report();
}
