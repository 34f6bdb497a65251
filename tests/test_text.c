#include "../data/text.h"
#include "folder.h"
#include "test.h"
#include "watching.h"
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MARK "\xef\xbb\xbf"

static Error err;

// The path of a new file with these bytes.
static char *file_with(const char *name, const char *bytes, size_t n) {
    char *path = in_folder(name);
    put_file(path, bytes, n);
    return path;
}
#define FILE_WITH(name, literal) file_with(name, "" literal, sizeof(literal) - 1)

static bool text_is(const Text *t, const char *bytes, size_t n) {
    return t->n == n && memcmp(t->bytes, bytes, n) == 0;
}

static bool place_is(const Text *t, size_t at, const char *name, size_t offset) {
    const char *found = NULL;
    size_t found_offset = (size_t)-1;
    text_place(t, at, &found, &found_offset);
    return found && strcmp(found, name) == 0 && found_offset == offset;
}

static void a_file_is_read_byte_for_byte(void) {
    char all[3 * 256];
    for (int i = 0; i < 3 * 256; i++) all[i] = (char)i;
    char *paths[] = {file_with("all", all, sizeof all)};
    Text t;
    CHECK(text_read(&t, paths, 1, true, NULL, &err));
    CHECK(text_is(&t, all, sizeof all));
    CHECK(t.parts == 1 && t.byte_order_marks == 0 && t.crlf_lines == 0);
    text_free(&t);
    CHECK(t.bytes == NULL && t.part == NULL && t.n == 0 && t.parts == 0);
}

static void several_files_are_joined_in_order(void) {
    char *paths[] = {FILE_WITH("1", "one\n"), FILE_WITH("2", ""), FILE_WITH("3", "three"),
                     FILE_WITH("4", "\0four"), NULL};
    paths[4] = paths[0];
    Text t;
    CHECK(text_read(&t, paths, 5, true, NULL, &err));
    CHECK(text_is(&t, "one\nthree\0fourone\n", 18));
    CHECK(t.parts == 5);
    text_free(&t);
}

static void large_files_are_read_whole(void) {
    static char big[300001];
    for (size_t i = 0; i < sizeof big; i++) big[i] = (char)(random_bits(3, i) >> 60);
    char *paths[] = {file_with("big", big, sizeof big), FILE_WITH("small", "end"),
                     file_with("page", big, 4096)};
    Text t;
    CHECK(text_read(&t, paths, 3, true, NULL, &err));
    CHECK(t.n == sizeof big + 3 + 4096);
    CHECK(memcmp(t.bytes, big, sizeof big) == 0);
    CHECK(memcmp(t.bytes + sizeof big, "end", 3) == 0);
    CHECK(memcmp(t.bytes + sizeof big + 3, big, 4096) == 0);
    text_free(&t);
}

#ifdef __GLIBC__
// A file of gigabytes must not be copied into a block of half as much again.
static void a_file_takes_no_more_memory_than_its_size(void) {
    static char big[3000000];
    memset(big, 'x', sizeof big);
    char *paths[] = {file_with("exact", big, sizeof big)};
    Text t;
    CHECK(text_read(&t, paths, 1, true, NULL, &err));
    size_t taken = malloc_usable_size(t.bytes);
    if (!CHECK(taken < sizeof big + sizeof big / 10)) printf("  %zu bytes for %zu\n", taken, sizeof big);
    text_free(&t);
}
#endif

static void standard_input_is_read_like_a_file(void) {
    char *path = FILE_WITH("stdin", "from \r\nstdin");
    if (!freopen(path, "rb", stdin)) abort();
    char *paths[] = {FILE_WITH("before", "A"), "-", FILE_WITH("after", "Z")};
    Text t;
    CHECK(text_read(&t, paths, 3, true, NULL, &err));
    CHECK(text_is(&t, "Afrom \r\nstdinZ", 14));
    CHECK(place_is(&t, 3, "standard input", 2));
    text_free(&t);
}

static void a_pipe_is_read_to_its_end(void) {
    static const char much[50000] = {'p'};
    char *path = file_with("piped", much, sizeof much), command[1100];
    snprintf(command, sizeof command, "cat '%s'", path);
    FILE *pipe_end = popen(command, "r");
    if (!pipe_end || dup2(fileno(pipe_end), 0) < 0) abort();
    clearerr(stdin);
    char *paths[] = {"-"};
    Text t;
    CHECK(text_read(&t, paths, 1, true, NULL, &err));
    CHECK(text_is(&t, much, sizeof much));
    text_free(&t);
    pclose(pipe_end);
}

static void byte_order_marks_are_dropped_and_counted(void) {
    char *paths[] = {FILE_WITH("m1", MARK "ab"), FILE_WITH("m2", "cd"), FILE_WITH("m3", MARK),
                     FILE_WITH("m4", MARK MARK "e")};
    Text t;
    CHECK(text_read(&t, paths, 4, true, NULL, &err));
    CHECK(text_is(&t, "abcd" MARK "e", 8));  // one mark a file: a second one is a character
    CHECK(t.byte_order_marks == 3);
    text_free(&t);
}

static void byte_order_marks_stay_where_bytes_are_wanted(void) {
    char *paths[] = {FILE_WITH("m1", MARK "ab")};
    Text t;
    CHECK(text_read(&t, paths, 1, false, NULL, &err));
    CHECK(text_is(&t, MARK "ab", 5));
    CHECK(t.byte_order_marks == 0);
    CHECK(place_is(&t, 3, paths[0], 3));
    text_free(&t);
}

static void a_mark_elsewhere_or_incomplete_stays(void) {
    char *paths[] = {FILE_WITH("m1", "a" MARK), FILE_WITH("m2", "\xef\xbb"), FILE_WITH("m3", "\xbf")};
    Text t;
    CHECK(text_read(&t, paths, 3, true, NULL, &err));
    CHECK(text_is(&t, "a" MARK MARK, 7));
    CHECK(t.byte_order_marks == 0);
    text_free(&t);
}

static void lines_that_end_in_crlf_are_counted_and_kept(void) {
    char *paths[] = {FILE_WITH("c", "a\r\nb\n\r\r\n\n\rc\r\n\r")};
    Text t;
    CHECK(text_read(&t, paths, 1, true, NULL, &err));
    CHECK(t.crlf_lines == 3);
    CHECK(text_is(&t, "a\r\nb\n\r\r\n\n\rc\r\n\r", 14));
    text_free(&t);
    char *none[] = {FILE_WITH("n", "a\nb\rc\n\rd")};
    CHECK(text_read(&t, none, 1, true, NULL, &err));
    CHECK(t.crlf_lines == 0);
    text_free(&t);
}

static void places_are_those_in_the_files_themselves(void) {
    char *paths[] = {FILE_WITH("p1", "abc"), FILE_WITH("p2", ""), FILE_WITH("p3", MARK "de"),
                     FILE_WITH("p4", "f")};
    Text t;
    CHECK(text_read(&t, paths, 4, true, NULL, &err));
    CHECK(text_is(&t, "abcdef", 6));
    CHECK(place_is(&t, 0, paths[0], 0));
    CHECK(place_is(&t, 2, paths[0], 2));
    CHECK(place_is(&t, 3, paths[2], 3));  // after its mark of three bytes
    CHECK(place_is(&t, 4, paths[2], 4));
    CHECK(place_is(&t, 5, paths[3], 0));
    text_free(&t);
}

static void a_missing_file_is_named(void) {
    char *paths[] = {FILE_WITH("there", "x"), in_folder("not_there")};
    Text t;
    CHECK(!text_read(&t, paths, 2, true, NULL, &err));
    CHECK(one_line_naming(err.text, paths[1]));
    CHECK(strstr(err.text, strerror(ENOENT)) != NULL);
    CHECK(t.bytes == NULL && t.part == NULL);
}

static void a_folder_is_no_text(void) {
    char *paths[] = {folder};
    Text t;
    CHECK(!text_read(&t, paths, 1, true, NULL, &err));
    CHECK(one_line_naming(err.text, folder));
    CHECK(strstr(err.text, "folder") != NULL);
    CHECK(t.bytes == NULL && t.part == NULL);
}

static void an_empty_file_is_an_empty_text(void) {
    char *paths[] = {FILE_WITH("empty", "")};
    Text t;
    CHECK(text_read(&t, paths, 1, true, NULL, &err));
    CHECK(t.n == 0 && t.parts == 1 && t.crlf_lines == 0 && t.byte_order_marks == 0);
    text_free(&t);
}

static void a_text_from_memory_is_a_copy_under_its_name(void) {
    char bytes[] = "a\0b";
    Text t;
    CHECK(text_from(&t, "--start", bytes, 3, &err));
    bytes[0] = 'X';
    CHECK(text_is(&t, "a\0b", 3));
    CHECK(t.parts == 1 && place_is(&t, 2, "--start", 2));
    text_free(&t);
    CHECK(text_from(&t, "nothing", "", 0, &err));
    CHECK(t.n == 0);
    text_free(&t);
}

static void whoever_watches_sees_a_file_being_read(void) {
    enum { SIZE = 2500000 };
    char *zeros = calloc(SIZE, 1), *paths[1];
    if (!zeros) abort();
    paths[0] = file_with("zeros", zeros, SIZE);
    free(zeros);
    Seen seen;
    Watch watch = watching(&seen);
    Text t;
    CHECK(text_read(&t, paths, 1, true, &watch, &err));
    CHECK(seen.times == 3 && !seen.went_back && seen.done == SIZE && seen.all == SIZE);
    CHECK(strcmp(seen.what, "reading") == 0 && seen.name == paths[0]);
    CHECK(t.watch == &watch);
    text_free(&t);
}

static void what_takes_too_much_memory_is_refused(void) {
    char many[9000];
    memset(many, 'x', sizeof many);
    char *paths[] = {file_with("many", many, sizeof many), "/dev/zero"};
    Text t;
    CHECK(!text_read_within(&t, 8999, paths, 1, true, NULL, &err));
    CHECK(one_line_naming(err.text, paths[0]) && strstr(err.text, "more memory than"));
    CHECK(text_read_within(&t, 9001, paths, 1, true, NULL, &err) && t.n == 9000);
    text_free(&t);
    CHECK(!text_read_within(&t, 1e6, paths + 1, 1, true, NULL, &err));
    CHECK(one_line_naming(err.text, "/dev/zero"));
    CHECK(!text_read_within(&t, 1e6, paths, 2, true, NULL, &err));
    CHECK(one_line_naming(err.text, "/dev/zero"));
}

int main(void) {
    folder_make();
    RUN(a_file_is_read_byte_for_byte);
    RUN(several_files_are_joined_in_order);
    RUN(large_files_are_read_whole);
#ifdef __GLIBC__
    RUN(a_file_takes_no_more_memory_than_its_size);
#endif
    RUN(standard_input_is_read_like_a_file);
    RUN(a_pipe_is_read_to_its_end);
    RUN(byte_order_marks_are_dropped_and_counted);
    RUN(byte_order_marks_stay_where_bytes_are_wanted);
    RUN(a_mark_elsewhere_or_incomplete_stays);
    RUN(lines_that_end_in_crlf_are_counted_and_kept);
    RUN(places_are_those_in_the_files_themselves);
    RUN(a_missing_file_is_named);
    RUN(a_folder_is_no_text);
    RUN(an_empty_file_is_an_empty_text);
    RUN(a_text_from_memory_is_a_copy_under_its_name);
    RUN(whoever_watches_sees_a_file_being_read);
    RUN(what_takes_too_much_memory_is_refused);
    return report();
}
