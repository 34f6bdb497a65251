#include "../commands/commands.h"
#include "../commands/model_file.h"
#include "folder.h"
#include "test.h"
#include <fcntl.h>

static Error err;

// A model whose metadata says `key`: `value`.
static char *model_with(const char *key, const char *value) {
    char *path = in_folder("model.safetensors");
    const GptConfig config = {.V = 256, .T = 2, .C = 2, .L = 1, .NH = 1, .bias = true, .tied = true};
    Weights w;
    Tokenizer z;
    Text text;
    Metadata m = {0};
    if (!weights_create(&w, &config, &err) || !text_from(&text, "t", "x", 1, &err) ||
        !tokenizer_learn(&z, TOKENIZER_BYTE, &text, 0, &err) ||
        !metadata_print(&m, "tokenizer", &err, "byte") || !model_file_put_tokenizer(&m, &z, &err) ||
        !metadata_put(&m, key, value, strlen(value), &err) ||
        !checkpoint_save(path, &w, NULL, NULL, &m, &err))
        abort();
    metadata_free(&m);
    text_free(&text);
    tokenizer_free(&z);
    weights_free(&w);
    return path;
}

// What `info` prints of it; the caller frees it.
static char *info_of(char *model) {
    char *argv[] = {"train_gpt", "info", model}, *out = in_folder("out.txt");
    Options o;
    size_t n;
    if (!options_parse(&o, 3, argv, &err)) abort();
    fflush(stdout);
    int before = dup(STDOUT_FILENO), fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (before < 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0) abort();
    bool good = command_info(&o, &err);
    fflush(stdout);
    if (dup2(before, STDOUT_FILENO) < 0) abort();
    close(before);
    close(fd);
    CHECK(good);
    return get_file(out, &n);
}

static bool has_controls(const char *text) {
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7f) return true;
    return false;
}

static void metadata_moves_no_cursor(void) {
    char *out = info_of(model_with("note", "\033[2Jcleared\r\n\x7f"));
    CHECK(strstr(out, "note") && strstr(out, "?[2Jcleared???"));
    CHECK(!has_controls(out));
    free(out);
    out = info_of(model_with("\033]0;title\a", "value"));
    CHECK(strstr(out, "?]0;title?") && strstr(out, "value"));
    CHECK(!has_controls(out));
    free(out);
}

int main(void) {
    folder_make();
    RUN(metadata_moves_no_cursor);
    return report();
}
