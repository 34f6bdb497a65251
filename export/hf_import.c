// hf_import.c -- sizes from the tensors' shapes, the rest from the files beside them; then every tensor of
// the model is looked for.
#include "../data/file.h"
#include "hf.h"
#include "hf_config.h"
#include "hf_tensors.h"
#include "hf_vocabulary.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- sizes ----

static bool read_size(long *size, int64_t value, int64_t most, const char *what, const HfTensors *t,
                      Error *err) {
    *size = (long)value;
    return (value >= 1 && value <= most) ||
           fail(err, "%s: %" PRId64 " %s; from 1 to %" PRId64 " can be imported", t->file.path, value, what,
                most);
}

static const SafetensorsEntry *matrix(const HfTensors *t, const char *name, Error *err) {
    const SafetensorsEntry *e = hf_tensors_find(t, name);
    if (!e)
        fail(err, "%s: not a GPT-2: tensor \"%s\" is missing", t->file.path, name);
    else if (e->dims != 2) {
        fail(err, "%s: tensor \"%s\" is no matrix", t->file.path, e->name.bytes);
        return NULL;
    }
    return e;
}

// One more than the highest l of a name h.l. ...
static long count_layers(const HfTensors *t) {
    long layers = 0;
    for (long i = 0; i < t->count; i++) {
        const char *name = t->tensor[i].name;
        char *end;
        if (name[0] != 'h' || name[1] != '.' || name[2] < '0' || name[2] > '9') continue;
        errno = 0;
        long l = strtol(name + 2, &end, 10);
        if (*end == '.' && errno == 0 && l < INT32_MAX && l >= layers) layers = l + 1;
    }
    return layers;
}

// What names and shapes tell; the number of heads is in none.
static bool read_sizes(GptConfig *c, HfTensors *t, Error *err) {
    const SafetensorsEntry *wte = matrix(t, "wte.weight", err),
                           *wpe = wte ? matrix(t, "wpe.weight", err) : NULL,
                           *qkv = wpe ? matrix(t, "h.0.attn.c_attn.weight", err) : NULL;
    if (!qkv || !read_size(&c->V, wte->shape[0], 0x110000, "tokens", t, err) ||
        !read_size(&c->C, wte->shape[1], 1 << 16, "channels", t, err) ||
        !read_size(&c->T, wpe->shape[0], 1 << 20, "positions", t, err) ||
        !read_size(&c->L, count_layers(t), t->count < 1000 ? t->count : 1000, "layers", t, err))
        return false;
    c->tied = !hf_tensors_find(t, "lm_head.weight");
    c->bias = false;
    for (long i = 0; i < t->count; i++) c->bias = c->bias || hf_ends_with(t->tensor[i].name, ".bias");
    return true;
}

static bool same_size(long ours, int64_t theirs, const char *what, const char *path, Error *err) {
    return theirs < 0 || theirs == ours ||
           fail(err, "%s: %s is %" PRId64 ", but the tensors have %ld", path, what, theirs, ours);
}

// The rest, from config.json where there is one: the heads; and whether it agrees.
static bool take_config(GptConfig *c, const char *path, bool has_head, const HfSource *from, HfReport *report,
                        Error *err) {
    HfConfig said;
    if (!hf_config_read(&said, path, err) || !same_size(c->V, said.V, "vocab_size", path, err) ||
        !same_size(c->T, said.T, "n_positions", path, err) || !same_size(c->C, said.C, "n_embd", path, err) ||
        !same_size(c->L, said.L, "n_layer", path, err))
        return false;
    if (said.head == HF_HEAD_TIED && !c->tied)
        return fail(err, "%s: tie_word_embeddings is true, but lm_head.weight is not the token embedding",
                    path);
    if (said.head == HF_HEAD_UNTIED && !has_head)
        return fail(err, "%s: tie_word_embeddings is false, but lm_head.weight is missing", path);
    if (from->heads && said.NH >= 0 && said.NH != from->heads)
        return fail(err, "%s: n_head is %" PRId64 ", not %ld", path, said.NH, from->heads);
    if (!from->heads) {
        if (said.NH < 1 || said.NH > 1000)
            return fail(err, "%s: n_head is missing, or not from 1 to 1000; --n-head says it", path);
        c->NH = (long)said.NH;
    }
    report->exact_gelu = said.exact_gelu;
    return true;
}

// ---- tensors ----

static bool check_tensor(const HfTensors *t, const Tensor *wanted, HfReport *report, Error *err) {
    const SafetensorsEntry *e = hf_tensors_find(t, wanted->name);
    if (!e && hf_ends_with(wanted->name, ".bias")) {
        report->missing_biases++;
        return true;
    }
    if (!e)
        return fail(err, "%s: not a GPT-2: tensor \"%s\" is missing", t->file.path,
                    hf_bare_name(wanted->name));
    bool transposed = t->transposed && hf_is_transposed(wanted->name), flat = wanted->dims == 1;
    long rows = wanted->shape[transposed], columns = wanted->shape[!transposed];
    if (e->dims == wanted->dims && e->shape[0] == rows && (flat || e->shape[1] == columns)) return true;
    char shape[64];
    snprintf(shape, sizeof shape, flat ? "(%ld)" : "(%ld, %ld)", rows, columns);
    return fail(err, "%s: tensor \"%s\" does not have the shape %s", t->file.path, e->name.bytes, shape);
}

// Every tensor of the model is there, in its shape, and nothing else.
static bool check_tensors(const HfTensors *t, const GptConfig *c, HfReport *report, Error *err) {
    long tensors;
    Tensor *list = weights_list(c, &tensors);
    bool good = list || fail(err, "%s: memory is short", t->file.path);
    for (long i = 0; good && i < tensors; i++) good = check_tensor(t, &list[i], report, err);
    bool more = good && t->count != tensors - report->missing_biases;
    for (long i = 0; more && good && i < t->count; i++) {
        bool known = false;
        for (long k = 0; !known && k < tensors; k++)
            known = strcmp(t->tensor[i].name, hf_bare_name(list[k].name)) == 0;
        if (!known)
            good = fail(err, "%s: tensor \"%s\" is no part of GPT-2 as it is computed here", t->file.path,
                        t->tensor[i].entry->name.bytes);
    }
    free(list);
    return good;
}

// to (rows, columns) = the tensor, or its transpose.
static bool read_tensor(real *to, HfTensors *t, const SafetensorsEntry *e, long rows, long columns,
                        bool transposed, Error *err) {
    float *numbers = hf_tensors_read(t, e, err);
    bool good = numbers != NULL;
    for (long r = 0; good && r < rows; r++)
        for (long c = 0; c < columns; c++)
            to[r * columns + c] = (real)numbers[transposed ? c * rows + r : r * columns + c];
    free(numbers);
    return good;
}

static bool read_tensors(Weights *w, HfTensors *t, Error *err) {
    for (long i = 0; i < w->tensors; i++) {
        const Tensor *wanted = &w->tensor[i];
        const SafetensorsEntry *e = hf_tensors_find(t, wanted->name);
        bool transposed = t->transposed && hf_is_transposed(wanted->name);
        long columns = wanted->dims == 2 ? wanted->shape[1] : 1;
        if (e && !read_tensor(w->memory + wanted->offset, t, e, wanted->shape[0], columns, transposed, err))
            return false;
    }
    return true;
}

// ---- the whole ----

// Row i of the matrix = its row theirs[i].
static bool reorder_rows(real *matrix_rows, const HfVocabulary *v, long C, Error *err) {
    size_t bytes = (size_t)(v->z.V * C) * sizeof(real);
    real *copy = malloc(bytes);
    if (!copy) return fail(err, "memory is short");
    memcpy(copy, matrix_rows, bytes);
    for (long i = 0; i < v->z.V; i++)
        memcpy(matrix_rows + i * C, copy + v->theirs[i] * C, (size_t)C * sizeof(real));
    free(copy);
    return true;
}

// Files of PyTorch: a zip, or an older pickle.
static bool is_pickle(const char *path) {
    unsigned char head[2] = {0};
    FILE *f;
    Error why;
    if (!file_open(&f, path, &why)) return false;
    size_t n = fread(head, 1, 2, f);
    fclose(f);
    return n == 2 && ((head[0] == 'P' && head[1] == 'K') || (head[0] == 0x80 && head[1] == 2));
}

// What the system does not tell is taken for there: opening it says why.
static bool is_there(const char *path) {
    return access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static bool exists(const char *folder, const char *file) {
    char *path = file_path(folder, file);
    bool there = path && is_there(path);
    free(path);
    return there;
}

static bool open_weights(HfTensors *t, const char *folder, const char *path, HfReport *report, Error *err) {
    if (folder && !is_there(path)) {
        const char *way_out =
            exists(folder, "model.safetensors.index.json")
                ? "it is in several parts; save_pretrained(..., max_shard_size=\"100GB\") makes one"
            : exists(folder, "pytorch_model.bin") ? "save_pretrained(..., safe_serialization=True) makes it"
            : exists(folder, "ckpt.pt")           ? "nanoGPT's ckpt.pt must be saved as safetensors first"
                                                  : "is this the folder of a model?";
        return fail(err, "%s: there is no such file; %s", path, way_out);
    }
    if (hf_tensors_open(t, path, report, err)) return true;
    // Not before: the length of a header may be the same bytes.
    if (is_pickle(path))
        fail(err,
             "%s: a file of PyTorch, not safetensors; in Python: safetensors.torch.save_file({k: "
             "v.clone() for k, v in model.state_dict().items()}, \"model.safetensors\")",
             path);
    return false;
}

static bool read_vocabulary(HfVocabulary *v, const HfTensors *t, const char *folder, const HfSource *from,
                            long V, HfReport *report, Error *err) {
    const String *capped = metadata_get(&t->file.metadata, "vocabulary_capped");
    bool good;
    if (from->bytes) {
        good = hf_vocabulary_bytes(v, err);
    } else if (from->text[0]) {
        good = hf_vocabulary_learn(v, from->text, V, &report->carriage_returns, err);
    } else if (folder && exists(folder, "tokenizer.json")) {
        char *path = file_path(folder, "tokenizer.json");
        if (!path) return fail(err, "%s: memory is short", folder);
        good = hf_vocabulary_read(v, path, capped && string_is(capped, "true"), err);
        free(path);
    } else if (folder && (exists(folder, "merges.txt") || exists(folder, "vocab.json"))) {
        return fail(
            err,
            "%s: its tokens are pieces of words (merges.txt), as GPT-2's own; this program has characters or "
            "bytes as tokens",
            folder);
    } else {
        return fail(
            err,
            "%s: which characters its tokens are is not known; --vocab TEXT takes them from the text that it "
            "was trained on, --tokenizer byte takes bytes",
            from->path);
    }
    if (!good || v->z.V == V) return good;
    fail(err, "%s: the vocabulary has %ld tokens, the model %ld", from->path, v->z.V, V);
    hf_vocabulary_free(v);
    return false;
}

static bool read_settings(GptConfig *c, HfTensors *t, const char *folder, const HfSource *from,
                          HfReport *report, Error *err) {
    *c = (GptConfig){.NH = from->heads};
    if (!read_sizes(c, t, err)) return false;
    if (folder && exists(folder, "config.json")) {
        char *path = file_path(folder, "config.json");
        bool good = path ? take_config(c, path, t->has_head, from, report, err)
                         : fail(err, "%s: memory is short", folder);
        free(path);
        if (!good) return false;
    }
    if (c->NH < 1)
        return fail(err, "%s: no tensor tells how many heads the model has; --n-head does", from->path);
    return c->C % c->NH == 0 ||
           fail(err, "%s: %ld channels are no multiple of %ld heads", from->path, c->C, c->NH);
}

static bool import(Weights *w, Tokenizer *z, HfTensors *t, const char *folder, const HfSource *from,
                   HfReport *report, Error *err) {
    GptConfig c;
    HfVocabulary v;
    if (!read_settings(&c, t, folder, from, report, err) || !check_tensors(t, &c, report, err) ||
        !read_vocabulary(&v, t, folder, from, c.V, report, err))
        return false;
    bool created = weights_create(w, &c, err), good = created && read_tensors(w, t, err);
    if (good && v.reordered) {
        report->reordered = true;
        good = reorder_rows(w->wte, &v, c.C, err) && (c.tied || reorder_rows(w->head, &v, c.C, err));
    }
    if (good) {
        *z = v.z;  // taken over
        v.z = (Tokenizer){0};
    } else if (created) {
        weights_free(w);
    }
    hf_vocabulary_free(&v);
    return good;
}

bool hf_import(Weights *w, Tokenizer *z, const HfSource *from, HfReport *report, Error *err) {
    struct stat status;
    *report = (HfReport){0};
    if (stat(from->path, &status) != 0) return fail(err, "%s: %s", from->path, strerror(errno));
    const char *folder = S_ISDIR(status.st_mode) ? from->path : NULL;
    char *path = folder ? file_path(folder, "model.safetensors") : strdup(from->path);
    if (!path) return fail(err, "%s: memory is short", from->path);
    HfTensors t;
    bool good = open_weights(&t, folder, path, report, err);
    if (good) {
        good = import(w, z, &t, folder, from, report, err);
        hf_tensors_close(&t);
    }
    free(path);
    return good;
}
