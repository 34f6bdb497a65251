// Proves that encoding a text and decoding the ids gives the text again, for bytes and for characters of
// vocabularies with ids of 1 and of 2 bytes; that what a vocabulary lacks is left out and counted, or read as
// U+FFFD; and that ids which make no UTF-8 come out as UTF-8 all the same. The first byte picks the
// tokenizer.
#include "../../tokenizer/tokenizer.h"
#include "fuzz.h"

enum { KINDS = 4 };
static Tokenizer tokenizer[KINDS];

// Bytes; some characters of each length; the same with U+FFFD for all others; the first 300 and a late one.
static void make_tokenizers(void) {
    static const char some[] = "\n abcdefgh\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80",
                      capped[] = "\n abc\xc3\xa9\xef\xbf\xbd";
    char many[700];
    size_t n = 0;
    Error err;
    for (uint32_t c = 0; c < 300; c++) n += (size_t)utf8_encode(c, many + n);
    n += (size_t)utf8_encode(0x10ffff, many + n);
    HOLDS(tokenizer_restore(&tokenizer[0], TOKENIZER_BYTE, "", 0, false, &err));
    HOLDS(tokenizer_restore(&tokenizer[1], TOKENIZER_CHAR, some, sizeof some - 1, false, &err));
    HOLDS(tokenizer_restore(&tokenizer[2], TOKENIZER_CHAR, capped, sizeof capped - 1, true, &err));
    HOLDS(tokenizer_restore(&tokenizer[3], TOKENIZER_CHAR, many, n, false, &err));
}

static long known(const Tokenizer *z, uint32_t code) {
    for (long i = 0; i < z->V; i++)
        if (z->code[i] == code) return i;
    return -1;
}

// What should come out; false where a character tokenizer should refuse the text. *lost counts what is left
// out.
static bool expected(const Tokenizer *z, const uint8_t *p, size_t n, char *out, size_t *length, long *lost) {
    *length = 0;
    *lost = 0;
    for (size_t at = 0; at < n;) {
        uint32_t code;
        int taken = utf8_decode(p + at, n - at, &code);
        if (taken < 0 && z->kind == TOKENIZER_CHAR) return false;
        at += taken < 0 ? 1 : (size_t)taken;
        if (taken < 0) code = REPLACEMENT;
        if (z->kind == TOKENIZER_CHAR && known(z, code) < 0) {
            *lost += !z->capped;
            if (!z->capped) continue;
            code = REPLACEMENT;
        }
        *length += (size_t)utf8_encode(code, out + *length);
    }
    return true;
}

static size_t decode(const Tokenizer *z, const Ids *ids, char *out) {
    Utf8Stream d = {0};
    size_t n = 0;
    char some[DECODED_MOST];
    for (long i = 0; i < ids->n; i++) {
        int32_t id;
        ids_copy(&id, ids, i, 1);
        HOLDS(id >= 0 && id < z->V);
        int got = tokenizer_decode(z, &d, id, some);
        memcpy(out + n, some, (size_t)got);
        n += (size_t)got;
    }
    int rest = tokenizer_decode_end(z, &d, some);
    memcpy(out + n, some, (size_t)rest);
    return n + (size_t)rest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 1) return 0;
    if (!tokenizer[0].V) make_tokenizers();
    const Tokenizer *z = &tokenizer[bytes[0] % KINDS];
    char *right = malloc(UTF8_MOST * n), *found = malloc(UTF8_MOST * n);
    if (!right || !found) abort();
    size_t length;
    long lost;
    bool valid = expected(z, bytes + 1, n - 1, right, &length, &lost);
    Text text;
    Ids ids;
    Unknown unknown;
    Error err;
    HOLDS(text_from(&text, "text", (const char *)bytes + 1, n - 1, &err));
    HOLDS(tokenizer_encode(z, &ids, &text, &unknown, &err) == valid);
    HOLDS(valid ? unknown.count == lost : one_line(&err));
    if (valid) {
        HOLDS(decode(z, &ids, found) == length && memcmp(found, right, length) == 0);
        if (lost) HOLDS(!tokenizer_refuse_unknown(&text, &unknown, "no way out", &err) && one_line(&err));
        ids_free(&ids);
    }
    text_free(&text);
    free(right);
    free(found);
    return 0;
}
