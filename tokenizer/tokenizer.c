#include "tokenizer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_VALUES = 256 };
static const size_t PIECE = 1 << 20;  // bytes between two words to whoever watches

// Spaces, controls and marks of direction (Unicode's categories C and Z, as far as texts have them).
static bool invisible(uint32_t code) {
    return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad ||
           (code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) ||
           (code >= 0x205f && code <= 0x206f) || code == 0x3000 || code == 0xfeff;
}

void character_name(uint32_t code, char out[32]) {
    char bytes[UTF8_MOST];
    bool visible = !invisible(code);
    int n = visible ? utf8_encode(code, bytes) : 0;
    if (visible)
        snprintf(out, 32, "'%.*s' (U+%04X)", n, bytes, (unsigned)code);
    else
        snprintf(out, 32, "U+%04X", (unsigned)code);
}

// Describes where a text stops being UTF-8, and the two ways on.
static bool not_utf8(const Text *text, size_t at, Error *err) {
    const char *name;
    size_t offset;
    char hex[3 * UTF8_MOST + 1] = "";
    text_place(text, at, &name, &offset);
    for (size_t i = 0; i < UTF8_MOST && at + i < text->n; i++)
        snprintf(hex + 3 * i, 4, " %02x", text->bytes[at + i]);
    return fail(err,
                "%s: not UTF-8 at byte %zu:%s; use --tokenizer byte, or convert the file (iconv -t UTF-8)",
                name, offset, hex);
}

// ---- vocabulary ----

// Occurrences of each code point; the caller frees them. NULL with err set where the text cannot be read as
// characters.
static uint64_t *count_characters(const Text *text, Error *err) {
    uint64_t *count = calloc(CODE_POINTS, sizeof *count);
    if (!count) {
        fail(err, "memory is short");
        return NULL;
    }
    for (size_t at = 0, tell = 0; at < text->n;) {
        if (at >= tell) {
            watch_tell(text->watch, "counting characters", NULL, (double)at, (double)text->n);
            tell = at + PIECE;
        }
        uint32_t code;
        int length = utf8_decode(text->bytes + at, text->n - at, &code);
        if (length < 0) {
            not_utf8(text, at, err);
            free(count);
            return NULL;
        }
        count[code]++;
        at += (size_t)length;
    }
    return count;
}

// Valid UTF-8 can still be a program or a picture: one control character in ten, other than white space, is
// too many.
static bool looks_binary(const uint64_t *count, const Text *text) {
    uint64_t controls = 0;
    for (uint32_t c = 0; c < 0x20; c++)
        if (!strchr("\t\n\v\f\r\x1b", (int)c) || c == 0) controls += count[c];
    return controls > text->n / 10;
}

typedef struct {
    uint32_t code;
    uint64_t count;
} Frequency;

static int most_frequent_first(const void *a, const void *b) {
    const Frequency *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return x->code < y->code ? -1 : 1;
}

// Sets the counts of all but the `keep` most frequent of `distinct` characters to 0.
static bool keep_most_frequent(uint64_t *count, long distinct, long keep, Error *err) {
    Frequency *f = malloc((size_t)distinct * sizeof *f);
    if (!f) return fail(err, "memory is short");
    long n = 0;
    for (uint32_t c = 0; c < CODE_POINTS; c++)
        if (count[c]) f[n++] = (Frequency){c, count[c]};
    qsort(f, (size_t)n, sizeof *f, most_frequent_first);
    for (long i = keep; i < n; i++) count[f[i].code] = 0;
    free(f);
    return true;
}

static bool make_tables(Tokenizer *z, Error *err) {
    z->code = malloc((size_t)z->V * sizeof *z->code);
    z->id = malloc(CODE_POINTS * sizeof *z->id);
    if (!z->code || !z->id) {
        tokenizer_free(z);
        return fail(err, "memory is short");
    }
    memset(z->id, 0xff, CODE_POINTS * sizeof *z->id);  // all -1
    return true;
}

static void give_id(Tokenizer *z, uint32_t code) {
    z->id[code] = (int32_t)z->V;
    z->code[z->V++] = code;
}

static bool learn_characters(Tokenizer *z, uint64_t *count, const Text *text, long cap, Error *err) {
    if (looks_binary(count, text))
        return fail(err, "%s%s: looks like a binary file, not a text; use --tokenizer byte to train on it",
                    text->part[0].name, text->parts > 1 ? " or another of the files" : "");
    long distinct = 0;
    for (uint32_t c = 0; c < CODE_POINTS; c++) distinct += count[c] > 0;
    if (cap > 0 && distinct > cap) {
        // U+FFFD has a place of its own in any case.
        uint64_t replaced = count[REPLACEMENT];
        count[REPLACEMENT] = 0;
        if (!keep_most_frequent(count, distinct - (replaced > 0), cap - 1, err)) return false;
        count[REPLACEMENT] = 1;
        distinct = cap;
        z->capped = true;
    }
    z->V = distinct;
    if (!make_tables(z, err)) return false;
    z->V = 0;
    for (uint32_t c = 0; c < CODE_POINTS; c++)
        if (count[c]) give_id(z, c);
    return true;
}

bool tokenizer_learn(Tokenizer *z, TokenizerKind kind, const Text *text, long cap, Error *err) {
    *z = (Tokenizer){.kind = kind, .V = BYTE_VALUES};
    if (kind == TOKENIZER_BYTE) return true;
    uint64_t *count = count_characters(text, err);
    if (!count) return false;
    bool good = learn_characters(z, count, text, cap, err);
    free(count);
    return good;
}

// How many characters the vocabulary has; 0, with err set, where it is none.
static long check_vocabulary(const unsigned char *bytes, size_t n, bool capped, Error *err) {
    long characters = 0;
    uint32_t code = 0, before = 0;
    bool replacement = false;
    int length;
    for (size_t at = 0; at < n; at += (size_t)length, characters++, before = code) {
        length = utf8_decode(bytes + at, n - at, &code);
        if (length < 0 || (characters > 0 && code <= before)) {
            fail(err, "the vocabulary is damaged at byte %zu", at);
            return 0;
        }
        replacement = replacement || code == REPLACEMENT;
    }
    if (characters == 0) fail(err, "the vocabulary is empty");
    if (characters == 0 || !capped || replacement) return characters;
    fail(err, "the capped vocabulary lacks U+FFFD");
    return 0;
}

bool tokenizer_restore(Tokenizer *z, TokenizerKind kind, const char *vocabulary, size_t n, bool capped,
                       Error *err) {
    *z = (Tokenizer){.kind = kind, .V = BYTE_VALUES};
    if (kind == TOKENIZER_BYTE)
        return (n == 0 && !capped) || fail(err, "a byte model has no vocabulary of its own");
    const unsigned char *bytes = (const unsigned char *)vocabulary;
    *z = (Tokenizer){.kind = kind, .V = check_vocabulary(bytes, n, capped, err), .capped = capped};
    if (z->V == 0 || !make_tables(z, err)) return false;
    z->V = 0;
    for (size_t at = 0; at < n;) {
        uint32_t code = 0;
        at += (size_t)utf8_decode(bytes + at, n - at, &code);
        give_id(z, code);
    }
    return true;
}

void tokenizer_free(Tokenizer *z) {
    free(z->code);
    free(z->id);
    *z = (Tokenizer){0};
}

char *tokenizer_vocabulary(const Tokenizer *z, size_t *n) {
    *n = 0;
    long characters = z->kind == TOKENIZER_CHAR ? z->V : 0;
    char *bytes = malloc((size_t)characters * UTF8_MOST + 1);
    for (long i = 0; bytes && i < characters; i++) *n += (size_t)utf8_encode(z->code[i], bytes + *n);
    return bytes;
}

// ---- text to ids ----

bool tokenizer_refuse_unknown(const Text *text, const Unknown *unknown, const char *way_out, Error *err) {
    const char *name;
    size_t offset;
    char shown[32];
    text_place(text, unknown->at, &name, &offset);
    character_name(unknown->code, shown);
    return fail(err, "%s: the model does not know the character %s at byte %zu; %s", name, shown, offset,
                way_out);
}

// Every character has one byte that is not of the form 10xxxxxx. Where the text is not UTF-8, no fewer than
// come before the first error.
static long count_in_utf8(const Text *text) {
    long n = 0;
    for (size_t i = 0; i < text->n; i++) n += (text->bytes[i] & 0xc0) != 0x80;
    return n;
}

// The ids may be written over the text's own bytes: they never get past what has been read.
static bool encode_characters(const Tokenizer *z, Ids *ids, const Text *text, Unknown *unknown, Error *err) {
    enum { CHUNK = 4096 };
    int32_t chunk[CHUNK];
    long written = 0, n = 0;
    for (size_t at = 0; at < text->n;) {
        uint32_t code;
        int length = utf8_decode(text->bytes + at, text->n - at, &code);
        if (length < 0) return not_utf8(text, at, err);
        int32_t id = z->id[code];
        if (id < 0 && z->capped) id = z->id[REPLACEMENT];
        if (id >= 0)
            chunk[n++] = id;
        else if (unknown->count++ == 0)
            unknown->code = code, unknown->at = at;
        if (n == CHUNK) {
            ids_write(ids, written, chunk, n);
            watch_tell(text->watch, "making ids", NULL, (double)at, (double)text->n);
            written += n;
            n = 0;
        }
        at += (size_t)length;
    }
    ids_write(ids, written, chunk, n);
    ids->n = written + n;
    return true;
}

bool tokenizer_encode(const Tokenizer *z, Ids *ids, Text *text, Unknown *unknown, Error *err) {
    *unknown = (Unknown){0};
    bool in_place = ids_width(z->V) == 1;  // no character has fewer bytes
    if (in_place)
        *ids = (Ids){.at = text->bytes, .width = 1, .n = (long)text->n};
    else if (!ids_create(ids, count_in_utf8(text), z->V, err))
        return false;
    bool good = z->kind == TOKENIZER_BYTE || encode_characters(z, ids, text, unknown, err);
    if (!in_place) free(text->bytes);
    text->bytes = NULL;
    text->n = 0;
    if (good)
        ids_trim(ids);
    else
        ids_free(ids);
    return good;
}

// ---- ids to text ----

// Moves complete characters from the pending bytes to `out`; with `end` everything, broken or not.
static int drain(Utf8Stream *d, bool end, char *out) {
    int written = 0;
    while (d->n > 0) {
        uint32_t code;
        int length = utf8_decode(d->pending, (size_t)d->n, &code);
        if (length == UTF8_CUT_SHORT && !end) break;
        if (length < 0) {
            code = REPLACEMENT;
            length = 1;
        }
        written += utf8_encode(code, out + written);
        d->n -= length;
        memmove(d->pending, d->pending + length, (size_t)d->n);
    }
    return written;
}

int tokenizer_decode(const Tokenizer *z, Utf8Stream *d, int32_t id, char out[DECODED_MOST]) {
    if (z->kind == TOKENIZER_CHAR) return utf8_encode(z->code[id], out);
    d->pending[d->n++] = (unsigned char)id;
    return drain(d, false, out);
}

int tokenizer_decode_end(const Tokenizer *z, Utf8Stream *d, char out[DECODED_MOST]) {
    return z->kind == TOKENIZER_CHAR ? 0 : drain(d, true, out);
}
