// hf_export.c -- one function for each file.
#include "../data/file.h"
#include "../data/json.h"
#include "../data/safetensors.h"
#include "byte_letters.h"
#include "hf_tensors.h"
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 4, WEIGHTS = TEXTS };  // the texts come first
const char *const HF_FILES[] = {"config.json",           "generation_config.json", "tokenizer.json",
                                "tokenizer_config.json", "model.safetensors",      NULL};

// ---- the texts ----

// The three null ids say that the vocabulary has no such tokens; left out, GPT-2's own would be taken.
static const char NO_SPECIAL_TOKENS[] =
    "  \"bos_token_id\": null,\n  \"eos_token_id\": null,\n  \"pad_token_id\": null";

static void write_config(FILE *f, const GptConfig *c, const Tokenizer *z) {
    (void)z;
    fprintf(f,
            "{\n"
            "  \"architectures\": [\"GPT2LMHeadModel\"],\n"
            "  \"model_type\": \"gpt2\",\n"
            "  \"vocab_size\": %ld,\n"
            "  \"n_positions\": %ld,\n"
            "  \"n_ctx\": %ld,\n"
            "  \"n_embd\": %ld,\n"
            "  \"n_layer\": %ld,\n"
            "  \"n_head\": %ld,\n"
            "  \"n_inner\": null,\n"
            "  \"activation_function\": \"gelu_new\",\n"
            "  \"layer_norm_epsilon\": 1e-05,\n"
            "  \"resid_pdrop\": 0.0,\n"
            "  \"embd_pdrop\": 0.0,\n"
            "  \"attn_pdrop\": 0.0,\n"
            "  \"initializer_range\": 0.02,\n"
            "  \"scale_attn_weights\": true,\n"
            "  \"scale_attn_by_inverse_layer_idx\": false,\n"
            "  \"reorder_and_upcast_attn\": false,\n"
            "  \"use_cache\": true,\n"
            "%s,\n"
            "  \"tie_word_embeddings\": %s,\n"
            "  \"torch_dtype\": \"float32\"\n"
            "}\n",
            c->V, c->T, c->T, c->C, c->L, c->NH, NO_SPECIAL_TOKENS, c->tied ? "true" : "false");
}

// max_length keeps generate() inside the table of positions.
static void write_generation_config(FILE *f, const GptConfig *c, const Tokenizer *z) {
    (void)z;
    fprintf(f, "{\n  \"do_sample\": true,\n  \"max_length\": %ld,\n%s\n}\n", c->T, NO_SPECIAL_TOKENS);
}

// A character is a token of its own: a BPE without merges splits a text into characters and looks each up.
// Bytes are looked up by their letters.
static void write_tokenizer(FILE *f, const GptConfig *c, const Tokenizer *z) {
    (void)c;
    bool of_bytes = z->kind == TOKENIZER_BYTE;
    fprintf(f,
            "{\n"
            "  \"version\": \"1.0\",\n"
            "  \"truncation\": null,\n"
            "  \"padding\": null,\n"
            "  \"added_tokens\": [],\n"
            "  \"normalizer\": null,\n"
            "  \"pre_tokenizer\": %s,\n"
            "  \"post_processor\": null,\n"
            "  \"decoder\": %s,\n"
            "  \"model\": {\n"
            "    \"type\": \"BPE\",\n"
            "    \"dropout\": null,\n"
            "    \"unk_token\": null,\n"
            "    \"continuing_subword_prefix\": null,\n"
            "    \"end_of_word_suffix\": null,\n"
            "    \"fuse_unk\": false,\n"
            "    \"byte_fallback\": false,\n"
            "    \"ignore_merges\": false,\n"
            "    \"vocab\": {",
            of_bytes ? "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": false, "
                       "\"use_regex\": false}"
                     : "null",
            of_bytes ? "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": false, "
                       "\"use_regex\": false}"
                     : "{\"type\": \"Fuse\"}");
    for (long id = 0; id < z->V; id++) {
        char bytes[UTF8_MOST];
        int n = utf8_encode(of_bytes ? byte_letter((unsigned char)id) : z->code[id], bytes);
        fputs(id ? ",\n      " : "\n      ", f);
        json_write_string(f, bytes, (size_t)n);
        fprintf(f, ": %ld", id);
    }
    fprintf(f, "\n    },\n    \"merges\": []\n  }\n}\n");
}

// With GPT-2's own class a client would bring GPT-2's own vocabulary; and without the last line some take
// out spaces that stand before punctuation.
static void write_tokenizer_config(FILE *f, const GptConfig *c, const Tokenizer *z) {
    (void)z;
    fprintf(f,
            "{\n"
            "  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n"
            "  \"model_max_length\": %ld,\n"
            "  \"clean_up_tokenization_spaces\": false\n"
            "}\n",
            c->T);
}

typedef void WriteText(FILE *f, const GptConfig *c, const Tokenizer *z);
static WriteText *const WRITE_TEXT[TEXTS] = {write_config, write_generation_config, write_tokenizer,
                                             write_tokenizer_config};

// Leaves `to` open, to be committed or abandoned.
static bool create_text(FileWriter *to, const char *folder, int which, const GptConfig *c, const Tokenizer *z,
                        Error *err) {
    char *text = NULL, *path = file_path(folder, HF_FILES[which]);
    size_t n = 0;
    FILE *memory = open_memstream(&text, &n);
    bool good = path && memory;
    if (memory) {
        WRITE_TEXT[which](memory, c, z);
        good = !ferror(memory) && good;
        good = fclose(memory) == 0 && good;
    }
    if (!good) fail(err, "%s: memory is short", folder);
    good = good && file_create(to, path, err);
    if (good) file_write(to, text, n);
    free(text);
    free(path);
    return good;
}

// ---- the weights ----

bool hf_is_transposed(const char *name) {
    static const char *const ENDINGS[] = {".attn.c_attn.weight", ".attn.c_proj.weight", ".mlp.c_fc.weight",
                                          ".mlp.c_proj.weight"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++)
        if (hf_ends_with(name, ENDINGS[i])) return true;
    return false;
}

// Where a tensor of this name stands among the weights; NULL where they have none.
static const real *find(const Weights *w, const char *name) {
    for (long t = 0; t < w->tensors; t++)
        if (strcmp(w->tensor[t].name, name) == 0) return w->memory + w->tensor[t].offset;
    return NULL;
}

// to = from, or with `transposed` its transpose (columns, rows); zeros where from is NULL.
static void copy(float *to, const real *from, long rows, long columns, bool transposed) {
    for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++)
            to[transposed ? c * rows + r : r * columns + c] = from ? (float)from[r * columns + c] : 0;
}

// GPT-2 always has biases: of a model without they are zeros.
static bool write_weights(const char *path, const Weights *w, const Tokenizer *z, Error *err) {
    GptConfig config = w->config;
    config.bias = true;
    long tensors;
    Tensor *list = weights_list(&config, &tensors);
    SafetensorsTensor *file = calloc(list ? (size_t)tensors : 1, sizeof *file);
    float *numbers = malloc((size_t)weights_size(&config) * sizeof *numbers);
    bool good = (list && file && numbers) || fail(err, "%s: memory is short", path);
    for (long i = 0; good && i < tensors; i++) {
        const Tensor *t = &list[i];
        bool transposed = hf_is_transposed(t->name);
        long rows = t->shape[0], columns = t->dims == 2 ? t->shape[1] : 1;
        file[i] = (SafetensorsTensor){.type = SAFETENSORS_F32,
                                      .dims = t->dims,
                                      .shape = {transposed ? columns : rows, transposed ? rows : columns},
                                      .from = numbers + t->offset};
        snprintf(file[i].name, sizeof file[i].name, "%s", t->name);
        copy(numbers + t->offset, find(w, t->name), rows, columns, transposed);
    }
    // Without a format, transformers refuses the file.
    Metadata m = {0};
    good = good && metadata_put(&m, "format", "pt", 2, err);
    if (good && !w->config.bias) good = metadata_put(&m, "no_bias", "true", 4, err);
    if (good && z->capped) good = metadata_put(&m, "vocabulary_capped", "true", 4, err);
    good = good && safetensors_write(path, file, tensors, &m, false, err);
    metadata_free(&m);
    free(numbers);
    free(file);
    free(list);
    return good;
}

bool hf_export(const char *folder, const Weights *w, const Tokenizer *z, Error *err) {
    FileWriter text[TEXTS];
    int created = 0;
    bool good = true;
    while (good && created < TEXTS) {
        good = create_text(&text[created], folder, created, &w->config, z, err);
        created += good;
    }
    char *path = good ? file_path(folder, HF_FILES[WEIGHTS]) : NULL;
    if (good && !path) good = fail(err, "%s: memory is short", folder);
    good = good && write_weights(path, w, z, err);
    free(path);
    for (int i = 0; i < created; i++)
        if (good)
            good = file_commit(&text[i], err);
        else
            file_abandon(&text[i]);
    return good;
}
