// page.h -- what the program's HTML pages share. A page is one file that needs no other and no network.
#ifndef PAGE_H
#define PAGE_H

#include "../data/error.h"
#include <stddef.h>
#include <stdio.h>

// A page is put together in memory, by printing into `f`.
typedef struct {
    FILE *f;
    char *bytes;
    size_t n;
} Page;

// Everything up to <main>. `style` is CSS that this kind of page needs beyond what all have: the colours
// --ink --faint --line --paper --accent --second --third --warn, which follow light and dark, a readable
// column, tables, figures, and print.
bool page_begin(Page *p, const char *title, const char *style, Error *err);

// The end, with a script where it is not NULL; and the file, replaced when it is complete. Ends p either way.
bool page_end(Page *p, const char *script, const char *path, Error *err);

// Gives up.
void page_abandon(Page *p);

// A file that is not HTML, such as a picture: it begins with nothing, and nothing is added at the end.
bool page_begin_bare(Page *p, Error *err);
bool page_end_bare(Page *p, const char *path, Error *err);

// Text: characters that mean something in HTML or are not allowed there are written so that they are shown.
// Control characters but for newline and tab become U+FFFD or their pictures (U+2400 ...).
void page_text(FILE *f, const char *bytes, size_t n);

#endif
