// crc32.h -- the checksum of zlib and PNG, so that anyone can check ours: python3 -c 'import zlib;
// zlib.crc32(...)'. Source: ISO 3309; polynomial 0xedb88320, reflected.
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

// The checksum of more bytes after those that gave `crc`; 0 for none.
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t n);

#endif
