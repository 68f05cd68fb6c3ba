/* cpu.h - which instruction sets this machine has, asked at run time. */
#ifndef INK_BASE_CPU_H
#define INK_BASE_CPU_H

enum {
    INK__CPU_AVX2 = 1u << 0,
    INK__CPU_NEON = 1u << 1,
    INK__CPU_AVX512 = 1u << 2, /* f, bw, cd, dq and vl */
    INK__CPU_VBMI2 = 1u << 3,  /* vbmi, vbmi2 and vpopcntdq, and all of AVX512 */
};

/* The bits above that apply here. */
unsigned ink__cpu_features(void);

#endif
