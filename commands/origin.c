#include "origin.h"
#include <stdlib.h>
#include <string.h>

// out/NAME.state.safetensors: the run goes on in its folder, under its name.
static bool take_place(Origin *from, Options *o, Error *err) {
    static const char ENDING[] = ".state.safetensors";
    const char *slash = strrchr(o->resume, '/'), *file = slash ? slash + 1 : o->resume;
    size_t n = strlen(file), ending = strlen(ENDING);
    bool usual = n > ending && strcmp(file + n - ending, ENDING) == 0;
    from->out_dir =
        slash ? strndup(o->resume, slash == o->resume ? 1 : (size_t)(slash - o->resume)) : strdup(".");
    from->name = strndup(file, usual ? n - ending : n);
    if (!from->out_dir || !from->name) return fail(err, "memory is short");
    if (!options_given(o, &o->out_dir)) o->out_dir = from->out_dir;
    if (!options_given(o, &o->name) && usual) o->name = from->name;
    return true;
}

static bool take_size(Options *o, long *value, long models, const char *flag, Error *err) {
    if (options_given(o, value) && *value != models)
        return fail(err, "%s: has --%s %ld, not %ld", o->init_from, flag, models, *value);
    *value = models;
    return true;
}

static bool take_switch(Options *o, bool *value, bool models, const char *flag, Error *err) {
    if (options_given(o, value) && *value != models)
        return fail(err, "%s: was trained without --%s, which is part of a model's shape", o->init_from,
                    flag);
    *value = models;
    return true;
}

// A context may be shorter than the model's.
static bool take_shape(Options *o, const GptConfig *c, const Tokenizer *z, Error *err) {
    if (options_given(o, &o->tokenizer) && o->tokenizer != (long)z->kind)
        return fail(err, "%s: has another --tokenizer", o->init_from);
    if (options_given(o, &o->vocab_size))
        return fail(err, "%s: has its vocabulary; --vocab-size cannot change it", o->init_from);
    if (options_given(o, &o->block_size) && o->block_size > c->T)
        return fail(err, "%s: has positions for --block-size %ld, not %ld", o->init_from, c->T,
                    o->block_size);
    if (!options_given(o, &o->block_size)) o->block_size = c->T;
    o->tokenizer = z->kind;
    return take_size(o, &o->n_layer, c->L, "n-layer", err) &&
           take_size(o, &o->n_head, c->NH, "n-head", err) && take_size(o, &o->n_embd, c->C, "n-embd", err) &&
           take_switch(o, &o->no_bias, !c->bias, "no-bias", err) &&
           take_switch(o, &o->untied, !c->tied, "untied", err) && options_check(o, err);
}

bool origin_open(Origin *from, Options *o, Error *err) {
    GptConfig config;
    bool has_moments;
    if (o->resume[0]) {
        if (!model_file_open(&from->state, &config, &from->z, &has_moments, o->resume, err)) return false;
        from->has_tokenizer = true;
        if (!has_moments)
            return fail(err, "%s: is a model, not a training state; --init-from starts from a model",
                        o->resume);
        return options_restore(o, &from->state.metadata, o->resume, err) && take_place(from, o, err);
    }
    if (o->init_from[0]) {
        if (!model_file_load(&from->model, o->init_from, err)) return false;
        from->z = from->model.z;
        from->model.z = (Tokenizer){0};
        from->has_tokenizer = true;
        return take_shape(o, &from->model.w.config, &from->z, err);
    }
    return true;
}

void origin_close(Origin *from) {
    if (from->state.stream) safetensors_close(&from->state);
    model_file_free(&from->model);
    tokenizer_free(&from->z);
    free(from->out_dir);
    free(from->name);
}

// What no step can have left behind would come out as NaN in the next one.
static bool check_moments(const Trainer *t, const char *path, Error *err) {
    const char *bad = trainer_bad_moment(t);
    return !bad ||
           fail(err, "%s: AdamW's moments of tensor \"%s\" hold a NaN, an infinity or a square below 0", path,
                bad);
}

bool origin_weights(Origin *from, Trainer *t, RunPlace *place, const Options *o, const Corpus *c,
                    Error *err) {
    if (from->state.stream)
        return run_restore_place(place, t, &from->state.metadata, c, o->resume, err) &&
               checkpoint_read(&from->state, &t->w, t->m, t->v, err) &&
               model_file_check(&t->w, o->resume, err) && check_moments(t, o->resume, err);
    if (!from->model.w.memory) {
        weights_init(&t->w, (uint64_t)o->seed);
        return true;
    }
    // Of positions, a shorter context takes the first; all other tensors are of equal size.
    for (long i = 0; i < t->w.tensors; i++)
        memcpy(t->w.memory + t->w.tensor[i].offset, from->model.w.memory + from->model.w.tensor[i].offset,
               (size_t)t->w.tensor[i].size * sizeof(real));
    return true;
}
