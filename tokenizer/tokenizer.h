// tokenizer.h -- text to ids and back: one id a character (Unicode code point), or one a byte.
#ifndef TOKENIZER_H
#define TOKENIZER_H

#include "../data/ids.h"
#include "../data/text.h"
#include "../data/utf8.h"

typedef enum { TOKENIZER_CHAR, TOKENIZER_BYTE } TokenizerKind;

typedef struct {
    TokenizerKind kind;
    long V;
    // For characters only:
    uint32_t *code;  // code[id], ascending
    int32_t *id;     // id[code point], -1 where there is none
    bool capped;     // characters without an id of their own are read as U+FFFD, which has one
} Tokenizer;

// The vocabulary of a text: its distinct characters in order of code point, so that an id is a character's
// rank. With cap > 0 at most `cap` ids: the cap-1 most frequent characters (of equal ones the smaller) and
// U+FFFD for the rest. Fails, naming file, offset and bytes, at the first byte that is not UTF-8; and where
// the text looks binary. TOKENIZER_BYTE: the 256 byte values, whatever the text.
bool tokenizer_learn(Tokenizer *z, TokenizerKind kind, const Text *text, long cap, Error *err);

// The same from what tokenizer_vocabulary gave. Fails where the characters are not ascending UTF-8.
bool tokenizer_restore(Tokenizer *z, TokenizerKind kind, const char *vocabulary, size_t n, bool capped,
                       Error *err);
void tokenizer_free(Tokenizer *z);

// All characters in order of their ids, as UTF-8: *n bytes. Empty for bytes. The caller frees it; NULL: out
// of memory.
char *tokenizer_vocabulary(const Tokenizer *z, size_t *n);

// The characters of a text that have no id.
typedef struct {
    long count;
    uint32_t code;  // the first of them, and where it stands in the text
    size_t at;
} Unknown;

// The ids of a text. Characters without an id are left out, and reported in *unknown. Fails where it is not
// UTF-8. The text's bytes are used up, whatever comes of it: up to 256 ids are written over them, so that no
// other memory is needed, and for a larger vocabulary they are freed when the ids (2 or 4 bytes a character)
// stand beside them. Names and places in the text remain.
bool tokenizer_encode(const Tokenizer *z, Ids *ids, Text *text, Unknown *unknown, Error *err);

// For a caller that cannot do without them: fails, naming file, place and the first of them; `way_out` ends
// the message.
bool tokenizer_refuse_unknown(const Text *text, const Unknown *unknown, const char *way_out, Error *err);

// Puts a stream of ids together to whole characters.
typedef struct {
    unsigned char pending[UTF8_MOST];  // bytes of a character that is not complete
    int n;
} Utf8Stream;

// Appends to `out` the characters that `id` completes, and returns the number of bytes. Bytes that are no
// UTF-8 become U+FFFD, one for each byte.
enum { DECODED_MOST = 4 * UTF8_MOST };
int tokenizer_decode(const Tokenizer *z, Utf8Stream *d, int32_t id, char out[DECODED_MOST]);

// The same for what is left when the stream ends.
int tokenizer_decode_end(const Tokenizer *z, Utf8Stream *d, char out[DECODED_MOST]);

// A character for a message: itself and its code point, as in 'é' (U+00E9); only the code point where it is
// not visible.
void character_name(uint32_t code, char out[32]);

#endif
