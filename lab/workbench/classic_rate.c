/* classic_rate.c - what is to be expected of a textbook Bloom filter. */
#include "workbench/classic_rate.h"

#include <math.h>

double classic_rate(double keys, double bits, double hashes)
{
    return pow(1 - exp(-hashes * keys / bits), hashes);
}

double classic_scatter(double keys, double bits, double hashes, double non_members)
{
    double a = hashes * keys / bits, rate = classic_rate(keys, bits, hashes);
    double set = hashes * sqrt((exp(-a) - (1 + a) * exp(-2 * a)) / bits) / (1 - exp(-a));
    double found = sqrt((1 - rate) / (rate * non_members));

    return rate * sqrt(set * set + found * found);
}
