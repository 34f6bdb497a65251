#include "../report/chart.h"
#include "../report/page.h"
#include "test.h"

static bool range_is(const double *y, long n, bool from_zero, double least, double most) {
    double a, b;
    chart_range(&a, &b, y, n, from_zero);
    bool good = fabs(a - least) < 1e-12 && fabs(b - most) < 1e-12;
    if (!good) printf("  from %g to %g\n", a, b);
    return good;
}

static void ranges_end_on_round_numbers(void) {
    const double none = (double)NAN, losses[] = {4.1388, none, 1.4906}, rates[] = {1e-4, 2.97e-3},
                 one[] = {5}, zero[] = {0};
    CHECK(range_is(losses, 3, false, 1, 4.5));
    CHECK(range_is(rates, 2, true, 0, 3e-3));
    CHECK(range_is(one, 1, true, 0, 5));
    CHECK(range_is(one, 1, false, 5, 10));
    CHECK(range_is(zero, 1, true, 0, 1));
    CHECK(range_is(&none, 1, false, 0, 1));
    CHECK(range_is(NULL, 0, true, 0, 1));
}

// What drawing printed.
static char *text;
static size_t length;
static const Chart chart = {.title = "a<b",
                            .description = "c&d",
                            .x_name = "step",
                            .y_name = "loss",
                            .x_unit = CHART_NUMBER,
                            .x_most = 100,
                            .y_least = 1,
                            .y_most = 3,
                            .width = 720,
                            .height = 380};
static FILE *open_text(void) {
    FILE *f = open_memstream(&text, &length);
    if (!f) abort();
    return f;
}
static bool holds(FILE *f, const char *part) {
    fclose(f);
    bool good = strstr(text, part) != NULL;
    if (!good) printf("  no %s in: %s\n", part, text);
    free(text);
    return good;
}

static void points_stand_where_they_belong(void) {
    const double x[] = {0, 50, 60, 100}, y[] = {3, 2, (double)NAN, 1};
    FILE *f = open_text();
    chart_line(f, &chart, "train", x, y, 4, false);
    CHECK(holds(f, "<path d=\"M58.0 14.0L383.0 165.0L708.0 316.0\" class=\"train\"/>"));
}

static void a_line_without_points_is_none(void) {
    const double nothing = (double)NAN;
    FILE *f = open_text();
    chart_line(f, &chart, "train", &nothing, &nothing, 1, true);
    chart_line(f, &chart, "train", NULL, NULL, 0, true);
    fclose(f);
    CHECK(length == 0);
    free(text);
}

static void what_is_beyond_the_chart_stays_at_its_edge(void) {
    const double x[] = {0, 100}, y[] = {1000, -1000};
    FILE *f = open_text();
    chart_line(f, &chart, "val", x, y, 2, true);
    CHECK(holds(f, "<path d=\"M58.0 14.0L708.0 316.0\""));
}

static void names_of_levels_stand_clear_of_each_other(void) {
    const ChartLevel levels[] = {
        {"low", 1.0, false}, {"next", 1.01, false}, {"far above", 9, false}, {"none", (double)NAN, false}};
    FILE *f = open_text();
    chart_levels(f, &chart, levels, 4);
    fclose(f);
    double y[2];
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        at = strstr(at, "<text class=\"halo\"");
        if (!CHECK(at && sscanf(at, "<text class=\"halo\" x=\"706\" y=\"%lf\"", &y[i]) == 1)) return;
        at++;
    }
    CHECK(!strstr(at, "<text") && !strstr(text, "far above"));
    CHECK(y[0] - y[1] >= 24);
    free(text);
}

static void names_are_shown_as_text(void) {
    FILE *f = open_text();
    chart_begin(f, &chart, true);
    CHECK(holds(f, "<title>a&lt;b</title>\n<desc>c&amp;d</desc>"));
}

static bool shown(const char *bytes, size_t n, const char *as) {
    FILE *f = open_text();
    page_text(f, bytes, n);
    fclose(f);
    bool good = strcmp(text, as) == 0;
    if (!good) printf("  %s\n", text);
    free(text);
    return good;
}
#define SHOWN(literal, as) shown(literal, sizeof(literal) - 1, as)

static void text_on_a_page_is_text(void) {
    CHECK(SHOWN("<a href=\"x\">&amp;", "&lt;a href=&quot;x&quot;&gt;&amp;amp;"));
    CHECK(SHOWN("\0\x01\x1b\x7f\r", "&#x2400;&#x2401;&#x241b;&#x2421;&#x240d;"));
    CHECK(SHOWN("\ta\n", "\ta\n"));
    CHECK(SHOWN("\xc2\x80\xc2\x9f\xc2\xa0", "&#xfffd;&#xfffd;\xc2\xa0"));
    CHECK(SHOWN("\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd&#xfffd;&#xfffd;"));
    CHECK(SHOWN("\xe4\xb8\xad\xf0\x9f\x98\x80", "\xe4\xb8\xad\xf0\x9f\x98\x80"));
}

int main(void) {
    RUN(ranges_end_on_round_numbers);
    RUN(points_stand_where_they_belong);
    RUN(a_line_without_points_is_none);
    RUN(what_is_beyond_the_chart_stays_at_its_edge);
    RUN(names_of_levels_stand_clear_of_each_other);
    RUN(names_are_shown_as_text);
    RUN(text_on_a_page_is_text);
    return report();
}
