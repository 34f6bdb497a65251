#include "processor.h"

// clang-format off
const unsigned built_for = 0
#ifdef __SSE4_2__
    | BUILT_SSE4_2
#endif
#ifdef __AVX__
    | BUILT_AVX
#endif
#ifdef __FMA__
    | BUILT_FMA
#endif
#ifdef __BMI__
    | BUILT_BMI
#endif
#ifdef __BMI2__
    | BUILT_BMI2
#endif
#ifdef __AVX2__
    | BUILT_AVX2
#endif
#ifdef __AVX512F__
    | BUILT_AVX512F
#endif
#ifdef __AVX512BW__
    | BUILT_AVX512BW
#endif
#ifdef __AVX512CD__
    | BUILT_AVX512CD
#endif
#ifdef __AVX512DQ__
    | BUILT_AVX512DQ
#endif
#ifdef __AVX512VL__
    | BUILT_AVX512VL
#endif
#ifdef __AVX512IFMA__
    | BUILT_AVX512IFMA
#endif
#ifdef __AVX512VBMI__
    | BUILT_AVX512VBMI
#endif
#ifdef __AVX512VBMI2__
    | BUILT_AVX512VBMI2
#endif
#ifdef __AVX512VNNI__
    | BUILT_AVX512VNNI
#endif
    ;
