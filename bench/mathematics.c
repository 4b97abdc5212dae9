// The distance of values to the true ones, in units in the last place; see mathematics.py.
//
// Input: points from crates/toy-math/examples/points.rs. Output: their number, how many are wrong altogether (NaN or infinite
// where the true value is not, or the other way round, or a zero of the other sign), and the largest distance, with its place.

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

// sin and cos of large numbers lose their first thousand bits: MPFR looks for as many as it needs.
enum { BITS = 160 };

static void compute(mpfr_t value, const char *function, mpfr_t x, mpfr_t y)
{
    if (strcmp(function, "exp") == 0)
        mpfr_exp(value, x, MPFR_RNDN);
    else if (strcmp(function, "log") == 0)
        mpfr_log(value, x, MPFR_RNDN);
    else if (strcmp(function, "sin") == 0)
        mpfr_sin(value, x, MPFR_RNDN);
    else if (strcmp(function, "cos") == 0)
        mpfr_cos(value, x, MPFR_RNDN);
    else if (strcmp(function, "tanh") == 0)
        mpfr_tanh(value, x, MPFR_RNDN);
    else
        mpfr_pow(value, x, y, MPFR_RNDN);
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    mpfr_t x, y, value, difference;
    mpfr_inits2(BITS, x, y, value, difference, (mpfr_ptr)0);
    double point[3], worst = 0, place[3] = {0, 0, 0};
    long points = 0, wrong = 0;
    while (fread(point, sizeof *point, 3, stdin) == 3) {
        points++;
        mpfr_set_d(x, point[0], MPFR_RNDN);
        mpfr_set_d(y, point[1], MPFR_RNDN);
        compute(value, arguments[1], x, y);
        const double nearest = mpfr_get_d(value, MPFR_RNDN), found = point[2];
        if (isnan(nearest) || isnan(found) || isinf(found) || isinf(nearest) || (nearest == 0 && found == 0)) {
            const int is_same = isnan(nearest) ? isnan(found) : nearest == found && !signbit(nearest) == !signbit(found);
            // Next to the largest number, the rounded value may be infinite, and the other one not.
            const int is_near = fabs(nearest) > 0x1.fffffffffffffp1023 / 1.0000001 && fabs(found) > 0x1.fffffffffffffp1023 / 1.0000001
                                && (nearest > 0) == (found > 0);
            if (!is_same && !is_near && wrong++ < 5)
                printf("%s(%a, %a) is %a, and should be %a\n", arguments[1], point[0], point[1], found, nearest);
            continue;
        }
        mpfr_sub_d(difference, value, found, MPFR_RNDN);
        int exponent;
        frexp(fmin(fabs(nearest), fabs(found)), &exponent);
        const int unit = exponent - 53 < -1074 ? -1074 : exponent - 53;
        mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
        const double distance = fabs(mpfr_get_d(difference, MPFR_RNDN));
        if (distance > worst) {
            worst = distance;
            memcpy(place, point, sizeof place);
        }
    }
    printf("%ld %ld %.4f %a %a\n", points, wrong, worst, place[0], place[1]);
    return 0;
}
