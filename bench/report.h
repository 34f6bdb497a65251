// report.h -- every number once: as a cell of a table for people, and as a member of an object in JSON.
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct {
    const char *key;      // in JSON
    const char *heading;  // for people
    int width;            // of the column; negative: aligned to the left
    int decimals;         // of a number
} Column;

// A table is printed as its cells come, row by row; in JSON it is an array of objects.
typedef struct {
    FILE *json;  // NULL for none
    const Column *column;
    int columns, at;  // of the present table; the next cell's column
    long tables, rows;
} Report;

void report_begin(Report *r, FILE *json);
void report_table(Report *r, const char *key, const char *title, const Column *column, int columns);
void report_text(Report *r, const char *text);
void report_number(Report *r, double number);
void report_nothing(Report *r);  // a cell that has no number in this row
void report_end(Report *r);

#define REPORT_TABLE(r, key, title, column) \
    report_table(r, key, title, column, (int)(sizeof(column) / sizeof *(column)))

#endif
