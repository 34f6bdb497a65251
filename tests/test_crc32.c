#include "../data/crc32.h"
#include "test.h"

static void known_values_are_those_of_zlib(void) {
    CHECK(crc32_add(0, "123456789", 9) == 0xcbf43926u);
    CHECK(crc32_add(0, "a", 1) == 0xe8b7be43u);
    CHECK(crc32_add(0, "The quick brown fox jumps over the lazy dog", 43) == 0x414fa339u);
    static const unsigned char zeros[32];
    CHECK(crc32_add(0, zeros, 32) == 0x190a55adu);
}

static void no_bytes_change_nothing(void) {
    CHECK(crc32_add(0, "", 0) == 0);
    CHECK(crc32_add(0x12345678u, "", 0) == 0x12345678u);
    CHECK(crc32_add(0, NULL, 0) == 0);
}

// One bit at a time, straight from the definition.
static uint32_t reference(const unsigned char *p, size_t n) {
    uint32_t c = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static unsigned char bytes[300];

static void every_length_and_alignment_equals_the_definition(void) {
    bool same = true;
    for (size_t begin = 0; begin < 17; begin++)
        for (size_t n = 0; n + begin <= 100; n++)
            same = same && crc32_add(0, bytes + begin, n) == reference(bytes + begin, n);
    CHECK(same);
}

static void pieces_give_the_same_as_the_whole(void) {
    uint32_t whole = crc32_add(0, bytes, sizeof bytes);
    bool two = true, many = true;
    for (size_t cut = 0; cut <= sizeof bytes; cut++)
        two = two && crc32_add(crc32_add(0, bytes, cut), bytes + cut, sizeof bytes - cut) == whole;
    for (size_t step = 1; step < 40; step++) {
        uint32_t crc = 0;
        for (size_t at = 0; at < sizeof bytes; at += step)
            crc = crc32_add(crc, bytes + at, sizeof bytes - at < step ? sizeof bytes - at : step);
        many = many && crc == whole;
    }
    CHECK(two);
    CHECK(many);
}

static void every_changed_bit_changes_the_checksum(void) {
    uint32_t whole = crc32_add(0, bytes, sizeof bytes);
    bool differs = true;
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        differs = differs && crc32_add(0, bytes, sizeof bytes) != whole;
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(differs);
}

int main(void) {
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(random_bits(1, i) >> 56);
    RUN(known_values_are_those_of_zlib);
    RUN(no_bytes_change_nothing);
    RUN(every_length_and_alignment_equals_the_definition);
    RUN(pieces_give_the_same_as_the_whole);
    RUN(every_changed_bit_changes_the_checksum);
    return report();
}
