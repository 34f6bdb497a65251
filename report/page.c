#include "page.h"
#include "../data/file.h"
#include <stdlib.h>
#include <string.h>

static const char STYLE[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--faint:#646a73;--line:#d9dce1;--soft:#f4f5f7;"
    "--accent:#0b62c4;--second:#b5480f;--third:#4a7d19;--warn:#a61b1b}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--paper:#16181c;--ink:#e6e8eb;--faint:#9aa1ab;--line:#353a42;"
    "--soft:#1f2228;--accent:#6cb0ff;--second:#ff9f66;--third:#9bd06a;--warn:#ff8a8a}}\n"
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--faint:#444;--line:#999;--soft:#fff}"
    "figure,section,pre{break-inside:avoid}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}\n"
    "h2{font-size:1.15rem;margin:2rem 0 .5rem}\n"
    "a{color:var(--accent)}\n"
    "p,dl,table,figure,pre{margin:.5rem 0}\n"
    "figure{padding:0}figcaption,.faint{color:var(--faint)}\n"
    "svg{max-width:100%;height:auto;display:block}\n"
    "table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top;"
    "font-variant-numeric:tabular-nums}th{font-weight:600}\n"
    "pre,.text{font:15px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n";

bool page_begin_bare(Page *p, Error *err) {
    *p = (Page){0};
    p->f = open_memstream(&p->bytes, &p->n);
    return p->f || fail(err, "memory is short");
}

bool page_begin(Page *p, const char *title, const char *style, Error *err) {
    if (!page_begin_bare(p, err)) return false;
    fprintf(p->f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    page_text(p->f, title, strlen(title));
    fprintf(p->f, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<main>\n", STYLE, style);
    return true;
}

bool page_end(Page *p, const char *script, const char *path, Error *err) {
    fprintf(p->f, "</main>\n");
    if (script) fprintf(p->f, "<script>\n%s</script>\n", script);
    fprintf(p->f, "</body>\n</html>\n");
    return page_end_bare(p, path, err);
}

bool page_end_bare(Page *p, const char *path, Error *err) {
    FileWriter file;
    bool whole = !ferror(p->f);
    whole = fclose(p->f) == 0 && whole;
    bool good = (whole || fail(err, "%s: memory is short", path)) && file_create(&file, path, err);
    if (good) {
        file_write(&file, p->bytes, p->n);
        good = file_commit(&file, err);
    }
    free(p->bytes);
    *p = (Page){0};
    return good;
}

void page_abandon(Page *p) {
    if (p->f) fclose(p->f);
    free(p->bytes);
    *p = (Page){0};
}

void page_text(FILE *f, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i], next = i + 1 < n ? (unsigned char)bytes[i + 1] : 0;
        if (c == '&')
            fputs("&amp;", f);
        else if (c == '<')
            fputs("&lt;", f);
        else if (c == '>')
            fputs("&gt;", f);
        else if (c == '"')
            fputs("&quot;", f);
        else if (c == '\n' || c == '\t')
            putc(c, f);
        else if (c < 0x20)
            fprintf(f, "&#x%x;", 0x2400u + c);  // its picture
        else if (c == 0x7f)
            fputs("&#x2421;", f);
        else if (c == 0xc2 && next >= 0x80 && next < 0xa0)
            fputs("&#xfffd;", f), i++;  // U+0080 to U+009F
        else if (c == 0xef && next == 0xbf && i + 2 < n && (unsigned char)bytes[i + 2] >= 0xbe)
            fputs("&#xfffd;", f), i += 2;  // U+FFFE and U+FFFF are no characters
        else
            putc(c, f);
    }
}
