#include "../data/file.h"
#include "../data/utf8.h"
#include "../export/gguf.h"
#include "../export/hf.h"
#include "../model/threads.h"
#include "commands.h"
#include "model_file.h"
#include "target.h"
#include <stdlib.h>
#include <string.h>

// What clients should know of the model's context: llama.cpp makes its own a multiple of 256, and stops with
// an assertion when a text gets past the model's.
enum { LLAMA_CONTEXT = 256 };

// ---- one file for llama.cpp ----

// The model's name, as clients show it: of out/NAME.safetensors, NAME. Whatever is not UTF-8 is left out.
static char *model_name(const char *path) {
    static const char *const ENDINGS[] = {".safetensors", ".state"};
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    if (!name) return NULL;
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(name), ending = strlen(ENDINGS[i]);
        if (n > ending && strcmp(name + n - ending, ENDINGS[i]) == 0) name[n - ending] = 0;
    }
    uint32_t code;
    size_t n = strlen(name), kept = 0;
    for (size_t at = 0; at < n;) {
        int length = utf8_decode((const unsigned char *)name + at, n - at, &code);
        for (int k = 0; k < length; k++) name[kept++] = name[at + (size_t)k];
        at += (size_t)(length > 0 ? length : 1);
    }
    name[kept] = 0;
    return name;
}

// A text of `tokens` tokens that the model can go on from, for the commands that are printed.
typedef struct {
    char text[8];
    long tokens;
} Example;

static Example example(const Tokenizer *z) {
    Example e = {.text = "The ", .tokens = 4};
    bool known = true;
    for (const char *c = e.text; *c && z->kind == TOKENIZER_CHAR; c++) known = known && z->id[(int)*c] >= 0;
    if (!known) {
        e = (Example){.tokens = 1};
        utf8_encode(z->code[z->V / 2], e.text);
    }
    return e;
}

static void say_gguf(const ModelFile *m, const char *path, const char *name, const GgufReport *report) {
    long T = m->w.config.T, suitable = (T / LLAMA_CONTEXT + 1) * LLAMA_CONTEXT;
    const char *slash = strrchr(path, '/');
    Example start = example(&m->z);
    // Of a small model threads only wait for each other.
    int threads = weights_parameters(&m->w.config) < 10 * 1000 * 1000 ? 1 : thread_default();
    long rest = T > start.tokens ? T - start.tokens : 0;
    fprintf(stderr, "wrote %s (%.1f MB)\n", path, (double)report->bytes / 1e6);
    if (report->end_may_be_sampled)
        fprintf(stderr, "the last norm has weights of almost 0 or huge biases, which leave no safe place for "
                        "the end-of-text token of "
                        "llama.cpp:\nnow and then it may end a text early\n");
    if (report->bias_shift > 0)
        fprintf(stderr,
                "the last norm's bias was moved by up to %.1e, to make room for the end-of-text token of "
                "llama.cpp\n",
                report->bias_shift);
    if (T % LLAMA_CONTEXT)
        fprintf(stderr,
                "llama.cpp rounds a context up to a multiple of %d, and stops with an assertion at token %ld "
                "of this one:\nkeep the start and -n together within %ld, or train with --block-size %ld\n",
                LLAMA_CONTEXT, T, T, suitable);
    fprintf(
        stderr,
        "llama.cpp:  llama-completion -m '%s' -p '%s' -n %ld -c %ld -t %d --temp 0.8 --top-k 0\n"
        "Ollama:     ollama create %s -f Modelfile && ollama run %s, with this Modelfile beside the model:\n"
        "            FROM ./%s\n"
        "            TEMPLATE \"{{ .Prompt }}\"\n"
        "            PARAMETER num_ctx %ld\n"
        "            PARAMETER num_predict %ld\n"
        "            PARAMETER repeat_penalty 1.0\n"
        "            PARAMETER top_k 0\n",
        path, start.text, rest, T, threads, name, name, slash ? slash + 1 : path, T, rest);
}

static bool export_gguf(const ModelFile *m, const Options *o, Error *err) {
    GgufReport report;
    char *name = model_name(o->argument[0]);
    if (!name) return fail(err, "memory is short");
    GgufOptions options = {.name = name, .half = o->dtype == DTYPE_F16};
    bool good = target_folder(o->out, err) && gguf_export(o->out, &m->w, &m->z, &options, &report, err);
    if (good && !o->quiet) say_gguf(m, o->out, name, &report);
    free(name);
    return good;
}

// ---- a Hugging Face folder ----

static bool folder_is_free(const Options *o, Error *err) {
    bool good = true;
    for (const char *const *file = HF_FILES; good && *file; file++) {
        char *path = file_path(o->out, *file);
        good = path ? target_is_free(path, o->argument[0], o->force, err) : fail(err, "memory is short");
        free(path);
    }
    return good;
}

static void say_hf(const ModelFile *m, const char *folder) {
    Example start = example(&m->z);
    fprintf(stderr, "wrote %s (", folder);
    for (const char *const *file = HF_FILES; *file; file++)
        fprintf(stderr, "%s%s", file == HF_FILES ? "" : ", ", *file);
    fprintf(stderr,
            ")\n"
            "Python:     from transformers import AutoModelForCausalLM, AutoTokenizer\n"
            "            model = AutoModelForCausalLM.from_pretrained('%s')\n"
            "            tokenizer = AutoTokenizer.from_pretrained('%s')\n"
            "            ids = tokenizer('%s', return_tensors='pt').input_ids\n"
            "            print(tokenizer.decode(model.generate(ids, do_sample=True, max_length=%ld)[0]))\n",
            folder, folder, start.text, m->w.config.T);
}

static bool export_hf(const ModelFile *m, const Options *o, Error *err) {
    bool good = file_folder(o->out, err) && hf_export(o->out, &m->w, &m->z, err);
    if (good && !o->quiet) say_hf(m, o->out);
    return good;
}

bool command_export(const Options *o, Error *err) {
    ModelFile m;
    bool folder = o->format == FORMAT_HF;
    if (!(folder ? folder_is_free(o, err) : target_is_free(o->out, o->argument[0], o->force, err)))
        return false;
    if (!model_file_load(&m, o->argument[0], err)) return false;
    if (m.z.kind == TOKENIZER_CHAR && !o->quiet)
        fprintf(stderr,
                "characters that the model does not know are left out by other programs without a word\n");
    bool good = folder ? export_hf(&m, o, err) : export_gguf(&m, o, err);
    model_file_free(&m);
    return good;
}
