#include "commands.h"
#include "model_file.h"
#include "output.h"
#include <string.h>

// The characters of the vocabulary that can be shown on a line, up to a screenful.
static void print_vocabulary(const Tokenizer *z) {
    enum { MOST = 100 };
    printf("vocabulary      %ld ", z->V);
    if (z->kind == TOKENIZER_BYTE) {
        printf("byte values\n");
        return;
    }
    printf("characters%s: ", z->capped ? " (others are read as U+FFFD)" : "");
    for (long i = 0; i < z->V && i < MOST; i++) {
        char bytes[UTF8_MOST];
        uint32_t code = z->code[i];
        if (code < 0x20 || (code >= 0x7f && code < 0xa0))
            printf("\\x%02x", (unsigned)code);
        else
            printf("%.*s", utf8_encode(code, bytes), bytes);
    }
    printf("%s\n", z->V > MOST ? " ..." : "");
}

// The file may be anybody's.
static void print_entry(struct MetadataEntry *e) {
    hide_controls(e->key.bytes, e->key.length);
    hide_controls(e->value.bytes, e->value.length);
    printf("%-15s ", e->key.bytes);
    fwrite(e->value.bytes, 1, e->value.length, stdout);
    putchar('\n');
}

bool command_info(const Options *o, Error *err) {
    Safetensors file;
    GptConfig c;
    Tokenizer z;
    bool state;
    const char *path = o->argument[0];
    if (!model_file_open(&file, &c, &z, &state, path, err)) return false;
    long parameters = 0;
    for (long i = 0; i < file.entries; i++)
        if (strncmp(file.entry[i].name.bytes, "adamw.", 6) != 0)
            parameters += file.entry[i].size / SAFETENSORS_TYPE_BYTES[file.entry[i].type];
    printf("file            %s (%s, %lld bytes)\n", path, state ? "a training state, to --resume" : "a model",
           (long long)(file.data_begin + file.data_size));
    printf("parameters      %ld in %ld tensors\n", parameters, state ? file.entries / 3 : file.entries);
    print_vocabulary(&z);
    for (long i = 0; i < file.metadata.entries; i++) {
        struct MetadataEntry *e = &file.metadata.entry[i];
        bool long_one = strncmp(e->key.bytes, "vocabulary", 10) == 0 || strcmp(e->key.bytes, "samples") == 0;
        if (!long_one) print_entry(e);
    }
    tokenizer_free(&z);
    safetensors_close(&file);
    return output_flush(err);
}
