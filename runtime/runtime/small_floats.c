// Conversions of 16-bit numbers for which the processor has no instruction.
//
// LLVM's code for x86-64 and WebAssembly calls these functions to convert 16-bit numbers; AArch64 has instructions. A compiler's
// own library may lack them (GCC's has the functions of `bf16` from version 13 on), so they are here. Older versions of
// GCC do not have the type `__bf16` either; with them the file is tested without it.
#if defined(__x86_64__) || defined(__wasm__)

#ifdef __wasm__
// There, these numbers are passed as their bits, and clang has no types for them.
#define _Float16 uint16_t
#define __bf16 uint16_t
#endif

// The bits of a number in a narrower format, rounded to nearest, ties to even. A format is given by the
// number of bits of its fraction and of its exponent. A NaN stays a NaN, with as many of its bits as
// fit, and becomes quiet.
static uint16_t narrowed(uint64_t bits, int fraction_bits, int exponent_bits, int to_fraction_bits,
                         int to_exponent_bits)
{
    const uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    const int all_ones = (1 << exponent_bits) - 1;
    const int exponent = (int)(bits >> fraction_bits) & all_ones;
    const uint64_t sign = (bits >> (fraction_bits + exponent_bits)) << (to_fraction_bits + to_exponent_bits);
    const uint64_t infinity = ((UINT64_C(1) << to_exponent_bits) - 1) << to_fraction_bits;
    if (exponent == all_ones && fraction != 0) {
        const uint64_t quiet = UINT64_C(1) << (to_fraction_bits - 1);
        return (uint16_t)(sign | infinity | quiet | fraction >> (fraction_bits - to_fraction_bits));
    }
    if (exponent == all_ones)
        return (uint16_t)(sign | infinity);
    const uint64_t significand = exponent != 0 ? fraction | UINT64_C(1) << fraction_bits : fraction;
    // The exponent as the other format encodes it. Below 1 it is encoded as 0, and the fraction is shifted.
    const int bias = all_ones >> 1, to_bias = ((1 << to_exponent_bits) - 1) >> 1;
    const int to_exponent = (exponent != 0 ? exponent : 1) - bias + to_bias;
    int dropped = fraction_bits - to_fraction_bits;
    if (to_exponent < 1)
        dropped += 1 - to_exponent;
    if (dropped > fraction_bits + 2)
        dropped = fraction_bits + 2; // Less than half of the smallest number.
    const uint64_t rest = significand & ((UINT64_C(1) << dropped) - 1);
    const uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t result = significand >> dropped;
    if (rest > half || (rest == half && (result & 1) != 0))
        result++;
    // The leading one of the significand adds one to the exponent, and so does rounding up to a power of
    // two.
    if (to_exponent > 1)
        result += (uint64_t)(to_exponent - 1) << to_fraction_bits;
    return (uint16_t)(sign | (result < infinity ? result : infinity));
}

static uint16_t narrowed_float(float value, int to_fraction_bits, int to_exponent_bits)
{
    const union { float value; uint32_t bits; } from = {value};
    return narrowed(from.bits, 23, 8, to_fraction_bits, to_exponent_bits);
}

static uint16_t narrowed_double(double value, int to_fraction_bits, int to_exponent_bits)
{
    const union { double value; uint64_t bits; } from = {value};
    return narrowed(from.bits, 52, 11, to_fraction_bits, to_exponent_bits);
}

_Float16 __truncsfhf2(float value)
{
    const union { uint16_t bits; _Float16 value; } to = {narrowed_float(value, 10, 5)};
    return to.value;
}

_Float16 __truncdfhf2(double value)
{
    const union { uint16_t bits; _Float16 value; } to = {narrowed_double(value, 10, 5)};
    return to.value;
}

float __extendhfsf2(_Float16 value)
{
    const union { _Float16 value; uint16_t bits; } from = {value};
    const uint32_t sign = (uint32_t)(from.bits >> 15) << 31;
    const uint32_t exponent = from.bits >> 10 & 31;
    uint32_t fraction = (uint32_t)(from.bits & 1023) << 13;
    union { uint32_t bits; float value; } to;
    if (exponent == 31) {
        to.bits = sign | 255u << 23 | (fraction != 0 ? 1u << 22 | fraction : 0);
    } else if (exponent != 0) {
        to.bits = sign | (exponent + 127 - 15) << 23 | fraction;
    } else if (fraction == 0) {
        to.bits = sign;
    } else {
        // Denormals have no implicit leading one in their 16 bits; here they get one.
        uint32_t to_exponent = 1 + 127 - 15;
        for (; (fraction & 1u << 23) == 0; fraction <<= 1)
            to_exponent--;
        to.bits = sign | to_exponent << 23 | (fraction & ((1u << 23) - 1));
    }
    return to.value;
}

#if defined(__clang__) || __GNUC__ >= 13
__bf16 __truncsfbf2(float value)
{
    const union { uint16_t bits; __bf16 value; } to = {narrowed_float(value, 7, 8)};
    return to.value;
}

__bf16 __truncdfbf2(double value)
{
    const union { uint16_t bits; __bf16 value; } to = {narrowed_double(value, 7, 8)};
    return to.value;
}
#endif
#endif
