#include "commands.h"
#include "model_file.h"
#include <errno.h>
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

// Strings come from a file that may be anybody's: control characters are not passed on.
static void print_visible(const String *s, int width) {
    for (size_t i = 0; i < s->length; i++) {
        unsigned char c = (unsigned char)s->bytes[i];
        putchar(c < 0x20 || c == 0x7f ? '?' : c);
    }
    for (int i = (int)s->length; i < width; i++) putchar(' ');
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
            parameters += file.entry[i].size / file.entry[i].bytes_per_element;
    printf("file            %s (%s, %lld bytes)\n", path, state ? "a training state, to --resume" : "a model",
           (long long)(file.data_begin + file.data_size));
    printf("parameters      %ld in %ld tensors\n", parameters, state ? file.entries / 3 : file.entries);
    print_vocabulary(&z);
    for (long i = 0; i < file.metadata.entries; i++) {
        const struct MetadataEntry *e = &file.metadata.entry[i];
        if (strncmp(e->key.bytes, "vocabulary", 10) == 0) continue;
        print_visible(&e->key, 15);
        putchar(' ');
        print_visible(&e->value, 0);
        putchar('\n');
    }
    tokenizer_free(&z);
    safetensors_close(&file);
    return fflush(stdout) == 0 || fail(err, "standard output: %s", strerror(errno));
}
