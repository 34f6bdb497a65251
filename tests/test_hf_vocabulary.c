// test_hf_vocabulary.c -- tokenizer.json in all its forms, as far as a token is a character or a byte; and
// the vocabulary that a text has.
#include "../export/byte_letters.h"
#include "../export/hf_vocabulary.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];
static HfVocabulary v;
static bool left_out;

static const char GOOD[] =
    "{\"version\": \"1.0\", \"added_tokens\": [], \"pre_tokenizer\": null,\n"
    " \"decoder\": {\"type\": \"Fuse\"},\n"
    " \"model\": {\"type\": \"BPE\", \"dropout\": null, \"vocab\": {\"\\n\": 0, \"a\": "
    "1, \"\xc3\xa9\": 2}, \"merges\": []}}";

static bool read_text(const char *text, size_t n, bool capped) {
    hf_vocabulary_free(&v);
    put_file(path, text, n);
    err.text[0] = 0;
    return hf_vocabulary_read(&v, path, capped, &err);
}

static bool text_refused(const char *text, size_t n, const char *part) {
    if (read_text(text, n, false)) return false;
    bool said = one_line_naming(err.text, path) && strstr(err.text, part) && !v.theirs && !v.z.code;
    if (!said) printf("  message: %s\n", err.text);
    return said;
}

// A file whose model is of this kind, with this vocabulary and these other members.
static char text[1 << 14];
static size_t model_text(const char *kind, const char *vocabulary, const char *more) {
    int n = snprintf(text, sizeof text, "{\"model\": {\"type\": \"%s\", \"vocab\": {%s}%s}}", kind,
                     vocabulary, more);
    if (n < 0 || n >= (int)sizeof text) abort();
    return (size_t)n;
}

static bool reads(const char *kind, const char *vocabulary, const char *more) {
    bool good = read_text(text, model_text(kind, vocabulary, more), false);
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

static bool refused(const char *kind, const char *vocabulary, const char *more, const char *part) {
    return text_refused(text, model_text(kind, vocabulary, more), part);
}

static bool characters_are(const char *expected, size_t length) {
    size_t n;
    char *found = tokenizer_vocabulary(&v.z, &n);
    bool same = found && n == length && memcmp(found, expected, n) == 0 && v.z.kind == TOKENIZER_CHAR;
    free(found);
    return same;
}
#define CHARACTERS_ARE(literal) characters_are("" literal, sizeof(literal) - 1)

// ---- tokenizer.json ----

static void a_bpe_without_merges_has_characters(void) {
    if (!CHECK(read_text(GOOD, strlen(GOOD), false))) return;
    CHECK(v.z.V == 3 && CHARACTERS_ARE("\na\xc3\xa9") && !v.reordered && !v.z.capped);
    for (int i = 0; i < 3; i++) CHECK(v.theirs[i] == i);
    CHECK(reads("BPE", "\"a\": 0", "") && v.z.V == 1);
    CHECK(reads("BPE", "\"a\": 0", ", \"merges\": [], \"unk_token\": null"));
}

static void words_of_one_character_are_characters(void) {
    CHECK(reads("WordLevel", "\"a\": 0, \"b\": 1", ", \"unk_token\": \"a\"") && CHARACTERS_ARE("ab"));
}

static void controls_and_every_length_of_characters_are_read(void) {
    CHECK(
        reads("BPE",
              "\"\\u0000\": 0, \"\\u0001\": 1, \"\\t\": 2, \"\\u001f\": 3, \"\\\"\": 4, \"\\\\\": 5, "
              "\"\x7f\": 6, \"\xc2\x80\": 7, \"\\ufeff\": 8, \"\xef\xbf\xbd\": 9, \"\\ud83d\\ude00\": 10, "
              "\"\xf4\x8f\xbf\xbf\": 11",
              "") &&
        CHARACTERS_ARE("\0\1\t\x1f\"\\\x7f\xc2\x80\xef\xbb\xbf\xef\xbf\xbd\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"));
    CHECK(v.z.V == 12 && !v.reordered);
}

static void ids_in_another_order_are_kept_beside_the_characters(void) {
    if (!CHECK(reads("BPE", "\"b\": 0, \"\xc3\xa9\": 1, \"a\": 2, \"\\n\": 3", ""))) return;
    CHECK(CHARACTERS_ARE("\nab\xc3\xa9") && v.reordered);
    CHECK(v.theirs[0] == 3 && v.theirs[1] == 2 && v.theirs[2] == 0 && v.theirs[3] == 1);
    // The order in the file means nothing.
    CHECK(reads("BPE", "\"b\": 1, \"c\": 2, \"a\": 0", "") && !v.reordered && v.theirs[2] == 2);
}

static void unknown_characters_are_read_as_the_replacement_where_there_is_one_and_the_file_says_so(void) {
    size_t n = model_text("BPE", "\"a\": 0, \"\xef\xbf\xbd\": 1", "");
    CHECK(read_text(text, n, true) && v.z.capped);
    CHECK(read_text(text, n, false) && !v.z.capped);
    n = model_text("BPE", "\"a\": 0, \"b\": 1", "");
    CHECK(read_text(text, n, true) && !v.z.capped);
}

static void pieces_of_words_are_refused_in_a_sentence(void) {
    static const char sentence[] = "its tokens are pieces of words (BPE), as GPT-2's own; this program has "
                                   "characters or bytes as tokens";
    CHECK(refused("BPE", "\"a\": 0, \"b\": 1, \"ab\": 2", ", \"merges\": [\"a b\"]", sentence));
    CHECK(refused("BPE", "\"a\": 0, \"b\": 1, \"ab\": 2", ", \"merges\": [[\"a\", \"b\"]]", sentence));
    CHECK(refused("BPE", "\"a\": 0", ", \"merges\": [\"a a\"]", sentence));
    CHECK(refused("WordPiece", "\"a\": 0, \"##b\": 1", "", "pieces of words (WordPiece)"));
    static const char unigram[] =
        "{\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"a\", -1.5], [\"b\", -2]]}}";
    CHECK(text_refused(unigram, strlen(unigram), "pieces of words (Unigram)"));
}

static void tokens_that_are_not_one_character_are_refused_by_name(void) {
    static const char *const tokens[] = {
        "ab",        "",
        "[UNK]",     "<|endoftext|>",
        "e\xcc\x81", "\\u0000\\u0000",
        "a\\nb",     "a name that is longer than what a message has room for",
        "\\u0000",   "\\ud83d\\ude00\\ud83d\\ude00"};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        char vocabulary[200];
        snprintf(vocabulary, sizeof vocabulary, "\"a\": 0, \"%s\": 1", tokens[i]);
        if (strcmp(tokens[i], "\\u0000") == 0)
            CHECK(reads("WordLevel", vocabulary, ""));
        else
            CHECK(refused("WordLevel", vocabulary, "", " is not one character; "));
    }
    CHECK(refused("BPE", "\"a\": 0, \"the\": 1, \"[UNK]\": 2", "", "token \"the\""));
}

static void ids_that_are_not_each_once_are_refused(void) {
    CHECK(refused("BPE", "\"a\": 0, \"b\": 0", "", "id 0 stands twice, or beyond the 2 tokens"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": 2", "", "id 2 stands twice, or beyond"));
    CHECK(refused("BPE", "\"a\": 1", "", "id 1"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": 9223372036854775807", "", "id 9223372036854775807"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": -1", "", "bad JSON"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": 1.0", "", "bad JSON"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": \"1\"", "", "bad JSON"));
    CHECK(refused("BPE", "\"a\": 0, \"b\": 9223372036854775808", "", "bad JSON"));
}

static void a_character_that_stands_twice_is_refused_by_name(void) {
    CHECK(refused("BPE", "\"a\": 0, \"a\": 1", "", "the token 'a' (U+0061) stands twice"));
    CHECK(refused("BPE", "\"a\": 0, \"\\n\": 2, \"\\u000a\": 1", "", "the token U+000A stands twice"));
}

static void other_models_and_no_tokens_are_refused(void) {
    CHECK(refused("BPE", "", "", "there are no tokens"));
    CHECK(refused("Other", "\"a\": 0", "", "the model is \"Other\"; BPE or WordLevel"));
    CHECK(refused("", "\"a\": 0", "", "BPE or WordLevel"));
    static const char *const texts[] = {"{}", "{\"model\": {}}", "{\"model\": null}", "{\"model\": []}",
                                        "{\"model\": {\"vocab\": {\"a\": 0}}}"};
    for (int i = 0; i < 5; i++) CHECK(text_refused(texts[i], strlen(texts[i]), "BPE or WordLevel"));
    static const char list[] = "{\"model\": {\"type\": \"BPE\", \"vocab\": [\"a\"]}}";
    CHECK(text_refused(list, strlen(list), "there are no tokens"));
}

static void a_vocabulary_may_stand_before_its_kind(void) {
    static const char late[] =
        "{\"model\": {\"merges\": [], \"vocab\": {\"a\": 0}, \"type\": \"BPE\"}, \"pre_tokenizer\": null}";
    CHECK(read_text(late, strlen(late), false) && v.z.V == 1);
    static const char merged[] =
        "{\"model\": {\"merges\": [\"a a\"], \"vocab\": {\"a\": 0}, \"type\": \"BPE\"}}";
    CHECK(text_refused(merged, strlen(merged), "pieces of words"));
}

// ---- bytes ----

// The letters of bytes 0 .. n-1, byte b with the id (b * step + shift) % n; one letter instead of another.
static size_t bytes_text(int n, int step, int shift, uint32_t letter, uint32_t instead) {
    char *at =
        text + sprintf(text, "{\"pre_tokenizer\": {\"add_prefix_space\": false, \"type\": \"ByteLevel\"}, "
                             "\"model\": {\"type\": \"BPE\", \"vocab\": {");
    for (int b = 0; b < n; b++) {
        char bytes[UTF8_MOST];
        uint32_t code = byte_letter((unsigned char)b);
        int length = utf8_encode(code == letter ? instead : code, bytes);
        bool escaped = b == '"' || b == '\\';
        at += sprintf(at, "%s\"%s%.*s\": %d", b ? ", " : "", escaped ? "\\" : "", length, bytes,
                      (b * step + shift) % n);
    }
    return (size_t)(at + sprintf(at, "}, \"merges\": []}}") - text);
}

static void the_letters_of_256_bytes_are_bytes(void) {
    CHECK(read_text(text, bytes_text(256, 1, 0, 0, 0), false) && v.z.kind == TOKENIZER_BYTE && v.z.V == 256);
    CHECK(!v.reordered && v.theirs[0] == 0 && v.theirs[255] == 255);
    CHECK(read_text(text, bytes_text(256, 3, 7, 0, 0), false) && v.reordered);
    for (int b = 0; b < 256; b++) CHECK(v.theirs[b] == (3 * b + 7) % 256);
    CHECK(read_text(text, bytes_text(256, 1, 0, 0, 0), true) && !v.z.capped);
}

static void letters_of_bytes_may_be_one_step_of_several(void) {
    static const char plain[] = "{\"add_prefix_space\": false, \"type\": \"ByteLevel\"}";
    static const char several[] =
        "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", \"x\": [1]}, "
        "{\"type\": \"ByteLevel\"}]}";
    size_t n = bytes_text(256, 1, 0, 0, 0);
    char *at = strstr(text, plain);
    if (!CHECK(at)) return;
    memmove(at + strlen(several), at + strlen(plain), (size_t)(text + n - at) - strlen(plain) + 1);
    memcpy(at, several, strlen(several));
    CHECK(read_text(text, strlen(text), false) && v.z.kind == TOKENIZER_BYTE && !v.reordered);
}

static void bytes_that_are_not_all_there_or_no_letters_are_refused(void) {
    CHECK(text_refused(text, bytes_text(255, 1, 0, 0, 0), "255 tokens of bytes, where 256 are needed"));
    CHECK(text_refused(text, bytes_text(256, 1, 0, 0x120, ' '), "the letter U+0020, which stands for none"));
    CHECK(text_refused(text, bytes_text(256, 1, 0, 'a', 0x144), "the letter U+0144"));
    CHECK(text_refused(text, bytes_text(256, 1, 0, 'a', 'b'), "stands twice"));
}

static void bytes_need_no_file(void) {
    hf_vocabulary_free(&v);
    CHECK(hf_vocabulary_bytes(&v, &err) && v.z.kind == TOKENIZER_BYTE && v.z.V == 256 && !v.reordered);
    for (int b = 0; b < 256; b++) CHECK(v.theirs[b] == b);
}

// ---- damage ----

static void every_prefix_is_refused(void) {
    for (size_t cut = 0; cut < strlen(GOOD); cut++) CHECK(text_refused(GOOD, cut, "bad JSON at byte "));
    size_t n = bytes_text(256, 1, 0, 0, 0);
    for (size_t cut = 0; cut < n; cut += 7) CHECK(text_refused(text, cut, "bad JSON at byte "));
}

static void what_is_no_json_is_refused(void) {
    char changed[sizeof GOOD + 1];
    static const char *const texts[] = {"",    "[]",   "null",
                                        "{}}", "\xff", "{\"model\": {\"vocab\": {\"\xff\": 0}}}"};
    for (int i = 0; i < 6; i++) CHECK(text_refused(texts[i], strlen(texts[i]), "bad JSON at byte "));
    snprintf(changed, sizeof changed, "%sx", GOOD);
    CHECK(text_refused(changed, strlen(changed), "something follows the end"));
    CHECK(refused("BPE", "\"a\": 0,", "", "bad JSON"));
    CHECK(refused("BPE", "\"\\ud800\": 0", "", "lone surrogate"));
    CHECK(refused("BPE", "\"a\": 0", ", \"merges\": null", "bad JSON"));
}

// No byte of a file stands where the reader needs it, and it stays one line.
static void any_changed_byte_is_read_or_refused_in_one_line(void) {
    static const char others[] = {0, '"', '\\', '{', '}', '9', 'x', (char)0xff};
    char changed[sizeof GOOD];
    for (size_t at = 0; at < strlen(GOOD); at++)
        for (size_t k = 0; k < sizeof others; k++) {
            memcpy(changed, GOOD, sizeof GOOD);
            changed[at] = others[k];
            if (!read_text(changed, strlen(GOOD), false)) CHECK(one_line_naming(err.text, path));
        }
}

// ---- the vocabulary of a text ----

static bool learned(const char *bytes, size_t n, long V) {
    hf_vocabulary_free(&v);
    put_file(path, bytes, n);
    err.text[0] = 0;
    return hf_vocabulary_learn(&v, path, V, &left_out, &err);
}

static bool not_learned(const char *bytes, size_t n, long V, const char *part) {
    if (learned(bytes, n, V)) return false;
    bool said = one_line_naming(err.text, path) && strstr(err.text, part) && !v.theirs && !v.z.code;
    if (!said) printf("  message: %s\n", err.text);
    return said;
}

static void a_text_has_its_characters_in_order(void) {
    CHECK(learned("b\xc3\xa9 a\nba", 8, 5) && CHARACTERS_ARE("\n ab\xc3\xa9") && !left_out && !v.reordered);
    for (int i = 0; i < 5; i++) CHECK(v.theirs[i] == i);
}

static void one_character_too_many_may_be_the_carriage_return(void) {
    CHECK(learned("a\r\nb\r\n", 6, 3) && CHARACTERS_ARE("\nab") && left_out && v.z.V == 3);
    CHECK(v.z.id['\r'] == -1 && v.z.id['b'] == 2 && v.theirs[2] == 2);
    CHECK(learned("a\r\nb\r\n", 6, 4) && CHARACTERS_ARE("\n\rab") && !left_out);
}

static void a_text_of_another_number_of_characters_is_refused(void) {
    CHECK(not_learned("ab", 2, 3, "has 2 different characters, where the model has 3 tokens; --vocab"));
    CHECK(not_learned("abc", 3, 2, "has 3 different characters"));
    CHECK(not_learned("a\r\nb", 4, 2, "has 4 different characters"));
    CHECK(not_learned("a\r\nb", 4, 5, "has 4 different characters"));
}

static void a_text_that_is_none_is_refused(void) {
    CHECK(not_learned("a\xff", 2, 2, "not UTF-8"));
    CHECK(not_learned("\1\2\3", 3, 3, "binary"));
    unlink(path);
    hf_vocabulary_free(&v);
    CHECK(!hf_vocabulary_learn(&v, path, 3, &left_out, &err) && one_line_naming(err.text, path));
    CHECK(!hf_vocabulary_read(&v, path, false, &err) && one_line_naming(err.text, path));
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("tokenizer.json"));
    RUN(a_bpe_without_merges_has_characters);
    RUN(words_of_one_character_are_characters);
    RUN(controls_and_every_length_of_characters_are_read);
    RUN(ids_in_another_order_are_kept_beside_the_characters);
    RUN(unknown_characters_are_read_as_the_replacement_where_there_is_one_and_the_file_says_so);
    RUN(pieces_of_words_are_refused_in_a_sentence);
    RUN(tokens_that_are_not_one_character_are_refused_by_name);
    RUN(ids_that_are_not_each_once_are_refused);
    RUN(a_character_that_stands_twice_is_refused_by_name);
    RUN(other_models_and_no_tokens_are_refused);
    RUN(a_vocabulary_may_stand_before_its_kind);
    RUN(the_letters_of_256_bytes_are_bytes);
    RUN(letters_of_bytes_may_be_one_step_of_several);
    RUN(bytes_that_are_not_all_there_or_no_letters_are_refused);
    RUN(bytes_need_no_file);
    RUN(every_prefix_is_refused);
    RUN(what_is_no_json_is_refused);
    RUN(any_changed_byte_is_read_or_refused_in_one_line);
    RUN(a_text_has_its_characters_in_order);
    RUN(one_character_too_many_may_be_the_carriage_return);
    RUN(a_text_of_another_number_of_characters_is_refused);
    RUN(a_text_that_is_none_is_refused);
    hf_vocabulary_free(&v);
    return report();
}
