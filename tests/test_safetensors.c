#include "../data/crc32.h"
#include "../data/safetensors.h"
#include "folder.h"
#include "test.h"

static Error err;
static char path[600];  // of the file that most tests write and read

// Opens the file; where that fails it must say so in one line that begins with the file's name and holds
// `part`.
static bool refused(const char *part) {
    Safetensors s;
    err.text[0] = 0;
    if (safetensors_open(&s, path, &err)) {
        safetensors_close(&s);
        return false;
    }
    bool good = one_line_naming(err.text, path) && strstr(err.text, part) && !s.stream && !s.path && !s.entry;
    if (!good) printf("  message: %s\n", err.text);
    return good;
}

static bool accepted(void) {
    Safetensors s;
    bool good = safetensors_open(&s, path, &err);
    if (good)
        safetensors_close(&s);
    else
        printf("  message: %s\n", err.text);
    return good;
}

static void put_bytes(const char *header, size_t length, uint64_t claimed, size_t data) {
    char *bytes = calloc(1, 8 + length + data);
    if (!bytes) abort();
    for (int i = 0; i < 8; i++) bytes[i] = (char)(claimed >> 8 * i);
    memcpy(bytes + 8, header, length);
    put_file(path, bytes, 8 + length + data);
    free(bytes);
}

// A file with this header and so many zero bytes as data.
static void put_model(const char *header, size_t data) {
    put_bytes(header, strlen(header), strlen(header), data);
}

static bool header_refused(const char *header, size_t data, const char *part) {
    put_model(header, data);
    bool good = refused(part);
    if (!good) printf("  header: %s\n", header);
    return good;
}

static bool header_accepted(const char *header, size_t data) {
    put_model(header, data);
    return accepted();
}

#define A8 "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}"
#define B8 "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}"

// ---- writing and reading ----

static const float f32[6] = {1, -2.5f, 0x1p-149f, -0.0f, INFINITY, NAN};
static const double f64[2] = {3.141592653589793, -0x1p-1074};

static bool write_some(void) {
    const SafetensorsTensor tensors[] = {
        {.name = "z.first", .type = SAFETENSORS_F32, .dims = 2, .shape = {2, 3}, .from = f32},
        {.name = "none", .type = SAFETENSORS_F32, .dims = 2, .shape = {0, 3}, .from = f32},
        {.name = "a \"quoted\" \xc3\xa9", .type = SAFETENSORS_F64, .dims = 1, .shape = {2}, .from = f64},
        {.name = "scalar", .type = SAFETENSORS_F32, .dims = 0, .from = f32},
        {.name = "four", .type = SAFETENSORS_F32, .dims = 4, .shape = {1, 2, 1, 2}, .from = f32},
    };
    Metadata m = {0};
    bool good = metadata_put(&m, "nul", "a\0b", 3, &err) && metadata_put(&m, "empty", "", 0, &err) &&
                metadata_put(&m, "\"quoted\"\n", "\\ \xe6\xbc\xa2 \x01\x7f", 8, &err) &&
                metadata_print(&m, "number", &err, "%d/%s", 42, "x") &&
                safetensors_write(path, tensors, 5, &m, true, &err);
    metadata_free(&m);
    return good;
}

static bool entry_is(const SafetensorsEntry *e, const char *name, int width, int dims, const int64_t *shape,
                     int64_t begin, int64_t size) {
    if (!e || strcmp(e->name.bytes, name) != 0 || SAFETENSORS_TYPE_BYTES[e->type] != width ||
        e->dims != dims || e->begin != begin || e->size != size)
        return false;
    for (int d = 0; d < dims; d++)
        if (e->shape[d] != shape[d]) return false;
    return true;
}

static void tensors_come_back_bit_by_bit(void) {
    Safetensors s;
    float x[6];
    double y[2];
    CHECK(write_some());
    if (!CHECK(safetensors_open(&s, path, &err))) return;
    CHECK(s.entries == 5);
    CHECK(strcmp(s.path, path) == 0);
    const SafetensorsEntry *first = safetensors_find(&s, "z.first"), *none = safetensors_find(&s, "none"),
                           *second = safetensors_find(&s, "a \"quoted\" \xc3\xa9"),
                           *scalar = safetensors_find(&s, "scalar"), *four = safetensors_find(&s, "four");
    CHECK(entry_is(first, "z.first", 4, 2, (int64_t[]){2, 3}, 0, 24));
    CHECK(entry_is(none, "none", 4, 2, (int64_t[]){0, 3}, 24, 0));
    CHECK(entry_is(second, "a \"quoted\" \xc3\xa9", 8, 1, (int64_t[]){2}, 24, 16));
    CHECK(entry_is(scalar, "scalar", 4, 0, NULL, 40, 4));
    CHECK(entry_is(four, "four", 4, 4, (int64_t[]){1, 2, 1, 2}, 44, 16));
    CHECK(safetensors_find(&s, "z") == NULL && safetensors_find(&s, "") == NULL);
    CHECK(s.data_size == 60);
    CHECK(safetensors_read(&s, second, y, &err) && memcmp(y, f64, sizeof f64) == 0);  // in any order
    CHECK(safetensors_read(&s, first, x, &err) && memcmp(x, f32, sizeof f32) == 0);
    CHECK(safetensors_read(&s, none, x, &err) && memcmp(x, f32, sizeof f32) == 0);
    memset(x, 0, sizeof x);
    CHECK(safetensors_read(&s, scalar, x + 1, &err) && x[0] == 0 && x[1] == 1 && x[2] == 0);
    CHECK(safetensors_read(&s, four, x, &err) && memcmp(x, f32, 16) == 0);
    safetensors_close(&s);
    CHECK(s.stream == NULL && s.path == NULL && s.entry == NULL && s.entries == 0);
}

static bool value_is(const Metadata *m, const char *key, const char *bytes, size_t n) {
    const String *v = metadata_get(m, key);
    return v && v->length == n && memcmp(v->bytes, bytes, n) == 0 && v->bytes[n] == 0;
}

static void metadata_come_back_in_order(void) {
    Safetensors s;
    CHECK(write_some());
    if (!CHECK(safetensors_open(&s, path, &err))) return;
    const Metadata *m = &s.metadata;
    CHECK(m->entries == 6);
    CHECK(value_is(m, "nul", "a\0b", 3));
    CHECK(value_is(m, "empty", "", 0));
    CHECK(value_is(m, "\"quoted\"\n", "\\ \xe6\xbc\xa2 \x01\x7f", 8));
    CHECK(value_is(m, "number", "42/x", 4));
    CHECK(metadata_get(m, "crc32") && metadata_get(m, "crc32")->length == 8);
    CHECK(metadata_get(m, "nu") == NULL && metadata_get(m, "nulx") == NULL && metadata_get(m, "") == NULL);
    static const char *const order[] = {"nul", "empty", "\"quoted\"\n", "number", "metadata_crc32", "crc32"};
    for (int i = 0; i < 6 && i < m->entries; i++) CHECK(strcmp(m->entry[i].key.bytes, order[i]) == 0);
    safetensors_close(&s);
}

static void long_metadata_are_kept_whole(void) {
    static char vocabulary[20000];
    memset(vocabulary, 'v', sizeof vocabulary);
    const SafetensorsTensor tensor = {
        .name = "a", .type = SAFETENSORS_F32, .dims = 1, .shape = {6}, .from = f32};
    Metadata m = {0};
    Safetensors s;
    char key[16];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK(metadata_put(&m, key, vocabulary, (size_t)(i * 200), &err));
    }
    CHECK(safetensors_write(path, &tensor, 1, &m, true, &err));
    metadata_free(&m);
    CHECK(m.entry == NULL && m.entries == 0);
    if (!CHECK(safetensors_open(&s, path, &err))) return;
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK(value_is(&s.metadata, key, vocabulary, (size_t)(i * 200)));
    }
    safetensors_close(&s);
}

static void checksums_are_there_on_demand(void) {
    const SafetensorsTensor tensor = {
        .name = "a", .type = SAFETENSORS_F32, .dims = 1, .shape = {6}, .from = f32};
    for (int checksums = 0; checksums < 2; checksums++) {
        Metadata m = {0};
        Safetensors s;
        CHECK(metadata_put(&m, "format", "pt", 2, &err) &&
              safetensors_write(path, &tensor, 1, &m, checksums, &err));
        metadata_free(&m);
        if (!CHECK(safetensors_open(&s, path, &err))) return;
        CHECK(s.metadata.entries == 1 + 2 * checksums &&
              string_is(metadata_get(&s.metadata, "format"), "pt"));
        safetensors_close(&s);
        CHECK(safetensors_write(path, &tensor, 1, &m, checksums, &err) &&
              accepted());  // without any metadata
    }
}

static void a_file_has_exactly_the_bytes_of_the_format(void) {
    const float x[2] = {1, -2}, y[1] = {0.5f};
    const SafetensorsTensor tensors[] = {
        {.name = "a", .type = SAFETENSORS_F32, .dims = 2, .shape = {1, 2}, .from = x},
        {.name = "b", .type = SAFETENSORS_F32, .dims = 0, .from = y}};
    static const unsigned char data[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0x3f};
    Metadata m = {0};
    char header[512], expected[512];
    CHECK(metadata_put(&m, "k", "v", 1, &err) && safetensors_write(path, tensors, 2, &m, true, &err));
    metadata_free(&m);
    int n = snprintf(header, sizeof header,
                     "{\"__metadata__\":{\"k\":\"v\",\"metadata_crc32\":\"%08x\",\"crc32\":\"%08x\"},"
                     "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
                     "\"b\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]}}",
                     (unsigned)crc32_add(0, "k\0v", 4), (unsigned)crc32_add(0, data, sizeof data));
    while (n % 8) header[n++] = ' ';
    memcpy(expected, (unsigned char[]){(unsigned char)n, (unsigned char)(n >> 8), 0, 0, 0, 0, 0, 0}, 8);
    memcpy(expected + 8, header, (size_t)n);
    memcpy(expected + 8 + n, data, sizeof data);
    CHECK(file_is(path, expected, 8 + (size_t)n + sizeof data));
    CHECK(access(in_folder("model.tmp"), F_OK) != 0);
}

// One bit of any name or value, in a file that is otherwise whole.
static void every_changed_byte_of_the_metadata_is_noticed(void) {
    const SafetensorsTensor tensor = {
        .name = "a", .type = SAFETENSORS_F32, .dims = 1, .shape = {6}, .from = f32};
    Metadata m = {0};
    Safetensors s;
    CHECK(metadata_put(&m, "key", "value", 5, &err) && metadata_put(&m, "n", "42", 2, &err));
    CHECK(safetensors_write(path, &tensor, 1, &m, true, &err));
    metadata_free(&m);
    size_t n = 0;
    char *bytes = get_file(path, &n);
    for (const char *at = "key value n 42"; *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : "") {
        char word[16];
        snprintf(word, sizeof word, "\"%.*s\"", (int)strcspn(at, " "), at);
        char *found = strstr(bytes + 8, word);
        if (!CHECK(found != NULL)) continue;
        found[1] ^= 1;
        put_file(path, bytes, n);
        found[1] ^= 1;
        CHECK(!safetensors_open(&s, path, &err) && strstr(err.text, "checksum of the metadata"));
    }
    put_file(path, bytes, n);
    if (CHECK(safetensors_open(&s, path, &err))) safetensors_close(&s);
    free(bytes);
}

static void the_header_is_padded_to_a_multiple_of_eight(void) {
    // pi and minus the smallest double, the least significant byte first, whatever the machine
    static const unsigned char f64_in_file[16] = {0x18, 0x2d, 0x44, 0x54, 0xfb,
                                                  0x21, 0x09, 0x40, 1,    [15] = 0x80};
    SafetensorsTensor tensor = {.type = SAFETENSORS_F64, .dims = 1, .shape = {2}, .from = f64};
    const Metadata none = {0};
    for (int n = 1; n <= 9; n++) {
        size_t size = 0;
        memset(tensor.name, 'n', (size_t)n);
        CHECK(safetensors_write(path, &tensor, 1, &none, true, &err));
        unsigned char *bytes = (unsigned char *)get_file(path, &size);
        if (!CHECK(bytes && size > 8)) return;
        size_t length = bytes[0] | (size_t)bytes[1] << 8;
        CHECK(length % 8 == 0 && size == 8 + length + sizeof f64_in_file);
        CHECK(bytes[8] == '{' && memcmp(bytes + 8 + length, f64_in_file, sizeof f64_in_file) == 0);
        free(bytes);
    }
}

static void equal_tensors_give_equal_files(void) {
    size_t n = 0, m = 0;
    CHECK(write_some());
    char *one = get_file(path, &n);
    CHECK(write_some());
    char *two = get_file(path, &m);
    CHECK(one && two && n == m && memcmp(one, two, n) == 0);
    free(one);
    free(two);
}

static void a_file_that_cannot_be_written_is_named(void) {
    const SafetensorsTensor tensor = {
        .name = "a", .type = SAFETENSORS_F32, .dims = 1, .shape = {6}, .from = f32};
    const Metadata none = {0};
    CHECK(!safetensors_write(in_folder("missing/model"), &tensor, 1, &none, true, &err));
    CHECK(strstr(err.text, "missing/model") && !strchr(err.text, '\n'));
}

// ---- damage ----

static void every_beginning_of_a_file_is_refused(void) {
    size_t n = 0;
    CHECK(write_some());
    char *whole = get_file(path, &n);
    if (!CHECK(whole && n > 100)) return;
    for (size_t cut = 0; cut < n; cut++) {
        put_file(path, whole, cut);
        if (!CHECK(refused(""))) printf("  the first %zu of %zu bytes\n", cut, n);
    }
    put_file(path, whole, n);
    CHECK(accepted());
    free(whole);
}

static void every_changed_byte_of_data_is_refused(void) {
    size_t n = 0;
    CHECK(write_some());
    char *whole = get_file(path, &n);
    if (!CHECK(whole && n > 100)) return;
    for (size_t i = n - 60; i < n; i++)
        for (int bit = (int)i % 2; bit < 8; bit += 2) {
            whole[i] ^= (char)(1 << bit);
            put_file(path, whole, n);
            CHECK(refused("checksum"));
            whole[i] ^= (char)(1 << bit);
        }
    free(whole);
}

// It may be read as another name or value, but whatever is said is said in one line.
static void every_changed_byte_of_the_header_is_read_or_refused_in_one_line(void) {
    size_t n = 0;
    long refusals = 0;
    CHECK(write_some());
    char *whole = get_file(path, &n);
    if (!CHECK(whole && n > 100)) return;
    for (size_t i = 0; i < n - 60; i++)
        for (int bit = (int)i % 4; bit < 8; bit += 4) {
            Safetensors s;
            whole[i] ^= (char)(1 << bit);
            put_file(path, whole, n);
            if (safetensors_open(&s, path, &err))
                safetensors_close(&s);
            else {
                refusals++;
                if (!CHECK(one_line_naming(err.text, path)))
                    printf("  byte %zu, bit %d: %s\n", i, bit, err.text);
            }
            whole[i] ^= (char)(1 << bit);
        }
    CHECK(refusals > (long)n / 2);
    free(whole);
}

static void bytes_after_the_data_are_refused(void) {
    size_t n = 0;
    CHECK(write_some());
    char *whole = get_file(path, &n);
    if (!CHECK(whole)) return;
    put_file(path, whole, n + 1);  // get_file has left a 0 there
    CHECK(refused("61 bytes of data"));
    free(whole);
    CHECK(header_accepted("{" A8 "}", 8));
    CHECK(header_refused("{" A8 "}", 9, "9 bytes of data"));
    CHECK(header_refused("{" A8 "}", 7, "7 bytes of data"));
}

static void a_header_longer_than_the_file_is_refused(void) {
    static const char header[] = "{" A8 "}";
    size_t n = sizeof header - 1;
    static const uint64_t claimed[] = {68,
                                       1000,
                                       100 * 1000 * 1000,
                                       100 * 1000 * 1000 + 1,
                                       (uint64_t)1 << 32,
                                       (uint64_t)1 << 63,
                                       UINT64_MAX,
                                       UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof claimed / sizeof *claimed; i++) {
        put_bytes(header, n, claimed[i], 8);
        CHECK(refused("header"));
    }
    put_bytes(header, n, n - 1, 9);
    CHECK(refused("expected"));
    put_bytes(header, n, 0, 8);
    CHECK(refused("'{' expected"));
}

static void what_is_no_safetensors_file_is_refused(void) {
    put_file(path, "", 0);
    CHECK(refused("0 bytes"));
    put_file(path, "1234567", 7);
    CHECK(refused("7 bytes"));
    put_file(path, "First Citizen:\nBefore we proceed any further, hear me speak.\n", 61);
    CHECK(refused("not a safetensors file"));
    unlink(path);
    CHECK(refused("No such file"));
    mkdir(path, 0777);
    CHECK(refused("folder"));
    rmdir(path);
}

// ---- headers ----

static void tensors_may_stand_in_any_order_in_the_header(void) {
    Safetensors s;
    put_model(" { " B8 " , " A8 " } ", 16);
    if (!CHECK(safetensors_open(&s, path, &err))) return;
    CHECK(s.entries == 2 && strcmp(s.entry[0].name.bytes, "a") == 0 &&
          strcmp(s.entry[1].name.bytes, "b") == 0);
    safetensors_close(&s);
    CHECK(header_accepted("{" A8 ",\"__metadata__\":{}," B8 "}", 16));
    CHECK(header_accepted("{\"a\":{\"data_offsets\":[0,8],\"shape\":[1,2,1,1],\"dtype\":\"F32\"}}", 8));
    CHECK(header_accepted("{\"a\":{\"data_offsets\":[0,8],\"shape\":[],\"dtype\":\"F64\"}}", 8));
}

static void overlaps_are_refused(void) {
    CHECK(header_accepted("{" A8 "," B8 "}", 16));
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[4,12]}}", 12,
                         "\"b\" begins at byte 4"));
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
                         "begins at byte 0"));
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 8,
                         "\"a\" begins at byte 0"));
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}}", 8,
                         "begins at byte 4"));
}

static void holes_are_refused(void) {
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[12,16]}}", 16,
                         "\"b\" begins at byte 12"));
    CHECK(header_refused("{" B8 "}", 16, "\"b\" begins at byte 8"));
    CHECK(header_refused("{" A8 ",\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[9,9]}}", 8,
                         "begins at byte 9"));
}

static void names_that_stand_twice_are_refused(void) {
    CHECK(header_refused("{" A8 ",\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16,
                         "\"a\" stands twice"));
    CHECK(header_refused("{" A8 ",\"\\u0061\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16,
                         "\"a\" stands twice"));
    CHECK(header_refused("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}," A8 "}", 8, "\"k\" stands twice"));
}

static void a_second_metadata_object_is_refused(void) {
    CHECK(header_refused("{\"__metadata__\":{\"k\":\"1\"},\"__metadata__\":{\"l\":\"2\"}," A8 "}", 8,
                         "__metadata__"));
}

static void sizes_that_do_not_fit_are_refused(void) {
#define A(shape, offsets) "{\"a\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
    CHECK(header_accepted(A("[2]", "[0,8]"), 8));
    CHECK(header_refused(A("[3]", "[0,8]"), 8, "\"a\" has 8 bytes where its shape needs 12"));
    CHECK(header_refused(A("[1]", "[0,8]"), 8, "\"a\" has 8 bytes where its shape needs 4"));
    CHECK(header_refused(A("[0]", "[0,8]"), 8, "\"a\" has 8 bytes where its shape needs 0"));
    CHECK(header_refused(A("[2]", "[8,0]"), 8, "\"a\" has"));
    CHECK(header_refused(A("[4611686018427387904]", "[0,8]"), 8, "impossible shape"));  // 2^64 bytes
    CHECK(header_refused(A("[4611686018427387904,4]", "[0,0]"), 0, "impossible shape"));
    CHECK(header_refused(A("[4611686018427387906]", "[0,8]"), 8, "impossible shape"));  // 2^64 + 8
    CHECK(header_refused(A("[9223372036854775807,9223372036854775807]", "[0,8]"), 8, "impossible shape"));
    CHECK(header_refused(A("[9223372036854775808]", "[0,8]"), 8, "too large"));
    CHECK(header_refused(A("[2305843009213693951]", "[0,9223372036854775804]"), 8, "8 bytes of data"));
    CHECK(header_refused(A("[2]", "[9223372036854775799,9223372036854775807]"), 8,
                         "begins at byte 9223372036854775799"));
    CHECK(header_refused(A("[2]", "[18446744073709551608,18446744073709551616]"), 8, "data_offsets"));
    CHECK(header_refused(A("[-2]", "[0,8]"), 8, "whole number"));
    CHECK(header_refused(A("[2.0]", "[0,8]"), 8, "expected"));
    CHECK(header_refused(A("[\"2\"]", "[0,8]"), 8, "whole number"));
    CHECK(header_refused(A("2", "[0,8]"), 8, "'[' expected"));
    CHECK(header_refused(A("null", "[0,8]"), 8, "'[' expected"));
    CHECK(header_refused(A("[1,1,1,1,2]", "[0,8]"), 8, "more than 4"));
    CHECK(header_refused(A("[2]", "[0]"), 8, "two data_offsets"));
    CHECK(header_refused(A("[2]", "[]"), 8, "two data_offsets"));
    CHECK(header_refused(A("[2]", "[0,8,8]"), 8, "two data_offsets"));
    CHECK(header_refused(A("[2]", "[0,-8]"), 8, "data_offsets"));
    CHECK(header_refused(A("[2]", "8"), 8, "data_offsets"));
#undef A
}

static void types_have_their_sizes(void) {
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                 {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U8", 1},   {"BOOL", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char header[200];
        size_t right = 3 * types[i].bytes;
        for (size_t size = right - 1; size <= right + 1; size++) {
            snprintf(header, sizeof header,
                     "{\"tensor\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}", types[i].name,
                     size);
            CHECK(size == right ? header_accepted(header, size)
                                : header_refused(header, size, "shape needs"));
        }
    }
}

static void other_types_are_refused(void) {
    static const char *const types[] = {"F8_E4M3", "U16", "I128", "bool", "f32",
                                        "F32 ",    "F",   "",     "F128", "float"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char header[200];
        snprintf(header, sizeof header,
                 "{\"tensor\":{\"dtype\":\"%s\",\"shape\":[2],\"data_offsets\":[0,8]}}", types[i]);
        CHECK(header_refused(header, 8, "\"tensor\" has numbers of type"));
    }
    CHECK(header_refused("{\"a\":{\"dtype\":32,\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "expected"));
}

static void unknown_repeated_and_missing_members_are_refused(void) {
#define ENDS "\"data_offsets\":[0,8]"
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]," ENDS ",\"extra\":1}}", 8,
                         "\"a\" has an unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]," ENDS ",\"\":1}}", 8,
                         "\"a\" has an unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"Dtype\":\"F32\",\"shape\":[2]," ENDS "}}", 8,
                         "\"a\" has an unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[2]," ENDS "}}", 8,
                         "unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"shape\":[2]," ENDS "}}", 8,
                         "unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]," ENDS "," ENDS "}}", 8,
                         "unknown or repeated"));
    CHECK(header_refused("{\"a\":{\"shape\":[2]," ENDS "}}", 8, "\"a\" is incomplete"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\"," ENDS "}}", 8, "\"a\" is incomplete"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8, "\"a\" is incomplete"));
    CHECK(header_refused("{\"a\":{}}", 0, "\"a\" is incomplete"));
}

static void names_with_an_escaped_nul_are_not_cut_there(void) {
    CHECK(header_refused("{\"a\":{\"dtype\\u0000x\":\"F32\",\"shape\":[2]," ENDS "}}", 8, "unknown"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F32\\u0000x\",\"shape\":[2]," ENDS "}}", 8, "numbers of type"));
    CHECK(header_refused("{\"a\\u0000x\":{\"dtype\":\"F32\",\"shape\":[2]," ENDS "}}", 8, "NUL"));
    CHECK(header_refused("{\"__metadata__\":{\"k\\u0000\":\"v\"}," A8 "}", 8, "NUL"));
#undef ENDS
}

static void headers_that_are_not_what_they_should_be_are_refused(void) {
    CHECK(header_refused("{}", 0, "no tensors"));
    CHECK(header_refused("{\"__metadata__\":{\"k\":\"v\"}}", 0, "no tensors"));
    CHECK(header_refused("[]", 0, "'{' expected"));
    CHECK(header_refused("null", 0, "'{' expected"));
    CHECK(header_refused("        ", 8, "'{' expected"));
    CHECK(header_refused("{" A8 "", 8, "',' expected"));
    CHECK(header_refused("{" A8 ",}", 8, "'\"' expected"));
    CHECK(header_refused("{" A8 "} x", 8, "follows the end"));
    CHECK(header_refused("{" A8 " " B8 "}", 16, "',' expected"));
    CHECK(header_refused("{\"a\" {}}", 8, "':' expected"));
    CHECK(header_refused("{\"a\":1}", 8, "'{' expected"));
    CHECK(header_refused("{\"a\xff\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8,
                         "not UTF-8"));
    CHECK(header_refused("{\"__metadata__\":{\"k\":1}," A8 "}", 8, "'\"' expected"));
    CHECK(header_refused("{\"__metadata__\":{\"k\":\"1\"," A8 "}", 8, "expected"));
    CHECK(header_refused("{\"__metadata__\":[]," A8 "}", 8, "'{' expected"));
    CHECK(header_refused("{\"__metadata__\":null," A8 "}", 8, "'{' expected"));
}

static void a_checksum_is_checked_where_there_is_one(void) {
    CHECK(header_accepted("{\"__metadata__\":{\"format\":\"pt\"}," A8 "}", 8));
    CHECK(header_accepted("{\"__metadata__\":{\"crc32\":\"6522df69\"}," A8 "}", 8));  // of eight zeros
    CHECK(header_refused("{\"__metadata__\":{\"crc32\":\"6522df68\"}," A8 "}", 8, "6522df69, not 6522df68"));
    CHECK(header_refused("{\"__metadata__\":{\"crc32\":\"\"}," A8 "}", 8, "checksum"));
    CHECK(header_refused("{\"__metadata__\":{\"crc32\":\"6522df6900\"}," A8 "}", 8, "checksum"));
}

static void a_message_stays_one_line_whatever_the_names_are(void) {
    CHECK(header_refused("{\"a\\nb\":{\"dtype\":\"F6\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "F6"));
    CHECK(header_refused("{\"a\":{\"dtype\":\"F\\n6\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "\"a\""));
    CHECK(header_refused("{\"a\":{\"dtype\":\"\\u009b2J\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
                         "type ??2J"));
    CHECK(header_refused("{\"\\u0083\\u00a9\":{\"dtype\":\"F6\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
                         "\"??\xc2\xa9\""));
    CHECK(header_refused("{\"__metadata__\":{\"\\u001b[2J\":\"\",\"\\u001b[2J\":\"\"}," A8 "}", 8, "twice"));
    CHECK(header_refused("{\"__metadata__\":{\"crc32\":\"\\n\"}," A8 "}", 8, "checksum"));
}

static void a_tensor_that_has_been_cut_off_since_is_an_error(void) {
    static float many[100000];  // more than a stream holds in its buffer
    const SafetensorsTensor tensor = {
        .name = "a", .type = SAFETENSORS_F32, .dims = 1, .shape = {100000}, .from = many};
    const Metadata none = {0};
    Safetensors s;
    CHECK(safetensors_write(path, &tensor, 1, &none, true, &err));
    if (!CHECK(safetensors_open(&s, path, &err))) return;
    CHECK(safetensors_read(&s, &s.entry[0], many, &err));
    CHECK(truncate(path, s.data_begin + 200000) == 0);
    CHECK(!safetensors_read(&s, &s.entry[0], many, &err));
    CHECK(one_line_naming(err.text, path) && strstr(err.text, "ends too early"));
    safetensors_close(&s);
}

int main(void) {
    folder_make();
    strcpy(path, in_folder("model"));
    RUN(tensors_come_back_bit_by_bit);
    RUN(metadata_come_back_in_order);
    RUN(long_metadata_are_kept_whole);
    RUN(checksums_are_there_on_demand);
    RUN(a_file_has_exactly_the_bytes_of_the_format);
    RUN(every_changed_byte_of_the_metadata_is_noticed);
    RUN(the_header_is_padded_to_a_multiple_of_eight);
    RUN(equal_tensors_give_equal_files);
    RUN(a_file_that_cannot_be_written_is_named);
    RUN(every_beginning_of_a_file_is_refused);
    RUN(every_changed_byte_of_data_is_refused);
    RUN(every_changed_byte_of_the_header_is_read_or_refused_in_one_line);
    RUN(bytes_after_the_data_are_refused);
    RUN(a_header_longer_than_the_file_is_refused);
    RUN(what_is_no_safetensors_file_is_refused);
    RUN(tensors_may_stand_in_any_order_in_the_header);
    RUN(overlaps_are_refused);
    RUN(holes_are_refused);
    RUN(names_that_stand_twice_are_refused);
    RUN(a_second_metadata_object_is_refused);
    RUN(sizes_that_do_not_fit_are_refused);
    RUN(types_have_their_sizes);
    RUN(other_types_are_refused);
    RUN(unknown_repeated_and_missing_members_are_refused);
    RUN(names_with_an_escaped_nul_are_not_cut_there);
    RUN(headers_that_are_not_what_they_should_be_are_refused);
    RUN(a_checksum_is_checked_where_there_is_one);
    RUN(a_message_stays_one_line_whatever_the_names_are);
    RUN(a_tensor_that_has_been_cut_off_since_is_an_error);
    return report();
}
