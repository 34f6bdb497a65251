// gguf.c -- header, keys, tensor table, data. All numbers are little-endian.
//
// llama.cpp knows no tokenizer of single characters, so the file describes them to its byte-level BPE: each
// character is a token, and merges put it together from its bytes, and nothing else. It also insists on an
// end-of-text token, which the model does not have: one more row of the head, made so that it is never
// chosen.
#include "gguf.h"
#include "../data/byte_order.h"
#include "../data/file.h"
#include "byte_letters.h"
#include "half.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef enum { TYPE_F32 = 0, TYPE_F16 = 1 } TensorType;
typedef enum { KEY_U32 = 4, KEY_I32 = 5, KEY_F32 = 6, KEY_BOOL = 7, KEY_STRING = 8, KEY_ARRAY = 9 } KeyType;

enum { ALIGN = 32, TOKEN_NORMAL = 1, TOKEN_CONTROL = 3, FILE_ALL_F32 = 0, FILE_MOSTLY_F16 = 1 };

static const char END_OF_TEXT[] = "<|endoftext|>";

// A matrix of `out` rows of `in` numbers, or with out = 0 a vector.
typedef struct {
    char name[64];
    long in, out;
    TensorType type;
    const real *from;  // NULL: zeros, for a bias that the model does without
    const real *more;  // a last row, which is not at `from`; NULL for none
} GgufTensor;

typedef struct {
    FileWriter file;
    uint64_t at;  // bytes written
    GgufTensor *tensor;
    long tensors;
} Gguf;

// ---- numbers and strings ----

static void put_bytes(Gguf *g, const void *bytes, size_t n) {
    file_write(&g->file, bytes, n);
    g->at += n;
}

static void put_u32(Gguf *g, uint32_t value) {
    swap_on_big_endian(&value, sizeof value, sizeof value);
    put_bytes(g, &value, sizeof value);
}

static void put_u64(Gguf *g, uint64_t value) {
    swap_on_big_endian(&value, sizeof value, sizeof value);
    put_bytes(g, &value, sizeof value);
}

static void put_string(Gguf *g, const char *bytes, size_t n) {
    put_u64(g, n);
    put_bytes(g, bytes, n);
}

static void put_padding(Gguf *g) {
    static const char zeros[ALIGN];
    put_bytes(g, zeros, (ALIGN - g->at % ALIGN) % ALIGN);
}

// ---- keys ----

static void key(Gguf *g, const char *name, KeyType type) {
    put_string(g, name, strlen(name));
    put_u32(g, type);
}

static void key_u32(Gguf *g, const char *name, long value) {
    key(g, name, KEY_U32);
    put_u32(g, (uint32_t)value);
}

static void key_f32(Gguf *g, const char *name, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    key(g, name, KEY_F32);
    put_u32(g, bits);
}

static void key_bool(Gguf *g, const char *name, bool value) {
    key(g, name, KEY_BOOL);
    put_bytes(g, &(char){value}, 1);
}

static void key_string(Gguf *g, const char *name, const char *value) {
    key(g, name, KEY_STRING);
    put_string(g, value, strlen(value));
}

static void key_array(Gguf *g, const char *name, KeyType of, long count) {
    key(g, name, KEY_ARRAY);
    put_u32(g, of);
    put_u64(g, (uint64_t)count);
}

// ---- the vocabulary ----

// The bytes of token id, and their number.
static int token_bytes(char out[UTF8_MOST], const Tokenizer *z, long id) {
    if (z->kind == TOKENIZER_CHAR) return utf8_encode(z->code[id], out);
    out[0] = (char)id;
    return 1;
}

static void put_token(Gguf *g, const char *bytes, int n) {
    char letters[2 * UTF8_MOST];
    put_string(g, letters, (size_t)byte_letters(letters, bytes, n));
}

// Joins the first k bytes of a character to the one that follows.
static void put_merge(Gguf *g, const char *bytes, int k) {
    char letters[2 * UTF8_MOST + 1];
    int n = byte_letters(letters, bytes, k);
    letters[n++] = ' ';
    n += byte_letters(letters + n, bytes + k, 1);
    put_string(g, letters, (size_t)n);
}

// Each merge once. Characters ascend, and so do their bytes: those that begin alike stand together, and what
// the one before begins with, too, has been put already. Counts only, where g is NULL.
static long put_merges(Gguf *g, const Tokenizer *z) {
    char bytes[UTF8_MOST], before[UTF8_MOST] = {0};
    long count = 0;
    for (long id = 0; id < z->V; id++) {
        int n = token_bytes(bytes, z, id);
        for (int k = 1; k < n; k++) {
            if (memcmp(bytes, before, (size_t)k + 1) == 0) continue;
            count++;
            if (g) put_merge(g, bytes, k);
        }
        memcpy(before, bytes, sizeof before);
    }
    return count;
}

static void put_keys(Gguf *g, const GptConfig *c, const Tokenizer *z, const GgufOptions *o) {
    key_string(g, "general.architecture", "gpt2");
    key_string(g, "general.name", o->name);
    key_u32(g, "general.file_type", o->half ? FILE_MOSTLY_F16 : FILE_ALL_F32);
    key_u32(g, "general.quantization_version", 2);
    key_u32(g, "gpt2.context_length", c->T);
    key_u32(g, "gpt2.embedding_length", c->C);
    key_u32(g, "gpt2.block_count", c->L);
    key_u32(g, "gpt2.feed_forward_length", 4 * c->C);
    key_u32(g, "gpt2.attention.head_count", c->NH);
    key_f32(g, "gpt2.attention.layer_norm_epsilon", 1e-5f);
    key_string(g, "tokenizer.ggml.model", "gpt2");
    // The rules by which a text is cut before merging. Any would do for single characters; with these
    // llama.cpp does not drop spaces before punctuation when it puts text together.
    key_string(g, "tokenizer.ggml.pre", "qwen2");
    key_array(g, "tokenizer.ggml.tokens", KEY_STRING, c->V + 1);
    for (long id = 0; id < c->V; id++) {
        char bytes[UTF8_MOST];
        put_token(g, bytes, token_bytes(bytes, z, id));
    }
    put_string(g, END_OF_TEXT, strlen(END_OF_TEXT));
    key_array(g, "tokenizer.ggml.token_type", KEY_I32, c->V + 1);
    for (long id = 0; id < c->V; id++) put_u32(g, TOKEN_NORMAL);
    put_u32(g, TOKEN_CONTROL);
    key_array(g, "tokenizer.ggml.merges", KEY_STRING, put_merges(NULL, z));
    put_merges(g, z);
    key_u32(g, "tokenizer.ggml.bos_token_id", c->V);
    key_u32(g, "tokenizer.ggml.eos_token_id", c->V);
    key_bool(g, "tokenizer.ggml.add_bos_token", false);
    key_bool(g, "tokenizer.ggml.add_eos_token", false);
}
enum { KEYS = 19 };

// ---- the end-of-text row ----

// The head's input is h = g u + b with sum(u) = 0 (a layernorm with weight g and bias b), so of a row
// e_i = c / g_i the logit is c S for every text, with S = sum(b_i / g_i): c = -100 / S makes it -100. A bias
// that makes S too small is shifted a little, along g, which moves no logit of a text by 1e-4.
static void end_row(real *e, real *b, const real *g, long C, GgufReport *report) {
    const double LOGIT = -100, LEAST = 1e-3;
    double S = 0;
    for (long i = 0; i < C; i++) {
        report->end_may_be_sampled |= fabs((double)(float)g[i]) < LEAST;
        S += (double)(float)b[i] / (double)(float)g[i];
    }
    for (long i = 0; i < C; i++) e[i] = 0;
    if (report->end_may_be_sampled) return;
    if (fabs(S) < LEAST) {
        double d = ((S < 0 ? -LEAST : LEAST) - S) / (double)C;
        S = 0;
        for (long i = 0; i < C; i++) {
            float shifted = (float)((double)(float)b[i] + d * (double)(float)g[i]);
            report->bias_shift = fmax(report->bias_shift, fabs((double)shifted - (double)b[i]));
            b[i] = (real)shifted;
            S += (double)shifted / (double)(float)g[i];
        }
        // Beside large biases so small a shift is lost in rounding.
        if (fabs(S) < LEAST / 2) {
            report->end_may_be_sampled = true;
            return;
        }
    }
    for (long i = 0; i < C; i++) e[i] = (real)(float)(LOGIT / S / (double)(float)g[i]);
}

// ---- tensors ----

__attribute__((format(printf, 6, 7))) static GgufTensor *add(Gguf *g, const real *from, long in, long out,
                                                             TensorType type, const char *name, ...) {
    GgufTensor *t = &g->tensor[g->tensors++];
    *t = (GgufTensor){.in = in, .out = out, .from = from, .type = type};
    va_list values;
    va_start(values, name);
    vsnprintf(t->name, sizeof t->name, name, values);
    va_end(values);
    return t;
}

static void add_block(Gguf *g, const Block *b, long C, long l, TensorType matrix) {
    add(g, b->ln1w, C, 0, TYPE_F32, "blk.%ld.attn_norm.weight", l);
    add(g, b->ln1b, C, 0, TYPE_F32, "blk.%ld.attn_norm.bias", l);
    add(g, b->qkvw, C, 3 * C, matrix, "blk.%ld.attn_qkv.weight", l);
    add(g, b->qkvb, 3 * C, 0, TYPE_F32, "blk.%ld.attn_qkv.bias", l);
    add(g, b->attprojw, C, C, matrix, "blk.%ld.attn_output.weight", l);
    add(g, b->attprojb, C, 0, TYPE_F32, "blk.%ld.attn_output.bias", l);
    add(g, b->ln2w, C, 0, TYPE_F32, "blk.%ld.ffn_norm.weight", l);
    add(g, b->ln2b, C, 0, TYPE_F32, "blk.%ld.ffn_norm.bias", l);
    add(g, b->fcw, C, 4 * C, matrix, "blk.%ld.ffn_up.weight", l);
    add(g, b->fcb, 4 * C, 0, TYPE_F32, "blk.%ld.ffn_up.bias", l);
    add(g, b->fcprojw, 4 * C, C, matrix, "blk.%ld.ffn_down.weight", l);
    add(g, b->fcprojb, C, 0, TYPE_F32, "blk.%ld.ffn_down.bias", l);
}

// In the order of the file. The last rows of the embedding and of the head are `newline` (nobody feeds
// end-of-text to the model; if somebody did, it would read a new line) and `end`.
static void list_tensors(Gguf *g, const Weights *w, TensorType matrix, const real *newline, const real *end,
                         const real *norm_bias) {
    const GptConfig *c = &w->config;
    add(g, w->wte, c->C, c->V + 1, matrix, "token_embd.weight")->more = newline;
    add(g, w->wpe, c->C, c->T, TYPE_F32, "position_embd.weight");
    for (long l = 0; l < c->L; l++) add_block(g, &w->block[l], c->C, l, matrix);
    add(g, w->lnfw, c->C, 0, TYPE_F32, "output_norm.weight");
    add(g, norm_bias, c->C, 0, TYPE_F32, "output_norm.bias");
    // Also where it is tied: older versions of llama.cpp insist. Never in 16 bits: the numbers of the
    // end-of-text row may be large, and add up to -100 only where none is rounded.
    add(g, w->head, c->C, c->V + 1, TYPE_F32, "output.weight")->more = end;
}
static long tensors_of(const GptConfig *c) { return 5 + 12 * c->L; }

static long elements(const GgufTensor *t) { return t->in * (t->out ? t->out : 1); }
static uint64_t tensor_bytes(const GgufTensor *t) {
    return (uint64_t)elements(t) * (t->type == TYPE_F16 ? 2 : 4);
}

static void put_table(Gguf *g) {
    uint64_t offset = 0;
    for (long i = 0; i < g->tensors; i++) {
        const GgufTensor *t = &g->tensor[i];
        put_string(g, t->name, strlen(t->name));
        put_u32(g, t->out ? 2 : 1);
        put_u64(g, (uint64_t)t->in);
        if (t->out) put_u64(g, (uint64_t)t->out);
        put_u32(g, t->type);
        put_u64(g, offset);
        offset += (tensor_bytes(t) + ALIGN - 1) / ALIGN * ALIGN;
    }
}

// Numbers as they stand in the file; false where one does not fit.
static bool put_numbers(Gguf *g, TensorType type, const real *from, long n) {
    enum { CHUNK = 4096 };
    float wide[CHUNK];
    uint16_t half[CHUNK];
    bool fits = true;
    for (long at = 0; at < n; at += CHUNK) {
        long some = n - at < CHUNK ? n - at : CHUNK;
        for (long i = 0; i < some; i++) {
            wide[i] = from ? (float)from[at + i] : 0;
            half[i] = half_from_float(wide[i]);
            fits = fits && isfinite(type == TYPE_F16 ? float_from_half(half[i]) : wide[i]);
        }
        int width = type == TYPE_F16 ? (int)sizeof *half : (int)sizeof *wide;
        void *numbers = type == TYPE_F16 ? (void *)half : (void *)wide;
        swap_on_big_endian(numbers, (size_t)(some * width), width);
        put_bytes(g, numbers, (size_t)(some * width));
    }
    return fits;
}

static bool put_tensor(Gguf *g, const GgufTensor *t, Error *err) {
    bool fits = put_numbers(g, t->type, t->from, elements(t) - (t->more ? t->in : 0));
    if (t->more) fits = put_numbers(g, t->type, t->more, t->in) && fits;
    put_padding(g);
    return fits ||
           fail(err, "%s: tensor \"%s\" holds a number that %s bits cannot hold%s", g->file.path, t->name,
                t->type == TYPE_F16 ? "16" : "32", t->type == TYPE_F16 ? "; --dtype f32 can" : "");
}

static bool put_all(Gguf *g, const GptConfig *c, const Tokenizer *z, const GgufOptions *o, Error *err) {
    put_bytes(g, "GGUF", 4);
    put_u32(g, 3);
    put_u64(g, (uint64_t)g->tensors);
    put_u64(g, KEYS);
    put_keys(g, c, z, o);
    put_table(g);
    put_padding(g);
    for (long i = 0; i < g->tensors; i++)
        if (!put_tensor(g, &g->tensor[i], err)) return false;
    return true;
}

bool gguf_export(const char *path, const Weights *w, const Tokenizer *z, const GgufOptions *o,
                 GgufReport *report, Error *err) {
    const GptConfig *c = &w->config;
    if (c->L > GGUF_LAYERS)
        return fail(err, "%s: the model has %ld layers, and llama.cpp reads at most %d", path, c->L,
                    GGUF_LAYERS);
    *report = (GgufReport){0};
    Gguf g = {.tensor = malloc((size_t)tensors_of(c) * sizeof *g.tensor)};
    real *rows = calloc((size_t)(2 * c->C), sizeof *rows), *end = rows, *norm_bias = rows + c->C;
    bool good = (g.tensor && rows) || fail(err, "%s: memory is short", path);
    if (good) {
        int32_t line = z->kind == TOKENIZER_BYTE ? '\n' : z->id['\n'];
        if (w->lnfb) memcpy(norm_bias, w->lnfb, (size_t)c->C * sizeof *norm_bias);
        end_row(end, norm_bias, w->lnfw, c->C, report);
        list_tensors(&g, w, o->half ? TYPE_F16 : TYPE_F32, w->wte + (line < 0 ? 0 : line) * c->C, end,
                     norm_bias);
        good = file_create(&g.file, path, err);
    }
    if (good) {
        good = put_all(&g, c, z, o, err);
        report->bytes = g.at;
        if (good)
            good = file_commit(&g.file, err);
        else
            file_abandon(&g.file);
    }
    free(g.tensor);
    free(rows);
    return good;
}
