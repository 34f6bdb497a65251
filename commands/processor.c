#include "processor.h"

#ifdef __x86_64__
#include <string.h>
#include <unistd.h>

// Runs before main, with nothing but system calls.
__attribute__((constructor)) static void check_processor(void) {
    __builtin_cpu_init();
    const char *lacks = built_for & BUILT_SSE4_2 && !__builtin_cpu_supports("sse4.2")       ? "SSE4.2"
                        : built_for & BUILT_AVX && !__builtin_cpu_supports("avx")           ? "AVX"
                        : built_for & BUILT_FMA && !__builtin_cpu_supports("fma")           ? "FMA"
                        : built_for & BUILT_BMI2 && !__builtin_cpu_supports("bmi2")         ? "BMI2"
                        : built_for & BUILT_AVX2 && !__builtin_cpu_supports("avx2")         ? "AVX2"
                        : built_for & BUILT_AVX512F && !__builtin_cpu_supports("avx512f")   ? "AVX-512"
                        : built_for & BUILT_AVX512BW && !__builtin_cpu_supports("avx512bw") ? "AVX-512 BW"
                        : built_for & BUILT_AVX512DQ && !__builtin_cpu_supports("avx512dq") ? "AVX-512 DQ"
                        : built_for & BUILT_AVX512VL && !__builtin_cpu_supports("avx512vl") ? "AVX-512 VL"
                        : built_for & BUILT_AVX512VBMI2 && !__builtin_cpu_supports("avx512vbmi2")
                            ? "AVX-512 VBMI2"
                            : NULL;
    if (!lacks) return;
    const char *const words[] = {
        "train_gpt: this program was built for a processor with ", lacks,
        ", which this one lacks; build it here with `make`, or elsewhere with `make ARCH=x86-64`\n"};
    for (int i = 0; i < 3; i++)
        if (write(STDERR_FILENO, words[i], strlen(words[i])) < 0) break;
    _exit(1);
}
#endif
