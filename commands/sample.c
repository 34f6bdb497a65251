#include "commands.h"
#include "generate.h"
#include "model_file.h"
#include "target.h"

bool command_sample(const Options *o, Error *err) {
    ModelFile m;
    Ids start;
    if (o->html[0] && !target_prepare(o->html, o->argument[0], o->force, err)) return false;
    if (!model_file_load(&m, o->argument[0], err)) return false;
    bool good = generate_start(&start, o, &m.z, m.w.config.T, err);
    if (good) {
        good = generate(&m.w, &m.z, &start, o, err);
        if (good && o->html[0] && !o->quiet) fprintf(stderr, "wrote %s: open it in a browser\n", o->html);
        ids_free(&start);
    }
    model_file_free(&m);
    return good;
}
