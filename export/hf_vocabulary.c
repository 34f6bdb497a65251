#include "hf_vocabulary.h"
#include "../data/json.h"
#include "../data/metadata.h"
#include "../data/text.h"
#include "byte_letters.h"
#include <stdlib.h>
#include <string.h>

// ---- tokenizer.json ----

typedef struct {
    uint32_t code;
    int64_t id;
} Pair;

// What the file says, until it is judged.
typedef struct {
    Pair *pair;
    long pairs, room;
    char kind[40];          // of the model
    bool merges;            // are there any
    bool letters;           // of bytes instead of characters
    char no_character[64];  // the first token that is not one character; empty for none
} Draft;

// The one character of a string; false where it is another number of them.
static bool one_character(const String *s, uint32_t *code) {
    return s->length > 0 && utf8_decode((const unsigned char *)s->bytes, s->length, code) == (int)s->length;
}

static bool read_pair(Json *j, Draft *d) {
    String token;
    Pair p = {0, 0};
    if (!json_string(j, &token)) return false;
    if (!one_character(&token, &p.code) && !d->no_character[0])
        snprintf(d->no_character, sizeof d->no_character, "\"%.40s\"", token.bytes);
    free(token.bytes);
    if (!json_expect(j, ':') || !json_natural(j, &p.id)) return false;
    // Of a vocabulary of words no more is needed than to know that it is one.
    if (d->no_character[0]) return true;
    if (d->pairs == CODE_POINTS) return fail(j->err, "%s: more tokens than there are characters", j->name);
    if (d->pairs == d->room) {
        long room = d->room ? 2 * d->room : 256;
        Pair *larger = realloc(d->pair, (size_t)room * sizeof *larger);
        if (!larger) return fail(j->err, "%s: memory is short", j->name);
        d->pair = larger;
        d->room = room;
    }
    d->pair[d->pairs++] = p;
    return true;
}

static bool read_vocabulary(Json *j, Draft *d) {
    long count = 0;
    bool more;
    if (!json_expect(j, '{')) return false;
    while (json_next(j, '}', &count, &more) && more)
        if (!read_pair(j, d)) return false;
    return !more;
}

static bool read_merges(Json *j, Draft *d) {
    long count = 0;
    bool more;
    if (!json_expect(j, '[')) return false;
    while (json_next(j, ']', &count, &more) && more) {
        d->merges = true;
        if (!json_skip(j)) return false;
    }
    return !more;
}

static bool read_kind(Json *j, char kind[40]) {
    String s;
    if (!json_string(j, &s)) return false;
    snprintf(kind, 40, "%s", s.bytes);
    free(s.bytes);
    return true;
}

static bool member_of_model(Json *j, const String *key, void *draft) {
    Draft *d = draft;
    if (string_is(key, "type")) return read_kind(j, d->kind);
    if (string_is(key, "vocab") && json_kind(j) == JSON_OBJECT) return read_vocabulary(j, d);
    if (string_is(key, "merges")) return read_merges(j, d);
    return json_skip(j);
}

// One that turns a text into the letters of its bytes.
static bool member_of_step(Json *j, const String *key, void *draft) {
    Draft *d = draft;
    char kind[40];
    if (!string_is(key, "type")) return json_skip(j);
    if (!read_kind(j, kind)) return false;
    d->letters = d->letters || strcmp(kind, "ByteLevel") == 0;
    return true;
}

// The same, or several of them, one after the other.
static bool member_of_pre_tokenizer(Json *j, const String *key, void *draft) {
    long count = 0;
    bool more;
    if (!string_is(key, "pretokenizers")) return member_of_step(j, key, draft);
    if (!json_expect(j, '[')) return false;
    while (json_next(j, ']', &count, &more) && more)
        if (!json_members(j, member_of_step, draft)) return false;
    return !more;
}

static bool member_of_file(Json *j, const String *key, void *draft) {
    Draft *d = draft;
    bool object = json_kind(j) == JSON_OBJECT;
    if (string_is(key, "model") && object) return json_members(j, member_of_model, d);
    if (string_is(key, "pre_tokenizer") && object) return json_members(j, member_of_pre_tokenizer, d);
    return json_skip(j);
}

static bool judge(const Draft *d, const char *path, Error *err) {
    if (d->merges || strcmp(d->kind, "Unigram") == 0 || strcmp(d->kind, "WordPiece") == 0)
        return fail(err,
                    "%s: its tokens are pieces of words (%s), as GPT-2's own; this program has characters or "
                    "bytes as tokens",
                    path, d->kind);
    if (strcmp(d->kind, "BPE") != 0 && strcmp(d->kind, "WordLevel") != 0)
        return fail(err, "%s: the model is \"%s\"; BPE or WordLevel is needed", path, d->kind);
    if (d->no_character[0])
        return fail(err, "%s: token %s is not one character; this program has characters or bytes as tokens",
                    path, d->no_character);
    return d->pairs > 0 || fail(err, "%s: there are no tokens", path);
}

static int by_code(const void *a, const void *b) {
    const Pair *x = a, *y = b;
    return (x->code > y->code) - (x->code < y->code);
}

// Ids are 0 .. V-1, each once.
static bool check_ids(const Draft *d, const char *path, Error *err) {
    bool *seen = calloc((size_t)d->pairs, sizeof *seen), good = true;
    if (!seen) return fail(err, "%s: memory is short", path);
    for (long i = 0; good && i < d->pairs; i++) {
        int64_t id = d->pair[i].id;
        if (id >= d->pairs || seen[id])
            good = fail(err, "%s: id %lld stands twice, or beyond the %ld tokens", path, (long long)id,
                        d->pairs);
        else
            seen[id] = true;
    }
    free(seen);
    return good;
}

static bool take_letters(Draft *d, const char *path, Error *err) {
    for (long i = 0; i < d->pairs; i++) {
        int byte = byte_of_letter(d->pair[i].code);
        if (byte < 0)
            return fail(err, "%s: a token of bytes has the letter U+%04X, which stands for none", path,
                        (unsigned)d->pair[i].code);
        d->pair[i].code = (uint32_t)byte;
    }
    return d->pairs == 256 || fail(err, "%s: %ld tokens of bytes, where 256 are needed", path, d->pairs);
}

static bool build(HfVocabulary *v, Draft *d, const char *path, bool capped, Error *err) {
    if (!check_ids(d, path, err) || (d->letters && !take_letters(d, path, err))) return false;
    qsort(d->pair, (size_t)d->pairs, sizeof *d->pair, by_code);
    char *bytes = malloc((size_t)d->pairs * UTF8_MOST), name[32];
    v->theirs = malloc((size_t)d->pairs * sizeof *v->theirs);
    size_t n = 0;
    bool good = (bytes && v->theirs) || fail(err, "%s: memory is short", path), has_replacement = false;
    for (long i = 0; good && i < d->pairs; i++) {
        uint32_t code = d->pair[i].code;
        if (i > 0 && code == d->pair[i - 1].code) {
            character_name(code, name);
            good = fail(err, "%s: the token %s stands twice", path, name);
            break;
        }
        v->theirs[i] = (int32_t)d->pair[i].id;
        v->reordered = v->reordered || v->theirs[i] != i;
        has_replacement = has_replacement || code == REPLACEMENT;
        if (!d->letters) n += (size_t)utf8_encode(code, bytes + n);
    }
    Error why;
    if (good && !tokenizer_restore(&v->z, d->letters ? TOKENIZER_BYTE : TOKENIZER_CHAR, bytes, n,
                                   capped && has_replacement, &why))
        good = fail(err, "%s: %s", path, why.text);
    free(bytes);
    return good;
}

bool hf_vocabulary_read(HfVocabulary *v, const char *path, bool capped, Error *err) {
    const double MOST = 1e9;  // bytes: all code points take a tenth of that
    *v = (HfVocabulary){0};
    Text text;
    if (!text_read_within(&text, MOST, (char *const *)&path, 1, true, NULL, err)) return false;
    const char *bytes = (const char *)text.bytes;
    Json j = {.name = path, .begin = bytes, .at = bytes, .end = bytes + text.n, .err = err};
    Draft d = {0};
    bool good = json_members(&j, member_of_file, &d) && json_finish(&j) && judge(&d, path, err) &&
                build(v, &d, path, capped, err);
    text_free(&text);
    free(d.pair);
    if (!good) hf_vocabulary_free(v);
    return good;
}

// ---- other sources ----

static bool in_order(HfVocabulary *v, Error *err) {
    v->theirs = malloc((size_t)v->z.V * sizeof *v->theirs);
    if (!v->theirs) return fail(err, "memory is short");
    for (long i = 0; i < v->z.V; i++) v->theirs[i] = (int32_t)i;
    return true;
}

// The same without one character.
static bool leave_out(Tokenizer *z, uint32_t code, Error *err) {
    size_t n;
    char *bytes = tokenizer_vocabulary(z, &n);
    char *at = bytes ? memchr(bytes, (int)code, n) : NULL;
    if (!at) {
        free(bytes);
        return fail(err, "memory is short");
    }
    memmove(at, at + 1, (size_t)(bytes + n - at - 1));
    tokenizer_free(z);
    bool good = tokenizer_restore(z, TOKENIZER_CHAR, bytes, n - 1, false, err);
    free(bytes);
    return good;
}

bool hf_vocabulary_learn(HfVocabulary *v, const char *path, long V, bool *left_out, Error *err) {
    *v = (HfVocabulary){0};
    *left_out = false;
    Text text;
    if (!text_read(&text, (char *const *)&path, 1, true, NULL, err)) return false;
    bool good = tokenizer_learn(&v->z, TOKENIZER_CHAR, &text, 0, err);
    text_free(&text);
    if (good && v->z.V == V + 1 && v->z.id['\r'] >= 0) {
        *left_out = true;
        good = leave_out(&v->z, '\r', err);
    }
    if (good && v->z.V != V)
        good = fail(err,
                    "%s: has %ld different characters, where the model has %ld tokens; --vocab is the text "
                    "that it was trained on",
                    path, v->z.V, V);
    good = good && in_order(v, err);
    if (!good) hf_vocabulary_free(v);
    return good;
}

bool hf_vocabulary_bytes(HfVocabulary *v, Error *err) {
    *v = (HfVocabulary){0};
    if (tokenizer_restore(&v->z, TOKENIZER_BYTE, "", 0, false, err) && in_order(v, err)) return true;
    hf_vocabulary_free(v);
    return false;
}

void hf_vocabulary_free(HfVocabulary *v) {
    tokenizer_free(&v->z);
    free(v->theirs);
    *v = (HfVocabulary){0};
}
