/* inclusion_exclusion.c - the intersection as a + b - union, with the bounds that the errors of the
 * three leave.
 *
 * A register keeps an extreme value of the hashes that fall into it, nearly an exponential variable
 * whose rate is the number of keys. Of two sets that share keys these are the bivariate
 * exponentials of Marshall and Olkin [1967], whose correlation is the Jaccard index; the same holds
 * for a set and the union, with a / u. With the relative standard error s of one estimate, and i, u
 * and d the true sizes of intersection, union and a without b, the covariances add up to Var(a + b
 * - u)        = s^2 (u^2 - a^2 - b^2 + 2 a b i / u) Var(u - b)            = s^2 (u^2 - b^2) = s^2
 * (d^2 + 2 b d) Var((a + b) / u - 1)  = s^2 2 (a^2 (1 - a / u) + b^2 (1 - b / u)) / u^2 Var((a + b
 * - u) / a)  = s^2 2 (u - b) (u - a + b i / u) / a^2 Registers are whole numbers, which costs some
 * of the correlation: measured are up to 1.05 s, and that is taken for s. A bound is the value that
 * would be z of its own standard deviations away from the estimate: at the estimate's deviation an
 * empty difference would have no error at all. Owns these formulas; docs/accuracy.md#overlap has
 * them, too. */
#include "sketch/kinds/inclusion_exclusion.h"

#include "base/real.h"

#define WHOLE_REGISTERS 1.05

typedef struct sizes {
    double a, b;
    double least;  /* the smaller of the two */
    double spread; /* z s, or what an estimate may be too low by, as a share */
    double step;   /* one key, and half of what a register changes an estimate by */
} sizes;

/* What a value may be away from its estimate, if it is the true one. */
typedef double distance(const sizes *of, double value);

static double root(double x)
{
    return x > 0 ? ink__sqrt(x) : 0;
}

static double of_intersection(const sizes *of, double both)
{
    double i = both < of->least ? both : of->least, u = of->a + of->b - i;

    return of->spread * root(u * u - (of->a * of->a + of->b * of->b) + 2 * of->a * of->b * i / u) +
           of->step;
}

/* Of b without a. */
static double of_difference(const sizes *of, double only)
{
    return of->spread * root(only * only + 2 * of->a * only) + of->step;
}

static double of_jaccard(const sizes *of, double share)
{
    double i = share * (of->a + of->b) / (1 + share);
    double u = of->a + of->b - (i < of->least ? i : of->least);
    double squares = of->a * of->a * (1 - of->a / u) + of->b * of->b * (1 - of->b / u);

    return of->spread * root(2 * squares) / u + 2 * of->step / u;
}

/* The share of a that is in b. */
static double of_containment(const sizes *of, double share)
{
    double i = share * of->a < of->least ? share * of->a : of->least, u = of->a + of->b - i;

    return of->spread * root(2 * (u - of->b) * (u - of->a + of->b * i / u)) / of->a +
           of->step / of->a;
}

/* The value farthest from the estimate, towards `end`, that is not too far away. */
static double farthest(const sizes *of, distance *from, double estimate, double end)
{
    double near = estimate, far = end;

    for (int i = 0; i < 60; i++) {
        double middle = i == 0 ? far : 0.5 * (near + far);
        double away = middle < estimate ? estimate - middle : middle - estimate;
        if (away > from(of, middle))
            far = middle;
        else if (i == 0)
            return far;
        else
            near = middle;
    }
    return near;
}

static void bound(const sizes *of, distance *from, double estimate, double most, ink_answer *answer)
{
    answer->estimate = estimate < 0 ? 0 : estimate > most ? most : estimate;
    answer->low = farthest(of, from, answer->estimate, 0);
    answer->high = farthest(of, from, answer->estimate, most);
}

void ink__inclusion_exclusion(ink_overlap *overlap, double spread, double registers)
{
    const double a = overlap->a.estimate, b = overlap->b.estimate, least = a < b ? a : b;
    double       i = a + b - overlap->in_union.estimate;

    overlap->method = "inclusion-exclusion";
    i = i < 0 ? 0 : i > least ? least : i;
    if (a == 0 || b == 0) {
        overlap->only_a = overlap->a;
        overlap->only_b = overlap->b;
        return;
    }
    const double factor = ink__exp(WHOLE_REGISTERS * spread), u = a + b - i;
    const sizes  of = {a, b, least, factor - 1, 1 + u / (2 * registers)};
    const sizes  swapped = {b, a, least, factor - 1, of.step};

    /* Beyond the estimate of the smaller there is its own error. */
    bound(&of, of_intersection, i, least * factor + of.step, &overlap->intersection);
    overlap->intersection.estimate = i;
    bound(&swapped, of_difference, a - i, a * factor + of.step, &overlap->only_a);
    bound(&of, of_difference, b - i, b * factor + of.step, &overlap->only_b);
    bound(&of, of_jaccard, i / u, 1, &overlap->jaccard);
    bound(&of, of_containment, i / a, 1, &overlap->a_in_b);
    bound(&swapped, of_containment, i / b, 1, &overlap->b_in_a);
    overlap->intersection.saturated = overlap->only_a.saturated = overlap->only_b.saturated =
        overlap->a.saturated || overlap->b.saturated || overlap->in_union.saturated;
}
