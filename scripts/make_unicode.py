#!/usr/bin/env python3
"""Prints the tables of letters and punctuation by which `ink dedup` compares words, from the Unicode data of Python.

    scripts/make_unicode.py > src/jobs/dedup/unicode_tables.c

The version of Unicode is Python's, and is a constant of the tables: 14.0.0 with Python 3.11.
"""
import sys
import unicodedata


def lower_of(point):
    """The simple lower case: what the full one is, where that is one code point."""
    lower = chr(point).lower()
    return ord(lower) if len(lower) == 1 else point


def lower_ranges():
    """Ranges of code points whose lower case has one distance, each point or every second one."""
    ranges = []
    for point in range(0x80, 0x110000):
        distance = lower_of(point) - point
        if distance == 0 or 0xD800 <= point < 0xE000:
            continue
        if ranges and ranges[-1][2] == distance:
            first, last, _, step = ranges[-1]
            if point - last in ((1, 2) if first == last else (step,)):
                ranges[-1] = (first, point, distance, point - last)
                continue
        ranges.append((point, point, distance, 1))
    return ranges


def punctuation_ranges():
    ranges = []
    for point in range(0x80, 0x110000):
        if not unicodedata.category(chr(point)).startswith("P"):
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return ranges


def rows(items, width=4):
    texts = ["{" + ", ".join(f"0x{part:x}" if number < 2 else str(part) for number, part in enumerate(item)) + "}"
             for item in items]
    return "\n".join("    " + ", ".join(texts[at:at + width]) + "," for at in range(0, len(texts), width))


def main():
    lower, punctuation = lower_ranges(), punctuation_ranges()
    print(f"""/* unicode_tables.c - lower case and punctuation of Unicode {unicodedata.unidata_version}, made by
 * scripts/make_unicode.py. */
#include "jobs/dedup/unicode_tables.h"

/* clang-format off */
const char ink__unicode_version[] = "{unicodedata.unidata_version}";

const ink__lower_range ink__lower_ranges[] = {{
{rows(lower)}
}};
const size_t ink__lower_range_count = sizeof ink__lower_ranges / sizeof ink__lower_ranges[0];

const ink__point_range ink__punctuation_ranges[] = {{
{rows(punctuation, 6)}
}};
const size_t ink__punctuation_range_count =
    sizeof ink__punctuation_ranges / sizeof ink__punctuation_ranges[0];
/* clang-format on */""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
