// Numbers as text: integers, and f64 as printf("%f") writes them, exactly.
//
// Input:  an integer, or the bits of an f64, with the digits after the point and the width of the form in use.
// Output: characters behind `out`, and the end of them. There is room for ELEMENT_LIMIT. No floating-point arithmetic.

#define ROW(tens) tens "0" tens "1" tens "2" tens "3" tens "4" tens "5" tens "6" tens "7" tens "8" tens "9"
static const char digit_pairs[] =
    ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6") ROW("7") ROW("8") ROW("9");

static inline void put_2_digits(char *out, uint32_t value)
{
    __builtin_memcpy(out, digit_pairs + 2 * value, 2);
}

static inline void put_4_digits(char *out, uint32_t value)
{
    put_2_digits(out, value / 100);
    put_2_digits(out + 2, value % 100);
}

// `value` < 10000, without leading zeros. Returns the end, as all put_ functions below do.
static inline char *put_up_to_4_digits(char *out, uint32_t value)
{
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    if (value >= 1000) {
        put_4_digits(out, value);
        return out + 4;
    }
    if (value >= 100)
        *out++ = (char)('0' + value / 100);
    put_2_digits(out, value % 100);
    return out + 2;
}

static inline char *put_integer(char *out, uint64_t value)
{
    uint32_t groups[5]; // Of four digits, the least significant first.
    int count = 0;
    for (; value >= 10000; value /= 10000)
        groups[count++] = (uint32_t)(value % 10000);
    out = put_up_to_4_digits(out, (uint32_t)value);
    for (; count > 0; out += 4)
        put_4_digits(out, groups[--count]);
    return out;
}

// mantissa * 2^shift with mantissa < 2^53 and 0 <= shift <= 971: up to 309 digits, exactly.
static __attribute__((noinline)) char *put_big_integer(char *out, uint64_t mantissa, unsigned shift)
{
    uint32_t limbs[33] = {0}; // Little-endian; 1024 bits, and room for three limbs at the highest shift.
    unsigned count = shift / 32;
    const uint64_t low = (mantissa & 0xffffffff) << shift % 32;
    const uint64_t high = ((mantissa >> 32) << shift % 32) + (low >> 32);
    limbs[count++] = (uint32_t)low;
    limbs[count++] = (uint32_t)high;
    limbs[count++] = (uint32_t)(high >> 32);

    // Nine decimal digits at a time, the least significant first.
    uint32_t chunks[35];
    unsigned chunk_count = 0;
    while (count > 0) {
        uint64_t remainder = 0;
        for (unsigned i = count; i-- > 0;) {
            const uint64_t dividend = remainder << 32 | limbs[i];
            limbs[i] = (uint32_t)(dividend / 1000000000);
            remainder = dividend % 1000000000;
        }
        chunks[chunk_count++] = (uint32_t)remainder;
        while (count > 0 && limbs[count - 1] == 0)
            count--;
    }

    out = put_integer(out, chunks[--chunk_count]);
    while (chunk_count-- > 0) {
        *out++ = (char)('0' + chunks[chunk_count] / 100000000);
        put_4_digits(out, chunks[chunk_count] / 10000 % 10000);
        put_4_digits(out + 4, chunks[chunk_count] % 10000);
        out += 8;
    }
    return out;
}

// The longest number: sign, 309 digits, point, 17 digits, and the space after it.
enum { MOST_DIGITS = 17, ELEMENT_LIMIT = 1 + 309 + 1 + MOST_DIGITS + 1 };

// 10^6 * fraction / 2^shift, rounded half to even. 0 < fraction < 2^shift and shift < 74.
static inline uint32_t round_to_millionths(uint64_t fraction, unsigned shift)
{
    // Make it a fraction of unit * 2^64: then the quotient is at a fixed place in the product.
    const unsigned excess = shift > 64 ? shift - 64 : 0;
    const uint64_t unit = UINT64_C(1) << excess;
    fraction <<= 64 + excess - shift;
    const unsigned __int128 product = (unsigned __int128)fraction * 1000000;
    const uint64_t high = (uint64_t)(product >> 64);
    const uint32_t quotient = (uint32_t)(high >> excess);
    const unsigned __int128 one = (unsigned __int128)unit << 64;
    const unsigned __int128 twice_rest = ((unsigned __int128)(high & (unit - 1)) << 64 | (uint64_t)product) << 1;
    return quotient + ((twice_rest > one) | ((twice_rest == one) & quotient));
}

// 10^digits * fraction / 2^shift, rounded half to even; without digits, ties go to 1 if `is_odd`. 0 < fraction < 2^53 and
// fraction < 2^shift.
static uint64_t round_fraction(uint64_t fraction, unsigned shift, unsigned digits, bool is_odd)
{
    uint64_t unit = 1;
    for (unsigned i = 0; i < digits; i++)
        unit *= 10;
    if (shift > 53 + 57) // 10^17 < 2^57: less than half of the last digit.
        return 0;
    const unsigned __int128 product = (unsigned __int128)fraction * unit;
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product, quotient;
    // The rest, from its first bit on.
    if (shift > 64) {
        const unsigned more = shift - 64;
        quotient = high >> more;
        high = high << (64 - more) | low >> more;
        low <<= 64 - more;
    } else if (shift == 64) {
        quotient = high;
        high = low;
        low = 0;
    } else {
        quotient = high << (64 - shift) | low >> shift;
        high = low << (64 - shift);
        low = 0;
    }
    const uint64_t half = UINT64_C(1) << 63;
    const bool is_tie = high == half && low == 0;
    return quotient + (is_tie ? (digits == 0 ? is_odd : (quotient & 1) != 0) : high >= half);
}

// The output of printf("%.*f") in the default rounding mode: round-half-even of the exact value. Only a NaN never shows a
// sign. Inlined, so that six digits have code of their own.
static inline __attribute__((always_inline)) char *put_rounded(char *out, uint64_t bits, unsigned digits)
{
    const uint64_t implicit_bit = UINT64_C(1) << 52;
    const uint64_t stored = bits & (implicit_bit - 1);
    const unsigned exponent = bits >> 52 & 0x7ff;
    if (exponent == 0x7ff && stored != 0) {
        // Without the sign, which depends on the machine and on the optimizer's folding.
        __builtin_memcpy(out, "nan", 3);
        return out + 3;
    }
    *out = '-';
    out += bits >> 63; // A branch on the sign of arbitrary data would be mispredicted half the time.
    if (exponent == 0x7ff) {
        __builtin_memcpy(out, "inf", 3);
        return out + 3;
    }
    // |x| = mantissa * 2^(exponent - 1075), except for zero and the denormals, which have no implicit
    // bit; but they are far too small to show.
    const uint64_t mantissa = stored | implicit_bit;
    uint64_t parts = 0;
    if (exponent > 1075 + 11) {
        out = put_big_integer(out, mantissa, exponent - 1075);
    } else if (exponent >= 1075) {
        out = put_integer(out, mantissa << (exponent - 1075)); // Below 2^64.
    } else {
        const unsigned shift = 1075 - exponent;
        uint64_t whole = 0;
        uint64_t fraction = mantissa; // of 2^shift
        if (shift < 53) {
            whole = mantissa >> shift;
            fraction = mantissa & ((UINT64_C(1) << shift) - 1);
        }
        uint64_t unit = 1;
        for (unsigned i = 0; i < digits; i++)
            unit *= 10;
        if (fraction != 0) {
            if (digits != 6)
                parts = round_fraction(fraction, shift, digits, (whole & 1) != 0);
            else if (shift < 74) // From 74 on |x| < 2^-21, less than half a millionth.
                parts = round_to_millionths(fraction, shift);
            if (parts == unit) {
                parts = 0;
                whole++;
            }
        }
        out = put_integer(out, whole);
    }

    if (digits == 0)
        return out;
    *out = '.';
    if (digits == 6) {
        put_2_digits(out + 1, (uint32_t)parts / 10000);
        put_4_digits(out + 3, (uint32_t)parts % 10000);
    } else {
        for (unsigned i = digits; i > 0; parts /= 10)
            out[i--] = (char)('0' + parts % 10);
    }
    return out + 1 + digits;
}

static inline char *put_f64(char *out, uint64_t bits)
{
    return put_rounded(out, bits, 6);
}

// The form of the numbers that a `print` with `digits` or `width` writes; it is as before at the end of the `print`.
static _Thread_local struct {
    bool is_set;
    unsigned digits, width;
} format;

// A number in this form, with blanks before it.
static __attribute__((noinline)) char *put_formatted(char *out, uint64_t bits, unsigned width)
{
    char *end = put_rounded(out, bits, format.digits);
    const unsigned length = (unsigned)(end - out);
    if (length >= width)
        return end;
    for (unsigned i = 1; i <= length; i++)
        out[width - i] = end[-(int)i];
    for (unsigned i = 0; i < width - length; i++)
        out[i] = ' ';
    return out + width;
}
