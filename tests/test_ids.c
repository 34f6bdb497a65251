#include "../data/crc32.h"
#include "../data/ids.h"
#include "test.h"

static Error err;

static int width_for(long V) {
    Ids ids;
    if (!ids_create(&ids, 1, V, &err)) abort();
    int width = ids.width;
    ids_free(&ids);
    return width;
}

static void ids_are_as_narrow_as_the_vocabulary_allows(void) {
    CHECK(width_for(1) == 1);
    CHECK(width_for(256) == 1);
    CHECK(width_for(257) == 2);
    CHECK(width_for(65536) == 2);
    CHECK(width_for(65537) == 4);
    CHECK(width_for(1114112) == 4);
}

static const long vocabularies[] = {256, 65536, 1114112};
enum { N = 3001 };
static int32_t given[N], back[N];

static void ids_are_kept_up_to_the_largest(void) {
    for (int v = 0; v < 3; v++) {
        Ids ids;
        long V = vocabularies[v];
        CHECK(ids_create(&ids, N, V, &err));
        CHECK(ids.n == N);
        for (long i = 0; i < N; i++)
            given[i] = i == 0 ? (int32_t)V - 1 : (int32_t)(random_bits(7, (uint64_t)i) % (uint64_t)V);
        for (long i = N - 1; i >= 0; i--) ids_set(&ids, i, given[i]);
        memset(back, -1, sizeof back);
        ids_copy(back, &ids, 0, N);
        CHECK(memcmp(back, given, sizeof given) == 0);
        ids_free(&ids);
        CHECK(ids.at == NULL && ids.n == 0);
    }
}

static void a_copy_may_begin_anywhere_and_writes_no_more_than_asked(void) {
    for (int v = 0; v < 3; v++) {
        Ids ids;
        CHECK(ids_create(&ids, 10, vocabularies[v], &err));
        for (int i = 0; i < 10; i++) ids_set(&ids, i, 20 + i);
        int32_t to[5] = {-1, -1, -1, -1, -1};
        ids_copy(to, &ids, 6, 4);
        CHECK(to[0] == 26 && to[1] == 27 && to[2] == 28 && to[3] == 29 && to[4] == -1);
        ids_copy(to, &ids, 10, 0);
        CHECK(to[0] == 26);
        ids_set(&ids, 6, 77);
        ids_copy(to, &ids, 5, 3);
        CHECK(to[0] == 25 && to[1] == 77 && to[2] == 27);
        ids_free(&ids);
    }
}

static void writing_may_begin_anywhere_and_changes_no_more_than_asked(void) {
    for (int v = 0; v < 3; v++) {
        Ids ids;
        const int32_t last = (int32_t)vocabularies[v] - 1, from[3] = {last, 0, last - 1};
        CHECK(ids_width(vocabularies[v]) == 1 << v);
        CHECK(ids_create(&ids, 10, vocabularies[v], &err));
        for (int i = 0; i < 10; i++) ids_set(&ids, i, 20 + i);
        ids_write(&ids, 4, from, 3);
        ids_write(&ids, 10, from, 0);
        ids_copy(back, &ids, 0, 10);
        CHECK(back[4] == last && back[5] == 0 && back[6] == last - 1);
        for (int i = 0; i < 10; i++) CHECK(back[i] == 20 + i || (i >= 4 && i < 7));
        ids_free(&ids);
    }
}

static uint32_t checksum(long n, long V, int32_t shift) {
    Ids ids;
    if (!ids_create(&ids, n, V, &err)) abort();
    for (long i = 0; i < n; i++) ids_set(&ids, i, (int32_t)(random_bits(8, (uint64_t)i) % 200) + shift);
    uint32_t crc = ids_crc32(&ids);
    ids_free(&ids);
    return crc;
}

static void the_checksum_does_not_depend_on_the_width(void) {
    static const long lengths[] = {0, 1, 2, 1023, 3001, 16383, 16384, 16385, 32768, 40000};
    for (int i = 0; i < 10; i++) {
        uint32_t narrow = checksum(lengths[i], 256, 0);
        CHECK(checksum(lengths[i], 65536, 0) == narrow);
        CHECK(checksum(lengths[i], 1114112, 0) == narrow);
        CHECK(lengths[i] == 0 || checksum(lengths[i], 256, 1) != narrow);
    }
    CHECK(checksum(16383, 256, 0) != checksum(16384, 256, 0));
}

static void the_checksum_is_that_of_four_little_endian_bytes_each(void) {
    static const unsigned char bytes[] = {1, 0, 0, 0, 0xff, 0, 0, 0, 0x34, 0x12, 0, 0, 0x78, 0x56, 0x0a, 0};
    Ids ids;
    CHECK(ids_create(&ids, 4, 1114112, &err));
    ids_set(&ids, 0, 1);
    ids_set(&ids, 1, 255);
    ids_set(&ids, 2, 0x1234);
    ids_set(&ids, 3, 0x0a5678);
    CHECK(ids_crc32(&ids) == crc32_add(0, bytes, sizeof bytes));
    ids_free(&ids);
}

// Longer than what the checksum takes at a time.
static void the_checksum_of_many_ids_is_that_of_all_their_bytes(void) {
    enum { MANY = 40000 };
    static unsigned char bytes[4 * MANY];
    Ids ids;
    CHECK(ids_create(&ids, MANY, 65536, &err));
    for (long i = 0; i < MANY; i++) {
        int32_t id = (int32_t)(random_bits(9, (uint64_t)i) % 65536);
        ids_set(&ids, i, id);
        bytes[4 * i] = (unsigned char)id;
        bytes[4 * i + 1] = (unsigned char)(id >> 8);
    }
    CHECK(ids_crc32(&ids) == crc32_add(0, bytes, sizeof bytes));
    ids_free(&ids);
}

static void no_ids_are_allowed(void) {
    Ids ids;
    CHECK(ids_create(&ids, 0, 10, &err));
    CHECK(ids.n == 0 && ids_crc32(&ids) == 0);
    ids_free(&ids);
}

int main(void) {
    RUN(ids_are_as_narrow_as_the_vocabulary_allows);
    RUN(ids_are_kept_up_to_the_largest);
    RUN(a_copy_may_begin_anywhere_and_writes_no_more_than_asked);
    RUN(writing_may_begin_anywhere_and_changes_no_more_than_asked);
    RUN(the_checksum_does_not_depend_on_the_width);
    RUN(the_checksum_is_that_of_four_little_endian_bytes_each);
    RUN(the_checksum_of_many_ids_is_that_of_all_their_bytes);
    RUN(no_ids_are_allowed);
    return report();
}
