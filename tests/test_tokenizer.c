#include "../tokenizer/tokenizer.h"
#include "folder.h"
#include "test.h"
#include "watching.h"

static Error err;

static Text text_of(const char *bytes, size_t n) {
    Text t;
    if (!text_from(&t, "text.txt", bytes, n, &err)) abort();
    return t;
}
#define TEXT(literal) text_of("" literal, sizeof(literal) - 1)

static bool learn(Tokenizer *z, Text text, long cap) {
    bool good = tokenizer_learn(z, TOKENIZER_CHAR, &text, cap, &err);
    text_free(&text);
    return good;
}

static bool codes_are(const Tokenizer *z, const uint32_t *codes, long n) {
    if (z->V != n) return false;
    for (long i = 0; i < n; i++)
        if (z->code[i] != codes[i] || z->id[codes[i]] != i) return false;
    long known = 0;
    for (long c = 0; c < CODE_POINTS; c++) known += z->id[c] != -1;
    return known == n;
}
#define CODES_ARE(z, ...) codes_are(z, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static Unknown unknown;  // of the text encoded last

// The text encodes to these ids, with so many characters left out.
static bool encodes(const Tokenizer *z, Text text, long left_out, const int32_t *expected, long n) {
    Ids ids;
    int32_t found[64];
    unknown = (Unknown){99, 99, 99};
    bool good = tokenizer_encode(z, &ids, &text, &unknown, &err);
    text_free(&text);
    if (!good) return false;
    good = ids.n == n && n <= 64 && unknown.count == left_out;
    if (good) ids_copy(found, &ids, 0, n);
    for (long i = 0; good && i < n; i++) good = found[i] == expected[i];
    ids_free(&ids);
    return good;
}
#define ENCODES(z, text, left_out, ...) \
    encodes(z, text, left_out, (const int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / 4)

static bool says(const char *start, const char *part) {
    bool good = one_line_naming(err.text, start) && strstr(err.text, part);
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

// ---- vocabulary ----

static void an_id_is_the_rank_of_the_code_point(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("hello\n\xf0\x9f\x98\x80\xc3\xa9"), 0));
    CHECK(CODES_ARE(&z, '\n', 'e', 'h', 'l', 'o', 0xe9, 0x1f600));
    CHECK(!z.capped && z.kind == TOKENIZER_CHAR);
    CHECK(ENCODES(&z, TEXT("hole\xf0\x9f\x98\x80"), 0, 2, 4, 3, 1, 6));
    tokenizer_free(&z);
    CHECK(z.code == NULL && z.id == NULL && z.V == 0);
}

static void nul_is_a_character_like_others(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("a long enough line\0"), 0));
    CHECK(z.code[0] == 0 && z.id[0] == 0);
    CHECK(ENCODES(&z, TEXT("\0a\0"), 0, 0, z.id['a'], 0));
    tokenizer_free(&z);
}

static void the_last_code_point_has_an_id(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("\xf4\x8f\xbf\xbf\xef\xbf\xbf"), 0));
    CHECK(CODES_ARE(&z, 0xffff, 0x10ffff));
    tokenizer_free(&z);
}

static void a_cap_keeps_the_most_frequent_characters(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("aaabbcccd"), 3));
    CHECK(CODES_ARE(&z, 'a', 'c', REPLACEMENT));
    CHECK(z.capped);
    CHECK(ENCODES(&z, TEXT("abcdx"), 0, 0, 2, 1, 2, 2));
    tokenizer_free(&z);
}

static void of_equally_frequent_characters_a_cap_keeps_the_smaller(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("zyxzyxwww"), 3));
    CHECK(CODES_ARE(&z, 'w', 'x', REPLACEMENT));
    tokenizer_free(&z);
    CHECK(learn(&z, TEXT("zyxzyxwww"), 2));
    CHECK(CODES_ARE(&z, 'w', REPLACEMENT));
    tokenizer_free(&z);
}

static void a_cap_that_is_not_reached_changes_nothing(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("abca"), 3));
    CHECK(CODES_ARE(&z, 'a', 'b', 'c'));
    CHECK(!z.capped);
    tokenizer_free(&z);
    CHECK(learn(&z, TEXT("abca"), 1000));
    CHECK(CODES_ARE(&z, 'a', 'b', 'c'));
    CHECK(!z.capped);
    tokenizer_free(&z);
}

static void a_cap_of_one_folds_everything(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("abca"), 1));
    CHECK(CODES_ARE(&z, REPLACEMENT));
    CHECK(ENCODES(&z, TEXT("ab"), 0, 0, 0));
    tokenizer_free(&z);
}

static void a_replacement_character_of_the_text_itself_takes_no_second_place(void) {
    Tokenizer z;
    // The rarest character of all keeps its place, for it stands for the rest.
    CHECK(learn(&z,
                TEXT("aaabbcc"
                     "\xef\xbf\xbd"),
                3));
    CHECK(CODES_ARE(&z, 'a', 'b', REPLACEMENT));
    tokenizer_free(&z);
    // The most frequent one uses up none of the places of others.
    CHECK(learn(&z,
                TEXT("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                     "aaabbcc"),
                3));
    CHECK(CODES_ARE(&z, 'a', 'b', REPLACEMENT));
    CHECK(z.capped);
    tokenizer_free(&z);
    CHECK(learn(&z, TEXT("ab\xef\xbf\xbd"), 3));
    CHECK(CODES_ARE(&z, 'a', 'b', REPLACEMENT));
    CHECK(!z.capped);
    tokenizer_free(&z);
}

static void bytes_need_no_text(void) {
    Tokenizer z;
    Text t = TEXT("\xff\0x");
    CHECK(tokenizer_learn(&z, TOKENIZER_BYTE, &t, 0, &err));
    CHECK(z.V == 256 && z.kind == TOKENIZER_BYTE);
    CHECK(ENCODES(&z, TEXT("\xff\0x\x80"), 0, 255, 0, 'x', 128));
    text_free(&t);
    tokenizer_free(&z);
}

// ---- texts that are refused ----

static bool refused_at(Text text, const char *part) {
    Tokenizer z;
    bool good = learn(&z, text, 0);
    if (good) tokenizer_free(&z);
    return !good && says("text.txt", part) && strstr(err.text, "--tokenizer byte") &&
           strstr(err.text, "convert");
}

static void text_that_is_not_utf8_is_refused_with_place_and_bytes(void) {
    CHECK(refused_at(TEXT("abc\x80xyz"), "byte 3: 80 78 79 7a;"));          // a continuation alone
    CHECK(refused_at(TEXT("\xff"), "byte 0: ff;"));                         // no byte of UTF-8
    CHECK(refused_at(TEXT("ab\xc0\xaf."), "byte 2: c0 af 2e;"));            // overlong
    CHECK(refused_at(TEXT("ab\xe0\x80\xaf."), "byte 2: e0 80 af 2e;"));     // overlong
    CHECK(refused_at(TEXT("a\xed\xa0\x80z"), "byte 1: ed a0 80 7a;"));      // a surrogate
    CHECK(refused_at(TEXT("a\xf4\x90\x80\x80z"), "byte 1: f4 90 80 80;"));  // above 10FFFF
    CHECK(refused_at(TEXT("\xc3\xa9\xc3"), "byte 2: c3;"));                 // cut short
    CHECK(refused_at(TEXT("abcd\xe2\x82"), "byte 4: e2 82;"));
    CHECK(refused_at(TEXT("abcd\xf0\x9f\x98"), "byte 4: f0 9f 98;"));
    CHECK(refused_at(TEXT("caf\xe9 au lait"), "byte 3: e9 20 61 75;"));  // Latin-1
}

static void the_file_that_is_not_utf8_is_the_one_named(void) {
    char *paths[] = {in_folder("good"), in_folder("bad")};
    Tokenizer z;
    Text t;
    put_file(paths[0], "\xef\xbb\xbfgood", 7);
    put_file(paths[1], "\xef\xbb\xbfx\xff", 5);
    CHECK(text_read(&t, paths, 2, true, NULL, &err));
    CHECK(!tokenizer_learn(&z, TOKENIZER_CHAR, &t, 0, &err));
    CHECK(says(paths[1], "byte 4: ff;"));
    text_free(&t);
}

static void encoding_refuses_what_is_not_utf8_in_the_same_way(void) {
    Tokenizer z;
    Ids ids;
    Text t = TEXT("abc\xe2\x82");
    CHECK(learn(&z, TEXT("abc"), 0));
    CHECK(!tokenizer_encode(&z, &ids, &t, &unknown, &err));
    CHECK(says("text.txt", "not UTF-8 at byte 3: e2 82;"));
    text_free(&t);
    tokenizer_free(&z);
}

// After any number of characters of 1, 2, 3 or 4 bytes: the first ones of a text, and around the last ones
// that are encoded at a time.
static void a_bad_byte_is_found_wherever_it_stands(void) {
    enum { FAR = 4096 };
    static char bytes[4 * FAR + 400];
    static const char *const good[] = {"a", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80"};
    Tokenizer z;
    CHECK(learn(&z, TEXT("ab\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"), 0));
    for (size_t width = 1; width <= 4; width++) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = good[width - 1][i % width];
        for (size_t before = 0; before < FAR + 40; before += before == 70 ? FAR - 100 : 1) {
            size_t at = before * width;
            char was[2] = {bytes[at], bytes[at + 1]}, part[48];
            bytes[at] = '\xff', bytes[at + 1] = 'b';
            snprintf(part, sizeof part, "at byte %zu: ff 62", at);
            Text t = text_of(bytes, at + 2), same = text_of(bytes, at + 2);
            Tokenizer none;
            Ids ids;
            CHECK(!learn(&none, t, 0) && says("text.txt", part));
            CHECK(!tokenizer_encode(&z, &ids, &same, &unknown, &err) && says("text.txt", part));
            text_free(&same);
            memcpy(bytes + at, was, 2);
        }
    }
    tokenizer_free(&z);
}

static void text_that_looks_binary_is_refused(void) {
    Tokenizer z;
    CHECK(!learn(&z,
                 TEXT("\x7f"
                      "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0"),
                 0));
    CHECK(says("text.txt", "--tokenizer byte"));
    CHECK(!learn(&z, TEXT("a\0b\0c\0d\0"), 0));  // UTF-16
    CHECK(says("text.txt", "binary"));
}

static void white_space_and_few_control_characters_do_not_look_binary(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("\t\n\r\n\v\f\n\n\n\n\t\t"), 0));
    tokenizer_free(&z);
    CHECK(learn(&z, TEXT("\x1b[1mbold\x1b[0m"), 0));
    tokenizer_free(&z);
    CHECK(learn(&z, TEXT("a form of twenty character\x01\x02"), 0));
    tokenizer_free(&z);
}

// ---- unknown characters ----

// Encodes with a vocabulary of "abc", which leaves something out, and refuses that.
static bool unknown_named(Text text, const char *part) {
    Tokenizer z;
    Ids ids;
    if (!learn(&z, TEXT("abc"), 0) || !tokenizer_encode(&z, &ids, &text, &unknown, &err)) abort();
    bool good = !tokenizer_refuse_unknown(&text, &unknown, "this is the way out", &err) &&
                says("text.txt", part) && strstr(err.text, "; this is the way out");
    ids_free(&ids);
    text_free(&text);
    tokenizer_free(&z);
    return good;
}

static void an_unknown_character_is_named_with_its_place(void) {
    CHECK(unknown_named(TEXT("abxc"), "'x' (U+0078) at byte 2;"));
    CHECK(unknown_named(TEXT("a\xc3\xa9xyz"), "'\xc3\xa9' (U+00E9) at byte 1;"));  // the first of several
    CHECK(unknown_named(TEXT("\xf0\x9f\x98\x80"), "'\xf0\x9f\x98\x80' (U+1F600) at byte 0;"));
    CHECK(unknown_named(TEXT("abc\n"), " U+000A at byte 3;"));
    CHECK(unknown_named(TEXT("abc\0"), " U+0000 at byte 3;"));
}

static void an_unknown_character_is_named_with_its_own_file(void) {
    char *paths[] = {in_folder("known"), in_folder("unknown")};
    Tokenizer z;
    Text t;
    Ids ids;
    put_file(paths[0], "abc", 3);
    put_file(paths[1],
             "\xef\xbb\xbf"
             "bx",
             5);
    CHECK(learn(&z, TEXT("abc"), 0));
    CHECK(text_read(&t, paths, 2, true, NULL, &err));
    CHECK(tokenizer_encode(&z, &ids, &t, &unknown, &err));
    CHECK(ids.n == 4 && unknown.count == 1);
    CHECK(!tokenizer_refuse_unknown(&t, &unknown, "drop it", &err));
    CHECK(says(paths[1], "'x' (U+0078) at byte 4;"));
    ids_free(&ids);
    text_free(&t);
    tokenizer_free(&z);
}

static void unknown_characters_are_left_out_and_counted(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("abc"), 0));
    CHECK(ENCODES(&z,
                  TEXT("axb\xc3\xa9"
                       "b\ncz"),
                  4, 0, 1, 1, 2));
    CHECK(unknown.code == 'x' && unknown.at == 1);
    CHECK(ENCODES(&z, TEXT("abc"), 0, 0, 1, 2));
    CHECK(encodes(&z, TEXT("\xc3\xa9yz"), 3, NULL, 0));
    CHECK(unknown.code == 0xe9 && unknown.at == 0);
    CHECK(encodes(&z, TEXT(""), 0, NULL, 0));
    tokenizer_free(&z);
}

// n characters, each a random one of those that `any` gives the numbers 0, 1, .. V-1; *expected are their
// ranks.
static Text text_of_characters(long n, long V, uint32_t (*any)(long), int32_t *expected) {
    char *bytes = malloc((size_t)n * UTF8_MOST + 1);
    size_t length = 0;
    if (!bytes) abort();
    for (long i = 0; i < n; i++) {
        // All of them at first, so that each has its id.
        long which = i < V ? i : (long)(random_bits(5, (uint64_t)i) % (uint64_t)V);
        expected[i] = (int32_t)which;
        length += (size_t)utf8_encode(any(which), bytes + length);
    }
    Text t = text_of(bytes, length);
    free(bytes);
    return t;
}

static uint32_t ascii(long i) { return (uint32_t)i + ' '; }
static uint32_t of_every_length(long i) { return (uint32_t)(i * i * i + 60); }
static uint32_t ideograph(long i) { return (uint32_t)i + 0x4e00; }

// Few characters: their ids take the place of the text. More of them than are encoded at a time.
static void texts_of_any_length_have_the_ids_of_their_characters(void) {
    enum { MOST = 3 * 4096 };
    static const struct {
        uint32_t (*any)(long);
        long V;
    } scripts[] = {
        {ascii, 90}, {of_every_length, 100}, {ideograph, 256}, {ideograph, 257}, {ideograph, 5000}};
    static const long lengths[] = {4095, 4096, 4097, 4104, 8191, 8192, 8193, MOST};
    static int32_t expected[MOST], found[MOST];
    for (int s = 0; s < 5; s++)
        for (int l = 0; l < 8; l++) {
            long n = lengths[l], V = scripts[s].V < n ? scripts[s].V : n;
            Text t = text_of_characters(n, V, scripts[s].any, expected);
            Tokenizer z;
            Ids ids;
            CHECK(tokenizer_learn(&z, TOKENIZER_CHAR, &t, 0, &err) && z.V == V);
            CHECK(tokenizer_encode(&z, &ids, &t, &unknown, &err) && ids.n == n && unknown.count == 0);
            CHECK(ids.width == (V <= 256 ? 1 : 2));
            ids_copy(found, &ids, 0, n);
            CHECK(memcmp(found, expected, (size_t)n * sizeof *found) == 0);
            CHECK(t.bytes == NULL && t.n == 0);
            const char *name;
            size_t offset;
            text_place(&t, 7, &name, &offset);
            CHECK(strcmp(name, "text.txt") == 0 && offset == 7);
            ids_free(&ids);
            text_free(&t);
            tokenizer_free(&z);
        }
}

static void a_text_that_cannot_be_encoded_is_used_up_too(void) {
    Tokenizer z;
    Ids ids;
    Text t = TEXT("abc\xff");
    CHECK(learn(&z, TEXT("abc"), 0));
    CHECK(!tokenizer_encode(&z, &ids, &t, &unknown, &err));
    CHECK(t.bytes == NULL && ids.at == NULL && ids.n == 0);
    text_free(&t);
    tokenizer_free(&z);
}

static void what_is_left_out_of_a_long_text_leaves_the_rest(void) {
    enum { N = 10000 };
    static char bytes[N];
    static int32_t expected[N], found[N];
    for (long first = 0; first < N; first += 1371) {
        Tokenizer z;
        Ids ids;
        long kept = 0;
        for (long i = 0; i < N; i++) {
            bool left_out = i >= first && (i - first) % 3 == 0;
            bytes[i] = left_out ? 'x' : "abc"[i * i % 7 % 3];
            if (!left_out) expected[kept++] = bytes[i] - 'a';
        }
        Text t = text_of(bytes, N);
        CHECK(learn(&z, TEXT("abc"), 0));
        CHECK(tokenizer_encode(&z, &ids, &t, &unknown, &err));
        CHECK(ids.n == kept && unknown.count == N - kept);
        CHECK(unknown.code == 'x' && unknown.at == (size_t)first);
        ids_copy(found, &ids, 0, kept);
        CHECK(memcmp(found, expected, (size_t)kept * sizeof *found) == 0);
        ids_free(&ids);
        text_free(&t);
        tokenizer_free(&z);
    }
}

static void a_capped_vocabulary_knows_every_character(void) {
    Tokenizer z;
    CHECK(learn(&z, TEXT("aabbc"), 2));
    CHECK(ENCODES(&z, TEXT("a\xe6\xbc\xa2z"), 0, 0, 1, 1));
    tokenizer_free(&z);
}

static void a_character_is_named_by_itself_only_where_it_is_visible(void) {
    static const struct {
        uint32_t code;
        const char *name;
    } known[] = {{'A', "'A' (U+0041)"},
                 {'~', "'~' (U+007E)"},
                 {0xa1, "'\xc2\xa1' (U+00A1)"},
                 {' ', "U+0020"},
                 {0, "U+0000"},
                 {0x1b, "U+001B"},
                 {0x7f, "U+007F"},
                 {0x85, "U+0085"},
                 {0xa0, "U+00A0"},
                 {0x10ffff, "'\xf4\x8f\xbf\xbf' (U+10FFFF)"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char name[32];
        character_name(known[i].code, name);
        if (!CHECK(strcmp(name, known[i].name) == 0)) printf("  %s, not %s\n", name, known[i].name);
    }
}

// The byte-order mark, a zero-width space, the line separator and the right-to-left override: shown in a
// message, the first two say nothing and the others break the line.
static void an_invisible_character_is_named_by_its_code_point(void) {
    static const uint32_t invisible[] = {0xfeff, 0x200b, 0x2028, 0x202e};
    for (int i = 0; i < 4; i++) {
        char name[32], expected[16];
        character_name(invisible[i], name);
        snprintf(expected, sizeof expected, "U+%04X", (unsigned)invisible[i]);
        CHECK(strcmp(name, expected) == 0);
    }
}

// ---- saving and restoring ----

static void a_vocabulary_is_restored_from_what_was_saved(void) {
    static const struct {
        const char *text;
        size_t n;
        long cap;
    } cases[] = {
        {"hello\xc3\xa9\xf0\x9f\x98\x80", 11, 0}, {"a long enough line\0", 19, 0}, {"aaabbccd", 8, 3}};
    for (int i = 0; i < 3; i++) {
        Tokenizer z, back;
        size_t n;
        CHECK(learn(&z, text_of(cases[i].text, cases[i].n), cases[i].cap));
        char *saved = tokenizer_vocabulary(&z, &n);
        CHECK(saved != NULL);
        CHECK(tokenizer_restore(&back, TOKENIZER_CHAR, saved, n, z.capped, &err));
        CHECK(back.V == z.V && back.kind == z.kind && back.capped == z.capped);
        CHECK(memcmp(back.code, z.code, (size_t)z.V * sizeof *z.code) == 0);
        CHECK(memcmp(back.id, z.id, CODE_POINTS * sizeof *z.id) == 0);
        free(saved);
        tokenizer_free(&z);
        tokenizer_free(&back);
    }
}

static void the_saved_vocabulary_is_its_characters_in_order(void) {
    Tokenizer z;
    size_t n;
    CHECK(learn(&z, TEXT("ba\xc3\xa9\n"), 0));
    char *saved = tokenizer_vocabulary(&z, &n);
    CHECK(n == 5 && memcmp(saved, "\nab\xc3\xa9", 5) == 0);
    free(saved);
    tokenizer_free(&z);
}

static void bytes_have_an_empty_vocabulary(void) {
    Tokenizer z;
    size_t n = 9;
    CHECK(tokenizer_restore(&z, TOKENIZER_BYTE, "", 0, false, &err));
    CHECK(z.V == 256);
    char *saved = tokenizer_vocabulary(&z, &n);
    CHECK(saved != NULL && n == 0);
    free(saved);
    tokenizer_free(&z);
    CHECK(!tokenizer_restore(&z, TOKENIZER_BYTE, "a", 1, false, &err));
    CHECK(!tokenizer_restore(&z, TOKENIZER_BYTE, "", 0, true, &err));
}

static bool restore_refused(const char *bytes, size_t n, bool capped, const char *part) {
    Tokenizer z;
    err.text[0] = 0;
    bool good = tokenizer_restore(&z, TOKENIZER_CHAR, bytes, n, capped, &err);
    if (good) tokenizer_free(&z);
    return !good && z.code == NULL && z.id == NULL && strstr(err.text, part) && !strchr(err.text, '\n');
}
#define RESTORE_REFUSED(literal, capped, part) restore_refused("" literal, sizeof(literal) - 1, capped, part)

static void damaged_vocabularies_are_refused(void) {
    CHECK(RESTORE_REFUSED("", false, "empty"));
    CHECK(RESTORE_REFUSED("ba", false, "byte 1"));                // not ascending
    CHECK(RESTORE_REFUSED("abb", false, "byte 2"));               // twice
    CHECK(RESTORE_REFUSED("ab\xff", false, "byte 2"));            // not UTF-8
    CHECK(RESTORE_REFUSED("a\xc3", false, "byte 1"));             // cut short
    CHECK(RESTORE_REFUSED("\xed\xa0\x80", false, "byte 0"));      // a surrogate
    CHECK(RESTORE_REFUSED("\xf4\x90\x80\x80", false, "byte 0"));  // beyond U+10FFFF
    CHECK(RESTORE_REFUSED("a\xc1\xa2", false, "byte 1"));         // a longer form of b
    CHECK(RESTORE_REFUSED("abc", true, "U+FFFD"));
    CHECK(RESTORE_REFUSED("\0\0", false, "byte 1"));
}

// ---- ids to text ----

static bool survives(TokenizerKind kind, const char *bytes, size_t n) {
    Text t = text_of(bytes, n);
    Tokenizer z;
    Ids ids;
    Utf8Stream d = {.n = 0};
    char *back = malloc(n * DECODED_MOST + DECODED_MOST);
    size_t length = 0;
    if (!back || !tokenizer_learn(&z, kind, &t, 0, &err) || !tokenizer_encode(&z, &ids, &t, &unknown, &err))
        return false;
    for (long i = 0; i < ids.n; i++) {
        int32_t id;
        ids_copy(&id, &ids, i, 1);
        length += (size_t)tokenizer_decode(&z, &d, id, back + length);
    }
    length += (size_t)tokenizer_decode_end(&z, &d, back + length);
    bool same = length == n && memcmp(back, bytes, n) == 0;
    free(back);
    ids_free(&ids);
    tokenizer_free(&z);
    text_free(&t);
    return same;
}

static void what_is_encoded_is_decoded_again(void) {
    static char many[4 * 9000];
    size_t n = 0;
    for (uint32_t c = 0x20; n < sizeof many - UTF8_MOST && c < CODE_POINTS; c += c < 0x1000 ? 1 : 211)
        if (c < 0xd800 || c >= 0xe000) n += (size_t)utf8_encode(c, many + n);
    CHECK(survives(TOKENIZER_CHAR, many, n));
    CHECK(survives(TOKENIZER_BYTE, many, n));
    CHECK(survives(TOKENIZER_CHAR, "one line\r\nand\0another\xef\xbf\xbd", 24));
    CHECK(survives(TOKENIZER_BYTE, "\0\xef\xbf\xbd\0", 5));
    CHECK(survives(TOKENIZER_BYTE, "", 0));
}

// Decodes bytes one by one. Every piece must be whole characters, and no character may come later than its
// last byte.
static bool decodes(const char *bytes, size_t n, const char *expected) {
    Tokenizer z;
    Utf8Stream d = {.n = 0};
    char all[1024];
    size_t length = 0;
    bool whole = tokenizer_restore(&z, TOKENIZER_BYTE, "", 0, false, &err);
    for (size_t i = 0; i <= n; i++) {
        char out[DECODED_MOST];
        int got = i < n ? tokenizer_decode(&z, &d, (unsigned char)bytes[i], out)
                        : tokenizer_decode_end(&z, &d, out);
        if (got < 0 || got > DECODED_MOST) return false;
        for (int at = 0; at < got;) {
            uint32_t code;
            int step = utf8_decode((unsigned char *)out + at, (size_t)(got - at), &code);
            if (step < 1) return false;
            at += step;
        }
        memcpy(all + length, out, (size_t)got);
        length += (size_t)got;
        whole = whole && (i < n ? d.n <= 3 : d.n == 0);
    }
    tokenizer_free(&z);
    return whole && length == strlen(expected) && memcmp(all, expected, length) == 0;
}
#define DECODES(literal, expected) decodes("" literal, sizeof(literal) - 1, expected)
#define BROKEN "\xef\xbf\xbd"

static void bytes_come_out_as_whole_characters(void) {
    CHECK(DECODES("abc", "abc"));
    CHECK(DECODES("\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80.", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80."));
    CHECK(DECODES("", ""));
}

static void a_character_comes_with_its_last_byte(void) {
    Tokenizer z;
    Utf8Stream d = {.n = 0};
    char out[DECODED_MOST];
    CHECK(tokenizer_restore(&z, TOKENIZER_BYTE, "", 0, false, &err));
    CHECK(tokenizer_decode(&z, &d, 0xf0, out) == 0);
    CHECK(tokenizer_decode(&z, &d, 0x9f, out) == 0);
    CHECK(tokenizer_decode(&z, &d, 0x98, out) == 0);
    CHECK(tokenizer_decode(&z, &d, 0x80, out) == 4 && memcmp(out, "\xf0\x9f\x98\x80", 4) == 0);
    CHECK(tokenizer_decode_end(&z, &d, out) == 0);
    tokenizer_free(&z);
}

static void each_broken_byte_becomes_a_replacement_character(void) {
    CHECK(DECODES("\x80", BROKEN));
    CHECK(DECODES("a\xff"
                  "b",
                  "a" BROKEN "b"));
    CHECK(DECODES("\xc3"
                  "a",
                  BROKEN "a"));
    CHECK(DECODES("\xf0\x9f\x98"
                  "a",
                  BROKEN BROKEN BROKEN "a"));
    CHECK(DECODES("\xe2\x82\xc3\xa9", BROKEN BROKEN "\xc3\xa9"));
    CHECK(DECODES("\xe2\xe2\x82\xac", BROKEN "\xe2\x82\xac"));
    CHECK(DECODES("\xc0\xaf", BROKEN BROKEN));
    CHECK(DECODES("\xed\xa0\x80", BROKEN BROKEN BROKEN));
    CHECK(DECODES("\xf4\x90\x80\x80", BROKEN BROKEN BROKEN BROKEN));
}

static void what_is_pending_at_the_end_is_broken(void) {
    CHECK(DECODES("a\xc3", "a" BROKEN));
    CHECK(DECODES("\xf0\x9f\x98", BROKEN BROKEN BROKEN));
}

static void any_bytes_at_all_come_out_as_utf8(void) {
    static const unsigned char interesting[] = {0,    'a',  0x80, 0x90, 0xa0, 0xbf, 0xc2,
                                                0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff};
    Tokenizer z;
    bool good = tokenizer_restore(&z, TOKENIZER_BYTE, "", 0, false, &err);
    Utf8Stream d = {.n = 0};
    for (uint64_t i = 0; i < 200000; i++) {
        char out[DECODED_MOST];
        int got = tokenizer_decode(&z, &d, interesting[random_bits(9, i) % sizeof interesting], out);
        good = good && got >= 0 && got <= DECODED_MOST && d.n >= 0 && d.n <= 3;
        for (int at = 0; good && at < got;) {
            uint32_t code;
            int step = utf8_decode((unsigned char *)out + at, (size_t)(got - at), &code);
            good = step > 0;
            at += step;
        }
    }
    CHECK(good);
    tokenizer_free(&z);
}

static void whoever_watches_a_text_sees_it_become_ids(void) {
    enum { SIZE = 1500000 };
    char *bytes = malloc(SIZE);
    if (!bytes) abort();
    for (int i = 0; i < SIZE; i++) bytes[i] = i % 2 ? 'a' : 'b';
    Text t;
    CHECK(text_from(&t, "letters", bytes, SIZE, &err));
    free(bytes);
    Seen seen;
    Watch watch = watching(&seen);
    t.watch = &watch;
    Tokenizer z;
    CHECK(tokenizer_learn(&z, TOKENIZER_CHAR, &t, 0, &err));
    CHECK(seen.times == 2 && !seen.went_back && seen.all == SIZE);
    watching(&seen);
    Ids ids;
    CHECK(tokenizer_encode(&z, &ids, &t, &unknown, &err));
    CHECK(seen.times > 100 && !seen.went_back && seen.all == SIZE);
    ids_free(&ids);
    text_free(&t);
    tokenizer_free(&z);
}

int main(void) {
    folder_make();
    RUN(an_id_is_the_rank_of_the_code_point);
    RUN(nul_is_a_character_like_others);
    RUN(the_last_code_point_has_an_id);
    RUN(a_cap_keeps_the_most_frequent_characters);
    RUN(of_equally_frequent_characters_a_cap_keeps_the_smaller);
    RUN(a_cap_that_is_not_reached_changes_nothing);
    RUN(a_cap_of_one_folds_everything);
    RUN(a_replacement_character_of_the_text_itself_takes_no_second_place);
    RUN(bytes_need_no_text);
    RUN(text_that_is_not_utf8_is_refused_with_place_and_bytes);
    RUN(the_file_that_is_not_utf8_is_the_one_named);
    RUN(encoding_refuses_what_is_not_utf8_in_the_same_way);
    RUN(a_bad_byte_is_found_wherever_it_stands);
    RUN(text_that_looks_binary_is_refused);
    RUN(white_space_and_few_control_characters_do_not_look_binary);
    RUN(an_unknown_character_is_named_with_its_place);
    RUN(an_unknown_character_is_named_with_its_own_file);
    RUN(unknown_characters_are_left_out_and_counted);
    RUN(texts_of_any_length_have_the_ids_of_their_characters);
    RUN(a_text_that_cannot_be_encoded_is_used_up_too);
    RUN(what_is_left_out_of_a_long_text_leaves_the_rest);
    RUN(a_capped_vocabulary_knows_every_character);
    RUN(a_character_is_named_by_itself_only_where_it_is_visible);
    RUN(an_invisible_character_is_named_by_its_code_point);
    RUN(a_vocabulary_is_restored_from_what_was_saved);
    RUN(the_saved_vocabulary_is_its_characters_in_order);
    RUN(bytes_have_an_empty_vocabulary);
    RUN(damaged_vocabularies_are_refused);
    RUN(what_is_encoded_is_decoded_again);
    RUN(bytes_come_out_as_whole_characters);
    RUN(a_character_comes_with_its_last_byte);
    RUN(each_broken_byte_becomes_a_replacement_character);
    RUN(what_is_pending_at_the_end_is_broken);
    RUN(any_bytes_at_all_come_out_as_utf8);
    RUN(whoever_watches_a_text_sees_it_become_ids);
    return report();
}
