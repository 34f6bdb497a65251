#include "terminal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_rewrites(int fd) {
    const char *kind = getenv("TERM");
    return isatty(fd) && !(kind && strcmp(kind, "dumb") == 0);
}

int terminal_columns(int fd) {
    enum { USUAL = 80, MOST = 10000 };
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *told = getenv("COLUMNS");
    long columns = told ? strtol(told, NULL, 10) : 0;
    return columns > 0 && columns <= MOST ? (int)columns : USUAL;
}

bool terminal_utf8(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"}, *const names[] = {"UTF-8", "utf-8",
                                                                                             "UTF8", "utf8"};
    const char *locale = NULL;
    for (int i = 0; i < 3 && !(locale && *locale); i++) locale = getenv(variables[i]);
    for (int i = 0; locale && i < 4; i++)
        if (strstr(locale, names[i])) return true;
    return false;
}
