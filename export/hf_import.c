// hf_import.c -- the tensors of a file are given one form of name, and then looked for one by one.
#include "../data/file.h"
#include "../data/safetensors.h"
#include "half.h"
#include "hf.h"
#include "hf_config.h"
#include "hf_vocabulary.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A tensor by its name without what programs put before it.
typedef struct {
    const char *name;
    const SafetensorsEntry *entry;
} Named;

typedef struct {
    Safetensors file;
    Named *named;  // in order of name
    long count;
    bool transposed;  // the matrices of the blocks are (in, out)
} Source;

// ---- names ----

// Of data-parallel training, torch.compile, wrappers, and GPT-2's own with a head.
static const char *bare_name(const char *name) {
    static const char *const PREFIXES[] = {"module.", "_orig_mod.", "model.", "transformer."};
    const char *before;
    do {
        before = name;
        for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
            size_t n = strlen(PREFIXES[i]);
            if (strncmp(name, PREFIXES[i], n) == 0) name += n;
        }
    } while (name != before);
    return name;
}

static bool ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

// Attention's mask and what it puts in the place of a masked score: no weights. (The bias of c_attn is one.)
static bool is_buffer(const char *name) {
    return ends_with(name, ".attn.bias") || ends_with(name, ".attn.masked_bias");
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Named *)a)->name, ((const Named *)b)->name);
}

static const SafetensorsEntry *find(const Source *s, const char *name) {
    Named key = {.name = bare_name(name)};
    const Named *found = bsearch(&key, s->named, (size_t)s->count, sizeof key, by_name);
    return found ? found->entry : NULL;
}

static bool name_tensors(Source *s, HfReport *report, Error *err) {
    s->named = malloc((size_t)s->file.entries * sizeof *s->named);
    if (!s->named) return fail(err, "%s: memory is short", s->file.path);
    for (long i = 0; i < s->file.entries; i++) {
        const char *name = bare_name(s->file.entry[i].name.bytes);
        if (is_buffer(name))
            report->buffers++;
        else
            s->named[s->count++] = (Named){name, &s->file.entry[i]};
    }
    qsort(s->named, (size_t)s->count, sizeof *s->named, by_name);
    // Some programs keep one name of a tensor that has two.
    if (!find(s, "wte.weight"))
        for (long i = 0; i < s->count; i++)
            if (strcmp(s->named[i].name, "lm_head.weight") == 0) s->named[i].name = "wte.weight";
    qsort(s->named, (size_t)s->count, sizeof *s->named, by_name);
    for (long i = 1; i < s->count; i++)
        if (by_name(&s->named[i - 1], &s->named[i]) == 0)
            return fail(err, "%s: tensor \"%s\" stands twice, under different prefixes", s->file.path,
                        s->named[i].name);
    return true;
}

// ---- numbers ----

static long numbers_of(const SafetensorsEntry *e) {
    return (long)(e->size / SAFETENSORS_TYPE_BYTES[e->type]);
}

// All numbers of a tensor that check_types has let through; the caller frees them. NULL, with a message,
// where that fails.
static float *read_numbers(Source *s, const SafetensorsEntry *e, Error *err) {
    long n = numbers_of(e);
    float *wide = malloc((size_t)n * sizeof *wide + 1);
    bool narrow = e->type != SAFETENSORS_F32;
    uint16_t *halves = narrow ? malloc((size_t)e->size + 1) : NULL;
    bool good = (wide && (halves || !narrow)) || fail(err, "%s: memory is short", s->file.path);
    good = good && safetensors_read(&s->file, e, narrow ? (void *)halves : (void *)wide, err);
    for (long i = 0; good && narrow && i < n; i++)
        wide[i] = e->type == SAFETENSORS_F16 ? float_from_half(halves[i]) : float_from_bfloat16(halves[i]);
    free(halves);
    if (good) return wide;
    free(wide);
    return NULL;
}

static bool check_types(const Source *s, HfReport *report, Error *err) {
    for (long i = 0; i < s->count; i++) {
        const SafetensorsEntry *e = s->named[i].entry;
        bool wide = e->type == SAFETENSORS_F32;
        report->narrow = report->narrow || !wide;
        if (!wide && e->type != SAFETENSORS_F16 && e->type != SAFETENSORS_BF16)
            return fail(err, "%s: tensor \"%s\" is %s; F32, F16 and BF16 can be imported", s->file.path,
                        e->name.bytes, SAFETENSORS_TYPE_NAME[e->type]);
    }
    return true;
}

static void forget(Source *s, long i) {
    memmove(&s->named[i], &s->named[i + 1], (size_t)(--s->count - i) * sizeof *s->named);
}

// A head that equals the token embedding is that: forgets it.
static bool find_tied(Source *s, Error *err) {
    const SafetensorsEntry *head = find(s, "lm_head.weight"), *wte = find(s, "wte.weight");
    if (!head || !wte || head->dims != wte->dims ||
        memcmp(head->shape, wte->shape, (size_t)wte->dims * sizeof *wte->shape) != 0)
        return true;
    float *a = read_numbers(s, head, err), *b = a ? read_numbers(s, wte, err) : NULL;
    bool good = a && b, same = good && memcmp(a, b, (size_t)numbers_of(head) * sizeof *a) == 0;
    free(a);
    free(b);
    for (long i = 0; same && i < s->count; i++)
        if (s->named[i].entry == head) forget(s, i);
    return good;
}

static bool is_zero(bool *zero, Source *s, const SafetensorsEntry *e, Error *err) {
    float *numbers = read_numbers(s, e, err);
    if (!numbers) return false;
    *zero = true;
    for (long i = 0; i < numbers_of(e); i++) *zero = *zero && numbers[i] == 0;
    free(numbers);
    return true;
}

// hf_export writes zeros for the biases of a model that has none, and says so: as long as they are zeros, it
// still has none.
static bool find_no_bias(Source *s, Error *err) {
    const String *said = metadata_get(&s->file.metadata, "no_bias");
    bool zero = said && string_is(said, "true");
    for (long i = 0; zero && i < s->count; i++)
        if (ends_with(s->named[i].name, ".bias") && !is_zero(&zero, s, s->named[i].entry, err)) return false;
    for (long i = s->count - 1; zero && i >= 0; i--)
        if (ends_with(s->named[i].name, ".bias")) forget(s, i);
    return true;
}

// ---- sizes ----

static bool read_size(long *size, int64_t value, int64_t most, const char *what, const Source *s,
                      Error *err) {
    *size = (long)value;
    return (value >= 1 && value <= most) ||
           fail(err, "%s: %" PRId64 " %s; from 1 to %" PRId64 " can be imported", s->file.path, value, what,
                most);
}

static const SafetensorsEntry *matrix(const Source *s, const char *name, Error *err) {
    const SafetensorsEntry *e = find(s, name);
    if (!e)
        fail(err, "%s: not a GPT-2: tensor \"%s\" is missing", s->file.path, name);
    else if (e->dims != 2) {
        fail(err, "%s: tensor \"%s\" is no matrix", s->file.path, e->name.bytes);
        return NULL;
    }
    return e;
}

// One more than the highest l of a name h.l. ...
static long count_layers(const Source *s) {
    long layers = 0;
    for (long i = 0; i < s->count; i++) {
        const char *name = s->named[i].name;
        char *end;
        if (name[0] != 'h' || name[1] != '.' || name[2] < '0' || name[2] > '9') continue;
        errno = 0;
        long l = strtol(name + 2, &end, 10);
        if (*end == '.' && errno == 0 && l < INT32_MAX && l >= layers) layers = l + 1;
    }
    return layers;
}

// What names and shapes tell; the number of heads is in none.
static bool read_sizes(GptConfig *c, Source *s, Error *err) {
    const SafetensorsEntry *wte = matrix(s, "wte.weight", err),
                           *wpe = wte ? matrix(s, "wpe.weight", err) : NULL,
                           *qkv = wpe ? matrix(s, "h.0.attn.c_attn.weight", err) : NULL;
    if (!qkv || !read_size(&c->V, wte->shape[0], 0x110000, "tokens", s, err) ||
        !read_size(&c->C, wte->shape[1], 1 << 16, "channels", s, err) ||
        !read_size(&c->T, wpe->shape[0], 1 << 20, "positions", s, err) ||
        !read_size(&c->L, count_layers(s), s->count < 1000 ? s->count : 1000, "layers", s, err))
        return false;
    s->transposed = qkv->shape[0] == c->C && qkv->shape[1] == 3 * c->C;
    c->tied = !find(s, "lm_head.weight");
    c->bias = false;
    for (long i = 0; i < s->count; i++) c->bias = c->bias || ends_with(s->named[i].name, ".bias");
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

static bool check_tensor(const Source *s, const Tensor *t, HfReport *report, Error *err) {
    const SafetensorsEntry *e = find(s, t->name);
    if (!e && ends_with(t->name, ".bias")) {
        report->missing_biases++;
        return true;
    }
    if (!e) return fail(err, "%s: not a GPT-2: tensor \"%s\" is missing", s->file.path, bare_name(t->name));
    bool transposed = s->transposed && hf_is_transposed(t->name);
    long rows = t->shape[transposed], columns = t->shape[!transposed];  // 0 columns of a vector
    if (e->dims != t->dims || e->shape[0] != rows || (t->dims == 2 && e->shape[1] != columns))
        return t->dims == 2 ? fail(err, "%s: tensor \"%s\" does not have the shape (%ld, %ld)", s->file.path,
                                   e->name.bytes, rows, columns)
                            : fail(err, "%s: tensor \"%s\" does not have the shape (%ld)", s->file.path,
                                   e->name.bytes, rows);
    return true;
}

// Every tensor of the model is there, in its shape, and nothing else.
static bool check_tensors(const Source *s, const GptConfig *c, HfReport *report, Error *err) {
    long tensors;
    Tensor *list = weights_list(c, &tensors);
    bool good = list || fail(err, "%s: memory is short", s->file.path);
    for (long i = 0; good && i < tensors; i++) good = check_tensor(s, &list[i], report, err);
    if (good && s->count != tensors - report->missing_biases) {
        for (long i = 0; good && i < s->count; i++) {
            bool known = false;
            for (long k = 0; !known && k < tensors; k++)
                known = strcmp(s->named[i].name, bare_name(list[k].name)) == 0;
            if (!known)
                good = fail(err, "%s: tensor \"%s\" is no part of GPT-2 as it is computed here", s->file.path,
                            s->named[i].entry->name.bytes);
        }
    }
    free(list);
    return good;
}

// to (rows, columns) = the tensor, or its transpose.
static bool read_tensor(real *to, Source *s, const SafetensorsEntry *e, long rows, long columns,
                        bool transposed, Error *err) {
    float *numbers = read_numbers(s, e, err);
    bool good = numbers != NULL;
    for (long r = 0; good && r < rows; r++)
        for (long c = 0; c < columns; c++)
            to[r * columns + c] = (real)numbers[transposed ? c * rows + r : r * columns + c];
    free(numbers);
    return good;
}

static bool read_tensors(Weights *w, Source *s, Error *err) {
    for (long i = 0; i < w->tensors; i++) {
        const Tensor *t = &w->tensor[i];
        const SafetensorsEntry *e = find(s, t->name);
        bool transposed = s->transposed && hf_is_transposed(t->name);
        if (e && !read_tensor(w->memory + t->offset, s, e, t->shape[0], t->dims == 2 ? t->shape[1] : 1,
                              transposed, err))
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
    FILE *f = fopen(path, "rb");
    if (!f) return false;
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

static bool open_weights(Source *s, const char *folder, const char *path, Error *err) {
    if (folder && !is_there(path)) {
        const char *way_out =
            exists(folder, "model.safetensors.index.json")
                ? "it is in several parts; save_pretrained(..., max_shard_size=\"100GB\") makes one"
            : exists(folder, "pytorch_model.bin") ? "save_pretrained(..., safe_serialization=True) makes it"
            : exists(folder, "ckpt.pt")           ? "nanoGPT's ckpt.pt must be saved as safetensors first"
                                                  : "is this the folder of a model?";
        return fail(err, "%s: there is no such file; %s", path, way_out);
    }
    if (safetensors_open(&s->file, path, err)) return true;
    // Not before: the length of a header may begin with the same bytes.
    if (is_pickle(path))
        fail(err,
             "%s: a file of PyTorch, not safetensors; in Python: safetensors.torch.save_file({k: "
             "v.clone() for k, v in model.state_dict().items()}, \"model.safetensors\")",
             path);
    return false;
}

static bool read_vocabulary(HfVocabulary *v, const Source *s, const char *folder, const HfSource *from,
                            long V, HfReport *report, Error *err) {
    const String *capped = metadata_get(&s->file.metadata, "vocabulary_capped");
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

static bool read_settings(GptConfig *c, Source *s, const char *folder, const HfSource *from, HfReport *report,
                          Error *err) {
    bool has_head = find(s, "lm_head.weight");
    *c = (GptConfig){.NH = from->heads};
    if (!check_types(s, report, err) || !find_tied(s, err) || !find_no_bias(s, err) || !read_sizes(c, s, err))
        return false;
    if (folder && exists(folder, "config.json")) {
        char *path = file_path(folder, "config.json");
        bool good = path ? take_config(c, path, has_head, from, report, err)
                         : fail(err, "%s: memory is short", folder);
        free(path);
        if (!good) return false;
    }
    if (c->NH < 1)
        return fail(err, "%s: no tensor tells how many heads the model has; --n-head does", from->path);
    return c->C % c->NH == 0 ||
           fail(err, "%s: %ld channels are no multiple of %ld heads", from->path, c->C, c->NH);
}

static bool import(Weights *w, Tokenizer *z, Source *s, const char *folder, const HfSource *from,
                   HfReport *report, Error *err) {
    GptConfig c;
    HfVocabulary v;
    if (!name_tensors(s, report, err) || !read_settings(&c, s, folder, from, report, err) ||
        !check_tensors(s, &c, report, err) || !read_vocabulary(&v, s, folder, from, c.V, report, err))
        return false;
    bool created = weights_create(w, &c, err), good = created && read_tensors(w, s, err);
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
    Source s = {0};
    bool good = open_weights(&s, folder, path, err) && import(w, z, &s, folder, from, report, err);
    if (s.file.stream) safetensors_close(&s.file);
    free(s.named);
    free(path);
    return good;
}
