/* function_list.h - the one list of SQL functions:
 *
 *     FUNCTION(ID, name, shape, forms, result, kind, text)
 *
 * `forms` are the argument lists that a function takes, separated by blanks, a letter for each
 * argument: K key, W weight, O options, S sketch, L label, P path, R rate, N whole number; "-" is
 * no argument, and + after a letter is any number of those. `kind` is that of an aggregate's
 * sketch; WEIGHTS are for those that count. A path makes a function one that opens files.
 *
 * SPDX-License-Identifier: Apache-2.0 */

/* Aggregates */
FUNCTION(BLOOM, "ink_bloom", AGGREGATE, "K KO", SKETCH, "bloom",
         "a set of keys: no false negatives, false positives at the rate p")
FUNCTION(CLASSIC, "ink_classic", AGGREGATE, "K KO", SKETCH, "classic",
         "the same as the textbook has it, for any rate")
FUNCTION(COUNTING, "ink_counting", AGGREGATE, "K KO", SKETCH, "counting",
         "a set from which ink remove takes keys out again")
FUNCTION(FUSE, "ink_fuse", AGGREGATE, "K KO", SKETCH, "fuse",
         "a set that never changes, in the least space")
FUNCTION(HLL, "ink_hll", AGGREGATE, "K KO", SKETCH, "hll", "how many different keys there are")
FUNCTION(THETA, "ink_theta", AGGREGATE, "K KO", SKETCH, "theta",
         "the same, also for intersections and differences")
FUNCTION(COUNT_MIN, "ink_count_min", AGGREGATE, "K KO KW KWO", SKETCH, "count-min",
         "how often each key occurs")
FUNCTION(TOP, "ink_top", AGGREGATE, "K KO KW KWO", SKETCH, "top", "the most frequent keys")
FUNCTION(COUNT_DISTINCT, "ink_count_distinct", AGGREGATE, "K KO", WHOLE, "hll",
         "the number of different keys, without a sketch")
FUNCTION(MERGE, "ink_merge", AGGREGATE, "S", SKETCH, NULL, "the union of the sketches of all rows")
FUNCTION(FILE, "ink_file", AGGREGATE, "SL", SKETCH, NULL,
         "one file of many sketches, each with its label")

/* Scalars */
FUNCTION(CONTAINS, "ink_contains", SCALAR, "SK", BOOLEAN, NULL,
         "false: the key was never added; true: it may have been")
FUNCTION(CONTAINS_FILE, "ink_contains_file", SCALAR, "PK", BOOLEAN, NULL,
         "the same of the sketch in a file")
FUNCTION(COUNT, "ink_count", SCALAR, "SK", WHOLE, NULL, "how often the key was added")
FUNCTION(COUNT_LOW, "ink_count_low", SCALAR, "SK", WHOLE, NULL, "the lower bound of that")
FUNCTION(COUNT_HIGH, "ink_count_high", SCALAR, "SK", WHOLE, NULL, "the upper bound of that")
FUNCTION(DISTINCT, "ink_distinct", SCALAR, "S", WHOLE, NULL, "how many different keys were added")
FUNCTION(DISTINCT_LOW, "ink_distinct_low", SCALAR, "S", WHOLE, NULL,
         "the lower bound of that, 95 %")
FUNCTION(DISTINCT_HIGH, "ink_distinct_high", SCALAR, "S", WHOLE, NULL,
         "the upper bound of that, 95 %")
FUNCTION(RATE, "ink_rate", SCALAR, "S", REAL, NULL, "the current false-positive rate of a filter")
FUNCTION(UNION, "ink_union", SCALAR, "SS", SKETCH, NULL, "the keys of one or the other")
FUNCTION(INTERSECT, "ink_intersect", SCALAR, "SS", SKETCH, NULL, "the keys of both")
FUNCTION(DIFFERENCE, "ink_difference", SCALAR, "SS", SKETCH, NULL,
         "the keys of the first alone; theta")
FUNCTION(JACCARD, "ink_jaccard", SCALAR, "SS", REAL, NULL,
         "the share of the union that is in both; theta, hll")
FUNCTION(OVERLAP, "ink_overlap", SCALAR, "SS", TEXT, NULL,
         "all that two sets have in common, as JSON")
FUNCTION(FOLD, "ink_fold", SCALAR, "SR", SKETCH, NULL,
         "the smallest filter of the same keys with at most this rate")
FUNCTION(INFO, "ink_info", SCALAR, "S", TEXT, NULL, "what a sketch is, as JSON")
FUNCTION(DIGEST, "ink_digest", SCALAR, "S", TEXT, NULL, "equal content, equal digest")
FUNCTION(TUPLE, "ink_tuple", SCALAR, "K+", BYTES, NULL, "a key of several columns")
FUNCTION(VERSION, "ink_version", SCALAR, "-", TEXT, NULL, "the version of the library")

/* Tables */
FUNCTION(TOP_KEYS, "ink_top_keys", TABLE, "S SN", ROWS, NULL, "the most frequent keys of a top")
FUNCTION(READ, "ink_read", TABLE, "P", ROWS, NULL, "the sketches of a file")
