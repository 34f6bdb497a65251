// processor.h -- has this processor what the program was built for?
//
// Built for one processor and started on an older one, a program dies of an illegal instruction and says
// nothing. processor.c is compiled for the oldest processor of its kind and looks before main begins;
// built_for.c is compiled like everything else and holds data only: the instruction sets that the compiler
// was allowed to use.
#ifndef PROCESSOR_H
#define PROCESSOR_H

// In the order in which processors of x86-64 got them.
enum {
    BUILT_SSE4_2 = 1 << 0,
    BUILT_AVX = 1 << 1,
    BUILT_FMA = 1 << 2,
    BUILT_BMI = 1 << 3,
    BUILT_BMI2 = 1 << 4,
    BUILT_AVX2 = 1 << 5,
    BUILT_AVX512F = 1 << 6,
    BUILT_AVX512BW = 1 << 7,
    BUILT_AVX512CD = 1 << 8,
    BUILT_AVX512DQ = 1 << 9,
    BUILT_AVX512VL = 1 << 10,
    BUILT_AVX512IFMA = 1 << 11,
    BUILT_AVX512VBMI = 1 << 12,
    BUILT_AVX512VBMI2 = 1 << 13,
    BUILT_AVX512VNNI = 1 << 14,
};

extern const unsigned built_for;

#endif
