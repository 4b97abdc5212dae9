// The distance of values to the true ones, in units in the last place; see mathematics.py.
//
// Input: points from crates/toy-math/examples/points.rs. Output: their number, how many are wrong altogether (NaN or infinite
// where the true value is not, or the other way round, or a zero of the other sign), and the largest distance, with its place.
//
// MPFR takes microseconds for a value. The C library's functions of long doubles have 11 bits more than a double, which is enough
// to tell that a point is not the worst one. MPFR computes the others, and one point of 50, which must agree with that estimate.

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

// sin and cos of large numbers lose their first thousand bits: MPFR looks for as many as it needs.
enum { BITS = 160, SAMPLE = 50 };

// The error allowed of an estimate, in units of a double.
static const double DOUBT = 0.01;

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

static long double estimate(const char *function, double x, double y)
{
    if (strcmp(function, "exp") == 0)
        return expl(x);
    if (strcmp(function, "log") == 0)
        return logl(x);
    if (strcmp(function, "sin") == 0)
        return sinl(x);
    if (strcmp(function, "cos") == 0)
        return cosl(x);
    if (strcmp(function, "tanh") == 0)
        return tanhl(x);
    return powl(x, y);
}

// The exponent of a unit in the last place of a finite number; one of the two may be rounded up to a power of two.
static int unit(double nearest, double found)
{
    int exponent;
    frexp(fmin(fabs(nearest), fabs(found)), &exponent);
    return exponent - 53 < -1074 ? -1074 : exponent - 53;
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
        const double found = point[2];
        const long double estimated = estimate(arguments[1], point[0], point[1]);
        const double rounded = (double)estimated;
        double guess = NAN;
        if (isfinite(rounded) && isfinite(found) && rounded != 0 && found != 0)
            guess = (double)fabsl(ldexpl(estimated - found, -unit(rounded, found)));
        if (guess < worst - DOUBT && points % SAMPLE != 0)
            continue;
        mpfr_set_d(x, point[0], MPFR_RNDN);
        mpfr_set_d(y, point[1], MPFR_RNDN);
        compute(value, arguments[1], x, y);
        const double nearest = mpfr_get_d(value, MPFR_RNDN);
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
        mpfr_mul_2si(difference, difference, -unit(nearest, found), MPFR_RNDN);
        const double distance = fabs(mpfr_get_d(difference, MPFR_RNDN));
        if (!(fabs(distance - guess) < DOUBT) && wrong++ < 5)
            printf("%s(%a, %a): the C library's %La is not near enough\n", arguments[1], point[0], point[1], estimated);
        if (distance > worst) {
            worst = distance;
            memcpy(place, point, sizeof place);
        }
    }
    printf("%ld %ld %.4f %a %a\n", points, wrong, worst, place[0], place[1]);
    return 0;
}
