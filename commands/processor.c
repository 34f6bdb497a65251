#include "processor.h"

#ifdef __x86_64__
#include <string.h>
#include <unistd.h>

// Runs before main, with nothing but system calls.
__attribute__((constructor)) static void check_processor(void) {
    __builtin_cpu_init();
    // __builtin_cpu_supports takes nothing but a literal.
    const char *lacks = NULL;
#define NEEDS(bit, literal, name) \
    if (!lacks && built_for & (bit) && !__builtin_cpu_supports(literal)) lacks = name
    NEEDS(BUILT_SSE4_2, "sse4.2", "SSE4.2");
    NEEDS(BUILT_AVX, "avx", "AVX");
    NEEDS(BUILT_FMA, "fma", "FMA");
    NEEDS(BUILT_BMI, "bmi", "BMI");
    NEEDS(BUILT_BMI2, "bmi2", "BMI2");
    NEEDS(BUILT_AVX2, "avx2", "AVX2");
    NEEDS(BUILT_AVX512F, "avx512f", "AVX-512");
    NEEDS(BUILT_AVX512BW, "avx512bw", "AVX-512 BW");
    NEEDS(BUILT_AVX512CD, "avx512cd", "AVX-512 CD");
    NEEDS(BUILT_AVX512DQ, "avx512dq", "AVX-512 DQ");
    NEEDS(BUILT_AVX512VL, "avx512vl", "AVX-512 VL");
    NEEDS(BUILT_AVX512IFMA, "avx512ifma", "AVX-512 IFMA");
    NEEDS(BUILT_AVX512VBMI, "avx512vbmi", "AVX-512 VBMI");
    NEEDS(BUILT_AVX512VBMI2, "avx512vbmi2", "AVX-512 VBMI2");
    NEEDS(BUILT_AVX512VNNI, "avx512vnni", "AVX-512 VNNI");
#undef NEEDS
    if (!lacks) return;
    const char *const words[] = {
        "train_gpt: this program was built for a processor with ", lacks,
        ", which this one lacks; build it here with `make`, or elsewhere with `make ARCH=x86-64`\n"};
    for (int i = 0; i < 3; i++)
        if (write(STDERR_FILENO, words[i], strlen(words[i])) < 0) break;
    _exit(1);
}
#endif
