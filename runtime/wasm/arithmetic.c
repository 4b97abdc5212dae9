// What LLVM's code calls: blocks of memory, products of 128 bits, and remainders.

void *memcpy(void *to, const void *from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *start, int byte, size_t size)
{
    return __builtin_memset(start, byte, size);
}

// The product of two numbers of 128 bits, from 32 bits each.
__int128 __multi3(__int128 a, __int128 b)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b, low = 0xffffffff;
    const uint64_t first = (x & low) * (y & low);
    const uint64_t second = (x >> 32) * (y & low) + (first >> 32);
    const uint64_t third = (x & low) * (y >> 32) + (second & low);
    const uint64_t high = (x >> 32) * (y >> 32) + (second >> 32) + (third >> 32)
                          + x * (uint64_t)((unsigned __int128)b >> 64) + y * (uint64_t)((unsigned __int128)a >> 64);
    return (__int128)((unsigned __int128)high << 64 | third << 32 | (first & low));
}

// The remainder of x / y with the sign of x, exactly: long division of the mantissas, bit by bit.
double fmod(double x, double y)
{
    const uint64_t sign = UINT64_C(1) << 63, one = UINT64_C(1) << 52, infinity = UINT64_C(0x7ff) << 52;
    uint64_t a, b;
    __builtin_memcpy(&a, &x, sizeof a);
    __builtin_memcpy(&b, &y, sizeof b);
    const uint64_t of_x = a & sign;
    a &= ~sign;
    b &= ~sign;
    if (a >= infinity || b > infinity || b == 0)
        return (x * y) / (x * y);
    if (a < b)
        return x;
    int64_t exponent = (int64_t)(a >> 52), least = (int64_t)(b >> 52);
    a = exponent == 0 ? a : (a & (one - 1)) | one;
    b = least == 0 ? b : (b & (one - 1)) | one;
    exponent += exponent == 0;
    least += least == 0;
    for (; exponent > least; exponent--) {
        a = a >= b ? a - b : a;
        a <<= 1;
    }
    a = a >= b ? a - b : a;
    while (a != 0 && a < one && exponent > 1) {
        a <<= 1;
        exponent--;
    }
    a = a >= one ? (a & (one - 1)) | (uint64_t)exponent << 52 : a;
    a |= of_x;
    __builtin_memcpy(&x, &a, sizeof x);
    return x;
}

float fmodf(float x, float y)
{
    return (float)fmod((double)x, (double)y);
}

size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != 0)
        size++;
    return size;
}
