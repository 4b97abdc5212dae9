// The processor's instructions, for programs that are compiled in several versions.
//
// The number of the version of functions that this processor can run (crates/toy-compiler/src/stages/loops/versions.rs):
// 0 for any, 1 for x86-64-v3, 2 for x86-64-v4, or a lower one that TOYC_CPU names: `x86-64`, `x86-64-v2`, and so on. Other
// texts in it are ignored, because a library has nobody to tell. Called by the loader, before any other function.
int toy_find_processor(void) NAMED("toy.find_processor");
#if defined(__x86_64__)
#include <cpuid.h>

extern char *getenv(const char *name);

// The registers A, B, C and D of the instruction `cpuid`. Without operands, which LLVM takes long to read: this file is
// compiled with every program.
__attribute__((naked, noinline)) static void ask(unsigned topic, unsigned registers[4])
{
    __asm__("pushq %rbx\n\tmovl %edi, %eax\n\txorl %ecx, %ecx\n\tcpuid\n\tmovl %eax, (%rsi)\n\tmovl %ebx, 4(%rsi)\n\t"
            "movl %ecx, 8(%rsi)\n\tmovl %edx, 12(%rsi)\n\tpopq %rbx\n\tretq");
}

// The registers that the system keeps for each thread.
__attribute__((naked, noinline)) static unsigned kept(void)
{
    __asm__("xorl %ecx, %ecx\n\txgetbv\n\tretq");
}

// The instructions of a level: bits of a register for a topic. The order is that of the levels; `xgetbv` needs OSXSAVE.
static const struct {
    unsigned level, topic, at, bits, kept;
} needed[] = {
    {1, 1, 2, bit_SSE3 | bit_SSSE3 | bit_FMA | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_MOVBE | bit_POPCNT
                  | bit_OSXSAVE | bit_AVX | bit_F16C, 0x06},
    {1, 0x80000001, 2, bit_LAHF_LM | bit_LZCNT, 0x06},
    {1, 7, 1, bit_AVX2 | bit_BMI | bit_BMI2, 0x06},
    {2, 7, 1, bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW | 1u << 31, 0xe6},
};

__attribute__((cold)) int toy_find_processor(void)
{
    static const char known[] = "x86-64-v";
    unsigned most = 2, registers[4];
    const char *name = getenv("TOYC_CPU");
    if (name != NULL) {
        unsigned at = 0;
        while (at < sizeof known - 1 && name[at] == known[at])
            at++;
        if (at == 6 && name[at] == 0)
            most = 0;
        if (at == 8 && name[at] >= '1' && name[at] <= '3' && name[at + 1] == 0)
            most = name[at] == '3';
    }
    for (unsigned at = 0; at < sizeof needed / sizeof *needed; at++) {
        ask(needed[at].topic & 0x80000000, registers);
        if (needed[at].level > most || registers[0] < needed[at].topic)
            return (int)needed[at].level - 1;
        ask(needed[at].topic, registers);
        if (~registers[needed[at].at] & needed[at].bits || ~kept() & needed[at].kept)
            return (int)needed[at].level - 1;
    }
    return 2;
}
#else
int toy_find_processor(void)
{
    return 0;
}
#endif
