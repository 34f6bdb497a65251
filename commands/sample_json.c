#include "sample_json.h"
#include "../data/json.h"

static void print_ids(const char *name, const int32_t *id, long n) {
    printf("\"%s\": [", name);
    for (long t = 0; t < n; t++) printf("%s%d", t ? ", " : "", (int)id[t]);
    printf("]");
}

// A string is put together token by token, each escaped for itself.
static void print_text(const char *name, const Tokenizer *z, const int32_t *id, long n) {
    Utf8Stream decoding = {0};
    printf("\"%s\": \"", name);
    for (long t = 0; t <= n; t++) {
        char bytes[DECODED_MOST];
        int length =
            t < n ? tokenizer_decode(z, &decoding, id[t], bytes) : tokenizer_decode_end(z, &decoding, bytes);
        json_write_part(stdout, bytes, (size_t)length);
    }
    printf("\"");
}

void sample_json_begin(const Tokenizer *z, long T, const int32_t *start, long n, const real *logits) {
    printf("{\"vocab_size\": %ld, \"n_positions\": %ld,\n ", z->V, T);
    print_text("prompt", z, start, n);
    printf(",\n ");
    print_ids("prompt_ids", start, n);
    printf(",\n \"logits\": [");
    for (long v = 0; v < z->V; v++) {
        if (v) printf(", ");
        json_write_number(stdout, (double)logits[v]);
    }
    printf("],\n \"samples\": [");
}

void sample_json_add(const Tokenizer *z, long number, const int32_t *id, long n) {
    printf("%s\n  {", number ? "," : "");
    print_ids("ids", id, n);
    printf(",\n   ");
    print_text("text", z, id, n);
    printf("}");
}

void sample_json_end(void) { printf("]}\n"); }
