// safetensors_write.c -- writing: the checksum stands before the data, so the tensors are gone through twice.
#include "byte_order.h"
#include "crc32.h"
#include "file.h"
#include "safetensors.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(const SafetensorsTensor *t) {
    size_t n = (size_t)SAFETENSORS_TYPE_BYTES[t->type];
    for (int i = 0; i < t->dims; i++) n *= (size_t)t->shape[i];
    return n;
}

// Goes through all tensors' bytes as they stand in the file: into *crc, and into `out` unless it is NULL.
static void each_byte(const SafetensorsTensor *tensor, long tensors, uint32_t *crc, FileWriter *out) {
    unsigned char chunk[1 << 16];
    for (long i = 0; i < tensors; i++) {
        size_t total = bytes_of(&tensor[i]);
        for (size_t at = 0; at < total; at += sizeof chunk) {
            size_t n = total - at < sizeof chunk ? total - at : sizeof chunk;
            memcpy(chunk, (const char *)tensor[i].from + at, n);
            swap_on_big_endian(chunk, n, SAFETENSORS_TYPE_BYTES[tensor[i].type]);
            if (out)
                file_write(out, chunk, n);
            else
                *crc = crc32_add(*crc, chunk, n);
        }
    }
}

// With the checksum of the data where `crc` is not NULL.
static void write_header(FILE *f, const SafetensorsTensor *tensor, long tensors, const Metadata *m,
                         const uint32_t *crc) {
    fprintf(f, "{\"__metadata__\":{");
    for (long i = 0; i < m->entries; i++) {
        if (i > 0) putc(',', f);
        json_write_string(f, m->entry[i].key.bytes, m->entry[i].key.length);
        putc(':', f);
        json_write_string(f, m->entry[i].value.bytes, m->entry[i].value.length);
    }
    if (crc)
        fprintf(f, "%s\"%s\":\"%08" PRIx32 "\",\"%s\":\"%08" PRIx32 "\"", m->entries ? "," : "",
                SAFETENSORS_METADATA_CHECKSUM, metadata_crc32(m, SAFETENSORS_CHECKSUMS), SAFETENSORS_CHECKSUM,
                *crc);
    putc('}', f);
    size_t at = 0;
    for (long i = 0; i < tensors; i++) {
        const SafetensorsTensor *t = &tensor[i];
        putc(',', f);
        json_write_string(f, t->name, strlen(t->name));
        fprintf(f, ":{\"dtype\":\"%s\",\"shape\":[", SAFETENSORS_TYPE_NAME[t->type]);
        for (int d = 0; d < t->dims; d++) fprintf(f, "%s%" PRId64, d ? "," : "", t->shape[d]);
        fprintf(f, "],\"data_offsets\":[%zu,%zu]}", at, at + bytes_of(t));
        at += bytes_of(t);
    }
    putc('}', f);
}

bool safetensors_write(const char *path, const SafetensorsTensor *tensor, long tensors,
                       const Metadata *metadata, bool checksums, Error *err) {
    uint32_t crc = 0;
    if (checksums) each_byte(tensor, tensors, &crc, NULL);
    char *header = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&header, &length);
    if (!memory) return fail(err, "%s: memory is short", path);
    write_header(memory, tensor, tensors, metadata, checksums ? &crc : NULL);
    // The data begins at a multiple of 8, which a stream that cannot grow any more does not reach.
    while (!ferror(memory) && ftell(memory) % 8) putc(' ', memory);
    bool whole = !ferror(memory);
    if (fclose(memory) != 0 || !whole) {
        free(header);
        return fail(err, "%s: memory is short", path);
    }
    FileWriter f;
    if (!file_create(&f, path, err)) {
        free(header);
        return false;
    }
    unsigned char prefix[8];
    for (int i = 0; i < 8; i++) prefix[i] = (unsigned char)(length >> 8 * i);
    file_write(&f, prefix, 8);
    file_write(&f, header, length);
    free(header);
    each_byte(tensor, tensors, &crc, &f);
    return file_commit(&f, err);
}
