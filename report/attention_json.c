#include "attention_json.h"
#include "../data/json.h"

static void print_number(FILE *f, real x) { fprintf(f, "%.9g", (double)x); }

static void print_text(FILE *f, const Tokenizer *z, const int32_t *token, long n) {
    Utf8Stream decoding = {0};
    putc('"', f);
    for (long t = 0; t <= n; t++) {
        char bytes[DECODED_MOST];
        int length = t < n ? tokenizer_decode(z, &decoding, token[t], bytes)
                           : tokenizer_decode_end(z, &decoding, bytes);
        json_write_part(f, bytes, (size_t)length);
    }
    putc('"', f);
}

static void print_head(FILE *f, const Look *look, long layer, long head) {
    const real *p = look_weights(look, layer, head);
    fprintf(f, "{\"layer\": %ld, \"head\": %ld, \"weights\": [", layer, head);
    for (long i = 0; i < look->T; i++) {
        fputs(i ? ",\n   [" : "\n   [", f);
        for (long j = 0; j <= i; j++) {
            if (j) fputs(", ", f);
            print_number(f, p[i * look->T + j]);
        }
        putc(']', f);
    }
    fputs("]}", f);
}

static void print_guesses(FILE *f, const Look *look, const Candidate *guess) {
    putc('[', f);
    for (long k = 0; k < look->guesses; k++) {
        fprintf(f, "%s{\"id\": %d, \"text\": ", k ? ", " : "", (int)guess[k].token);
        print_text(f, look->z, &guess[k].token, 1);
        fputs(", \"p\": ", f);
        print_number(f, guess[k].p);
        putc('}', f);
    }
    putc(']', f);
}

void attention_json(FILE *f, const Look *look, long positions) {
    fprintf(f, "{\"vocab_size\": %ld, \"n_positions\": %ld,\n \"prompt\": ", look->z->V, positions);
    print_text(f, look->z, look->token, look->T);
    fputs(",\n \"prompt_ids\": [", f);
    for (long t = 0; t < look->T; t++) fprintf(f, "%s%d", t ? ", " : "", (int)look->token[t]);
    fputs("],\n \"heads\": [", f);
    bool first = true;
    for (long l = look->layers.begin; l < look->layers.end; l++)
        for (long h = look->heads.begin; h < look->heads.end; h++) {
            fputs(first ? "\n  " : ",\n  ", f);
            first = false;
            print_head(f, look, l, h);
        }
    fputs("],\n \"next\": [", f);
    for (long t = 0; t < look->T; t++) {
        fputs(t ? ",\n  " : "\n  ", f);
        print_guesses(f, look, look->guess + t * look->guesses);
    }
    fputs("]}\n", f);
}
