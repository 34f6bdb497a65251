// test_hf_config.c -- a good config.json, with its members changed one after the other.
#include "../export/hf_config.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];
static HfConfig config;

typedef struct {
    const char *key, *value;
} Member;

static const Member good[] = {{"architectures", "[\"GPT2LMHeadModel\"]"},
                              {"model_type", "\"gpt2\""},
                              {"vocab_size", "65"},
                              {"n_positions", "256"},
                              {"n_embd", "384"},
                              {"n_layer", "6"},
                              {"n_head", "12"},
                              {"n_inner", "null"},
                              {"activation_function", "\"gelu_new\""},
                              {"layer_norm_epsilon", "1e-05"},
                              {"scale_attn_weights", "true"},
                              {"scale_attn_by_inverse_layer_idx", "false"},
                              {"add_cross_attention", "false"},
                              {"bos_token_id", "null"},
                              {"tie_word_embeddings", "true"},
                              {"task_specific_params", "{\"text\": [1, {\"a\": -0.5e3}, [], \"}\"]}"}};
enum { MEMBERS = sizeof good / sizeof *good };

// The good text with another value for a key; without it where the value is NULL; with it at the end where it
// is none of those above. The caller frees it.
static char *text_with(const char *key, const char *value) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) abort();
    bool there = false, first = true;
    for (int i = 0; i <= MEMBERS; i++) {
        Member m = i < MEMBERS ? good[i] : (Member){key, value};
        bool it = key && strcmp(m.key, key) == 0;
        if (i == MEMBERS && (there || !key)) break;
        if (it) m.value = value;
        there = there || it;
        if (!m.value) continue;
        fprintf(f, "%s  \"%s\": %s", first ? "{\n" : ",\n", m.key, m.value);
        first = false;
    }
    fprintf(f, "\n}\n");
    fclose(f);
    return text;
}

static bool read_text(const char *text, size_t n) {
    put_file(path, text, n);
    err.text[0] = 0;
    return hf_config_read(&config, path, &err);
}

static bool reads(const char *key, const char *value) {
    char *text = text_with(key, value);
    bool read = read_text(text, strlen(text));
    if (!read) printf("  message: %s\n", err.text);
    free(text);
    return read;
}

static bool text_refused(const char *text, size_t n, const char *part) {
    if (read_text(text, n)) return false;
    bool said = one_line_naming(err.text, path) && strstr(err.text, part);
    if (!said) printf("  message: %s\n", err.text);
    return said;
}

static bool refused(const char *key, const char *value, const char *part) {
    char *text = text_with(key, value);
    bool is = text_refused(text, strlen(text), part);
    if (!is) printf("  \"%s\": %s\n", key, value);
    free(text);
    return is;
}

static void the_sizes_are_read(void) {
    if (!CHECK(reads(NULL, NULL))) return;
    CHECK(config.V == 65 && config.T == 256 && config.C == 384 && config.L == 6 && config.NH == 12);
    CHECK(config.F == -1 && !config.exact_gelu && config.head == HF_HEAD_TIED);
    CHECK(reads("n_inner", "1536") && config.F == 1536);
    CHECK(reads("tie_word_embeddings", "false") && config.head == HF_HEAD_UNTIED);
}

static void what_is_left_out_or_null_is_not_known(void) {
    static const char *const values[] = {NULL, "null"};
    for (int i = 0; i < 2; i++) {
        CHECK(reads("vocab_size", values[i]) && config.V == -1 && config.T == 256);
        CHECK(reads("n_positions", values[i]) && config.T == -1);
        CHECK(reads("n_embd", values[i]) && config.C == -1);
        CHECK(reads("n_layer", values[i]) && config.L == -1);
        CHECK(reads("n_head", values[i]) && config.NH == -1 && config.C == 384);
        CHECK(reads("tie_word_embeddings", values[i]) && config.head == HF_HEAD_UNTOLD);
        CHECK(reads("model_type", values[i]) && reads("activation_function", values[i]));
        CHECK(!config.exact_gelu);
        CHECK(reads("layer_norm_epsilon", values[i]) && reads("scale_attn_weights", values[i]) &&
              reads("scale_attn_by_inverse_layer_idx", values[i]) && reads("add_cross_attention", values[i]));
    }
    CHECK(read_text("{}", 2) && config.V == -1 && config.C == -1 && config.F == -1);
}

static void n_ctx_stands_for_positions_that_are_not_told(void) {
    CHECK(reads("n_ctx", "100") && config.T == 256);
    const char text[] = "{\"n_ctx\": 100}";
    CHECK(read_text(text, strlen(text)) && config.T == 100);
}

static void other_models_are_refused(void) {
    CHECK(refused("model_type", "\"llama\"", "model_type is \"llama\"; only gpt2"));
    CHECK(refused("model_type", "\"GPT2\"", "only gpt2"));
    CHECK(refused("model_type", "\"\"", "only gpt2"));
    CHECK(refused("model_type", "\"gpt2\\u0000x\"", "only gpt2"));
    CHECK(refused("model_type", "\"a\\nb\"", "model_type is \"a?b\""));
    CHECK(refused("model_type",
                  "\"a name of more than forty characters, which is cut to what a line has room for\"",
                  "only gpt2"));
    CHECK(refused("model_type", "7", "bad JSON"));
}

static void a_gelu_by_tanh_is_ours_and_the_exact_one_is_told(void) {
    CHECK(reads("activation_function", "\"gelu_pytorch_tanh\"") && !config.exact_gelu);
    CHECK(reads("activation_function", "\"gelu_fast\"") && !config.exact_gelu);
    CHECK(reads("activation_function", "\"gelu\"") && config.exact_gelu);
    CHECK(refused("activation_function", "\"relu\"", "activation_function is \"relu\"; "));
    CHECK(refused("activation_function", "\"silu\"", "gelu_new"));
    CHECK(refused("activation_function", "\"\"", "gelu_new"));
    CHECK(refused("activation_function", "true", "bad JSON"));
}

static void what_is_not_computed_here_is_refused(void) {
    CHECK(refused("scale_attn_weights", "false", "scale_attn_weights is false"));
    CHECK(refused("scale_attn_by_inverse_layer_idx", "true", "scale_attn_by_inverse_layer_idx is true"));
    CHECK(refused("add_cross_attention", "true", "add_cross_attention is true"));
    CHECK(refused("add_cross_attention", "1", "bad JSON"));
}

static void another_epsilon_is_refused(void) {
    CHECK(reads("layer_norm_epsilon", "0.00001") && reads("layer_norm_epsilon", "1.0000000000000001e-05"));
    CHECK(reads("layer_norm_epsilon", "9.999999747378752e-06"));  // 1e-5 as a float
    CHECK(refused("layer_norm_epsilon", "1e-06", "layer_norm_epsilon is 1e-06; "));
    CHECK(refused("layer_norm_epsilon", "0.0001", "layer_norm_epsilon is 0.0001"));
    CHECK(refused("layer_norm_epsilon", "1.1e-05", "layer_norm_epsilon"));
    CHECK(refused("layer_norm_epsilon", "0", "layer_norm_epsilon"));
    CHECK(refused("layer_norm_epsilon", "-1e-05", "layer_norm_epsilon"));
    CHECK(refused("layer_norm_epsilon", "1e999", "layer_norm_epsilon"));
    CHECK(refused("layer_norm_epsilon", "\"1e-05\"", "bad JSON"));
}

static void an_mlp_of_another_width_is_refused(void) {
    CHECK(refused("n_inner", "1535", "n_inner is 1535; only 4 n_embd"));
    CHECK(refused("n_inner", "0", "n_inner is 0"));
    CHECK(refused("n_inner", "9223372036854775807", "n_inner is 9223372036854775807"));
}

static void sizes_that_are_none_are_refused(void) {
    static const char *const keys[] = {"vocab_size", "n_positions", "n_ctx",  "n_embd",
                                       "n_layer",    "n_head",      "n_inner"};
    static const char *const values[] = {"-1", "1.5", "1e2", "\"4\"", "true", "false",
                                         "[]", "{}",  "01",  "",      "nul",  "9223372036854775808"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            CHECK(refused(keys[k], values[v], "bad JSON at byte "));
}

static void sizes_beyond_all_bounds_are_left_to_be_compared(void) {
    CHECK(reads("vocab_size", "9223372036854775807") && config.V == INT64_MAX);
    CHECK(reads("n_embd", "9223372036854775807") && config.C == INT64_MAX);
    char text[] = "{\"n_embd\": 9223372036854775807, \"n_inner\": 4}";
    CHECK(text_refused(text, strlen(text), "n_inner is 4"));
}

static void what_is_no_object_is_refused(void) {
    static const char *const texts[] = {"", " ", "[]", "null", "7", "\"x\"", "{", "{}}", "{} {}", "\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(text_refused(texts[i], strlen(texts[i]), "bad JSON"));
    CHECK(text_refused("{}\0", 3, "bad JSON at byte 2"));
}

static void a_byte_order_mark_is_no_harm(void) { CHECK(read_text("\xef\xbb\xbf{}", 5)); }

static void what_nobody_asks_for_must_be_json_all_the_same(void) {
    CHECK(reads("extra", "[[[{\"n_embd\": 7}]]]") && config.C == 384);
    CHECK(refused("extra", "[1,]", "bad JSON"));
    CHECK(refused("extra", "\"\\x\"", "bad JSON"));
    CHECK(refused("extra", "nan", "bad JSON"));
}

static void every_prefix_is_refused(void) {
    char *text = text_with(NULL, NULL);
    size_t n = strlen(text) - 1;  // without the last new line
    CHECK(read_text(text, n));
    for (size_t cut = 0; cut < n; cut++) CHECK(text_refused(text, cut, "bad JSON at byte "));
    free(text);
}

static void a_file_that_is_not_there_is_named(void) {
    unlink(path);
    CHECK(!hf_config_read(&config, path, &err) && one_line_naming(err.text, path));
    CHECK(!hf_config_read(&config, folder, &err) && one_line_naming(err.text, folder));
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("config.json"));
    RUN(the_sizes_are_read);
    RUN(what_is_left_out_or_null_is_not_known);
    RUN(n_ctx_stands_for_positions_that_are_not_told);
    RUN(other_models_are_refused);
    RUN(a_gelu_by_tanh_is_ours_and_the_exact_one_is_told);
    RUN(what_is_not_computed_here_is_refused);
    RUN(another_epsilon_is_refused);
    RUN(an_mlp_of_another_width_is_refused);
    RUN(sizes_that_are_none_are_refused);
    RUN(sizes_beyond_all_bounds_are_left_to_be_compared);
    RUN(what_is_no_object_is_refused);
    RUN(a_byte_order_mark_is_no_harm);
    RUN(what_nobody_asks_for_must_be_json_all_the_same);
    RUN(every_prefix_is_refused);
    RUN(a_file_that_is_not_there_is_named);
    return report();
}
