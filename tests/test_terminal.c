#include "../commands/terminal.h"
#include "test.h"
#include <fcntl.h>
#include <unistd.h>

static bool shows_utf8(const char *all, const char *ctype, const char *lang) {
    const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *const values[] = {all, ctype, lang};
    for (int i = 0; i < 3; i++)
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    return terminal_utf8();
}

static void the_first_variable_that_is_set_names_the_characters(void) {
    CHECK(shows_utf8("de_DE.UTF-8", NULL, NULL) && shows_utf8(NULL, "C.utf8", NULL) &&
          shows_utf8(NULL, NULL, "zh_CN.utf-8"));
    CHECK(!shows_utf8(NULL, NULL, NULL) && !shows_utf8("", "", "") &&
          !shows_utf8(NULL, NULL, "de_DE.ISO-8859-1"));
    CHECK(!shows_utf8("C", "C.UTF-8", "C.UTF-8") && !shows_utf8(NULL, "POSIX", "C.UTF-8"));
    CHECK(shows_utf8("", "", "en_US.UTF-8") && shows_utf8("C.UTF-8", "C", "C"));
}

static int columns_where(const char *told) {
    int fd = open("/dev/null", O_WRONLY);
    if (told)
        setenv("COLUMNS", told, 1);
    else
        unsetenv("COLUMNS");
    int columns = terminal_columns(fd);
    close(fd);
    return columns;
}

static void where_the_system_knows_no_width_COLUMNS_or_80_counts(void) {
    CHECK(columns_where("132") == 132 && columns_where("1") == 1);
    CHECK(columns_where(NULL) == 80 && columns_where("") == 80 && columns_where("wide") == 80);
    CHECK(columns_where("0") == 80 && columns_where("-5") == 80 &&
          columns_where("99999999999999999999") == 80);
}

static void what_is_no_terminal_cannot_write_a_line_anew(void) {
    int fd = open("/dev/null", O_WRONLY);
    CHECK(!terminal_rewrites(fd));
    close(fd);
}

int main(void) {
    RUN(the_first_variable_that_is_set_names_the_characters);
    RUN(where_the_system_knows_no_width_COLUMNS_or_80_counts);
    RUN(what_is_no_terminal_cannot_write_a_line_anew);
    return report();
}
