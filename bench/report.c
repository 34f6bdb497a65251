#include "report.h"
#include "../data/json.h"
#include <math.h>
#include <string.h>

void report_begin(Report *r, FILE *json) {
    *r = (Report){.json = json};
    if (json) fprintf(json, "{");
}

static void end_table(Report *r) {
    if (r->json && r->tables > 0) fprintf(r->json, "\n  ]");
}

void report_table(Report *r, const char *key, const char *title, const Column *column, int columns) {
    end_table(r);
    if (r->json) fprintf(r->json, "%s\n  \"%s\": [", r->tables > 0 ? "," : "", key);
    printf("%s%s\n", r->tables > 0 ? "\n" : "", title);
    for (int c = 0; c < columns; c++)
        printf("%s%*s%s", c == 0 ? "  " : " ", column[c].width, column[c].heading,
               c + 1 < columns ? "" : "\n");
    r->column = column;
    r->columns = columns;
    r->rows = r->at = 0;
    r->tables++;
}

// What stands before a cell, in both; and what follows the last one of a row.
static void begin_cell(Report *r) {
    if (r->json && r->at == 0) fprintf(r->json, "%s\n    {", r->rows > 0 ? "," : "");
    if (r->json) fprintf(r->json, "%s\"%s\": ", r->at > 0 ? ", " : "", r->column[r->at].key);
    printf(r->at == 0 ? "  " : " ");
}

static void end_cell(Report *r) {
    if (++r->at < r->columns) return;
    if (r->json) fprintf(r->json, "}");
    printf("\n");
    fflush(stdout);
    r->at = 0;
    r->rows++;
}

void report_text(Report *r, const char *text) {
    begin_cell(r);
    printf("%*s", r->column[r->at].width, text);
    if (r->json) json_write_string(r->json, text, strlen(text));
    end_cell(r);
}

void report_nothing(Report *r) {
    begin_cell(r);
    printf("%*s", r->column[r->at].width, "");
    if (r->json) fprintf(r->json, "null");
    end_cell(r);
}

void report_number(Report *r, double number) {
    if (!isfinite(number)) {  // which JSON cannot say
        report_nothing(r);
        return;
    }
    begin_cell(r);
    printf("%*.*f", r->column[r->at].width, r->column[r->at].decimals, number);
    if (r->json) fprintf(r->json, "%.6g", number);
    end_cell(r);
}

void report_end(Report *r) {
    end_table(r);
    if (r->json) fprintf(r->json, "\n}\n");
}
