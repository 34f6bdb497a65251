#include "look.h"
#include "../model/attention_weights.h"
#include "../model/gpt.h"
#include <stdlib.h>

// The most probable tokens after each, from the logits (T,V).
static bool guess(Look *look, const real *logits, long V, Error *err) {
    Candidate *candidate = malloc(2 * (size_t)V * sizeof *candidate);
    if (!candidate) return fail(err, "memory is short");
    for (long t = 0; t < look->T; t++)
        guesses_of(look->guess + t * look->guesses, candidate, logits + t * V, V);
    free(candidate);
    return true;
}

// A training pass keeps what a backward pass needs of every layer, and so what the tables are made from.
static bool run(Look *look, const Weights *w, Error *err) {
    GptConfig room = w->config;
    Acts acts;
    long T = look->T, V = room.V, NH = room.NH;
    room.T = T;
    real *logits = malloc((size_t)(T * V) * sizeof *logits);
    if (!logits) return fail(err, "memory is short");
    bool good = acts_create(&acts, &room, 1, true, err);
    if (good) {
        gpt_logits(logits, &acts, w, look->token, 1, T);
        for (long l = look->layers.begin; l < look->layers.end; l++)
            attention_weights(look->p + (l - look->layers.begin) * NH * T * T, acts.block[l].qkv,
                              acts.block[l].lse, T, NH, room.C / NH);
        good = all_finite(logits, T * V) || fail(err, "the model's weights are not finite numbers");
        good = good && guess(look, logits, V, err);
        acts_free(&acts);
    }
    free(logits);
    return good;
}

bool look_create(Look *look, const Weights *w, const Ids *ids, Range layers, Range heads, Error *err) {
    const GptConfig *c = &w->config;
    *look = (Look){.T = min_long(ids->n, c->T), .NH = c->NH, .guesses = min_long(GUESSES, c->V)};
    look->layers = layers.begin < layers.end ? layers : (Range){0, c->L};
    look->heads = heads.begin < heads.end ? heads : (Range){0, c->NH};
    long T = look->T, tables = (look->layers.end - look->layers.begin) * c->NH;
    look->token = malloc((size_t)T * sizeof *look->token);
    look->guess = malloc((size_t)(T * look->guesses) * sizeof *look->guess);
    look->p = malloc((size_t)(tables * T * T) * sizeof *look->p);
    bool good = (look->token && look->guess && look->p) || fail(err, "memory is short");
    if (good) ids_copy(look->token, ids, ids->n - T, T);
    good = good && run(look, w, err);
    if (!good) look_free(look);
    return good;
}

void look_free(Look *look) {
    free(look->token);
    free(look->p);
    free(look->guess);
    *look = (Look){0};
}

const real *look_weights(const Look *look, long layer, long head) {
    return look->p + ((layer - look->layers.begin) * look->NH + head) * look->T * look->T;
}
