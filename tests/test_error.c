#include "../data/error.h"
#include "test.h"

static Error err;

static void a_message_is_written_and_false_returned(void) {
    CHECK(!fail(&err, "%s: %d", "file", 7));
    CHECK(strcmp(err.text, "file: 7") == 0);
}

static void control_characters_are_hidden(void) {
    fail(&err, "a%sb", "\n\033[2J\x7f\xc2\x9b");
    CHECK(strcmp(err.text, "a??[2J???b") == 0);
    fail(&err, "%s", "\xc3\xa9 \xe4\xb8\xad");
    CHECK(strcmp(err.text, "\xc3\xa9 \xe4\xb8\xad") == 0);
}

// A path may be longer than a message. What the message says begins before it and ends after it.
static void of_a_message_that_is_too_long_the_middle_goes(void) {
    static char path[9000];
    for (size_t n = 900; n < sizeof path; n += n < 1100 ? 1 : 1000) {
        memset(path, 'p', n);
        path[n] = 0;
        fail(&err, "out/%s: cannot write: No space left", path);
        size_t length = strlen(err.text), whole = n + strlen("out/: cannot write: No space left");
        CHECK(length == whole || (length < sizeof err.text && length > sizeof err.text - 10));
        CHECK((length == whole) == (strstr(err.text, "p ... p") == NULL));
        CHECK(strncmp(err.text, "out/pppp", 8) == 0);
        CHECK(strcmp(err.text + length - strlen("pp: cannot write: No space left"),
                     "pp: cannot write: No space left") == 0);
    }
}

static void no_character_is_cut_in_two(void) {
    static char path[6000];
    for (int shift = 0; shift < 3; shift++) {
        size_t n = (size_t)shift;
        memset(path, 'x', n);
        for (; n < 3000; n += 3) memcpy(path + n, "\xe4\xb8\xad", 3);
        path[n] = 0;
        fail(&err, "%s: no", path);
        const char *gap = strstr(err.text, " ... ");
        if (!CHECK(gap != NULL)) return;
        CHECK((unsigned char)gap[-1] == 0xad && (unsigned char)gap[5] == 0xe4);
    }
}

int main(void) {
    RUN(a_message_is_written_and_false_returned);
    RUN(control_characters_are_hidden);
    RUN(of_a_message_that_is_too_long_the_middle_goes);
    RUN(no_character_is_cut_in_two);
    return report();
}
