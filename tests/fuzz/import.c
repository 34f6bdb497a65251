// Proves that what import reads as a folder of GPT-2 is a model, or is refused in one line: it can be run
// forward; saved as a model of this program, it is loaded to the same bits; and exported as a folder, it is
// imported to the same bits.
//
// An input is config.json, a NUL, tokenizer.json, a NUL, and model.safetensors as whole_file.h has it.
// Without the first, the model has one head. What stands in the place of the second and begins with none of
// {, tab, space and new line is a text with the characters of the vocabulary; where there is nothing, tokens
// are bytes.
#include "../../commands/model_file.h"
#include "../../export/hf.h"
#include "forward.h"
#include "whole_file.h"
#include <errno.h>

typedef struct {
    const uint8_t *bytes;
    size_t n;
} Part;

// What stands before the next NUL, which is passed over.
static Part next_part(const uint8_t **at, size_t *left) {
    const uint8_t *nul = *left ? memchr(*at, 0, *left) : NULL;
    Part part = {*at, nul ? (size_t)(nul - *at) : *left};
    *left -= part.n + (nul != NULL);
    *at += part.n + (nul != NULL);
    return part;
}

static void put_part(const char *path, Part part, bool there) {
    if (there)
        fuzz_file(path, part.bytes, part.n);
    else
        unlink(path);
}

// NaN and infinities are refused by the command, after the import.
static bool import(ModelFile *m, const HfSource *from, Error *err) {
    HfReport report;
    *m = (ModelFile){0};
    if (!hf_import(&m->w, &m->z, from, &report, err)) return false;
    if (model_file_check(&m->w, from->path, err)) return true;
    model_file_free(m);
    return false;
}

static bool same(const ModelFile *a, const ModelFile *b) {
    const GptConfig *x = &a->w.config, *y = &b->w.config;
    if (x->V != y->V || x->T != y->T || x->C != y->C || x->L != y->L || x->NH != y->NH ||
        x->bias != y->bias || x->tied != y->tied || a->z.kind != b->z.kind || a->z.capped != b->z.capped ||
        a->z.V != b->z.V)
        return false;
    return memcmp(a->w.memory, b->w.memory, (size_t)a->w.size * sizeof(real)) == 0 &&
           (a->z.kind == TOKENIZER_BYTE ||
            memcmp(a->z.code, b->z.code, (size_t)a->z.V * sizeof *a->z.code) == 0);
}

static void saved_and_loaded(const ModelFile *m) {
    const char *path = fuzz_path("saved");
    ModelFile again;
    Metadata more = {0};
    Error err;
    HOLDS(metadata_print(&more, "tokenizer", &err, "%s", m->z.kind == TOKENIZER_BYTE ? "byte" : "char"));
    HOLDS(model_file_put_tokenizer(&more, &m->z, &err));
    HOLDS(checkpoint_save(path, &m->w, NULL, NULL, &more, &err));
    HOLDS(model_file_load(&again, path, &err) && same(m, &again));
    model_file_free(&again);
    metadata_free(&more);
}

static void exported_and_imported(const ModelFile *m) {
    const char *out = fuzz_path("exported");
    ModelFile again;
    Error err;
    if (mkdir(out, 0700) != 0) HOLDS(errno == EEXIST);
    HOLDS(hf_export(out, &m->w, &m->z, &err));
    HOLDS(import(&again, &(HfSource){.path = out, .text = ""}, &err) && same(m, &again));
    model_file_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const char *from = fuzz_path("from"), *text = fuzz_path("text");
    char path[3][800];
    static const char *const names[] = {"config.json", "tokenizer.json", "model.safetensors"};
    if (mkdir(from, 0700) != 0) HOLDS(errno == EEXIST);
    for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s", from, names[i]);
    Part config = next_part(&bytes, &n), tokenizer = next_part(&bytes, &n);
    bool is_json = tokenizer.n && strchr("{ \t\n", tokenizer.bytes[0]);
    put_part(path[0], config, config.n > 0);
    put_part(path[1], tokenizer, is_json);
    if (tokenizer.n && !is_json) fuzz_file(text, tokenizer.bytes, tokenizer.n);
    put_whole_file(path[2], bytes, n);

    HfSource source = {.path = from,
                       .heads = config.n ? 0 : 1,
                       .text = tokenizer.n && !is_json ? text : "",
                       .bytes = !tokenizer.n};
    ModelFile m;
    Error err = {0};
    if (!import(&m, &source, &err)) {
        HOLDS(one_line(&err) &&
              (strncmp(err.text, from, strlen(from)) == 0 || one_line_naming(err.text, text)));
        return 0;
    }
    HOLDS(m.w.config.V == m.z.V && m.w.config.C % m.w.config.NH == 0);
    run_forward(&m.w);
    saved_and_loaded(&m);
    exported_and_imported(&m);
    model_file_free(&m);
    return 0;
}
