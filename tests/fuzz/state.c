// Proves that what --resume takes as a state is one, or is refused in one line that names the file: its place
// is inside the text, it can take a step, and when it is saved again it is restored to the same bits.
#include "../../commands/origin.h"
#include "../../model/trainer.h"
#include "whole_file.h"

typedef struct {
    Options o;
    Origin from;
    Corpus c;
    Trainer t;
    RunPlace place;
} Run;

// The text is the one that the state asks for, whichever that is: only its size and its checksum are looked
// at.
static void find_text(Run *r) {
    long tokens = 0;
    const String *crc = metadata_get(&r->from.state.metadata, "text_crc32");
    (void)metadata_whole(&r->from.state.metadata, "text_tokens", 1L << 40, &tokens);
    r->c = (Corpus){.z = r->from.z, .ids = {.n = tokens, .width = ids_width(r->from.z.V)}};
    r->c.crc = crc ? (uint32_t)strtoul(crc->bytes, NULL, 16) : 0;
    r->c.train_n = tokens - tokens / 10;
}

static bool resume(Run *r, char *path) {
    char *argv[] = {"train_gpt", "text", "--resume", path, NULL};
    Error err = {0};
    *r = (Run){0};
    HOLDS(options_parse(&r->o, 4, argv, &err));
    bool good = origin_open(&r->from, &r->o, &err);
    if (good) {
        const Options *o = &r->o;
        find_text(r);
        GptConfig config = {r->c.z.V,  o->block_size, o->n_embd, o->n_layer,
                            o->n_head, !o->no_bias,   !o->untied};
        HOLDS(trainer_create(&r->t, &config, 1, &err));
        r->place.epochs = (Epochs){.seed = (uint64_t)o->seed, .n = r->c.train_n, .T = o->block_size};
        good = origin_weights(&r->from, &r->t, &r->place, o, &r->c, &err);
    }
    HOLDS(good || one_line_naming(err.text, path));
    const RunPlace *p = &r->place;
    HOLDS(!good || (isfinite(p->val_loss) && isfinite(p->best_val_loss) && p->best_step <= r->t.step));
    return good;
}

static void end(Run *r) {
    run_samples_free(&r->place.samples);
    trainer_free(&r->t);
    origin_close(&r->from);
}

static void same_run(const Run *a, const Run *b) {
    const RunPlace *p = &a->place, *q = &b->place;
    HOLDS(p->epochs.epoch == q->epochs.epoch && p->epochs.next == q->epochs.next && a->t.step == b->t.step);
    HOLDS(p->val_loss == q->val_loss && p->best_val_loss == q->best_val_loss);
    HOLDS(p->best_step == q->best_step && p->evaluations_since_best == q->evaluations_since_best);
    size_t bytes = (size_t)a->t.w.size * sizeof(real);
    HOLDS(memcmp(a->t.w.memory, b->t.w.memory, bytes) == 0);
    HOLDS(memcmp(a->t.m, b->t.m, bytes) == 0 && memcmp(a->t.v, b->t.v, bytes) == 0);
    Metadata m = {0}, n = {0};
    Error err;
    const char *const all[] = {NULL};
    HOLDS(options_save(&a->o, &m, &err) && options_save(&b->o, &n, &err));
    HOLDS(metadata_crc32(&m, all) == metadata_crc32(&n, all));
    metadata_free(&m);
    metadata_free(&n);
}

// One window of the text that the place leads to.
static void take_a_step(Run *r) {
    long T = r->o.block_size, V = r->c.z.V, from = epochs_next(&r->place.epochs);
    HOLDS(from >= 0 && from + T < r->c.train_n);
    int32_t *token = malloc((size_t)(T + 1) * sizeof *token);
    if (!token) abort();
    for (long i = 0; i <= T; i++) token[i] = (int32_t)((from + i) % V);
    AdamW adamw = {.learning_rate = r->o.learning_rate,
                   .beta1 = r->o.beta1,
                   .beta2 = r->o.beta2,
                   .weight_decay = r->o.weight_decay};
    (void)trainer_step(&r->t, token, token + 1, 1, r->o.dropout, (uint64_t)r->o.seed, r->o.grad_clip, &adamw);
    free(token);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    char path[1024], copy[1024];
    Run r, again;
    Error err;
    snprintf(path, sizeof path, "%s", fuzz_path("run.state.safetensors"));
    snprintf(copy, sizeof copy, "%s", fuzz_path("copy.state.safetensors"));
    put_whole_file(path, bytes, n);
    if (resume(&r, path)) {
        HOLDS(run_save_state(copy, &r.o, &r.c, &r.t, &r.place, &err));
        HOLDS(resume(&again, copy));
        same_run(&r, &again);
        end(&again);
        take_a_step(&r);
    }
    end(&r);
    return 0;
}
