#include "../commands/model_file.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];
static ModelFile m;

// What a file says of its tokenizer; NULL leaves it out.
typedef struct {
    const char *kind, *vocabulary, *capped;
    size_t vocabulary_length, kind_length;
    long V;
} Words;

static const Words good = {
    .kind = "char", .vocabulary = "\nab\xc3\xa9", .capped = "false", .vocabulary_length = 5, .V = 4};

static void save(const Words *words, real weight) {
    GptConfig config = {.V = words->V, .T = 2, .C = 1, .L = 1, .NH = 1, .bias = true, .tied = true};
    Weights w;
    Metadata more = {0};
    size_t kind_length = words->kind_length ? words->kind_length : words->kind ? strlen(words->kind) : 0;
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 1);
    w.memory[w.tensor[w.tensors - 1].offset] = weight;
    if (words->kind && !metadata_put(&more, "tokenizer", words->kind, kind_length, &err)) abort();
    if (words->vocabulary &&
        !metadata_put(&more, "vocabulary", words->vocabulary, words->vocabulary_length, &err))
        abort();
    if (words->capped &&
        !metadata_put(&more, "vocabulary_capped", words->capped, strlen(words->capped), &err))
        abort();
    if (!checkpoint_save(path, &w, NULL, NULL, &more, &err)) abort();
    metadata_free(&more);
    weights_free(&w);
}

static bool loads(void) {
    if (model_file_load(&m, path, &err)) return true;
    printf("  message: %s\n", err.text);
    return false;
}

static bool refused(Words words, const char *part) {
    save(&words, 1);
    err.text[0] = 0;
    if (model_file_load(&m, path, &err)) {
        model_file_free(&m);
        return false;
    }
    bool said = one_line_naming(err.text, path) && strstr(err.text, part);
    if (!said) printf("  message: %s\n", err.text);
    return said;
}

static void a_model_comes_with_its_tokenizer(void) {
    save(&good, 1);
    if (!CHECK(loads())) return;
    CHECK(m.z.kind == TOKENIZER_CHAR && m.z.V == 4 && !m.z.capped && m.z.code[3] == 0xe9);
    model_file_free(&m);
    save(&(Words){.kind = "byte", .vocabulary = "", .capped = "false", .V = 256}, 1);
    if (!CHECK(loads())) return;
    CHECK(m.z.kind == TOKENIZER_BYTE && m.z.V == 256);
    model_file_free(&m);
    save(
        &(Words){
            .kind = "char", .vocabulary = "a\xef\xbf\xbd", .vocabulary_length = 4, .capped = "true", .V = 2},
        1);
    if (!CHECK(loads())) return;
    CHECK(m.z.capped && m.z.V == 2);
    model_file_free(&m);
}

static Words with_vocabulary(const char *bytes, size_t n, long V) {
    Words w = good;
    w.vocabulary = bytes;
    w.vocabulary_length = n;
    w.V = V;
    return w;
}
#define VOCABULARY(literal, V) with_vocabulary("" literal, sizeof(literal) - 1, V)

static void vocabularies_that_are_none_are_refused(void) {
    CHECK(refused(VOCABULARY("", 1), "empty"));
    CHECK(refused(VOCABULARY("ba", 2), "damaged at byte 1"));
    CHECK(refused(VOCABULARY("aa", 2), "damaged at byte 1"));
    CHECK(refused(VOCABULARY("\0\0", 2), "damaged at byte 1"));
    CHECK(refused(VOCABULARY("ab", 3), "the vocabulary has 2 tokens, the model 3"));
    CHECK(refused(VOCABULARY("abc", 2), "the vocabulary has 3 tokens, the model 2"));
}

static void bytes_with_a_vocabulary_are_refused(void) {
    CHECK(refused((Words){.kind = "byte", .vocabulary = "", .capped = "false", .V = 255}, "256 tokens"));
    CHECK(refused(
        (Words){.kind = "byte", .vocabulary = "a", .vocabulary_length = 1, .capped = "false", .V = 256},
        "of its own"));
    CHECK(refused((Words){.kind = "byte", .vocabulary = "", .capped = "true", .V = 256}, "of its own"));
}

static void words_are_looked_at_to_their_last_byte(void) {
    Words w = good;
    w.kind = "char\0x";
    w.kind_length = 6;
    CHECK(refused(w, "unknown tokenizer"));
    static const char *const kinds[] = {"", "chars", "Char", "bpe"};
    for (int i = 0; i < 4; i++) {
        w = good;
        w.kind = kinds[i];
        CHECK(refused(w, "unknown tokenizer"));
    }
    static const char *const flags[] = {"", "yes", "True", "false "};
    for (int i = 0; i < 4; i++) {
        w = good;
        w.capped = flags[i];
        CHECK(refused(w, "neither true nor false"));
    }
    w = good;
    w.capped = "true";
    CHECK(refused(w, "lacks U+FFFD"));
}

static void a_model_without_a_tokenizer_is_refused(void) {
    Words w = good;
    w.kind = NULL;
    CHECK(refused(w, "no vocabulary"));
    w = good;
    w.vocabulary = NULL;
    CHECK(refused(w, "no vocabulary"));
    w = good;
    w.capped = NULL;
    CHECK(refused(w, "no vocabulary"));
}

static void weights_that_are_not_finite_are_named(void) {
    static const real bad[] = {(real)NAN, (real)INFINITY, (real)-INFINITY};
    for (int i = 0; i < 3; i++) {
        save(&good, bad[i]);
        CHECK(!model_file_load(&m, path, &err));
        CHECK(one_line_naming(err.text, path) && strstr(err.text, "\"transformer.ln_f.bias\" holds a NaN"));
    }
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("model"));
    RUN(a_model_comes_with_its_tokenizer);
    RUN(vocabularies_that_are_none_are_refused);
    RUN(bytes_with_a_vocabulary_are_refused);
    RUN(words_are_looked_at_to_their_last_byte);
    RUN(a_model_without_a_tokenizer_is_refused);
    RUN(weights_that_are_not_finite_are_named);
    return report();
}
