#include "../data/json.h"
#include "commands.h"
#include "machine.h"
#include "mean_loss.h"
#include "model_file.h"
#include "output.h"
#include <math.h>

static bool read_ids(Ids *ids, const Options *o, const Tokenizer *z, Error *err) {
    Text text;
    if (!text_read_within(&text, machine_memory(), o->argument + 1, o->arguments - 1,
                          z->kind == TOKENIZER_CHAR, NULL, err))
        return false;
    bool good = model_file_encode(z, ids, &text, o, err);
    text_free(&text);
    if (good && ids->n < 2) {
        fail(err, "%s: %ld tokens; a loss needs at least 2", o->argument[1], ids->n);
        ids_free(ids);
        return false;
    }
    return good;
}

static void print_json(double loss, long targets, const char *unit) {
    printf("{\"loss\": ");
    json_write_number(stdout, loss);
    printf(", \"perplexity\": ");
    json_write_number(stdout, exp(loss));
    printf(", \"bits\": ");
    json_write_number(stdout, loss / log(2.0));
    printf(", \"targets\": %ld, \"unit\": \"%s\"}\n", targets, unit);
}

static bool evaluate(const ModelFile *m, const Ids *ids, bool json, Error *err) {
    const GptConfig *c = &m->w.config;
    const char *unit = m->z.kind == TOKENIZER_CHAR ? "character" : "byte";
    Acts acts;
    double loss;
    if (!acts_create(&acts, c, gpt_micro_batch(c), false, err)) return false;
    bool good = mean_loss(&loss, NULL, &acts, &m->w, ids, 0, ids->n, 0, NULL, err);
    acts_free(&acts);
    if (!good) return false;
    if (json) {
        print_json(loss, ids->n - 1, unit);
        return output_flush(err);
    }
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
        good = evaluate(&m, &ids, o->json, err);
        ids_free(&ids);
    }
    model_file_free(&m);
    return good;
}
