/* option_list.h - the one list of options: OPTION(ID, name, text of help, ...), in the order of
 * help. options.h makes the option_ids of it, options.c the table; the groups are those of
 * option_group_of. */

/* of some commands */
OPTION(TRUTH, "truth", "the data that the sketches were built from; may be repeated",
       VALUE(PATH, "FILE"), .reads = true, .repeats = true)
OPTION(ABSENT, "absent",
       "records with keys that are not in the set; may be repeated (default: the keys of other "
       "groups, else random keys)",
       VALUE(PATH, "FILE"), .reads = true, .repeats = true)
OPTION(INVERT, "invert", "print the records whose key is definitely not in the set", .letter = 'v')
OPTION(COUNT, "count", "print only how many records were admitted and rejected", .letter = 'c')
OPTION(ASK, NULL, "query this key, and read no data; may be repeated", .letter = 'e',
       VALUE(TEXT, "KEY"), .repeats = true, .empty = true)
OPTION(KIND, "kind", "which kind to query, if the file has several", VALUE(TEXT, "KIND"),
       KIND_WORDS)
OPTION(DIGEST, "digest", "print only the digest of the file", FLAG)
OPTION(
    FROM, "from",
    "the format of a file of sketches of another system, such as spark-v1, or auto (see ink help "
    "convert)",
    VALUE(TEXT, "NAME"), .words = from_words)
OPTION(TO, "to", "the format to write: ink, or one of the list below (default ink)",
       VALUE(TEXT, "NAME"), .words = to_words)
OPTION(AS, "as", "write a file that another system loads as its own (see ink help convert)",
       VALUE(TEXT, "NAME"), .words = foreign_words)
OPTION(
    FUNNEL, "funnel",
    "how keys become bytes in guava: utf8 (the default), chars, long (the default of int keys) or "
    "int",
    CHOICE("NAME", funnels))
OPTION(CHECK, "check", "only check every byte of the file, and print one line", FLAG)
OPTION(GROUPS, "groups", "only groups whose name matches PATTERN, such as 10.* or user-?",
       VALUE(TEXT, "PATTERN"))
OPTION(NO_GROUPS, "no-groups", "do not print the groups of records", FLAG)
OPTION(GROUP_COLUMN, "group-column",
       "the name of the column, or JSON member, with the groups of a record (default ink_group)",
       VALUE(TEXT, "NAME"))
OPTION(SKEW, "skew", "zipf: the exponent (default 1.1)", RANGE(REAL, "S", 0, 10))
OPTION(SAMPLE, "sample", "names: also write M of them, chosen at random, to --sample-out",
       RANGE(COUNT, "M", 1, UINT64_MAX))
OPTION(SAMPLE_OUT, "sample-out", "the file for the names of --sample", VALUE(PATH, "FILE"))
OPTION(KEYS_FROM, "keys-from", "count the keys in this file, one a line, in the data",
       VALUE(PATH, "KEYS"), .reads = true)
OPTION(LAST, "last", "query only the newest W time slots in the file (default: all)",
       RANGE(COUNT, "W", 1, UINT32_MAX))
OPTION(CONFIDENCE, "confidence",
       "the probability that the true value is between low and high (default 0.95)",
       VALUE(SHARE, "C"))
OPTION(ESTIMATOR, "estimator",
       "the estimator: default; unlimited, which may exceed the number of records; or for fm seed, "
       "the mean of powers of two of the textbooks, which is too high",
       CHOICE("NAME", estimators))
OPTION(MATRIX, "matrix",
       "print a table of all files with all files: of the Jaccard index, or with =intersection of "
       "the number of common keys",
       CHOICE("WHAT", matrix_words))
OPTION(ONCE, "once", "add only keys that are not yet in the sketch (false positives are left out)",
       FLAG)
OPTION(MAN, "man", "print the manual page, as roff", FLAG)
OPTION(TUNING, "tuning", "also print the settings chosen for this machine", FLAG)
OPTION(PLAN, "plan", "read nothing, and print a plan of the job, as a JSON object", FLAG)
OPTION(BYTES, "bytes", "with --plan: the approximate size of the data (default: unknown)",
       RANGE(BYTES, "SIZE", 0, UINT64_C(1) << 60))
OPTION(TASKS, "tasks", "with --plan: the number of tasks that run at a time (default 1)",
       RANGE(COUNT, "N", 1, 65536))
OPTION(VERIFY, "verify", "verify these sketches, instead of building", VALUE(PATH, "SKETCHES"),
       .reads = true)
OPTION(FILTER, "filter", "print the records whose key may be in these sketches, as ink filter does",
       VALUE(PATH, "SKETCHES"), .reads = true)
OPTION(ASSEMBLE, "assemble",
       "assemble the output of the reducers: files of pieces, or of verification results", FLAG)
OPTION(BUCKETS, "buckets", "the number of reducers (default: from Hadoop, else 1)",
       RANGE(COUNT, "N", 1, 4096))
OPTION(BUCKET, "bucket", "the number of this reducer, from 0 (default: from Hadoop, else 0)",
       RANGE(COUNT, "I", 0, 4095))
OPTION(RANGED, "ranged",
       "give each reducer a range of the keys of all groups, instead of whole groups", FLAG)
OPTION(TRAIN, "train",
       "where records come from: a file, a FIFO, - (standard input), or an address to listen on, "
       "tcp://HOST:PORT or unix:PATH; may be repeated, and files are read one after another",
       VALUE(PATH, "SRC"), .reads = true, .repeats = true)
OPTION(QUESTIONS, "ask",
       "where questions come from: a file, a FIFO, - or an address, as for --train. A question is "
       "a line: KEY, ?KEY, COUNT KEY, TOP n, DISTINCT or INFO",
       VALUE(PATH, "SRC"), .reads = true)
OPTION(SKETCH, "sketch",
       "a sketch to keep, with its sizes: bloom:n=1e6,p=0.01; may be repeated, once for each kind",
       VALUE(TEXT, "KIND[:SIZES]"), KIND_WORDS, .begins = true, .repeats = true)
OPTION(STATE, "state",
       "the folder of state.ink, to which the stream is saved and from which it resumes",
       VALUE(PATH, "DIR"))
OPTION(EVERY, "every",
       "the length of a batch: a time, such as 500ms, or a number of records, such as 50000 "
       "(default 1s)",
       RANGE(PACE, "T|N", TIME_LEAST, TIME_MOST))
OPTION(CHECKPOINT, "checkpoint", "save the state after every N batches (default 1)",
       RANGE(COUNT, "N", 1, UINT32_MAX))
OPTION(FOLLOW, "follow", "keep reading the last file as it grows, as tail -F does", FLAG)
OPTION(WINDOW, "window", "keep only the records of the last T, such as 10m (default: all)",
       RANGE(TIME, "T", TIME_LEAST, TIME_MOST))
OPTION(SLOTS, "slots",
       "divide the window into N slots; the oldest is dropped as a new one begins (default 10)",
       RANGE(COUNT, "N", 1, 65536))
OPTION(GROW, "grow", "make filters scalable, so that they grow as more keys come", FLAG)
OPTION(RENEW, "renew", "empty a filter that is above its promised rate, and start again", FLAG)
OPTION(SEEN, "seen", "print each queried key that may have been seen, and nothing for the others",
       FLAG)
OPTION(EXACT, "exact", "remove documents whose text was seen before (the default level)", FLAG)
OPTION(PARAGRAPHS, "paragraphs",
       "cut paragraphs that were seen before out of documents; a document without any left goes",
       FLAG)
OPTION(NGRAMS, "ngrams", "remove documents of whose n-grams of N words a share was seen before",
       RANGE(COUNT, "N", 1, 256))
OPTION(NGRAM_BYTES, "bytes", "the same with n-grams of N bytes, for text without spaces",
       RANGE(COUNT, "N", 1, 256))
OPTION(OVERLAP, "overlap", "the share of n-grams that is enough (default 0.8)",
       RANGE(REAL, "F", 0, 1))
OPTION(
    NEAR, "near",
    "remove documents whose n-grams of 5 words have a Jaccard similarity of F or more, as MinHash "
    "estimates it, with those of an earlier document",
    RANGE(REAL, "F", 0, 1))
OPTION(LOWER, "lower", "compare words of n-grams in lower case", FLAG)
OPTION(STRIP_PUNCTUATION, "strip-punctuation", "compare words of n-grams without punctuation", FLAG)
OPTION(
    SEEN_FILE, "seen",
    "read what was seen before from FILE, if it exists, and write it there at the end; a new one "
    "needs -n",
    VALUE(PATH, "FILE"))
OPTION(AGAINST, "against", "compare with the texts of this file of --seen alone",
       VALUE(PATH, "FILE"))
OPTION(MARK, "mark",
       "JSON: keep every document, with a member ink_dedup at its end that says what is removed",
       FLAG)
OPTION(DRY_RUN, "dry-run", "write nothing but the report", FLAG)
OPTION(EXPLAIN, "explain",
       "write a line of JSON to FILE for each document that is not kept as it is",
       VALUE(PATH, "FILE"))
OPTION(ID, "id", "with --explain: the JSON path of what names a document", VALUE(TEXT, "PATH"))
OPTION(HTTP, "http", "serve a status page at http://HOST:PORT/", VALUE(TEXT, "HOST:PORT"))
OPTION(QUICK, "quick", "use less data than the published runs; takes under a minute", FLAG)
OPTION(ONLY, "only", "run only this experiment of the list below", VALUE(TEXT, "ID"))
OPTION(SPARK, "spark", "run the published job on Spark too, with this command; see docs/lab.md",
       VALUE(TEXT, "COMMAND"))
OPTION(HADOOP, "hadoop", "run it on Hadoop too, with this command; see docs/lab.md",
       VALUE(TEXT, "COMMAND"))

/* input */
OPTION(IN, "in",
       "the format of records: lines, csv, tsv, nul, jsonl, u32 or u64 (default: by the suffix of "
       "the file, else lines)",
       CHOICE("FORM", forms))
OPTION(DELIMITER, "delimiter", "the character that separates fields; \\t is a tab", .letter = 'd',
       VALUE(TEXT, "C"))
OPTION(FIELDS, "fields", "fields are separated by runs of blanks and tabs, as in awk", FLAG)
OPTION(HEADER, "header", "the first record of each file names the columns", FLAG)
OPTION(HEADER_LINE, "header-line", "the header line, for a part of a file that may lack it",
       VALUE(TEXT, "LINE"), .empty = true)
OPTION(SPLITS, "splits",
       "standard input lists parts of files to read: OFFSET, BYTES (0: to the end) and PATH, "
       "separated by tabs",
       FLAG, .reads = true)
OPTION(KEY, "key",
       "the column of the key: a number from 1, a name in the header, or a JSON path, in quotes if "
       "it contains a comma; several columns form one key (default: the whole record)",
       VALUE(TEXT, "COL[,COL]"))
OPTION(KEY_TYPE, "key-type",
       "the type of keys: bytes, or int, a 64-bit integer (default bytes; for u32 and u64 int)",
       CHOICE("TYPE", key_types))
OPTION(WEIGHT, "weight", "the column with the weight of a record (default: 1)", VALUE(TEXT, "COL"))
OPTION(TIME, "time",
       "the column with the time of a record: as 2026-11-16T14:26:08Z, or as a number since 1970 "
       "(default: when it arrives)",
       VALUE(TEXT, "COL"))
OPTION(TIME_UNIT, "time-unit", "the unit of numbers in --time: s, ms, us or ns (default s)",
       CHOICE("UNIT", time_units))
OPTION(BY, "by", "build one sketch for each value of this column", VALUE(TEXT, "COL"))
OPTION(ROUND, "round",
       "round the values of --by to whole numbers: half-even, half-up (-2.5 is -2) or half-away "
       "(-2.5 is -3)",
       CHOICE("HOW", rounds))
OPTION(BAD, "bad", "records that cannot be read: fail or skip (default fail)", CHOICE("WHAT", bads))
OPTION(TEXT, "text", "the JSON path of the text of a document (default text)", VALUE(TEXT, "PATH"))
OPTION(BAD_TEXT, "bad",
       "documents that cannot be read: fail, skip, or keep as they are (default fail)",
       CHOICE("WHAT", text_bads))
OPTION(CSV_MULTILINE, "csv-multiline", "quoted fields of CSV may contain line ends", FLAG)

/* hash */
OPTION(
    HASH, "hash",
    "the hash of keys: xxh3, mix64, xxh64, mmh3, mmh3-signed, murmur64a, murmur3-128, or that of "
    "another system, as guava-chars (default xxh3; for integers mix64)",
    VALUE(TEXT, "NAME"), .words = hash_words)
OPTION(SEED, "seed", "the seed of the hash (default: its own, see man ink)",
       RANGE(COUNT, "N", 0, UINT64_MAX))
OPTION(SECRET, "secret", "hash with the secret in FILE: 16 bytes, or 32 hex digits",
       VALUE(PATH, "FILE"), .reads = true)

/* size */
OPTION(KEYS, "keys", "filters: the number of distinct keys to plan for (default: that of the data)",
       .letter = 'n', RANGE(COUNT, "N", 1, UINT64_MAX))
OPTION(RATE, "rate", "filters: the false-positive rate (default 0.01)", .letter = 'p',
       VALUE(SHARE, "P"))
OPTION(EPS, "eps", "count-min: the error, as a share of the total (default 1e-4)",
       VALUE(SHARE, "X"))
OPTION(DELTA, "delta", "count-min: the chance of a larger error (default 0.01)", VALUE(SHARE, "X"))
OPTION(PHI, "phi", "top: no key above this share of the total is missed (default 1/1024)",
       VALUE(SHARE, "X"))
OPTION(PRECISION, "precision",
       "hll: 2^N registers, N from 4 to 18 (default 14); theta: at most 2^N values, N from 4 to 26 "
       "(default 12)",
       RANGE(COUNT, "N", 4, 26))
OPTION(BITS, "bits", "filters: the size in bits, instead of -p", RANGE(COUNT, "M", 1, UINT64_MAX))
OPTION(HASHES, "hashes", "classic: hashes of a key, with --bits", RANGE(COUNT, "K", 1, UINT32_MAX))
OPTION(WIDTH, "width",
       "count-min: counters in a row, with --depth instead of --eps and --delta; fm: sub-sketches "
       "in a group (default 16)",
       RANGE(COUNT, "W", 1, UINT64_MAX))
OPTION(DEPTH, "depth", "count-min: rows, with --width; fm: groups (default 9)",
       RANGE(COUNT, "D", 1, UINT32_MAX))
OPTION(COUNTERS, "counters", "count-min: bits of a counter, 32 or 64 (default 32)",
       CHOICE("BITS", counter_sizes))
OPTION(CONSERVATIVE, "conservative",
       "count-min: raise only the lowest counters, for smaller errors", FLAG)
OPTION(TOP, "top", "top: the number of keys to report (default 10)", .letter = 'k',
       RANGE(COUNT, "K", 1, UINT32_MAX))
OPTION(HEADROOM, "headroom", "filters: plan for X times as many keys as the data has, such as 4x",
       RANGE(FACTOR, "X", 1, 1000000))
OPTION(MAX_RATE, "max-rate",
       "filters: the highest rate that the result may have (default: the promised rate)",
       RANGE(REAL, "R", 0, 1))
OPTION(MEMORY, "memory", "memory for keys until the size is known, such as 64M (default 1G)",
       RANGE(BYTES, "SIZE", UINT64_C(1) << 20, UINT64_C(1) << 50))

/* run */
OPTION(THREADS, "threads", "the number of threads (default: one for each core)",
       RANGE(COUNT, "N", 1, 1024))
OPTION(OUTPUT, "output", "the file to write; - is standard output", .letter = 'o',
       VALUE(PATH, "FILE"))
OPTION(FORCE, "force", "replace the output file if it exists", FLAG)
OPTION(TEMP, "temp", "the folder for temporary files (default: $TMPDIR, else /tmp)",
       VALUE(PATH, "DIR"))
OPTION(NO_PROGRESS, "no-progress", "show no progress bar", FLAG)
OPTION(STATS, "stats",
       "print what the threads did, as a JSON object on standard error; with =tasks also a list of "
       "all tasks",
       CHOICE("WHAT", stats_words))
OPTION(QUIET, "quiet", "print nothing but errors", .letter = 'q')

/* output */
OPTION(JSON, "json", "print JSON, one object a line", FLAG)
OPTION(TSV, "tsv", "print tab-separated fields, after a line of their names", FLAG)
OPTION(HELP, "help", "print help for the command and its options", .letter = 'h')
