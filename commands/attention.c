#include "../report/attention_json.h"
#include "../report/attention_map.h"
#include "../report/attention_page.h"
#include "../report/attention_svg.h"
#include "commands.h"
#include "generate.h"
#include "model_file.h"
#include "output.h"
#include "target.h"
#include "terminal.h"
#include <stdlib.h>
#include <unistd.h>

// Layers or heads that a flag chooses among n: one, or all with -1.
static bool choose(Range *chosen, const char *what, long flag, long n, const Options *o, Error *err) {
    *chosen = flag < 0 ? (Range){0, n} : (Range){flag, flag + 1};
    return chosen->end <= n || fail(err, "%s: has %ld %ss, counted from 0; there is no --%s %ld",
                                    o->argument[0], n, what, what, flag);
}

static bool prepare(const char *path, const Options *o, Error *err) {
    return !path[0] || target_prepare(path, o->argument[0], o->force, err);
}

static bool colours(void) {
    const char *none = getenv("NO_COLOR");  // set to anything: see no-color.org
    return terminal_rewrites(STDOUT_FILENO) && !(none && *none);
}

static bool print_map(const Look *look, const Options *o, Error *err) {
    long columns = terminal_columns(STDOUT_FILENO), fits = attention_map_fits(look, columns);
    if (fits < look->T && !o->quiet)
        fprintf(stderr, "in %ld columns there is room for the last %ld of %ld characters\n", columns, fits,
                look->T);
    attention_map(stdout, look, columns, colours(), !o->quiet);
    return output_flush(err);
}

// Files where they are asked for; what is printed then is JSON or nothing.
static bool show(const Look *look, const Options *o, long positions, Error *err) {
    if (o->html[0] && !attention_page(look, o->html, err)) return false;
    if (o->svg[0] && !attention_svg(look, o->svg, err)) return false;
    if (o->html[0] && !o->quiet) fprintf(stderr, "wrote %s: open it in a browser\n", o->html);
    if (o->svg[0] && !o->quiet) fprintf(stderr, "wrote %s\n", o->svg);
    if (o->json) {
        attention_json(stdout, look, positions);
        return output_flush(err);
    }
    return o->html[0] || o->svg[0] || print_map(look, o, err);
}

static bool look_and_show(const ModelFile *m, const Options *o, Error *err) {
    const GptConfig *c = &m->w.config;
    Range layers, heads;
    Ids start;
    Look look;
    if (!choose(&layers, "layer", o->layer, c->L, o, err) || !choose(&heads, "head", o->head, c->NH, o, err))
        return false;
    if (!generate_start(&start, o, &m->z, c->T, err)) return false;
    bool good = look_create(&look, &m->w, &start, layers, heads, err);
    ids_free(&start);
    if (!good) return false;
    look.z = &m->z;
    look.model = o->argument[0];
    good = show(&look, o, c->T, err);
    look_free(&look);
    return good;
}

bool command_attention(const Options *o, Error *err) {
    ModelFile m;
    if (!prepare(o->html, o, err) || !prepare(o->svg, o, err)) return false;
    if (!model_file_load(&m, o->argument[0], err)) return false;
    bool good = look_and_show(&m, o, err);
    model_file_free(&m);
    return good;
}
