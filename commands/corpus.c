#include "corpus.h"
#include "machine.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void report_oddities(const Text *text, Progress *p) {
    char number[32];
    if (text->byte_order_marks) progress_say(p, "left out a byte-order mark at the beginning of the text");
    if (text->crlf_lines)
        progress_say(p, "%s lines end in CR LF; the CR is kept as a character (sed 's/\\r$//' removes it)",
                     with_commas(number, text->crlf_lines));
}

static bool tokenize(Corpus *c, Text *text, const Options *o, Tokenizer *known, Error *err) {
    if (text->n == 0) return fail(err, "%s: the text is empty", text->part[0].name);
    if (known) {
        c->z = *known;
        *known = (Tokenizer){0};
    } else if (!tokenizer_learn(&c->z, (TokenizerKind)o->tokenizer, text, o->vocab_size, err)) {
        return false;
    }
    Unknown unknown;
    if (!tokenizer_encode(&c->z, &c->ids, text, &unknown, err)) return false;
    if (unknown.count > 0)
        return tokenizer_refuse_unknown(
            text, &unknown, "going on from it takes a text of the characters it was trained on", err);
    if (c->ids.n < 2)
        return fail(err, "%s: one character is too short; predicting the next takes at least two",
                    text->part[0].name);
    if (c->z.V < 2)
        return fail(err, "%s: holds one character, over and over; there is nothing to learn",
                    text->part[0].name);
    return true;
}

// The last tenth validates, and has at least two tokens, since a loss is about a token after another. So does
// training.
static void split(Corpus *c, Progress *p) {
    long n = c->ids.n, wanted = n - (long)(0.9 * (double)n);
    c->val_n = wanted < 2 ? 2 : wanted;
    c->train_n = n - c->val_n;
    c->val_begin = c->train_n;
    if (c->train_n >= 2) {
        if (c->val_n != wanted) progress_say(p, "the text is short: %ld tokens validate", c->val_n);
        return;
    }
    c->train_n = c->val_n = n;
    c->val_begin = 0;
    progress_say(p, "the text is too short to set some aside: validation is on the training text");
}

bool corpus_read(Corpus *c, const Options *o, Tokenizer *known, Progress *p, Error *err) {
    *c = (Corpus){0};
    Text text;
    char total[32], train[32], val[32];
    bool characters = known ? known->kind == TOKENIZER_CHAR : o->tokenizer == TOKENIZER_CHAR;
    Watch watch = progress_watch(p);
    if (!text_read_within(&text, machine_memory(), o->argument, o->arguments, characters, &watch, err))
        return false;
    bool good = tokenize(c, &text, o, known, err);
    if (good) report_oddities(&text, p);
    text_free(&text);
    if (!good) {
        corpus_free(c);
        return false;
    }
    c->crc = ids_crc32(&c->ids);
    split(c, p);
    const char *unit = characters ? "characters" : "bytes";
    progress_say(p, "text: %s %s, %ld distinct%s; %s to train on, %s to validate",
                 with_commas(total, c->ids.n), unit, c->z.V,
                 characters ? c->z.capped ? " kept" : "" : " values", with_commas(train, c->train_n),
                 with_commas(val, c->val_n));
    return true;
}

void corpus_free(Corpus *c) {
    tokenizer_free(&c->z);
    ids_free(&c->ids);
}

void corpus_fit(const Corpus *c, Options *o, Progress *p) {
    if (o->block_size > c->train_n - 1) {
        o->block_size = c->train_n - 1;
        progress_say(p, "the text is short: --block-size shrinks to %ld", o->block_size);
    }
    long windows = (c->train_n - 1) / o->block_size;
    if (o->batch_size > windows) {
        o->batch_size = windows;
        progress_say(p, "the text is short: --batch-size shrinks to %ld, all its windows", o->batch_size);
    }
}

static bool count(Corpus *c, long train_n, long val_n, const Watch *watch, Error *err) {
    int32_t *tokens = malloc((size_t)(train_n + val_n) * sizeof *tokens);
    if (!tokens) return fail(err, "memory: cannot count n-grams");
    ids_copy(tokens, &c->ids, 0, train_n);
    ids_copy(tokens + train_n, &c->ids, c->val_begin, val_n);
    bool good = ngram_losses(c->ngram, tokens, train_n, tokens + train_n, val_n, c->z.V, watch, err);
    free(tokens);
    return good;
}

bool corpus_count(Corpus *c, Progress *p, Error *err) {
    const long MOST = 4L << 20;  // tokens of each split: about a second, and 200 MB of memory
    long train_n = c->train_n < MOST ? c->train_n : MOST, val_n = c->val_n < MOST ? c->val_n : MOST;
    char part[80] = "", number[32];
    Watch watch = progress_watch(p);
    if (!count(c, train_n, val_n, &watch, err)) return false;
    if (train_n < c->train_n)
        snprintf(part, sizeof part, ", of the first %s %s of each split", with_commas(number, MOST),
                 c->z.kind == TOKENIZER_CHAR ? "characters" : "bytes");
    for (int k = 0; k < NGRAM_MODELS; k++)
        if (c->ngram[k] < c->ngram[c->best_ngram]) c->best_ngram = k;
    progress_say(
        p, "to beat, in nats: uniform %.4f  unigram %.4f  bigram %.4f  best n-gram %.4f (%d of context)%s",
        log((double)c->z.V), c->ngram[0], c->ngram[1], c->ngram[c->best_ngram], c->best_ngram, part);
    return true;
}
