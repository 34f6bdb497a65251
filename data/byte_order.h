// byte_order.h -- numbers in files are little-endian, whatever the machine.
#ifndef BYTE_ORDER_H
#define BYTE_ORDER_H

#include <stddef.h>

// Turns numbers of `width` bytes from the host's byte order to little-endian, or back.
static inline void swap_on_big_endian(void *numbers, size_t bytes, int width) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    unsigned char *p = numbers;
    for (size_t i = 0; i < bytes; i += (size_t)width)
        for (int a = 0, b = width - 1; a < b; a++, b--) {
            unsigned char t = p[i + (size_t)a];
            p[i + (size_t)a] = p[i + (size_t)b];
            p[i + (size_t)b] = t;
        }
#else
    (void)numbers, (void)bytes, (void)width;
#endif
}

#endif
