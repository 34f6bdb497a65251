#include "commands.h"
#include "generate.h"
#include "model_file.h"

bool command_sample(const Options *o, Error *err) {
    ModelFile m;
    Ids start;
    if (!model_file_load(&m, o->argument[0], err)) return false;
    bool good = generate_start(&start, o, &m.z, m.w.config.T, err);
    if (good) {
        good = generate(&m.w, &m.z, &start, o, err);
        ids_free(&start);
    }
    model_file_free(&m);
    return good;
}
