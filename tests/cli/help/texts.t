# Each option with its text, and how many commands have it so; each kind with its text and its examples.
$ ink completion fish | sed -n "s/^complete -c ink -n '__ink_is [a-z]*'//p" | LC_ALL=C sort | uniq -c | sed 's/^ *//'
9  -F
1  -l absent -r -F -d 'records with keys that are not in the set; may be repeated (default: the keys of other groups, else random keys)'
1  -l against -r -F -d 'compare with the texts of this file of --seen alone'
1  -l as -x -a 'parquet spark-v1 spark-v2 spark-count-min guava hadoop hadoop-counting redis-hll redisbloom redisbloom-cms datasketches-theta datasketches-hll datasketches-bloom puffin postgresql-hll dcso index-list' -d 'write a file that another system loads as its own (see ink help convert)'
1  -l ask -r -F -d 'where questions come from: a file, a FIFO, - or an address, as for --train. A question is a line: KEY, ?KEY, COUNT KEY, TOP n, DISTINCT or INFO'
1  -l assemble -d 'assemble the output of the reducers: files of pieces, or of verification results'
1  -l bad -x -a 'fail skip keep' -d 'documents that cannot be read: fail, skip, or keep as they are (default fail)'
14  -l bad -x -a 'fail skip' -d 'records that cannot be read: fail or skip (default fail)'
6  -l bits -x -d 'filters: the size in bits, instead of -p'
5  -l bits -x -d 'with --from index-list: the size of the filter'
1  -l bucket -x -d 'the number of this reducer, from 0 (default: from Hadoop, else 0)'
2  -l buckets -x -d 'the number of reducers (default: from Hadoop, else 1)'
1  -l by -d 'test each record against its own group only, named by this column (without =COL: the column that the sketches were built with)'
2  -l by -x -d 'build one sketch for each value of this column'
1  -l by -x -d 'list the keys of each value of this column'
1  -l by -x -d 'look up each key in its own group only, named by this column'
1  -l by -x -d 'one sketch for each value of this column; after --filter as in ink filter: --by, or --by=COL'
3  -l by -x -d 'print one answer for each value of this column'
3  -l by -x -d 'the column that names the group of a record'
2  -l bytes -x -d 'the same with n-grams of N bytes, for text without spaces'
1  -l bytes -x -d 'with --plan: the approximate size of the data (default: unknown)'
1  -l check -d 'only check every byte of the file, and print one line'
1  -l checkpoint -x -d 'save the state after every N batches (default 1)'
2  -l confidence -x -d 'the probability that the true value is between low and high (default 0.95)'
6  -l conservative -d 'count-min: raise only the lowest counters, for smaller errors'
7  -l counters -x -a '32 64' -d 'count-min: bits of a counter, 32 or 64 (default 32)'
14  -l csv-multiline -d 'quoted fields of CSV may contain line ends'
7  -l delta -x -d 'count-min: the chance of a larger error (default 0.01)'
2  -l depth -x -d 'count-min: rows, with --width'
5  -l depth -x -d 'count-min: rows, with --width; fm: groups (default 9)'
1  -l depth -x -d 'fm: groups (default 9)'
1  -l digest -d 'print only the digest of the file'
1  -l dry-run -d 'write nothing but the report'
7  -l eps -x -d 'count-min: the error, as a share of the total (default 1e-4)'
1  -l estimator -x -a 'default seed unlimited' -d 'the estimator: default; unlimited, which may exceed the number of records; or for fm seed, the mean of powers of two of the textbooks, which is too high'
1  -l every -x -d 'save at the end of a file how far the run has come, after this time, such as 1m (default 10m)'
1  -l every -x -d 'the length of a batch: a time, such as 500ms, or a number of records, such as 50000 (default 1s)'
2  -l exact -d 'remove documents whose text was seen before (the default level)'
1  -l explain -r -F -d 'write a line of JSON to FILE for each document that is not kept as it is'
14  -l fields -d 'fields are separated by runs of blanks and tabs, as in awk'
1  -l filter -r -F -d 'print the records whose key may be in these sketches, as ink filter does'
1  -l follow -d 'keep reading the last file as it grows, as tail -F does'
10  -l force -d 'replace the output file if it exists'
9  -l from -x -a 'auto parquet spark-v1 spark-v2 spark-count-min guava hadoop hadoop-counting redis-hll redisbloom redisbloom-cms datasketches-theta datasketches-hll datasketches-bloom puffin postgresql-hll dcso index-list' -d 'the format of a file of sketches of another system, such as spark-v1, or auto (see ink help convert)'
10  -l funnel -x -a 'utf8 chars long int' -d 'how keys become bytes in guava: utf8 (the default), chars, long (the default of int keys) or int'
1  -l group-column -x -d 'the name of the column, or JSON member, with the groups of a record (default ink_group)'
1  -l group-column -x -d 'with --filter: the name of the column, or JSON member, with the groups of a record (default ink_group)'
7  -l groups -x -d 'only groups whose name matches PATTERN, such as 10.* or user-?'
1  -l groups -x -d 'with --filter: only groups whose name matches PATTERN'
1  -l grow -d 'make filters scalable, so that they grow as more keys come'
1  -l hadoop -x -d 'run it on Hadoop too, with this command; see docs/lab.md'
9  -l hash -x -a 'xxh3 mix64 xxh64 mmh3 mmh3-signed murmur64a murmur3-128 xxh64-int32 spark-v2 spark-v1 guava guava-int guava-chars guava-32 guava-32-int guava-32-chars hadoop hadoop-jenkins redisbloom redis-hll dcso datasketches-bloom' -d 'the hash of keys: xxh3, mix64, xxh64, mmh3, mmh3-signed, murmur64a, murmur3-128, or that of another system, as guava-chars (default xxh3; for integers mix64)'
5  -l hash -x -a 'xxh3 mix64 xxh64 mmh3 mmh3-signed murmur64a murmur3-128 xxh64-int32 spark-v2 spark-v1 guava guava-int guava-chars guava-32 guava-32-int guava-32-chars hadoop hadoop-jenkins redisbloom redis-hll dcso datasketches-bloom' -d 'with --from: the hash of keys, of a format that has several'
6  -l hashes -x -d 'classic: hashes of a key, with --bits'
5  -l hashes -x -d 'with --from index-list: hashes of a key'
14  -l header -d 'the first record of each file names the columns'
2  -l header-line -x -d 'the header line, for a part of a file that may lack it'
4  -l headroom -x -d 'filters: plan for X times as many keys as the data has, such as 4x'
1  -l http -x -d 'serve a status page at http://HOST:PORT/'
1  -l id -x -d 'with --explain: the JSON path of what names a document'
14  -l in -x -a 'lines csv tsv nul jsonl u32 u64' -d 'the format of records: lines, csv, tsv, nul, jsonl, u32 or u64 (default: by the suffix of the file, else lines)'
1  -l in -x -a 'lines csv tsv nul jsonl u32 u64' -d 'what documents are: jsonl, lines or nul (default: by the suffix of the file, else lines)'
1  -l in -x -a 'lines csv tsv nul jsonl u32 u64' -d 'what documents are: jsonl, lines or nul'
9  -l json -d 'print JSON, one object a line'
1  -l json -d 'print answers as JSON, one object a line'
1  -l json -d 'print one JSON object'
2  -l json -d 'with --count: print one JSON object'
1  -l json -d 'with --verify --assemble: one JSON object a line'
3  -l key -x -d 'parquet: the column of the filters; puffin: the field id of a column'
14  -l key -x -d 'the column of the key: a number from 1, a name in the header, or a JSON path, in quotes if it contains a comma; several columns form one key (default: the whole record)'
14  -l key-type -x -a 'bytes int' -d 'the type of keys: bytes, or int, a 64-bit integer (default bytes; for u32 and u64 int)'
3  -l key-type -x -a 'bytes int' -d 'with --from: the type of keys, where the file does not say it: bytes (the default) or int'
1  -l keys-from -r -F -d 'count the keys of this file, one per line, in the data; input and size options then apply to the data'
1  -l kind -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'the kind to query, or to build from data (default count-min; for -e none, the counts are exact)'
1  -l kind -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'the kind to query, or to build from data (default: the one that answers best)'
1  -l kind -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'the kind to query, or to build from data: hll, theta, fm, or a filter (default hll)'
1  -l kind -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'which kind to query, if the file has several'
1  -l kind -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'with --filter: which kind to ask, where the file has several'
6  -l last -x -d 'query only the newest W time slots in the file (default: all)'
1  -l last -x -d 'with --filter: ask only the newest W time slots (default: all)'
1  -l lower -d 'compare words of n-grams in lower case'
1  -l man -d 'print the manual page, as roff'
1  -l mark -d 'JSON: keep every document, with a member ink_dedup at its end that says what is removed'
1  -l matrixjaccard intersection' -d 'print a table of all files with all files: of the Jaccard index, or with =intersection of the number of common keys'
5  -l max-rate -x -d 'filters: the highest rate that the result may have (default: the promised rate)'
1  -l max-rate -x -d 'go on with more texts than planned for, up to this rate'
1  -l memory -x -d 'find the best sketch that fits into SIZE, such as 64M: its rate, its number of keys or its error, whichever no other option gives'
2  -l memory -x -d 'memory for keys until the size is known, such as 64M (default 1G)'
1  -l memory -x -d 'memory for new groups and for what sketches grow by, such as 64M (default 1G)'
2  -l memory -x -d 'memory for the sketches of all groups of a file, such as 64M (default 1G)'
2  -l memory -x -d 'memory for the sketches of all groups, such as 64M (default 1G)'
1  -l memory -x -d 'memory for the true keys, such as 64M (default 1G)'
2  -l memory -x -d 'memory for what is kept of records, such as 64M (default 256M)'
1  -l memory -x -d 'the most memory for what was seen, such as 4G (default 1G)'
1  -l memory -x -d 'the most memory to take, such as 64M (default 1G; for pipes 64M)'
2  -l near -x -d 'remove documents whose n-grams of 5 words have a Jaccard similarity of F or more, as MinHash estimates it, with those of an earlier document'
2  -l ngrams -x -d 'remove documents of whose n-grams of N words a share was seen before'
1  -l no-groups -d 'do not print the groups of records'
1  -l no-groups -d 'with --filter: do not print the groups of records'
19  -l no-progress -d 'show no progress bar'
1  -l once -d 'add only keys that are not yet in the sketch (false positives are left out)'
1  -l only -x -d 'run only this experiment of the list below'
1  -l overlap -x -d 'the share of n-grams that is enough (default 0.8)'
2  -l paragraphs -d 'cut paragraphs that were seen before out of documents; a document without any left goes'
1  -l phi -x -d 'list all keys that have more than this share of the total'
6  -l phi -x -d 'top: no key above this share of the total is missed (default 1/1024)'
1  -l plan -d 'read nothing, and print a plan of the job, as a JSON object'
7  -l precision -x -d 'hll: 2^N registers, N from 4 to 18 (default 14); theta: at most 2^N values, N from 4 to 26 (default 12)'
4  -l precision -x -d 'with --from datasketches-theta or puffin: at most 2^N values (default 12)'
1  -l quick -d 'use less data than the published runs; takes under a minute'
2  -l ranged -d 'give each reducer a range of the keys of all groups, instead of whole groups'
1  -l renew -d 'empty a filter that is above its promised rate, and start again'
12  -l round -x -a 'half-even half-up half-away' -d 'round the values of --by to whole numbers: half-even, half-up (-2.5 is -2) or half-away (-2.5 is -3)'
1  -l sample -x -d 'names: also write M of them, chosen at random, to --sample-out'
1  -l sample-out -r -F -d 'the file for the names of --sample'
10  -l secret -r -F -d 'hash with the secret in FILE: 16 bytes, or 32 hex digits'
4  -l secret -r -F -d 'the secret that the sketches were built with'
1  -l seed -x -d 'another seed gives other data (default 0)'
10  -l seed -x -d 'the seed of the hash (default: its own, see man ink)'
1  -l seen -d 'print each queried key that may have been seen, and nothing for the others'
1  -l seen -r -F -d 'read what was seen before from FILE, if it exists, and write it there at the end; a new one needs -n'
1  -l sketch -x -a 'bloom classic counting scalable count-min top fm hll theta fuse' -d 'a sketch to keep, with its sizes: bloom:n=1e6,p=0.01; may be repeated, once for each kind'
1  -l skew -x -d 'zipf, log: the exponent (default 1.1)'
1  -l slots -x -d 'divide the window into N slots; the oldest is dropped as a new one begins (default 10)'
1  -l spark -x -d 'run the published job on Spark too, with this command; see docs/lab.md'
1  -l splits -d 'standard input lists parts of files to read: OFFSET, BYTES (0: to the end) and PATH, separated by tabs'
1  -l state -x -a '(__fish_complete_directories)' -d 'the folder of state.ink, to which the stream is saved and from which it resumes'
18  -l statstasks' -d 'print what the threads did, as a JSON object on standard error; with =tasks also a list of all tasks'
1  -l strip-punctuation -d 'compare words of n-grams without punctuation'
1  -l tasks -x -d 'with --plan: the number of tasks that run at a time (default 1)'
5  -l temp -x -a '(__fish_complete_directories)' -d 'the folder for temporary files (default: $TMPDIR, else /tmp)'
2  -l text -x -d 'the JSON path of the text of a document (default text)'
20  -l threads -x -d 'the number of threads (default: one for each core)'
1  -l time -x -d 'the column with the time of a record: as 2026-11-16T14:26:08Z, or as a number since 1970 (default: when it arrives)'
1  -l time-unit -x -a 's ms us ns' -d 'the unit of numbers in --time: s, ms, us or ns (default s)'
1  -l to -x -a 'ink parquet spark-v1 spark-v2 spark-count-min guava hadoop hadoop-counting redis-hll redisbloom redisbloom-cms datasketches-theta datasketches-hll datasketches-bloom puffin postgresql-hll dcso index-list' -d 'the format to write: ink, or one of the list below (default ink)'
1  -l train -r -F -d 'where records come from: a file, a FIFO, - (standard input), or an address to listen on, tcp://HOST:PORT or unix:PATH; may be repeated, and files are read one after another'
1  -l truth -r -F -d 'the data that the sketches were built from; may be repeated'
10  -l tsv -d 'print tab-separated fields, after a line of their names'
2  -l tsv -d 'with --count: print fields with tabs between them, under their names'
1  -l tsv -d 'with --verify --assemble: fields separated by tabs'
1  -l tuning -d 'also print the settings chosen for this machine'
2  -l verify -r -F -d 'verify these sketches, instead of building'
10  -l weight -x -d 'the column with the weight of a record (default: 1)'
2  -l width -x -d 'count-min: counters in a row, with --depth in place of --eps and --delta'
5  -l width -x -d 'count-min: counters in a row, with --depth instead of --eps and --delta; fm: sub-sketches in a group (default 16)'
1  -l width -x -d 'fm: sub-sketches in a group (default 16)'
1  -l window -x -d 'keep only the records of the last T, such as 10m (default: all)'
1  -s c -l count -d 'print only how many are first ones, repeated, and lost'
1  -s c -l count -d 'print only how many records were admitted and rejected'
14  -s d -l delimiter -x -d 'the character that separates fields; \\t is a tab'
1  -s e -x -d 'add this key, and read no data; may be repeated'
1  -s e -x -d 'ask for this key, of sketches or of data; may be repeated'
1  -s e -x -d 'query this key, and read no data; may be repeated'
1  -s e -x -d 'remove this key, and read no data; may be repeated'
25  -s h -l help -d 'print help for the command and its options'
1  -s k -l top -x -d 'how many keys to list, of each group (default 10; with --phi all)'
6  -s k -l top -x -d 'top: the number of keys to report (default 10)'
1  -s n -l keys -x -d 'filters: how many different keys to plan for (default: as many as the data has)'
1  -s n -l keys -x -d 'filters: how many different keys to plan for, with --window those of the whole window; needed unless the filter grows. If there is one --sketch, its sizes may be options, as this one; if there are several, sizes follow their kinds: bloom:n=1e6'
3  -s n -l keys -x -d 'filters: the number of distinct keys to plan for (default: that of the data)'
1  -s n -l keys -x -d 'how many different keys are expected; count-min and top: how many records'
1  -s n -l keys -x -d 'how many different keys to plan for (default: by the size of the files)'
1  -s n -l keys -x -d 'how many different texts to plan for, at each level (default: by samples of the files)'
1  -s n -l keys -x -d 'how many records to write (default: by kind)'
3  -s o -l output -r -F -d 'the file to write (default: standard output)'
3  -s o -l output -r -F -d 'the file to write; - is standard output'
1  -s o -l output -r -F -d 'the folder to write the files to'
1  -s o -l output -r -F -d 'where the page goes; JSON goes beside it (default lab.html)'
1  -s o -l output -r -F -d 'where the result goes (standard output): a file, or an address,
6  -s p -l rate -x -d 'filters: the false-positive rate (default 0.01)'
1  -s p -l rate -x -d 'the highest false-positive rate that the result may have (default: that which the filter was made for)'
1  -s p -l rate -x -d 'the rate at which a filter takes new texts for seen ones, with -n of them (default 1e-5, for n-grams 1e-4)'
1  -s p -l rate -x -d 'the rate at which first records are mistaken for repeats, with -n keys (default 1e-4)'
1  -s q -l quiet -d 'do not print how many records may be lost, or were skipped'
1  -s q -l quiet -d 'do not say how many records were skipped'
9  -s q -l quiet -d 'print nothing but errors'
1  -s q -l quiet -d 'print nothing on standard error but errors'
1  -s q -l quiet -d 'print nothing, and stop at the first record that passes'
1  -s q -l quiet -d 'print nothing; the exit code is the result'
1  -s q -l quiet -d 'print nothing; the exit code says whether any key was seen'
1  -s q -l quiet -d 'print nothing; the exit code says whether the file is whole'
1  -s q -l quiet -d 'with --verify --assemble: print nothing; the exit code is the result'
1  -s v -l invert -d 'print the records that repeat a key, instead of the first ones'
1  -s v -l invert -d 'print the records whose key is definitely not in the set'
1  -s v -l invert -d 'with --filter: the records that are surely not in the set'
$ for kind in $(ink help build | sed -n '/^kinds/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do ink help $kind | sed -n '1,/^answers/{/^answers/d;p}; /^examples/,$p'; done
bloom, a kind of sketch

A filter of blocks of 256 bits, with one cache line for each key: the fastest,
and the default choice. It has no false negatives. Filters can be merged, and
folded to a smaller size.

examples:
  ink build bloom -p 0.001 -o seen.ink words.txt
  ink filter seen.ink more.txt
classic, a kind of sketch

The filter of the textbooks: m bits, k hashes of each key. It takes rates that
are too low for bloom, and is slower. With --hash mmh3 it has the bits of
programs that set bit mmh3.hash(key, i, signed=False) % m.

examples:
  ink build classic -p 1e-7 -o seen.ink words.txt
  ink build classic --hash mmh3 --bits 1e6 --hashes 7 -o same.ink words.txt
counting, a kind of sketch

A bloom with counters instead of bits, four times as large: keys can be removed
again. Remove only keys that were added. A key that was added 15 times or more
stays for good, as its counters are full.

examples:
  ink build counting -o seen.ink words.txt
  ink remove seen.ink gone.txt
scalable, a kind of sketch

A chain of filters that grows with its keys and keeps its rate, for sets of
unknown size. Its bytes depend on the order of the keys.

examples:
  cat words.txt | ink build scalable -o seen.ink
  ink filter -v seen.ink more.txt
count-min, a kind of sketch

Counts how often each key was added. A count is never too low, and rarely too
high by more than a share of the total of all counts. Two of one size estimate
the size of a join.

examples:
  ink build count-min -o often.ink words.txt
  ink count often.ink keys.txt
usage: ink top [FILE...] [options]

Lists the most frequent keys of the data, or of sketch files, each with its
count, guaranteed bounds, and its share of the total. Several files are merged.

options:
      --groups PATTERN  only groups whose name matches PATTERN, such as 10.* or
                        user-?
      --last W          query only the newest W time slots in the file (default:
                        all)

input:
      --in FORM         the format of records: lines, csv, tsv, nul, jsonl, u32
                        or u64 (default: by the suffix of the file, else lines)
  -d, --delimiter C     the character that separates fields; \t is a tab
      --fields          fields are separated by runs of blanks and tabs, as in
                        awk
      --header          the first record of each file names the columns
      --key COL[,COL]   the column of the key: a number from 1, a name in the
                        header, or a JSON path, in quotes if it contains a
                        comma; several columns form one key (default: the whole
                        record)
      --key-type TYPE   the type of keys: bytes, or int, a 64-bit integer
                        (default bytes; for u32 and u64 int)
      --weight COL      the column with the weight of a record (default: 1)
      --by COL          list the keys of each value of this column
      --round HOW       round the values of --by to whole numbers: half-even,
                        half-up (-2.5 is -2) or half-away (-2.5 is -3)
      --bad WHAT        records that cannot be read: fail or skip (default fail)
      --csv-multiline   quoted fields of CSV may contain line ends

hash:
      --hash NAME       the hash of keys: xxh3, mix64, xxh64, mmh3, mmh3-signed,
                        murmur64a, murmur3-128, or that of another system, as
                        guava-chars (default xxh3; for integers mix64)
      --seed N          the seed of the hash (default: its own, see man ink)
      --secret FILE     hash with the secret in FILE: 16 bytes, or 32 hex digits

size:
      --phi X           list all keys that have more than this share of the
                        total
  -k, --top K           how many keys to list, of each group (default 10; with
                        --phi all)
      --memory SIZE     memory for the sketches of all groups, such as 64M
                        (default 1G)

run:
      --threads N       the number of threads (default: one for each core)
      --no-progress     show no progress bar
      --stats[=WHAT]    print what the threads did, as a JSON object on standard
                        error; with =tasks also a list of all tasks

output:
      --json            print JSON, one object a line
      --tsv             print tab-separated fields, after a line of their names

examples:
examples:
  ink top access.log
  ink top access.log
  ink top -k 3 --fields --key 1 access.log
  ink top -k 3 --fields --key 1 access.log
  ink top --phi 0.01 words.txt          # each above 1 % of all records
  ink top --phi 0.01 words.txt          # each above 1 % of all records
  ink top --header --key item --weight amount --by shop sales.csv
  ink top --header --key item --weight amount --by shop sales.csv
  ink top top.ink                       # what was built before
  ink top top.ink                       # what was built before


exit codes:
exit codes:
  0  some key is listed
  0  some key is listed
  1  none is
  1  none is
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit
  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit


see also: ink help filter, count, distinct, uniq, dedup, dot, overlap; man
see also: ink help filter, count, distinct, uniq, dedup, dot, overlap; man
  ink-top
  ink-top


top, a kind of sketch
top, a kind of sketch


Keeps the most frequent keys, with certain bounds for each count. No key with
Keeps the most frequent keys, with certain bounds for each count. No key with
more than a known share of the total is missed. Its bytes depend on the order of
more than a known share of the total is missed. Its bytes depend on the order of
the keys.
the keys.


  which are the most frequent?    ink top
  how often did I see it?         ink count

options of ink build:
      --phi X          no key above this share of the total is missed (default
                       1/1024)
  -k, --top K          the number of keys to report (default 10)

size by default: 2.2 MB at most, 1024 counters: no key above 0.000977 of the
  total is missed

examples:
  ink build top -k 100 -o often.ink words.txt
  ink top -k 5 often.ink
fm, a kind of sketch

Counts different keys by the Flajolet-Martin algorithm, as textbooks have it, in
a few bytes. Repeated keys change nothing. For more precision take hll.

examples:
  ink build fm -o different.ink words.txt
  ink distinct different.ink
hll, a kind of sketch

Counts different keys by HyperLogLog, in a few kilobytes for any number of them.
Repeated keys change nothing; sketches of different precision can be merged.

examples:
  ink build hll -o different.ink words.txt
  ink distinct different.ink
theta, a kind of sketch

Counts different keys by a uniform sample of them: exactly up to 2^N keys, and
then of any union, intersection or difference of sets, with bounds. Repeated
keys change nothing; sketches of different precision can be merged. For the
number alone, hll is smaller.

examples:
  ink build theta -o different.ink words.txt
  ink distinct different.ink
fuse, a kind of sketch

A binary fuse filter: fingerprints of 4 to 32 bits, made of all keys at once. It
has no false negatives, takes about 1.13 times the bits of a fingerprint for
each different key, and its rate is 1 / 2^bits. It never changes: no key is
added, and none are merged. Build one from several inputs instead.

examples:
  ink build fuse -p 0.001 -o seen.ink words.txt
  ink filter seen.ink more.txt
