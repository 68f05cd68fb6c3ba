"""Sizes and rates of filters, as docs/accuracy.md states them, slowly and plainly."""

import math
import struct


def _moments(keys, blocks):
    """E f, E f^2 and Cov(f, load) of one block's share in the rate, with keys spread at random."""
    chance, mean = 1 / blocks, keys / blocks
    first = second = covariance = 0.0
    for load in range(keys + 1):
        if blocks == 1:
            weight = float(load == keys)
        else:
            weight = math.exp(math.lgamma(keys + 1) - math.lgamma(load + 1)
                              - math.lgamma(keys - load + 1) + load * math.log(chance)
                              + (keys - load) * math.log1p(-chance))
        rate = (1 - (31 / 32) ** load) ** 8
        first += weight * rate
        second += weight * rate * rate
        covariance += weight * rate * (load - mean)
    return first, second, covariance


def bloom_rate(keys, blocks):
    """The rate that few blooms of this size exceed: the expected one and three deviations."""
    first, second, covariance = _moments(keys, blocks)
    variance = second - first * first
    if blocks > 1:
        variance -= covariance**2 / (keys / blocks * (1 - 1 / blocks))
    return first * (1 + 3 * math.sqrt(max(variance, 0) / blocks) / first)


def bloom_blocks(keys, rate):
    """The smallest number of blocks with at most 9 significant bits that keeps to a rate."""
    blocks = 1
    while bloom_rate(keys, blocks) > rate:
        blocks += 1 << max(blocks.bit_length() - 9, 0)
    return blocks


def can_be_bloom(rate):
    """Whether a bloom can have this rate (the limit on its size is out of reach here)."""
    return 1e-5 <= rate <= 0.5


def classic_size(keys, rate):
    """Bits, hashes and promised rate of a classic filter."""
    bits = max(1, round(-keys * math.log(rate) / math.log(2) ** 2))
    hash_count = max(1, round(bits / keys * math.log(2)))
    load = hash_count * keys / bits
    fill = -math.expm1(-load)
    scatter = hash_count * math.sqrt((math.exp(-load) - (1 + load) * math.exp(-2 * load)) / bits)
    promised = fill**hash_count * (1 + 3 * scatter / fill)
    return bits, hash_count, max(promised, 16 * keys / 2**64)


def bloom_current_rate(payload):
    """The exact rate of a bloom with these bits."""
    total = 0.0
    for at in range(0, len(payload), 32):
        total += math.prod(word.bit_count() for word in struct.unpack_from("<8I", payload, at))
    return total / 32**8 / (len(payload) // 32)


def classic_current_rate(payload, bits, hash_count):
    """The rate of a classic filter with these bits."""
    return (int.from_bytes(payload, "little").bit_count() / bits) ** hash_count
