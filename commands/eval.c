#include "commands.h"
#include "mean_loss.h"
#include "model_file.h"
#include "output.h"
#include <math.h>

static bool read_ids(Ids *ids, const Options *o, const Tokenizer *z, Error *err) {
    Text text;
    if (!text_read(&text, o->argument + 1, o->arguments - 1, z->kind == TOKENIZER_CHAR, err)) return false;
    bool good = model_file_encode(z, ids, &text, o, err);
    text_free(&text);
    if (good && ids->n < 2) {
        fail(err, "%s: %ld tokens; a loss needs at least 2", o->argument[1], ids->n);
        ids_free(ids);
        return false;
    }
    return good;
}

static bool evaluate(const ModelFile *m, const Ids *ids, Error *err) {
    const GptConfig *c = &m->w.config;
    const char *unit = m->z.kind == TOKENIZER_CHAR ? "character" : "byte";
    Acts acts;
    double loss;
    if (!acts_create(&acts, c, gpt_micro_batch(c), false, err)) return false;
    bool good = mean_loss(&loss, &acts, &m->w, ids, 0, ids->n, 0, err);
    acts_free(&acts);
    if (!good) return false;
    printf("loss %.4f nats per %s, perplexity %.3f, %.4f bits per %s, over %ld targets\n", loss, unit,
           exp(loss), loss / log(2.0), unit, ids->n - 1);
    return output_flush(err);
}

bool command_eval(const Options *o, Error *err) {
    ModelFile m;
    Ids ids;
    if (!model_file_load(&m, o->argument[0], err)) return false;
    bool good = read_ids(&ids, o, &m.z, err);
    if (good) {
        good = evaluate(&m, &ids, err);
        ids_free(&ids);
    }
    model_file_free(&m);
    return good;
}
