// test_gguf.c -- whole files against those of another converter, and what those do not show, read by a small
// reader of the format.
#include "../export/gguf.h"
#include "../export/half.h"
#include "export_model.h"
#include "folder.h"

static Error err;
static GgufReport told;
static char path[600];

static bool export(const Model *m, const char *name, bool half) {
    GgufOptions o = {.name = name, .half = half};
    memset(&told, 0xff, sizeof told);
    err.text[0] = 0;
    return gguf_export(path, &m->w, &m->z, &o, &told, &err);
}

static bool exported(const Model *m, bool half) {
    bool good = export(m, "model", half);
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

// One line that names the file and holds `part`; and there is nothing new in the folder.
static bool refused(const Model *m, bool half, const char *part) {
    int files = files_in(folder);
    if (export(m, "model", half)) return false;
    bool good = one_line_naming(err.text, path) && strstr(err.text, part) && files_in(folder) == files;
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

// ---- a reader ----

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9, MOST_TENSORS = 64 };

typedef struct {
    const char *bytes;
    size_t length;
} Piece;

typedef struct {
    Piece name;
    uint32_t dims, type;
    uint64_t ne[2], offset;
} Entry;

typedef struct {
    char *bytes;
    size_t n, at;
    uint64_t tensors, keys;
    size_t keys_begin, data;
    Entry entry[MOST_TENSORS];
} File;

// Reading past the end ends the test: no file here may ask for it.
static const char *take(File *f, size_t n) {
    if (n > f->n - f->at) {
        printf("%s: ends too early\n", path);
        exit(1);
    }
    f->at += n;
    return f->bytes + f->at - n;
}

static uint64_t number(File *f, int bytes) {
    const unsigned char *p = (const unsigned char *)take(f, (size_t)bytes);
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}

static Piece piece(File *f) {
    size_t n = (size_t)number(f, 8);
    return (Piece){take(f, n), n};
}

static bool piece_is(Piece p, const char *text) {
    return p.length == strlen(text) && memcmp(p.bytes, text, p.length) == 0;
}

static void pass_value(File *f, uint32_t type) {
    if (type == STRING)
        (void)piece(f);
    else if (type == ARRAY) {
        uint32_t of = (uint32_t)number(f, 4);
        for (uint64_t i = number(f, 8); i > 0; i--) pass_value(f, of);
    } else
        (void)take(f, type == BOOL ? 1 : 4);
}

static void file_open(File *f) {
    *f = (File){0};
    f->bytes = get_file(path, &f->n);
    CHECK(memcmp(take(f, 4), "GGUF", 4) == 0 && number(f, 4) == 3);
    f->tensors = number(f, 8);
    f->keys = number(f, 8);
    f->keys_begin = f->at;
    if (f->tensors > MOST_TENSORS) abort();
    for (uint64_t i = 0; i < f->keys; i++) {
        (void)piece(f);
        pass_value(f, (uint32_t)number(f, 4));
    }
    for (uint64_t i = 0; i < f->tensors; i++) {
        Entry *e = &f->entry[i];
        e->name = piece(f);
        e->dims = (uint32_t)number(f, 4);
        if (e->dims < 1 || e->dims > 2) abort();
        e->ne[1] = 1;
        for (uint32_t d = 0; d < e->dims; d++) e->ne[d] = number(f, 8);
        e->type = (uint32_t)number(f, 4);
        e->offset = number(f, 8);
    }
    f->data = (f->at + 31) / 32 * 32;
}

static void file_close(File *f) { free(f->bytes); }

// Leaves f->at at the value of a key of this type; the number of elements for an array.
static uint64_t find_key(File *f, const char *name, uint32_t type, uint32_t of) {
    f->at = f->keys_begin;
    for (uint64_t i = 0; i < f->keys; i++) {
        bool it = piece_is(piece(f), name);
        uint32_t is = (uint32_t)number(f, 4);
        if (!it)
            pass_value(f, is);
        else if (is == type && (type != ARRAY || number(f, 4) == of))
            return type == ARRAY ? number(f, 8) : 1;
    }
    printf("%s: no key %s of this type\n", path, name);
    exit(1);
}

static uint32_t key_u32(File *f, const char *name) {
    find_key(f, name, U32, 0);
    return (uint32_t)number(f, 4);
}

static const Entry *find_tensor(const File *f, const char *name) {
    for (uint64_t i = 0; i < f->tensors; i++)
        if (piece_is(f->entry[i].name, name)) return &f->entry[i];
    printf("%s: no tensor %s\n", path, name);
    exit(1);
}

// Numbers as floats; kept until the program ends.
static float *numbers(File *f, const char *name) {
    const Entry *e = find_tensor(f, name);
    uint64_t n = e->ne[0] * e->ne[1];
    float *x = keep(malloc(n * sizeof *x + 1));
    f->at = f->data + e->offset;
    for (uint64_t i = 0; i < n; i++)
        x[i] = e->type == 0 ? float_of_bits((uint32_t)number(f, 4)) : float_from_half((uint16_t)number(f, 2));
    return x;
}

static bool equal(const float *a, const real *b, long n) {
    for (long i = 0; i < n; i++)
        if (a[i] != (float)b[i]) return false;
    return true;
}

// ---- whole files ----

static bool has_the_bytes_of(const char *golden_file) {
    size_t n = 0, m = 0;
    char *expected = get_file(golden_file, &n), *found = get_file(path, &m);
    bool same = expected && found && n == m && memcmp(expected, found, n) == 0;
    for (size_t i = 0; expected && found && i < n && i < m; i++)
        if (expected[i] != found[i]) {
            printf("  %s: differs at byte %zu\n", golden_file, i);
            break;
        }
    free(expected);
    free(found);
    return same;
}

static void the_files_have_the_bytes_that_another_converter_writes(void) {
    Model m;
    if (!CHECK(model_tied(&m) && export(&m, "tied", false))) return;
    CHECK(has_the_bytes_of("tests/golden/export/tied.gguf"));
    CHECK(told.bias_shift == 0 && !told.end_may_be_sampled);
    model_free(&m);
    if (!CHECK(model_untied(&m) && export(&m, "untied", false))) return;
    CHECK(has_the_bytes_of("tests/golden/export/untied.gguf"));
    CHECK(told.bias_shift > 2e-4 && told.bias_shift < 2.2e-4 && !told.end_may_be_sampled);
    model_free(&m);
}

static void writing_twice_gives_equal_bytes_and_leaves_nothing_beside_them(void) {
    Model m;
    for (int half = 0; half < 2; half++) {
        if (!CHECK(model_tied(&m) && exported(&m, half))) return;
        size_t n = 0;
        char *first = get_file(path, &n);
        CHECK(told.bytes == n);
        CHECK(exported(&m, half) && file_is(path, first, n) && files_in(folder) == 1);
        free(first);
        model_free(&m);
    }
}

// ---- the end-of-text row ----

// The largest distance of the end-of-text logit from -100, over random inputs of the last norm; or from what
// is expected instead.
static double end_logit_error(File *f, long V, long C, double expected) {
    const float *g = numbers(f, "output_norm.weight"), *b = numbers(f, "output_norm.bias"),
                *e = numbers(f, "output.weight") + V * C;
    double worst = 0;
    for (int trial = 0; trial < 100; trial++) {
        const real *u = normals(C);
        double mean = 0, square = 0, logit = 0;
        for (long i = 0; i < C; i++) mean += (double)u[i] / (double)C;
        for (long i = 0; i < C; i++) square += ((double)u[i] - mean) * ((double)u[i] - mean) / (double)C;
        for (long i = 0; i < C; i++) {
            float h = (float)(((double)u[i] - mean) / sqrt(square)) * g[i] + b[i];
            logit += (double)e[i] * (double)h;
        }
        worst = fmax(worst, fabs(logit - expected));
    }
    return worst;
}

static void the_end_of_text_has_a_logit_of_minus_a_hundred_whatever_the_text(void) {
    Model m;
    File f;
    if (!CHECK(model_tied(&m) && exported(&m, false))) return;
    file_open(&f);
    CHECK_NEAR(end_logit_error(&f, 11, 6, -100), 0, 0.05);
    CHECK(equal(numbers(&f, "output_norm.bias"), m.w.lnfb, 6));
    CHECK(equal(numbers(&f, "output_norm.weight"), m.w.lnfw, 6));
    file_close(&f);
    model_free(&m);
}

// The last norm's bias is this times its weight, so that the sum of their quotients is 6 times this.
static void shifted_by(double quotient, double expected) {
    Model m;
    File f;
    if (!CHECK(model_tied(&m))) return;
    for (long i = 0; i < 6; i++) m.w.lnfb[i] = (real)quotient * m.w.lnfw[i];
    if (CHECK(exported(&m, false))) {
        file_open(&f);
        const float *b = numbers(&f, "output_norm.bias");
        double most = 0;
        for (long i = 0; i < 6; i++) {
            CHECK_NEAR(b[i], expected / 6 * (double)m.w.lnfw[i], 1e-9);
            most = fmax(most, fabs((double)b[i] - (double)m.w.lnfb[i]));
        }
        CHECK_NEAR(told.bias_shift, most, 1e-12);
        CHECK(!told.end_may_be_sampled);
        CHECK_NEAR(end_logit_error(&f, 11, 6, -100), 0, 0.5);
        file_close(&f);
    }
    model_free(&m);
}

static void a_bias_that_leaves_the_row_too_large_is_shifted_a_little(void) {
    shifted_by(0, 1e-3);
    shifted_by(0.5e-3 / 6, 1e-3);
    shifted_by(-0.5e-3 / 6, -1e-3);
    shifted_by(-1e-9, -1e-3);
}

static void a_bias_that_leaves_room_is_not_shifted(void) {
    Model m;
    for (int sign = -1; sign <= 1; sign += 2) {
        if (!CHECK(model_tied(&m))) return;
        for (long i = 0; i < 6; i++) m.w.lnfb[i] = (real)(sign * 1.01e-3 / 6) * m.w.lnfw[i];
        CHECK(exported(&m, false) && told.bias_shift == 0);
        model_free(&m);
    }
}

static void a_norm_that_is_almost_zero_somewhere_gets_a_row_of_zeros_and_a_report(void) {
    static const double almost[] = {0, 0.9e-3, -0.9e-3, 1e-30};
    Model m;
    File f;
    for (int i = 0; i < 4; i++) {
        if (!CHECK(model_tied(&m))) return;
        m.w.lnfw[3] = (real)almost[i];
        if (!CHECK(exported(&m, false))) return;
        CHECK(told.end_may_be_sampled && told.bias_shift == 0);
        file_open(&f);
        CHECK(end_logit_error(&f, 11, 6, 0) == 0);
        CHECK(equal(numbers(&f, "output_norm.bias"), m.w.lnfb, 6));
        file_close(&f);
        model_free(&m);
    }
    if (!CHECK(model_tied(&m))) return;
    m.w.lnfw[3] = (real)-1.1e-3;
    CHECK(exported(&m, false) && !told.end_may_be_sampled);
    model_free(&m);
}

static void biases_so_large_that_a_shift_is_lost_get_a_row_of_zeros_and_a_report(void) {
    Model m;
    File f;
    if (!CHECK(model_tied(&m))) return;
    for (int i = 0; i < 6; i++) {
        m.w.lnfw[i] = 1;
        m.w.lnfb[i] = i % 2 ? (real)-1e6 : (real)1e6;
    }
    if (!CHECK(exported(&m, false))) return;
    CHECK(told.end_may_be_sampled);
    file_open(&f);
    CHECK(end_logit_error(&f, 11, 6, 0) == 0);
    file_close(&f);
    model_free(&m);
}

static void without_a_new_line_the_last_row_of_the_embedding_is_the_first(void) {
    Model m;
    File f;
    if (!CHECK(model_untied(&m) && exported(&m, false))) return;
    file_open(&f);
    CHECK(equal(numbers(&f, "token_embd.weight") + 3 * 6, m.w.wte, 6));
    CHECK(equal(numbers(&f, "output.weight"), m.w.head, 3 * 6));
    file_close(&f);
    model_free(&m);
}

// ---- 16 bits ----

static void matrices_have_16_bits_and_all_else_32(void) {
    Model m;
    File f;
    if (!CHECK(model_tied(&m))) return;
    for (long i = 0; i < m.w.tensors; i++) {  // numbers that no half is
        const Tensor *t = &m.w.tensor[i];
        const real *x = normals(t->size);
        for (long k = 0; k < t->size; k++)
            if (strcmp(t->name, "transformer.ln_f.weight") != 0) m.w.memory[t->offset + k] = x[k];
    }
    if (!CHECK(exported(&m, true))) return;
    file_open(&f);
    CHECK(key_u32(&f, "general.file_type") == 1);
    const struct {
        const char *name;
        const real *from;
        long n;
        uint32_t type;
    } expected[] = {
        {"token_embd.weight", m.w.wte, 66, 1},
        {"position_embd.weight", m.w.wpe, 30, 0},
        {"blk.1.attn_norm.weight", m.w.block[1].ln1w, 6, 0},
        {"blk.1.attn_norm.bias", m.w.block[1].ln1b, 6, 0},
        {"blk.1.attn_qkv.weight", m.w.block[1].qkvw, 108, 1},
        {"blk.1.attn_qkv.bias", m.w.block[1].qkvb, 18, 0},
        {"blk.1.attn_output.weight", m.w.block[1].attprojw, 36, 1},
        {"blk.1.ffn_up.weight", m.w.block[1].fcw, 144, 1},
        {"blk.1.ffn_up.bias", m.w.block[1].fcb, 24, 0},
        {"blk.1.ffn_down.weight", m.w.block[1].fcprojw, 144, 1},
        {"output_norm.weight", m.w.lnfw, 6, 0},
        {"output.weight", m.w.head, 66, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const float *x = numbers(&f, expected[i].name);
        long wrong = 0;
        for (long k = 0; k < expected[i].n; k++) {
            float full = (float)expected[i].from[k];
            wrong += x[k] != (expected[i].type ? float_from_half(half_from_float(full)) : full);
        }
        if (!CHECK(wrong == 0 && find_tensor(&f, expected[i].name)->type == expected[i].type))
            printf("  in %s\n", expected[i].name);
    }
    const float *wte = numbers(&f, "token_embd.weight");
    CHECK(memcmp(wte + 66, wte, 6 * sizeof *wte) == 0);  // a new line is the first token here
    // Each tensor begins where the one before ends, at a multiple of 32, and the last fills up the file.
    uint64_t at = 0;
    for (uint64_t i = 0; i < f.tensors; i++) {
        const Entry *e = &f.entry[i];
        CHECK(e->offset == at);
        at += (e->ne[0] * e->ne[1] * (e->type ? 2 : 4) + 31) / 32 * 32;
    }
    CHECK(f.data + at == f.n && f.tensors == 5 + 12 * 2);
    file_close(&f);
    model_free(&m);
}

static void a_number_too_large_for_16_bits_is_refused_with_its_name_and_nothing_stays_behind(void) {
    Model m;
    if (!CHECK(model_tied(&m) && exported(&m, false))) return;
    size_t n = 0;
    char *before = get_file(path, &n);
    m.w.block[1].qkvw[7] = 65520;
    CHECK(refused(&m, true, "\"blk.1.attn_qkv.weight\" holds a number that 16 bits cannot hold; --dtype"));
    CHECK(file_is(path, before, n));
    m.w.block[1].qkvw[7] = -65519;
    CHECK(exported(&m, true));
    m.w.wte[5] = -70000;  // of the new line, which stands there twice; and in the head, of 32 bits
    CHECK(refused(&m, true, "\"token_embd.weight\" holds"));
    m.w.wte[5] = 1;
    m.w.wpe[3] = m.w.block[0].fcb[1] = 1e6;
    CHECK(exported(&m, true));
    unlink(path);
    m.w.block[0].fcprojw[0] = (real)1e30;
    CHECK(refused(&m, true, "\"blk.0.ffn_down.weight\" holds") && files_in(folder) == 0);
    CHECK(exported(&m, false));
    free(before);
    model_free(&m);
}

static void a_number_too_large_for_32_bits_is_refused(void) {
    Model m;
    if (!CHECK(model_tied(&m))) return;
    m.w.wpe[3] = REAL_IS_FLOAT ? (real)INFINITY : (real)1e39;
    CHECK(refused(&m, false, "\"position_embd.weight\" holds a number that 32 bits cannot hold"));
    CHECK(!strstr(err.text, "--dtype"));
    model_free(&m);
}

// ---- sizes and vocabularies ----

static void more_layers_than_llama_reads_are_refused(void) {
    Model m;
    GptConfig c = {.V = 2, .T = 1, .C = 1, .L = GGUF_LAYERS + 1, .NH = 1, .tied = true};
    unlink(path);
    if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, "ab", 2, false))) return;
    CHECK(refused(&m, false, "513 layers"));
    model_free(&m);
    c.L = GGUF_LAYERS;
    if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, "ab", 2, false))) return;
    CHECK(exported(&m, false));
    model_free(&m);
}

static void the_keys_tell_the_sizes(void) {
    Model m;
    File f;
    GptConfig c = {.V = 2, .T = 7, .C = 15, .L = 3, .NH = 5, .bias = true};
    if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, "ab", 2, false))) return;
    if (!CHECK(export(&m, "a \"name\"\xc3\xa9", false))) return;
    file_open(&f);
    CHECK(f.keys == 19 && f.tensors == 5 + 12 * 3);
    find_key(&f, "general.name", STRING, 0);
    CHECK(piece_is(piece(&f), "a \"name\"\xc3\xa9"));
    CHECK(key_u32(&f, "general.file_type") == 0 && key_u32(&f, "gpt2.context_length") == 7);
    CHECK(key_u32(&f, "gpt2.embedding_length") == 15 && key_u32(&f, "gpt2.block_count") == 3);
    CHECK(key_u32(&f, "gpt2.feed_forward_length") == 60 && key_u32(&f, "gpt2.attention.head_count") == 5);
    CHECK(key_u32(&f, "tokenizer.ggml.bos_token_id") == 2 && key_u32(&f, "tokenizer.ggml.eos_token_id") == 2);
    find_key(&f, "gpt2.attention.layer_norm_epsilon", F32, 0);
    CHECK(float_of_bits((uint32_t)number(&f, 4)) == 1e-5f);
    const Entry *up = find_tensor(&f, "blk.2.ffn_up.weight"),
                *down = find_tensor(&f, "blk.2.ffn_down.weight");
    CHECK(up->ne[0] == 15 && up->ne[1] == 60 && down->ne[0] == 60 && down->ne[1] == 15);
    file_close(&f);
    model_free(&m);
}

static void bytes_are_tokens_by_their_letters_and_need_no_merges(void) {
    Model m;
    File f;
    GptConfig c = {.V = 256, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    if (!CHECK(model_create(&m, &c, TOKENIZER_BYTE, "", 0, false) && exported(&m, false))) return;
    file_open(&f);
    CHECK(find_key(&f, "tokenizer.ggml.merges", ARRAY, STRING) == 0);
    if (!CHECK(find_key(&f, "tokenizer.ggml.tokens", ARRAY, STRING) == 257)) return;
    for (int byte = 0; byte < 256; byte++) {
        Piece token = piece(&f);
        if (byte == 0) CHECK(piece_is(token, "\xc4\x80"));
        if (byte == '\n') CHECK(piece_is(token, "\xc4\x8a"));
        if (byte == ' ') CHECK(piece_is(token, "\xc4\xa0"));
        if (byte == 'a') CHECK(piece_is(token, "a"));
        if (byte == 0xff) CHECK(piece_is(token, "\xc3\xbf"));
    }
    CHECK(piece_is(piece(&f), "<|endoftext|>"));
    CHECK(find_key(&f, "tokenizer.ggml.token_type", ARRAY, I32) == 257);
    for (int i = 0; i <= 256; i++) CHECK(number(&f, 4) == (i < 256 ? 1 : 3));
    CHECK(equal(numbers(&f, "token_embd.weight") + 512, m.w.wte + '\n' * 2, 2));
    file_close(&f);
    model_free(&m);
}

// U+FFFD, which stands for all that the model does not know, is a character like another here.
static void a_capped_vocabulary_is_written_as_it_is(void) {
    Model m;
    File f;
    GptConfig c = {.V = 3, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, "\nz\xef\xbf\xbd", 5, true) && exported(&m, false)))
        return;
    file_open(&f);
    CHECK(find_key(&f, "tokenizer.ggml.tokens", ARRAY, STRING) == 4);
    CHECK(piece_is(piece(&f), "\xc4\x8a") && piece_is(piece(&f), "z"));
    CHECK(piece_is(piece(&f), "\xc3\xaf\xc2\xbf\xc2\xbd"));
    CHECK(find_key(&f, "tokenizer.ggml.merges", ARRAY, STRING) == 2);
    CHECK(piece_is(piece(&f), "\xc3\xaf \xc2\xbf") && piece_is(piece(&f), "\xc3\xaf\xc2\xbf \xc2\xbd"));
    file_close(&f);
    model_free(&m);
}

// Of two, three and four bytes, some of them side by side and some far apart.
static void no_merge_stands_there_twice(void) {
    enum { CHARACTERS = 1800, EACH = CHARACTERS / 3 };
    static char characters[CHARACTERS * UTF8_MOST];
    size_t n = 0;
    for (uint32_t k = 0; k < EACH; k++) n += (size_t)utf8_encode(0x80 + k, characters + n);
    for (uint32_t k = 0; k < EACH; k++) n += (size_t)utf8_encode(0x800 + 37 * k, characters + n);
    for (uint32_t k = 0; k < EACH; k++) n += (size_t)utf8_encode(0xffc0 + 99 * k, characters + n);
    Model m;
    File f;
    GptConfig c = {.V = CHARACTERS, .T = 1, .C = 1, .L = 1, .NH = 1, .bias = true, .tied = true};
    if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, characters, n, false) && exported(&m, false))) return;
    file_open(&f);
    uint64_t merges = find_key(&f, "tokenizer.ggml.merges", ARRAY, STRING), twice = 0;
    Piece *merge = keep(malloc(merges * sizeof *merge + 1));
    for (uint64_t i = 0; i < merges; i++) {
        merge[i] = piece(&f);
        for (uint64_t k = 0; k < i; k++)
            twice += merge[k].length == merge[i].length &&
                     memcmp(merge[k].bytes, merge[i].bytes, merge[i].length) == 0;
    }
    CHECK(twice == 0 && merges >= CHARACTERS);
    file_close(&f);
    model_free(&m);
}

static void a_folder_that_is_not_there_is_named(void) {
    Model m;
    char before[600];
    if (!CHECK(model_untied(&m))) return;
    strcpy(before, path);
    snprintf(path, sizeof path, "%.400s/missing/m.gguf", folder);
    CHECK(!export(&m, "m", false) && strstr(err.text, path) && !strchr(err.text, '\n'));
    strcpy(path, before);
    model_free(&m);
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("model.gguf"));
    RUN(the_files_have_the_bytes_that_another_converter_writes);
    RUN(writing_twice_gives_equal_bytes_and_leaves_nothing_beside_them);
    RUN(the_end_of_text_has_a_logit_of_minus_a_hundred_whatever_the_text);
    RUN(a_bias_that_leaves_the_row_too_large_is_shifted_a_little);
    RUN(a_bias_that_leaves_room_is_not_shifted);
    RUN(a_norm_that_is_almost_zero_somewhere_gets_a_row_of_zeros_and_a_report);
    RUN(biases_so_large_that_a_shift_is_lost_get_a_row_of_zeros_and_a_report);
    RUN(without_a_new_line_the_last_row_of_the_embedding_is_the_first);
    RUN(matrices_have_16_bits_and_all_else_32);
    RUN(a_number_too_large_for_16_bits_is_refused_with_its_name_and_nothing_stays_behind);
    RUN(a_number_too_large_for_32_bits_is_refused);
    RUN(more_layers_than_llama_reads_are_refused);
    RUN(the_keys_tell_the_sizes);
    RUN(bytes_are_tokens_by_their_letters_and_need_no_merges);
    RUN(a_capped_vocabulary_is_written_as_it_is);
    RUN(no_merge_stands_there_twice);
    RUN(a_folder_that_is_not_there_is_named);
    return report();
}
