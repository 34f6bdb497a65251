// terminal.h -- what a terminal can show.
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>

// Whether this is a terminal where a line can be written anew: not one of TERM=dumb.
bool terminal_rewrites(int fd);

// How wide it is now: as the system says, else COLUMNS, else 80.
int terminal_columns(int fd);

// Whether it shows UTF-8, by LC_ALL, LC_CTYPE or LANG, of which the first that is set counts.
bool terminal_utf8(void);

#endif
