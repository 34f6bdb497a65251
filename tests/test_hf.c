// test_hf.c -- the folders that are written: against those of tests/golden/export, which come from elsewhere.
// What comes back when they are read is in test_hf_import.c.
#include "../data/safetensors.h"
#include "../export/hf.h"
#include "../export/hf_vocabulary.h"
#include "export_model.h"
#include "folder.h"

static Error err;
static char out[600];  // the folder that is written

static void empty_folder(void) {
    remove_all(out);
    if (mkdir(out, 0700) != 0) abort();
}

static bool exported(const Model *m) {
    bool good = hf_export(out, &m->w, &m->z, &err);
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

static const char *out_file(const char *name) {
    static char path[4][800];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", out, name);
    return p;
}

static bool is_as_in(const char *golden_folder, const char *file) {
    char path[200];
    size_t n = 0;
    snprintf(path, sizeof path, "tests/golden/export/%s/%s", golden_folder, file);
    char *expected = get_file(path, &n);
    bool same = expected && file_is(out_file(file), expected, n);
    if (!same) printf("  %s: differs\n", path);
    free(expected);
    return same;
}

// The same tensors in any order, with the same metadata.
static void same_tensors(const char *golden_file) {
    Safetensors a, b;
    if (!CHECK(safetensors_open(&a, golden_file, &err) &&
               safetensors_open(&b, out_file("model.safetensors"), &err)))
        return;
    CHECK(a.entries == b.entries && a.data_size == b.data_size);
    for (long i = 0; i < a.entries; i++) {
        const SafetensorsEntry *x = &a.entry[i], *y = safetensors_find(&b, x->name.bytes);
        if (!CHECK(y && y->type == SAFETENSORS_F32 && y->dims == x->dims && y->size == x->size &&
                   memcmp(x->shape, y->shape, (size_t)x->dims * sizeof *x->shape) == 0)) {
            printf("  %s\n", x->name.bytes);
            continue;
        }
        char *p = malloc((size_t)x->size), *q = malloc((size_t)x->size);
        if (!p || !q) abort();
        CHECK(safetensors_read(&a, x, p, &err) && safetensors_read(&b, y, q, &err));
        if (!CHECK(memcmp(p, q, (size_t)x->size) == 0)) printf("  %s\n", x->name.bytes);
        free(p);
        free(q);
    }
    safetensors_close(&a);
    safetensors_close(&b);
}

static void the_texts_and_the_tensors_are_those_of_another_writer(void) {
    Model m;
    for (int untied = 0; untied < 2; untied++) {
        const char *name = untied ? "untied" : "tied";
        char weights[200];
        empty_folder();
        if (!CHECK((untied ? model_untied(&m) : model_tied(&m)) && exported(&m))) return;
        for (int i = 0; i < 4; i++) CHECK(is_as_in(name, HF_FILES[i]));
        snprintf(weights, sizeof weights, "tests/golden/export/%s/model.safetensors", name);
        same_tensors(weights);
        CHECK(files_in(out) == 5);
        model_free(&m);
    }
}

static void four_matrices_of_a_block_are_turned_and_no_other_tensor(void) {
    static const char *const turned[] = {"attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight",
                                         "mlp.c_proj.weight"};
    static const char *const others[] = {"transformer.wte.weight",
                                         "transformer.wpe.weight",
                                         "lm_head.weight",
                                         "transformer.h.0.ln_1.weight",
                                         "transformer.h.0.attn.c_attn.bias",
                                         "transformer.h.0.mlp.c_proj.bias",
                                         "transformer.ln_f.weight",
                                         "c_proj.weight",
                                         ".attn.c_proj.weight2",
                                         "transformer.h.0.attn.c_proj",
                                         ""};
    char name[80];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "transformer.h.11.%s", turned[i]);
        CHECK(hf_is_transposed(name));
        CHECK(hf_is_transposed(name + strlen("transformer.")));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) CHECK(!hf_is_transposed(others[i]));
}

static void the_square_matrix_is_turned_too(void) {
    Model m;
    Safetensors s;
    float x[36];
    empty_folder();
    if (!CHECK(model_tied(&m) && exported(&m) && safetensors_open(&s, out_file("model.safetensors"), &err)))
        return;
    const SafetensorsEntry *e = safetensors_find(&s, "transformer.h.1.attn.c_proj.weight");
    CHECK(e && e->size == sizeof x && safetensors_read(&s, e, x, &err));
    long wrong = 0, told = 0;
    for (int i = 0; i < 6; i++)
        for (int o = 0; o < 6; o++) {
            wrong += x[i * 6 + o] != (float)m.w.block[1].attprojw[o * 6 + i];
            told += x[i * 6 + o] != (float)m.w.block[1].attprojw[i * 6 + o];
        }
    CHECK(wrong == 0 && told > 20);
    safetensors_close(&s);
    model_free(&m);
}

static bool says(const Safetensors *s, const char *key, const char *value) {
    const String *said = metadata_get(&s->metadata, key);
    return value ? said && string_is(said, value) : said == NULL;
}

static void metadata_name_the_format_and_what_the_tensors_do_not_tell(void) {
    for (int variant = 0; variant < 4; variant++) {
        bool bias = variant & 1, capped = variant & 2;
        GptConfig c = {.V = 2, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = bias, .tied = true};
        Model m;
        Safetensors s;
        empty_folder();
        if (!CHECK(model_create(&m, &c, TOKENIZER_CHAR, "a\xef\xbf\xbd", 4, capped) && exported(&m) &&
                   safetensors_open(&s, out_file("model.safetensors"), &err)))
            return;
        CHECK(says(&s, "format", "pt") && says(&s, "no_bias", bias ? NULL : "true") &&
              says(&s, "vocabulary_capped", capped ? "true" : NULL));
        CHECK(s.metadata.entries == 1 + !bias + capped && s.entries == 16);
        safetensors_close(&s);
        model_free(&m);
    }
}

// As readers that map the file into memory want it.
static void the_data_begin_at_a_multiple_of_8_and_the_header_with_a_brace(void) {
    Model m;
    size_t n = 0;
    empty_folder();
    if (!CHECK(model_tied(&m) && exported(&m))) return;
    char *bytes = get_file(out_file("model.safetensors"), &n);
    if (CHECK(bytes && n > 9)) CHECK((unsigned char)bytes[0] % 8 == 0 && bytes[8] == '{');
    free(bytes);
    model_free(&m);
}

static void writing_twice_gives_equal_bytes(void) {
    Model m;
    char *first[5];
    size_t n[5] = {0};
    empty_folder();
    if (!CHECK(model_untied(&m) && exported(&m))) return;
    for (int i = 0; i < 5; i++) first[i] = get_file(out_file(HF_FILES[i]), &n[i]);
    CHECK(exported(&m) && files_in(out) == 5 && HF_FILES[5] == NULL);
    for (int i = 0; i < 5; i++) {
        CHECK(first[i] && file_is(out_file(HF_FILES[i]), first[i], n[i]));
        free(first[i]);
    }
    model_free(&m);
}

static void a_tokenizer_of_bytes_has_their_letters_and_says_so(void) {
    GptConfig c = {.V = 256, .T = 2, .C = 1, .L = 1, .NH = 1, .tied = true};
    Model m;
    HfVocabulary v;
    size_t n = 0;
    empty_folder();
    if (!CHECK(model_create(&m, &c, TOKENIZER_BYTE, "", 0, false) && exported(&m))) return;
    char *text = get_file(out_file("tokenizer.json"), &n);
    if (!CHECK(text != NULL)) return;
    static const char *const parts[] = {
        "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false,",
        "\"decoder\": {\"type\": \"ByteLevel\"",
        "\n      \"\xc4\x80\": 0,\n",
        "\n      \"\xc4\x8a\": 10,\n",
        "\n      \"\xc4\xa0\": 32,\n",
        "\n      \"\\\"\": 34,\n",
        "\n      \"\\\\\": 92,\n",
        "\n      \"\xc5\x83\": 173,\n",
        "\n      \"\xc3\xbf\": 255\n    },\n    \"merges\": []"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) CHECK(strstr(text, parts[i]) != NULL);
    CHECK(hf_vocabulary_read(&v, out_file("tokenizer.json"), false, &err) && v.z.kind == TOKENIZER_BYTE &&
          !v.reordered);
    hf_vocabulary_free(&v);
    free(text);
    model_free(&m);
}

static void where_one_file_cannot_be_written_the_others_stay_as_they_were(void) {
    Model m;
    empty_folder();
    if (!CHECK(model_tied(&m))) return;
    // A folder with something in it, which nothing can replace.
    const char *blocked = out_file("model.safetensors");
    if (mkdir(blocked, 0700) != 0) abort();
    put_file(out_file("model.safetensors/x"), "x", 1);
    put_file(out_file("config.json"), "before", 6);
    CHECK(!hf_export(out, &m.w, &m.z, &err) && one_line_naming(err.text, out_file("model.safetensors")));
    CHECK(file_is(out_file("config.json"), "before", 6) && files_in(out) == 2);
    model_free(&m);
}

static void a_folder_that_is_not_there_is_named(void) {
    Model m;
    remove_all(out);
    if (!CHECK(model_tied(&m))) return;
    CHECK(!hf_export(out, &m.w, &m.z, &err) && strstr(err.text, out) && !strchr(err.text, '\n'));
    CHECK(files_in(folder) == 0);
    model_free(&m);
}

int main(void) {
    folder_make();
    strcpy(out, in_folder("out"));
    RUN(the_texts_and_the_tensors_are_those_of_another_writer);
    RUN(four_matrices_of_a_block_are_turned_and_no_other_tensor);
    RUN(the_square_matrix_is_turned_too);
    RUN(metadata_name_the_format_and_what_the_tensors_do_not_tell);
    RUN(the_data_begin_at_a_multiple_of_8_and_the_header_with_a_brace);
    RUN(writing_twice_gives_equal_bytes);
    RUN(a_tokenizer_of_bytes_has_their_letters_and_says_so);
    RUN(where_one_file_cannot_be_written_the_others_stay_as_they_were);
    RUN(a_folder_that_is_not_there_is_named);
    return report();
}
