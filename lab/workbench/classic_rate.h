/* classic_rate.h - what is to be expected of a textbook Bloom filter: its rate of false positives,
 * and how far a measured one is off by chance. */
#ifndef LAB_WORKBENCH_CLASSIC_RATE_H
#define LAB_WORKBENCH_CLASSIC_RATE_H

/* (1 - e^(-kn/m))^k, for n keys in m bits with k hash functions. */
double classic_rate(double keys, double bits, double hashes);
/* The standard deviation of the rate that `non_members` of them measure: the bits that are set
 * scatter (docs/accuracy.md), and so do the non-members that find them. */
double classic_scatter(double keys, double bits, double hashes, double non_members);

#endif
