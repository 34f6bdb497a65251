// hf_vocabulary.h -- which character or byte each token is.
// Source: huggingface/tokenizers, the JSON form of a tokenizer.
#ifndef HF_VOCABULARY_H
#define HF_VOCABULARY_H

#include "../data/error.h"
#include "../tokenizer/tokenizer.h"

// A tokenizer, whose ids ascend with the characters, and for each of them the id that the files have for it.
typedef struct {
    Tokenizer z;
    int32_t *theirs;  // (z.V)
    bool reordered;   // whether any differs
} HfVocabulary;

// From a tokenizer.json that has one token for each character (a BPE without merges, or words of one
// character), or for each byte. Refuses others, byte-pair encodings among them, in a sentence that says so.
// `capped`: characters that have no token are read as U+FFFD, if that has one.
bool hf_vocabulary_read(HfVocabulary *v, const char *path, bool capped, Error *err);

// From a text: its characters in their order, which must be V. Where they are one more, and one of them is
// the carriage return, that is left out: Python reads lines without it. *left_out says so.
bool hf_vocabulary_learn(HfVocabulary *v, const char *path, long V, bool *left_out, Error *err);

// The 256 bytes.
bool hf_vocabulary_bytes(HfVocabulary *v, Error *err);

void hf_vocabulary_free(HfVocabulary *v);

#endif
