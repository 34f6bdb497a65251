#include "../commands/flags.h"
#include "folder.h"
#include "test.h"

static Error err;
static Options o;
static Metadata m;

static bool parse(char **argv) {
    int argc = 0;
    while (argv[argc]) argc++;
    return options_parse(&o, argc, argv, &err);
}

static const char *saved_name(const Flag *flag) {
    static char name[64];
    snprintf(name, sizeof name, "%s", strcmp(flag->name, "vocab-size") == 0 ? "vocab_size_cap" : flag->name);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    return name;
}

// The metadata of a state of these options, with the value of one flag changed, or left out where it is NULL.
static void state_with(const Flag *changed, const char *value, size_t n) {
    metadata_free(&m);
    for (int k = 0; k < FLAGS_COUNT; k++) {
        char text[64];
        bool it = &FLAGS[k] == changed;
        if (FLAGS[k].saved == NOT_SAVED || (it && !value)) continue;
        flag_print(text, &o, &FLAGS[k]);
        if (!metadata_put(&m, saved_name(&FLAGS[k]), it ? value : text, it ? n : strlen(text), &err)) abort();
    }
}

static bool refused(const Flag *flag, const char *value, size_t n) {
    Options plain = o;
    state_with(flag, value, n);
    err.text[0] = 0;
    bool good = !options_restore(&plain, &m, "state.x", &err) && one_line_naming(err.text, "state.x") &&
                (strstr(err.text, flag->name) || strstr(err.text, saved_name(flag)));
    if (!good) printf("  %s = %s: %s\n", flag->name, value ? value : "(none)", err.text);
    return good;
}

static void every_setting_of_a_state_is_needed_and_in_range(void) {
    CHECK(parse((char *[]){"train_gpt", "text", NULL}));
    for (int k = 0; k < FLAGS_COUNT; k++) {
        const Flag *flag = &FLAGS[k];
        char beyond[64];
        if (flag->saved == NOT_SAVED) continue;
        CHECK(refused(flag, NULL, 0));
        CHECK(refused(flag, "", 0));
        CHECK(refused(flag, "x", 1));
        CHECK(refused(flag, "true\0x", 6));
        if (flag->kind != FLAG_LONG && flag->kind != FLAG_DOUBLE) continue;
        CHECK(refused(flag, "1\0x", 3));
        CHECK(refused(flag, "nan", 3) && refused(flag, "inf", 3));
        CHECK(refused(flag, "99999999999999999999", 20));
        snprintf(beyond, sizeof beyond, "%.10g", flag->most + 1);
        CHECK(refused(flag, beyond, strlen(beyond)));
        snprintf(beyond, sizeof beyond, "%.10g", flag->least - 1);
        CHECK(refused(flag, beyond, strlen(beyond)));
    }
}

static void a_state_gives_a_run_its_settings(void) {
    CHECK(parse((char *[]){"train_gpt", "text", "--n-embd", "64", "--dropout", "0.1", "--untied", "--seed",
                           "9", NULL}));
    state_with(NULL, NULL, 0);
    Options saved = o;
    CHECK(parse((char *[]){"train_gpt", "text", NULL}));
    CHECK(options_restore(&o, &m, "state.x", &err));
    CHECK(o.n_embd == saved.n_embd && o.dropout == saved.dropout && o.untied && o.seed == 9);
}

static void switches_are_true_or_false(void) {
    static const char *const values[] = {"", "1", "yes", "True", "false "};
    for (int k = 0; k < FLAGS_COUNT; k++) {
        if (FLAGS[k].kind != FLAG_SWITCH) continue;
        CHECK(flag_set(&o, &FLAGS[k], "true", &err) && flag_set(&o, &FLAGS[k], "false", &err));
        for (int i = 0; i < 5; i++)
            CHECK(!flag_set(&o, &FLAGS[k], values[i], &err) && strstr(err.text, FLAGS[k].name));
    }
}

int main(void) {
    RUN(every_setting_of_a_state_is_needed_and_in_range);
    RUN(a_state_gives_a_run_its_settings);
    RUN(switches_are_true_or_false);
    metadata_free(&m);
    return report();
}
