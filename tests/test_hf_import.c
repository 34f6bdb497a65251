// test_hf_import.c -- folders as this program and others write them, each with what it can have different;
// and folders that are no GPT-2 as it is computed here.
//
// A good folder is made from a model, then one thing in it is changed, and it is written and imported.
#include "../data/safetensors.h"
#include "../export/half.h"
#include "../export/hf.h"
#include "../model/adamw.h"
#include "export_model.h"
#include "folder.h"

enum { ROOM = 160 };

static Error err;
static HfReport told;
static Model model;  // of the folder
static char from[600];

// ---- a folder ----

// The orientation of the four matrices, and what stands before the names.
typedef enum { IN_OUT, OUT_IN } Orientation;

static SafetensorsTensor tensor[ROOM];
static long tensors;
static Metadata metadata;

typedef struct {
    char key[40], value[60];
} Member;
static Member member[24];
static int members;

static char tokenizer[1 << 12];  // empty: no such file

static const char *path_of(const char *file) {
    static char path[8][800];
    static int next;
    char *p = path[next++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", from, file);
    return p;
}

static void say(const char *key, const char *value) {
    int i = 0;
    while (i < members && strcmp(member[i].key, key) != 0) i++;
    if (!value) {
        if (i < members) member[i] = member[--members];
        return;
    }
    if (i == members && ++members > 24) abort();
    snprintf(member[i].key, sizeof member[i].key, "%s", key);
    snprintf(member[i].value, sizeof member[i].value, "%s", value);
}

static void say_number(const char *key, long value) {
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    say(key, text);
}

static SafetensorsTensor *find(const char *name) {
    for (long t = 0; t < tensors; t++)
        if (strcmp(tensor[t].name, name) == 0) return &tensor[t];
    printf("no tensor %s\n", name);
    exit(1);
}

static void leave_out(const char *name) { *find(name) = tensor[--tensors]; }

static SafetensorsTensor *add_tensor(const char *name, SafetensorsType type, int dims, int64_t rows,
                                     int64_t columns, const void *numbers) {
    if (tensors == ROOM) abort();
    SafetensorsTensor *t = &tensor[tensors++];
    *t = (SafetensorsTensor){.type = type, .dims = dims, .shape = {rows, columns}, .from = numbers};
    snprintf(t->name, sizeof t->name, "%s", name);
    return t;
}

static bool is_turned(const char *name) {
    static const char *const turned[] = {"attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight",
                                         "mlp.c_proj.weight"};
    for (int i = 0; i < 4; i++)
        if (strstr(name, turned[i])) return true;
    return false;
}

// The tensors of the model as floats; those that it has no numbers for are not there.
static void good_tensors(const char *prefix, Orientation orientation) {
    const Weights *w = &model.w;
    tensors = 0;
    for (long t = 0; t < w->tensors; t++) {
        const Tensor *ours = &w->tensor[t];
        long rows = ours->shape[0], columns = ours->dims == 2 ? ours->shape[1] : 1;
        bool turned = orientation == IN_OUT && is_turned(ours->name);
        float *numbers = keep(malloc((size_t)ours->size * sizeof *numbers));
        for (long r = 0; r < rows; r++)
            for (long c = 0; c < columns; c++)
                numbers[turned ? c * rows + r : r * columns + c] =
                    (float)w->memory[ours->offset + r * columns + c];
        char name[96];
        const char *bare = strncmp(ours->name, "transformer.", 12) == 0 ? ours->name + 12 : ours->name;
        snprintf(name, sizeof name, "%s%.60s", prefix, bare);
        add_tensor(name, SAFETENSORS_F32, ours->dims, turned ? columns : rows, turned ? rows : columns,
                   numbers);
    }
}

static void good_config(void) {
    const GptConfig *c = &model.w.config;
    members = 0;
    say("model_type", "\"gpt2\"");
    say_number("vocab_size", c->V);
    say_number("n_positions", c->T);
    say_number("n_embd", c->C);
    say_number("n_layer", c->L);
    say_number("n_head", c->NH);
    say("activation_function", "\"gelu_new\"");
    say("tie_word_embeddings", c->tied ? "true" : "false");
}

static void write_tokenizer(const char *kind, const char *vocabulary) {
    snprintf(tokenizer, sizeof tokenizer, "{\"model\": {\"type\": \"%s\", \"vocab\": {%s}}}", kind,
             vocabulary);
}

static const char ELEVEN[] =
    "\"\\n\": 0, \"\\\"\": 1, \"\\\\\": 2, \"\xc3\xa8\": 3, \"\xc3\xa9\": 4, \"\xe6\xbc\xa2\": 5, "
    "\"\xe6\xbc\xa3\": 6, \"\xe6\xbd\x80\": 7, \"\xf0\x9f\x98\x80\": 8, \"\xf0\x9f\x98\x81\": 9, "
    "\"\xf0\x9f\x99\x80\": 10";

// A folder of GPT-2 as transformers writes it.
static void good(bool tied) {
    model_free(&model);
    if (!(tied ? model_tied(&model) : model_untied(&model))) abort();
    good_tensors("transformer.", IN_OUT);
    if (!tied) strcpy(find("transformer.lm_head.weight")->name, "lm_head.weight");
    good_config();
    write_tokenizer("BPE", tied ? ELEVEN : "\" \": 0, \"a\": 1, \"b\": 2");
    metadata_free(&metadata);
    if (!metadata_put(&metadata, "format", "pt", 2, &err)) abort();
}

static size_t bytes_of(const SafetensorsTensor *t) {
    size_t size = (size_t)SAFETENSORS_TYPE_BYTES[t->type];
    for (int d = 0; d < t->dims; d++) size *= (size_t)t->shape[d];
    return size;
}

// Written here rather than by safetensors_write, which waits for the disk; and with a header of any length.
static void write_tensors(const char *path) {
    char *bytes = NULL;
    size_t length = 0, at = 0;
    FILE *f = open_memstream(&bytes, &length);
    if (!f) abort();
    fprintf(f, "12345678{\"__metadata__\":{");
    for (long i = 0; i < metadata.entries; i++)
        fprintf(f, "%s\"%s\":\"%s\"", i ? "," : "", metadata.entry[i].key.bytes,
                metadata.entry[i].value.bytes);
    putc('}', f);
    for (long i = 0; i < tensors; i++) {
        const SafetensorsTensor *t = &tensor[i];
        fprintf(f, ",\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, SAFETENSORS_TYPE_NAME[t->type]);
        for (int d = 0; d < t->dims; d++) fprintf(f, "%s%lld", d ? "," : "", (long long)t->shape[d]);
        fprintf(f, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes_of(t));
        at += bytes_of(t);
    }
    putc('}', f);
    fflush(f);
    size_t header = length - 8;
    for (long i = 0; i < tensors; i++) {
        size_t n = bytes_of(&tensor[i]), width = (size_t)SAFETENSORS_TYPE_BYTES[tensor[i].type];
        const char *numbers = tensor[i].from;
        const int one = 1;
        bool big = *(const char *)&one == 0;
        for (size_t k = 0; k < n; k++) putc(numbers[big ? k / width * width + width - 1 - k % width : k], f);
    }
    fclose(f);
    for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)header >> 8 * i);
    put_file(path, bytes, length);
    free(bytes);
}

static void write_config(void) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) abort();
    for (int i = 0; i < members; i++)
        fprintf(f, "%s\n  \"%s\": %s", i ? "," : "{", member[i].key, member[i].value);
    fprintf(f, "\n}\n");
    fclose(f);
    put_file(path_of("config.json"), text, n);
    free(text);
}

static void empty_folder(void) {
    remove_all(from);
    if (mkdir(from, 0700) != 0) abort();
}

static void write_folder(void) {
    empty_folder();
    write_tensors(path_of("model.safetensors"));
    if (members) write_config();
    if (tokenizer[0]) put_file(path_of("tokenizer.json"), tokenizer, strlen(tokenizer));
}

// ---- importing it ----

static bool import(Model *m, HfSource source) {
    *m = (Model){0};
    if (!source.path) source.path = from;
    if (!source.text) source.text = "";
    memset(&told, 0xff, sizeof told);
    err.text[0] = 0;
    return hf_import(&m->w, &m->z, &source, &told, &err);
}

static bool imported(Model *m, HfSource source) {
    bool good_folder = import(m, source);
    if (!good_folder) printf("  message: %s\n", err.text);
    return good_folder;
}

static bool same_tokenizer(const Tokenizer *a, const Tokenizer *b) {
    return a->V == b->V && a->kind == b->kind && a->capped == b->capped &&
           (a->kind == TOKENIZER_BYTE || memcmp(a->code, b->code, (size_t)a->V * sizeof *a->code) == 0);
}

// All that the model has, bit for bit (in float, which the files have).
static bool same_weights(const Weights *a, const Weights *b) {
    const GptConfig *x = &a->config, *y = &b->config;
    if (x->V != y->V || x->T != y->T || x->C != y->C || x->L != y->L || x->NH != y->NH ||
        x->bias != y->bias || x->tied != y->tied || a->size != b->size)
        return false;
    for (long i = 0; i < a->size; i++) {
        float p = (float)a->memory[i], q = (float)b->memory[i];
        if (memcmp(&p, &q, sizeof p) != 0) return false;
    }
    return true;
}

static bool imports_with(HfSource source) {
    Model m;
    write_folder();
    if (!imported(&m, source)) return false;
    bool same = same_weights(&m.w, &model.w) && same_tokenizer(&m.z, &model.z);
    if (!same) printf("  it is another model\n");
    model_free(&m);
    return same;
}

static bool imports(void) { return imports_with((HfSource){0}); }

// The message is one line that begins with `path`, holds `part`, and nothing is left allocated.
static bool message_is(const char *path, const char *part) {
    bool said = one_line_naming(err.text, path) && strstr(err.text, part);
    if (!said) printf("  message: %s\n  wanted:  %s: %s\n", err.text, path, part);
    return said;
}

static bool refused_with(HfSource source, const char *path, const char *part) {
    Model m;
    if (!import(&m, source)) return message_is(path, part);
    model_free(&m);
    return false;
}

// For what is wrong with the tensors.
static bool refused(const char *part) {
    write_folder();
    return refused_with((HfSource){0}, path_of("model.safetensors"), part);
}

static bool config_refused(const char *key, const char *value, const char *part) {
    good(true);
    say(key, value);
    write_folder();
    return refused_with((HfSource){0}, path_of("config.json"), part);
}

// ---- what this program exports ----

static void comes_back(Model *m) {
    Model back;
    empty_folder();
    if (CHECK(hf_export(from, &m->w, &m->z, &err)) && CHECK(imported(&back, (HfSource){0}))) {
        CHECK(same_weights(&back.w, &m->w) && same_tokenizer(&back.z, &m->z));
        CHECK(!told.exact_gelu && !told.narrow && told.missing_biases == 0 && told.buffers == 0 &&
              !told.reordered && !told.carriage_returns);
        model_free(&back);
    }
    model_free(m);
}

static void an_exported_model_comes_back_bit_by_bit(void) {
    Model m;
    if (CHECK(model_tied(&m))) comes_back(&m);
    if (CHECK(model_untied(&m))) comes_back(&m);
    for (int variant = 0; variant < 4; variant++) {
        GptConfig c = {.V = 3, .T = 4, .C = 4, .L = 1, .NH = 2, .bias = variant & 1, .tied = variant & 2};
        if (CHECK(model_create(&m, &c, TOKENIZER_CHAR, "abc", 3, false))) comes_back(&m);
    }
}

static void a_vocabulary_of_controls_and_nul_comes_back(void) {
    static const char characters[] =
        "\0\1\t\n\r\x1f\"\\\x7f\xc2\x80\xc2\x85\xef\xbb\xbf\xef\xbf\xbd\xef\xbf\xbf"
        "\xf4\x8f\xbf\xbf";
    GptConfig c = {.V = 15, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    Model m;
    if (CHECK(model_create(&m, &c, TOKENIZER_CHAR, characters, sizeof characters - 1, false))) comes_back(&m);
}

static void a_capped_vocabulary_comes_back_capped(void) {
    GptConfig c = {.V = 2, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    Model m;
    for (int capped = 0; capped < 2; capped++)
        if (CHECK(model_create(&m, &c, TOKENIZER_CHAR, "a\xef\xbf\xbd", 4, capped))) comes_back(&m);
}

static void bytes_come_back(void) {
    GptConfig c = {.V = 256, .T = 2, .C = 2, .L = 1, .NH = 1, .tied = true};
    Model m;
    if (CHECK(model_create(&m, &c, TOKENIZER_BYTE, "", 0, false))) comes_back(&m);
}

static void the_smallest_and_the_negative_zero_come_back(void) {
    Model m;
    if (!CHECK(model_tied(&m))) return;
    m.w.wte[0] = (real)0x1p-149f;
    m.w.wte[1] = (real)-0.0f;
    m.w.block[0].qkvb[2] = (real)-0.0f;
    m.w.block[1].fcprojw[5] = (real)0x1.fffffep127f;
    comes_back(&m);
}

// The file says that the model has no biases; but somebody has trained them since.
static void biases_that_are_zero_no_more_are_biases(void) {
    Model m;
    good(true);
    if (!metadata_put(&metadata, "no_bias", "true", 4, &err)) abort();
    CHECK(imports());
    for (long t = 0; t < tensors; t++)
        if (strstr(tensor[t].name, ".bias")) tensor[t].from = keep(calloc(1, bytes_of(&tensor[t])));
    write_folder();
    if (CHECK(imported(&m, (HfSource){0}))) CHECK(!m.w.config.bias && m.w.lnfb == NULL);
    model_free(&m);
    metadata_free(&metadata);  // not told: a model may have biases of zero
    write_folder();
    if (CHECK(imported(&m, (HfSource){0}))) CHECK(m.w.config.bias && m.w.lnfb[0] == 0);
    model_free(&m);
}

// ---- what others write ----

static void names_may_have_any_of_the_usual_prefixes(void) {
    static const char *const prefixes[] = {"",
                                           "transformer.",
                                           "module.transformer.",
                                           "_orig_mod.transformer.",
                                           "_orig_mod.module.transformer.",
                                           "module._orig_mod.",
                                           "model.transformer.",
                                           "_orig_mod."};
    for (int tied = 0; tied < 2; tied++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            for (Orientation o = IN_OUT; o <= OUT_IN; o++) {
                good(tied);
                good_tensors(prefixes[i], o);
                if (!CHECK(imports())) printf("  prefix \"%s\"\n", prefixes[i]);
            }
}

static void matrices_of_nn_linear_are_taken_as_they_are(void) {
    good(false);
    good_tensors("_orig_mod.transformer.", OUT_IN);
    CHECK(imports());
    // The answer is that of c_attn, for the square matrix, too.
    good(true);
    good_tensors("transformer.", OUT_IN);
    CHECK(imports() && !told.narrow && told.missing_biases == 0);
}

static void a_lone_file_needs_the_number_of_heads_and_a_text(void) {
    static const char characters[] = TIED_CHARACTERS "\n" TIED_CHARACTERS;
    Model m;
    good(true);
    write_folder();
    char path[800];
    snprintf(path, sizeof path, "%s", path_of("model.safetensors"));
    const char *text = path_of("text");
    put_file(text, characters, strlen(characters));
    CHECK(refused_with((HfSource){.path = path}, path, "--n-head does"));
    CHECK(refused_with((HfSource){.path = path, .heads = 2}, path, "--vocab TEXT takes them from"));
    if (CHECK(imported(&m, (HfSource){.path = path, .heads = 2, .text = text})))
        CHECK(same_weights(&m.w, &model.w) && same_tokenizer(&m.z, &model.z));
    model_free(&m);
    CHECK(refused_with((HfSource){.path = path, .heads = 4, .text = text}, path,
                       "6 channels are no multiple of 4 heads"));
    CHECK(refused_with((HfSource){.path = path, .heads = 2, .bytes = true}, path,
                       "the vocabulary has 256 tokens, the model 11"));
}

static void put_narrow(SafetensorsType type) {
    for (long t = 0; t < tensors; t++) {
        size_t n = bytes_of(&tensor[t]) / 4;
        const float *wide = tensor[t].from;
        uint16_t *narrow = keep(malloc(n * 2 + 1));
        for (size_t i = 0; i < n; i++) {
            uint32_t bits;
            memcpy(&bits, &wide[i], 4);
            narrow[i] = type == SAFETENSORS_BF16 ? (uint16_t)(bits >> 16) : half_from_float(wide[i]);
        }
        tensor[t].from = narrow;
        tensor[t].type = type;
    }
}

// Multiples of 1/64 below 2 have at most 7 bits, so that nothing is lost.
static void numbers_of_16_bits_are_widened(void) {
    static const SafetensorsType types[] = {SAFETENSORS_F16, SAFETENSORS_BF16};
    for (int i = 0; i < 2; i++)
        for (int tied = 0; tied < 2; tied++) {
            good(tied);
            put_narrow(types[i]);
            CHECK(imports() && told.narrow);
        }
    // Some of them, as mixed files have it.
    good(true);
    put_narrow(SAFETENSORS_BF16);
    for (long t = 0; t < tensors; t += 2) {
        const uint16_t *narrow = tensor[t].from;
        size_t n = bytes_of(&tensor[t]) / 2;
        float *wide = keep(malloc(n * 4));
        for (size_t k = 0; k < n; k++) wide[k] = float_from_bfloat16(narrow[k]);
        tensor[t].from = wide;
        tensor[t].type = SAFETENSORS_F32;
    }
    CHECK(imports() && told.narrow);
}

static void halves_below_their_normal_numbers_are_exact(void) {
    Model m;
    static const uint16_t tiny[6] = {0x0001, 0x8001, 0x03ff, 0x0400, 0x8000, 0x7bff};
    good(true);
    SafetensorsTensor *t = find("transformer.h.0.ln_1.bias");
    t->type = SAFETENSORS_F16;
    t->from = tiny;
    write_folder();
    if (CHECK(imported(&m, (HfSource){0}))) {
        const real *b = m.w.block[0].ln1b;
        CHECK(b[0] == (real)0x1p-24f && b[1] == (real)-0x1p-24f && b[2] == (real)0x3ffp-24f);
        CHECK(b[3] == (real)0x1p-14f && b[4] == 0 && signbit(b[4]) && b[5] == 65504);
    }
    model_free(&m);
}

static void masks_are_left_out_and_counted(void) {
    static const char bools[25];
    static const float floats[25];
    good(true);
    for (int l = 0; l < 2; l++) {
        char name[96];
        snprintf(name, sizeof name, "transformer.h.%d.attn.bias", l);
        SafetensorsTensor *t = add_tensor(name, l ? SAFETENSORS_BOOL : SAFETENSORS_F32, 4, 1, 1,
                                          l ? (const void *)bools : (const void *)floats);
        t->shape[2] = t->shape[3] = 5;
        snprintf(name, sizeof name, "transformer.h.%d.attn.masked_bias", l);
        add_tensor(name, SAFETENSORS_F32, 0, 0, 0, floats);
    }
    CHECK(imports() && told.buffers == 4 && told.missing_biases == 0);
    // Of types that no weight may have.
    find("transformer.h.0.attn.masked_bias")->type = SAFETENSORS_F64;
    find("transformer.h.1.attn.bias")->type = SAFETENSORS_U8;
    CHECK(imports() && told.buffers == 4);
}

static void a_head_that_is_the_embedding_is_tied(void) {
    good(true);
    add_tensor("lm_head.weight", SAFETENSORS_F32, 2, 11, 6, find("transformer.wte.weight")->from);
    CHECK(imports());
    say("tie_word_embeddings", NULL);
    CHECK(imports());
    say("tie_word_embeddings", "false");  // the file has both, and they are equal
    CHECK(imports());
}

static void a_head_alone_is_the_embedding_too(void) {
    good(true);
    strcpy(find("transformer.wte.weight")->name, "lm_head.weight");
    CHECK(imports());
    good_tensors("_orig_mod.", OUT_IN);
    strcpy(find("_orig_mod.wte.weight")->name, "_orig_mod.lm_head.weight");
    CHECK(imports());
}

static void biases_that_are_all_missing_are_none(void) {
    good(false);
    for (long t = 0; t < tensors; t++) CHECK(!strstr(tensor[t].name, ".bias"));
    CHECK(imports() && !told.missing_biases);
}

static void biases_that_are_missing_in_part_are_zeros(void) {
    static const char *const missing[] = {"transformer.h.0.attn.c_attn.bias", "transformer.h.1.ln_2.bias",
                                          "transformer.ln_f.bias"};
    good(true);
    for (int i = 0; i < 3; i++) leave_out(missing[i]);
    for (long i = 0; i < 18; i++) model.w.block[0].qkvb[i] = 0;
    for (long i = 0; i < 6; i++) model.w.block[1].ln2b[i] = model.w.lnfb[i] = 0;
    CHECK(imports() && told.missing_biases == 3);
}

static void the_exact_gelu_is_told(void) {
    good(true);
    say("activation_function", "\"gelu\"");
    CHECK(imports() && told.exact_gelu);
    say("activation_function", "\"gelu_pytorch_tanh\"");
    CHECK(imports() && !told.exact_gelu);
}

static void without_config_the_tensors_and_the_caller_tell_all(void) {
    good(false);
    members = 0;
    CHECK(imports_with((HfSource){.heads = 3}));
    write_folder();
    CHECK(refused_with((HfSource){0}, from, "--n-head does"));
}

static void heads_may_be_told_twice_if_it_is_the_same_number(void) {
    good(true);
    CHECK(imports_with((HfSource){.heads = 2}));
    say("n_head", NULL);
    CHECK(imports_with((HfSource){.heads = 2}));
}

// ---- vocabularies ----

static void ids_in_another_order_move_the_rows(void) {
    for (int tied = 0; tied < 2; tied++) {
        Model m;
        good(tied);
        long V = model.w.config.V, C = model.w.config.C;
        if (tied)
            write_tokenizer("BPE",
                            "\"\\n\": 10, \"\\\"\": 9, \"\\\\\": 8, \"\xc3\xa8\": 7, \"\xc3\xa9\": 6, "
                            "\"\xe6\xbc\xa2\": 5, \"\xe6\xbc\xa3\": 4, \"\xe6\xbd\x80\": 3, "
                            "\"\xf0\x9f\x98\x80\": 0, \"\xf0\x9f\x98\x81\": 1, \"\xf0\x9f\x99\x80\": 2");
        else
            write_tokenizer("WordLevel", "\"b\": 0, \" \": 1, \"a\": 2");
        static const long theirs[2][11] = {{1, 2, 0}, {10, 9, 8, 7, 6, 5, 4, 3, 0, 1, 2}};
        write_folder();
        if (!CHECK(imported(&m, (HfSource){0}) && told.reordered && same_tokenizer(&m.z, &model.z))) return;
        long wrong = 0;
        for (long i = 0; i < V * C; i++) {
            wrong += m.w.wte[i] != model.w.wte[theirs[tied][i / C] * C + i % C];
            wrong += m.w.head[i] != model.w.head[theirs[tied][i / C] * C + i % C];
        }
        CHECK(wrong == 0);
        for (long i = 0; i < model.w.config.T * C; i++) CHECK(m.w.wpe[i] == model.w.wpe[i]);
        model_free(&m);
    }
}

static void a_text_goes_before_tokenizer_json(void) {
    good(false);
    write_tokenizer("Unigram", "");
    write_folder();
    const char *text = path_of("text");
    put_file(text, "ab  ba", 6);
    Model m;
    if (CHECK(imported(&m, (HfSource){.text = text}))) CHECK(same_tokenizer(&m.z, &model.z));
    model_free(&m);
    CHECK(!told.carriage_returns);
    put_file(text, "ab \rba", 6);
    if (CHECK(imported(&m, (HfSource){.text = text})))
        CHECK(told.carriage_returns && same_tokenizer(&m.z, &model.z));
    model_free(&m);
    put_file(text, "ab", 2);
    CHECK(refused_with((HfSource){.text = text}, text, "has 2 different characters, where the model has 3"));
    CHECK(refused_with((HfSource){.text = path_of("none")}, path_of("none"), ""));
}

static void bytes_are_taken_where_the_caller_says_so(void) {
    GptConfig c = {.V = 256, .T = 2, .C = 1, .L = 1, .NH = 1, .tied = true};
    model_free(&model);
    if (!CHECK(model_create(&model, &c, TOKENIZER_BYTE, "", 0, false))) return;
    good_tensors("transformer.", OUT_IN);
    good_config();
    tokenizer[0] = 0;
    CHECK(imports_with((HfSource){.bytes = true}));
}

static void a_vocabulary_that_is_not_there_or_does_not_fit_is_refused(void) {
    good(true);
    tokenizer[0] = 0;
    write_folder();
    CHECK(refused_with((HfSource){0}, from, "which characters its tokens are is not known; --vocab TEXT"));
    put_file(path_of("merges.txt"), "#version\n", 9);
    CHECK(refused_with((HfSource){0}, from, "pieces of words (merges.txt)"));
    unlink(path_of("merges.txt"));
    put_file(path_of("vocab.json"), "{}", 2);
    CHECK(refused_with((HfSource){0}, from, "pieces of words"));
    write_tokenizer("BPE", "\"a\": 0, \"b\": 1");
    write_folder();
    CHECK(refused_with((HfSource){0}, from, "the vocabulary has 2 tokens, the model 11"));
    write_tokenizer("Unigram", "");
    write_folder();
    CHECK(refused_with((HfSource){0}, path_of("tokenizer.json"), "pieces of words (Unigram)"));
}

// ---- config.json ----

static void sizes_that_the_tensors_contradict_are_refused(void) {
    CHECK(config_refused("vocab_size", "12", "vocab_size is 12, but the tensors have 11"));
    CHECK(config_refused("n_positions", "1024", "n_positions is 1024, but the tensors have 5"));
    CHECK(config_refused("n_embd", "768", "n_embd is 768, but the tensors have 6"));
    CHECK(config_refused("n_layer", "1", "n_layer is 1, but the tensors have 2"));
    CHECK(config_refused("n_layer", "0", "n_layer is 0"));
    CHECK(config_refused("n_inner", "25", "n_inner is 25; only 4 n_embd"));
}

static void what_the_config_says_against_our_gpt2_is_refused(void) {
    CHECK(config_refused("model_type", "\"gpt_neo\"", "only gpt2"));
    CHECK(config_refused("activation_function", "\"relu\"", "\"relu\""));
    CHECK(config_refused("layer_norm_epsilon", "1e-6", "1e-06"));
    CHECK(config_refused("scale_attn_weights", "false", "scale_attn_weights"));
    CHECK(config_refused("scale_attn_by_inverse_layer_idx", "true", "scale_attn_by_inverse_layer_idx"));
    CHECK(config_refused("add_cross_attention", "true", "add_cross_attention"));
    CHECK(config_refused("n_ctx", "[", "bad JSON"));
}

static void numbers_of_heads_that_cannot_be_are_refused(void) {
    CHECK(config_refused("n_head", NULL, "n_head is missing"));
    CHECK(config_refused("n_head", "null", "n_head is missing"));
    CHECK(config_refused("n_head", "0", "from 1 to 1000"));
    CHECK(config_refused("n_head", "1001", "from 1 to 1000"));
    CHECK(config_refused("n_head", "9223372036854775807", "from 1 to 1000"));
    good(true);
    say("n_head", "4");
    write_folder();
    CHECK(refused_with((HfSource){0}, from, "6 channels are no multiple of 4 heads"));
    say("n_head", "12");
    write_folder();
    CHECK(refused_with((HfSource){0}, from, "6 channels are no multiple of 12 heads"));
    say("n_head", "2");
    write_folder();
    CHECK(refused_with((HfSource){.heads = 3}, path_of("config.json"), "n_head is 2, not 3"));
}

static void what_the_config_says_of_the_head_must_be_so(void) {
    good(false);
    say("tie_word_embeddings", "true");
    write_folder();
    CHECK(refused_with((HfSource){0}, path_of("config.json"),
                       "tie_word_embeddings is true, but lm_head.weight is not the token embedding"));
    say("tie_word_embeddings", NULL);
    CHECK(imports());
    CHECK(config_refused("tie_word_embeddings", "false", "false, but lm_head.weight is missing"));
}

// ---- tensors ----

static void every_missing_tensor_is_named(void) {
    good(false);
    long count = tensors;
    for (long t = 0; t < count; t++) {
        char quoted[128];
        good(false);
        const char *name = tensor[t].name;
        if (strcmp(name, "lm_head.weight") == 0) continue;
        snprintf(quoted, sizeof quoted, "tensor \"%.95s\" is missing", name + strlen("transformer."));
        tensor[t] = tensor[--tensors];
        if (strstr(quoted, "wte")) {  // the head takes its place
            write_folder();
            CHECK(refused_with((HfSource){0}, path_of("config.json"), "lm_head.weight is missing"));
        } else
            CHECK(refused(quoted));
    }
    good(true);
    leave_out("transformer.wte.weight");
    CHECK(refused("not a GPT-2: tensor \"wte.weight\" is missing"));
}

static void a_layer_that_lacks_a_tensor_is_refused(void) {
    good(true);
    leave_out("transformer.h.1.ln_1.weight");
    CHECK(refused("tensor \"h.1.ln_1.weight\" is missing"));
    good(true);
    leave_out("transformer.h.0.attn.c_attn.weight");
    CHECK(refused("tensor \"h.0.attn.c_attn.weight\" is missing"));
}

static void every_wrong_shape_is_named(void) {
    good(false);
    long count = tensors;
    for (long t = 0; t < count; t++) {
        char quoted[128];
        good(false);
        SafetensorsTensor *wrong = &tensor[t];
        snprintf(quoted, sizeof quoted, "tensor \"%.95s\" ", wrong->name);
        if (wrong->dims == 1) {  // (C) as (C,1)
            wrong->dims = 2;
            wrong->shape[1] = 1;
        } else {  // a matrix as a vector
            wrong->dims = 1;
            wrong->shape[0] *= wrong->shape[1];
        }
        if (!CHECK(refused(quoted))) printf("  %s\n", quoted);
    }
}

// It has the bytes of the embedding, but not its shape.
static void a_head_of_another_shape_is_not_the_embedding(void) {
    good(true);
    add_tensor("lm_head.weight", SAFETENSORS_F32, 2, 6, 11, find("transformer.wte.weight")->from);
    say("tie_word_embeddings", NULL);
    CHECK(refused("tensor \"lm_head.weight\" does not have the shape (11, 6)"));
    find("lm_head.weight")->dims = 1;
    find("lm_head.weight")->shape[0] = 66;
    CHECK(refused("tensor \"lm_head.weight\" does not have the shape (11, 6)"));
}

static void a_matrix_turned_alone_is_refused(void) {
    static const char *const names[] = {"transformer.h.0.mlp.c_fc.weight",
                                        "transformer.h.1.mlp.c_proj.weight",
                                        "transformer.h.1.attn.c_attn.weight"};
    for (int i = 0; i < 3; i++) {
        good(true);
        SafetensorsTensor *t = find(names[i]);
        int64_t rows = t->shape[0];
        t->shape[0] = t->shape[1];
        t->shape[1] = rows;
        CHECK(refused(names[i]) && strstr(err.text, "does not have the shape ("));
    }
}

static void an_mlp_of_another_width_is_refused(void) {
    static const float zeros[6 * 30];
    good(true);
    for (int l = 0; l < 2; l++) {
        char name[96];
        snprintf(name, sizeof name, "transformer.h.%d.mlp.c_fc.weight", l);
        SafetensorsTensor *fc = find(name);
        fc->shape[1] = 30;
        fc->from = zeros;
        snprintf(name, sizeof name, "transformer.h.%d.mlp.c_proj.weight", l);
        SafetensorsTensor *proj = find(name);
        proj->shape[0] = 30;
        proj->from = zeros;
    }
    CHECK(refused("does not have the shape (6, 24)"));
}

static void an_unknown_tensor_is_named(void) {
    static const float zeros[8];
    static const char *const names[] = {"transformer.h.0.attn.rotary.weight", "extra", "score.weight",
                                        "transformer.h.0.crossattention.c_attn.weight", "transformer.h.x.y"};
    for (int i = 0; i < 5; i++) {
        char quoted[128];
        good(true);
        add_tensor(names[i], SAFETENSORS_F32, 1, 8, 0, zeros);
        snprintf(quoted, sizeof quoted, "tensor \"%s\" is no part of GPT-2", names[i]);
        CHECK(refused(quoted));
    }
    good(true);  // one in the place of another that may be missing
    strcpy(find("transformer.h.0.ln_1.bias")->name, "transformer.h.0.ln_3.bias");
    CHECK(refused("tensor \"transformer.h.0.ln_3.bias\" is no part"));
    good(false);  // a bias of the head
    add_tensor("lm_head.bias", SAFETENSORS_F32, 1, 3, 0, zeros);
    CHECK(refused("\"lm_head.bias\" is no part"));
}

static void a_name_that_stands_twice_under_different_prefixes_is_refused(void) {
    good(true);
    SafetensorsTensor *t = find("transformer.h.1.mlp.c_fc.bias");
    add_tensor("module.h.1.mlp.c_fc.bias", SAFETENSORS_F32, 1, t->shape[0], 0, t->from);
    CHECK(refused("tensor \"h.1.mlp.c_fc.bias\" stands twice, under different prefixes"));
    good(true);
    const void *wte = find("transformer.wte.weight")->from;
    strcpy(find("transformer.wte.weight")->name, "lm_head.weight");
    add_tensor("module.lm_head.weight", SAFETENSORS_F32, 2, 11, 6, wte);
    CHECK(refused("stands twice"));
}

static void numbers_of_other_types_are_refused(void) {
    static const SafetensorsType types[] = {SAFETENSORS_F64, SAFETENSORS_I64, SAFETENSORS_I32,
                                            SAFETENSORS_I16, SAFETENSORS_I8,  SAFETENSORS_U8,
                                            SAFETENSORS_BOOL};
    static const double zeros[6];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char quoted[200];
        good(true);
        SafetensorsTensor *t = find("transformer.h.1.ln_2.weight");
        t->type = types[i];
        t->from = zeros;
        snprintf(quoted, sizeof quoted, "\"%.95s\" is %s; F32, F16 and BF16 can be imported", t->name,
                 SAFETENSORS_TYPE_NAME[types[i]]);
        CHECK(refused(quoted));
    }
}

static void sizes_out_of_range_are_refused(void) {
    static const char none[4];
    good(true);
    SafetensorsTensor *t = find("transformer.wte.weight");
    t->shape[0] = 0;
    CHECK(refused("0 tokens; from 1 to"));
    t->shape[0] = 11;
    t->shape[1] = 0;
    CHECK(refused("0 channels; from 1 to"));
    good(true);
    find("transformer.wpe.weight")->shape[0] = 0;
    CHECK(refused("0 positions; from 1 to"));
    good(true);
    add_tensor("transformer.h.1000000.x", SAFETENSORS_F32, 1, 0, 0, none);
    CHECK(refused("1000001 layers; from 1 to"));
    good(true);
    add_tensor("transformer.h.99999999999999999999.x", SAFETENSORS_F32, 1, 0, 0, none);
    CHECK(refused("is no part of GPT-2"));
}

static void a_name_of_nothing_but_prefixes_is_refused_however_long_it_is(void) {
    enum { TIMES = 1 << 20 };
    static const char *const parts[] = {"{\"",
                                        "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}"};
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&bytes, &n);
    if (!f) abort();
    fprintf(f, "12345678%s", parts[0]);
    for (long i = 0; i < TIMES; i++) fputs(i % 2 ? "model." : "module.", f);
    fputs(parts[1], f);
    fclose(f);
    for (int i = 0; i < 8; i++) bytes[i] = (char)((uint64_t)(n - 8) >> 8 * i);
    empty_folder();
    put_file(path_of("model.safetensors"), bytes, n);
    free(bytes);
    CHECK(refused_with((HfSource){0}, path_of("model.safetensors"), "not a GPT-2"));
}

// Left to the command, which names the tensor.
static void numbers_that_are_none_are_read_as_they_are(void) {
    static const float numbers[6] = {1, NAN, INFINITY, -INFINITY, 0, 1};
    Model m;
    good(true);
    find("transformer.h.0.ln_1.weight")->from = numbers;
    write_folder();
    if (CHECK(imported(&m, (HfSource){0}))) {
        CHECK(isnan(m.w.block[0].ln1w[1]) && isinf(m.w.block[0].ln1w[2]));
        const char *bad = weights_first_nonfinite(&m.w, false);
        CHECK(bad && strcmp(bad, "transformer.h.0.ln_1.weight") == 0);
    }
    model_free(&m);
}

// ---- files ----

static void a_folder_without_weights_is_told_where_they_may_be(void) {
    static const char *const hints[][2] = {{"README.md", "is this the folder of a model?"},
                                           {"ckpt.pt", "nanoGPT's ckpt.pt must be saved as safetensors"},
                                           {"pytorch_model.bin", "safe_serialization=True"},
                                           {"model.safetensors.index.json", "it is in several parts"}};
    empty_folder();
    for (int i = 0; i < 4; i++) {
        put_file(path_of(hints[i][0]), "x", 1);
        CHECK(refused_with((HfSource){0}, path_of("model.safetensors"), hints[i][1]));
    }
}

static void files_of_pytorch_are_told_from_others(void) {
    empty_folder();
    put_file(path_of("model.safetensors"), "PK\3\4 and the rest of a zip", 25);
    CHECK(refused_with((HfSource){0}, path_of("model.safetensors"), "a file of PyTorch, not safetensors"));
    CHECK(strstr(err.text, "save_file") != NULL);
    put_file(path_of("ckpt.pt"), "\x80\2}q\0and so on, as a pickle", 26);
    CHECK(refused_with((HfSource){.path = path_of("ckpt.pt"), .heads = 1}, path_of("ckpt.pt"),
                       "a file of PyTorch"));
}

// The length of a header begins with the same bytes as a pickle or a zip.
static void a_header_of_any_length_is_no_pickle(void) {
    static const size_t lengths[] = {0x4b50, 0x10280};
    for (int i = 0; i < 2; i++) {
        good(true);
        size_t n = 0;
        write_tensors(in_folder("probe"));
        char *bytes = get_file(in_folder("probe"), &n);
        size_t length = (unsigned char)bytes[0] | (size_t)(unsigned char)bytes[1] << 8;
        free(bytes);
        // A metadata entry fills the header up.
        static const char key[] = ",\"fill\":\"\"";
        if (lengths[i] < length + sizeof key) continue;
        size_t fill = lengths[i] - length - (sizeof key - 1);
        char *filling = malloc(fill + 1);
        if (!filling) abort();
        memset(filling, 'x', fill);
        filling[fill] = 0;
        if (!metadata_put(&metadata, "fill", filling, fill, &err)) abort();
        free(filling);
        CHECK(imports());
        bytes = get_file(path_of("model.safetensors"), &n);
        CHECK(((unsigned char)bytes[0] | (size_t)(unsigned char)bytes[1] << 8 |
               (size_t)(unsigned char)bytes[2] << 16) == lengths[i]);
        free(bytes);
    }
}

static void a_damaged_file_is_refused(void) {
    size_t n = 0;
    good(true);
    write_folder();
    const char *path = path_of("model.safetensors");
    char *bytes = get_file(path, &n);
    for (size_t cut = 0; cut < n; cut += cut < 3000 ? 61 : 997) {
        put_file(path, bytes, cut);
        CHECK(refused_with((HfSource){0}, path, ""));
    }
    put_file(path, bytes, n - 1);
    CHECK(refused_with((HfSource){0}, path, "cut short or damaged"));
    char *longer = malloc(n + 1);
    if (!longer) abort();
    memcpy(longer, bytes, n);
    longer[n] = 0;
    put_file(path, longer, n + 1);
    CHECK(refused_with((HfSource){0}, path, "damaged"));
    free(longer);
    free(bytes);
}

static void what_is_not_there_is_named(void) {
    remove_all(from);
    CHECK(refused_with((HfSource){0}, from, ""));
    CHECK(refused_with((HfSource){.path = path_of("model.safetensors")}, path_of("model.safetensors"), ""));
}

int main(void) {
    folder_make();
    strcpy(from, in_folder("from"));
    RUN(an_exported_model_comes_back_bit_by_bit);
    RUN(a_vocabulary_of_controls_and_nul_comes_back);
    RUN(a_capped_vocabulary_comes_back_capped);
    RUN(bytes_come_back);
    RUN(the_smallest_and_the_negative_zero_come_back);
    RUN(biases_that_are_zero_no_more_are_biases);
    RUN(names_may_have_any_of_the_usual_prefixes);
    RUN(matrices_of_nn_linear_are_taken_as_they_are);
    RUN(a_lone_file_needs_the_number_of_heads_and_a_text);
    RUN(numbers_of_16_bits_are_widened);
    RUN(halves_below_their_normal_numbers_are_exact);
    RUN(masks_are_left_out_and_counted);
    RUN(a_head_that_is_the_embedding_is_tied);
    RUN(a_head_alone_is_the_embedding_too);
    RUN(biases_that_are_all_missing_are_none);
    RUN(biases_that_are_missing_in_part_are_zeros);
    RUN(the_exact_gelu_is_told);
    RUN(without_config_the_tensors_and_the_caller_tell_all);
    RUN(heads_may_be_told_twice_if_it_is_the_same_number);
    RUN(ids_in_another_order_move_the_rows);
    RUN(a_text_goes_before_tokenizer_json);
    RUN(bytes_are_taken_where_the_caller_says_so);
    RUN(a_vocabulary_that_is_not_there_or_does_not_fit_is_refused);
    RUN(sizes_that_the_tensors_contradict_are_refused);
    RUN(what_the_config_says_against_our_gpt2_is_refused);
    RUN(numbers_of_heads_that_cannot_be_are_refused);
    RUN(what_the_config_says_of_the_head_must_be_so);
    RUN(every_missing_tensor_is_named);
    RUN(a_layer_that_lacks_a_tensor_is_refused);
    RUN(every_wrong_shape_is_named);
    RUN(a_head_of_another_shape_is_not_the_embedding);
    RUN(a_matrix_turned_alone_is_refused);
    RUN(an_mlp_of_another_width_is_refused);
    RUN(an_unknown_tensor_is_named);
    RUN(a_name_that_stands_twice_under_different_prefixes_is_refused);
    RUN(numbers_of_other_types_are_refused);
    RUN(sizes_out_of_range_are_refused);
    RUN(a_name_of_nothing_but_prefixes_is_refused_however_long_it_is);
    RUN(numbers_that_are_none_are_read_as_they_are);
    RUN(a_folder_without_weights_is_told_where_they_may_be);
    RUN(files_of_pytorch_are_told_from_others);
    RUN(a_header_of_any_length_is_no_pickle);
    RUN(a_damaged_file_is_refused);
    RUN(what_is_not_there_is_named);
    model_free(&model);
    metadata_free(&metadata);
    return report();
}
