// Proves that a vocabulary is restored only from ascending UTF-8 characters and gives the same bytes again;
// and that one learnt from a text encodes that text whole, and is restored to the same. The first byte is the
// cap.
#include "../../tokenizer/tokenizer.h"
#include "fuzz.h"

static bool same(const Tokenizer *a, const Tokenizer *b) {
    return a->V == b->V && a->capped == b->capped &&
           memcmp(a->code, b->code, (size_t)a->V * sizeof *a->code) == 0;
}

static bool ascending(const uint8_t *p, size_t n) {
    uint32_t code, before = 0;
    int length = 0;
    for (size_t at = 0; at < n; at += (size_t)length, before = code) {
        length = utf8_decode(p + at, n - at, &code);
        if (length < 0 || (at > 0 && code <= before)) return false;
    }
    return n > 0;
}

// Of valid UTF-8.
static bool has_replacement(const uint8_t *p, size_t n) {
    for (size_t at = 0; at + 3 <= n; at++)
        if (memcmp(p + at, "\xef\xbf\xbd", 3) == 0) return true;
    return false;
}

static void vocabulary_gives(const Tokenizer *z, const void *bytes, size_t n) {
    size_t length;
    char *again = tokenizer_vocabulary(z, &length);
    HOLDS(again && length == n && memcmp(again, bytes, n) == 0);
    free(again);
}

static void learn(const uint8_t *bytes, size_t n, long cap) {
    Text text;
    Tokenizer z, back;
    Ids ids;
    Unknown unknown;
    Error err;
    HOLDS(text_from(&text, "text", (const char *)bytes, n, &err));
    if (tokenizer_learn(&z, TOKENIZER_CHAR, &text, cap, &err)) {
        size_t length;
        char *vocabulary = tokenizer_vocabulary(&z, &length);
        HOLDS(vocabulary && (cap == 0 || z.V <= cap));
        HOLDS(tokenizer_restore(&back, TOKENIZER_CHAR, vocabulary, length, z.capped, &err) &&
              same(&z, &back));
        HOLDS(tokenizer_encode(&back, &ids, &text, &unknown, &err) && unknown.count == 0);
        ids_free(&ids);
        free(vocabulary);
        tokenizer_free(&back);
        tokenizer_free(&z);
    } else {
        HOLDS(one_line(&err));
    }
    text_free(&text);
}

static void restore(const uint8_t *bytes, size_t n, bool capped) {
    Tokenizer z;
    Error err;
    bool good = tokenizer_restore(&z, TOKENIZER_CHAR, (const char *)bytes, n, capped, &err);
    HOLDS(good || one_line(&err));
    HOLDS(good == (ascending(bytes, n) && (!capped || has_replacement(bytes, n))));
    if (!good) return;
    vocabulary_gives(&z, bytes, n);
    tokenizer_free(&z);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n < 1) return 0;
    long cap = bytes[0] & 0x7f;
    if (!(bytes[0] & 0x80))
        restore(bytes + 1, n - 1, cap == 2);
    else if (cap != 1 && n > 1)  // no text, and a cap of 1, leave nothing to learn: others refuse them
        learn(bytes + 1, n - 1, cap);
    return 0;
}
