#include "../commands/run_samples.h"
#include "../model/threads.h"
#include "folder.h"
#include "test.h"

static Error err;

static Weights model(Tokenizer *z) {
    static const char letters[] = "\nabcdefg\xc3\xa9\xe4\xb8\xad";
    const GptConfig config = {.V = 10, .T = 12, .C = 8, .L = 1, .NH = 2, .bias = true, .tied = true};
    Weights w;
    if (!tokenizer_restore(z, TOKENIZER_CHAR, letters, sizeof letters - 1, false, &err)) abort();
    if (!weights_create(&w, &config, &err)) abort();
    weights_init(&w, 3);
    return w;
}

static void equal_weights_write_equal_texts(void) {
    Tokenizer z;
    Weights w = model(&z);
    RunSamples s = {0}, again = {0};
    for (long step = 0; step < 3; step++)
        CHECK(run_samples_add(&s, &w, &z, 1, 10 * step, &err) &&
              run_samples_add(&again, &w, &z, 1, 10 * step, &err));
    CHECK(s.n == 3 && s.at[2].step == 20 && s.at[2].n >= 120);
    for (int i = 0; i < 3; i++)
        CHECK(s.at[i].n == again.at[i].n && memcmp(s.at[i].text, again.at[i].text, s.at[i].n) == 0);
    // Each step has random numbers of its own.
    CHECK(s.at[0].n != s.at[1].n || memcmp(s.at[0].text, s.at[1].text, s.at[0].n) != 0);
    run_samples_free(&s);
    run_samples_free(&again);
    weights_free(&w);
    tokenizer_free(&z);
}

static void too_many_are_thinned_out(void) {
    Tokenizer z;
    Weights w = model(&z);
    RunSamples s = {0};
    for (long step = 0; step <= RUN_SAMPLES_MOST; step++) CHECK(run_samples_add(&s, &w, &z, 1, step, &err));
    CHECK(s.n == RUN_SAMPLES_MOST / 2 + 1);
    CHECK(s.at[0].step == 0 && s.at[1].step == 2 && s.at[s.n - 1].step == RUN_SAMPLES_MOST);
    run_samples_free(&s);
    CHECK(s.n == 0);
    weights_free(&w);
    tokenizer_free(&z);
}

static void a_state_keeps_them(void) {
    RunSamples s = {.n = 2}, back;
    s.at[0] = (RunSample){.step = 0, .text = strdup(""), .n = 0};
    s.at[1] = (RunSample){.step = 7, .text = malloc(9), .n = 8};
    memcpy(s.at[1].text, "\"\\\n\0<\xe4\xb8\xad", 9);
    Metadata m = {0};
    CHECK(run_samples_save(&s, &m, &err));
    if (CHECK(run_samples_restore(&back, &m, 7, "state.x", &err))) {
        CHECK(back.n == 2 && back.at[0].step == 0 && back.at[0].n == 0 && back.at[1].step == 7);
        CHECK(back.at[1].n == 8 && memcmp(back.at[1].text, s.at[1].text, 8) == 0);
        run_samples_free(&back);
    }
    metadata_free(&m);
    run_samples_free(&s);
    CHECK(run_samples_save(&s, &m, &err) && run_samples_restore(&back, &m, 0, "state.x", &err) &&
          back.n == 0);
    metadata_free(&m);
}

static void older_states_have_none(void) {
    Metadata m = {0};
    RunSamples s;
    CHECK(run_samples_restore(&s, &m, 5, "state.x", &err) && s.n == 0);
}

static bool refused(const char *text) {
    Metadata m = {0};
    RunSamples s;
    err.text[0] = 0;
    if (!metadata_put(&m, "samples", text, strlen(text), &err)) abort();
    bool good =
        !run_samples_restore(&s, &m, 5, "state.x", &err) && s.n == 0 && one_line_naming(err.text, "state.x");
    if (!good) printf("  %s: %s\n", text, err.text);
    metadata_free(&m);
    return good;
}

static void damaged_ones_are_refused(void) {
    CHECK(refused(""));
    CHECK(refused("{}"));
    CHECK(refused("[[1,\"a\"]"));
    CHECK(refused("[[1,\"a\"]]x"));
    CHECK(refused("[[1]]"));
    CHECK(refused("[[1,2]]"));
    CHECK(refused("[[\"a\",1]]"));
    CHECK(refused("[[2,\"a\"],[2,\"b\"]]"));
    CHECK(refused("[[2,\"a\"],[1,\"b\"]]"));
    CHECK(refused("[[6,\"later than the state\"]]"));
    char *many = malloc(RUN_SAMPLES_MOST * 20 + 100), *at = many;
    for (int i = 0; i <= RUN_SAMPLES_MOST; i++) at += sprintf(at, "%c[%d,\"\"]", i ? ',' : '[', i);
    sprintf(at, "]");
    Metadata m = {0};
    RunSamples s;
    CHECK(metadata_put(&m, "samples", many, strlen(many), &err));
    CHECK(!run_samples_restore(&s, &m, 1000, "state.x", &err) && strstr(err.text, "one too many"));
    metadata_free(&m);
    free(many);
    char *long_one = malloc(5000);
    sprintf(long_one, "[[1,\"%04000d\"]]", 0);
    CHECK(refused(long_one));
    free(long_one);
}

int main(void) {
    thread_use(1);  // more would only wait for each other
    RUN(equal_weights_write_equal_texts);
    RUN(too_many_are_thinned_out);
    RUN(a_state_keeps_them);
    RUN(older_states_have_none);
    RUN(damaged_ones_are_refused);
    return report();
}
