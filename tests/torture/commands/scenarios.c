/* scenarios.c - command lines of `ink` whose every call is made to fail. A word of theirs that is
 * the name of a file of the stock has it copied to where they run; old.ink and old.txt are outputs
 * that are there already. Every command is here, every word that names what it does, and every
 * option that opens something: the suites check that. */
#define _GNU_SOURCE 1
#include "scenarios.h"

#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#define THREADS SCENARIO_THREADS
/* What is not said is zero. */
#define INK(...)                                                                                   \
    {                                                                                              \
        .words = __VA_ARGS__                                                                       \
    }
#define STATE (SCENARIO_THREADS | SCENARIO_STATE)
#define RESUMES (STATE | SCENARIO_RESUMES)
#define TIMED SCENARIO_OUTPUT_TIMED

const scenario scenarios[] = {
    /* make */
    INK("plan"),
    INK("plan bloom,count-min,hll -n 1e6 --json"),
    INK("plan bloom -p 0.001 --memory 1M"),
    INK("plan --memory 64M -n 1e8 --tsv"),
    INK("build bloom -o old.ink --force a.txt --threads 1"),
    INK("build bloom -o old.ink --force a.txt b.txt --threads 2", .flags = THREADS),
    INK("build bloom -n 1000 -o new.ink a.txt --threads 1"),
    INK("build bloom -n 1000 -o - a.txt --threads 1"),
    INK("build bloom -o old.ink --force - --threads 1", .input = "a.txt"),
    INK("build bloom -o old.ink --force - --threads 1", .input = "|a.txt"),
    INK("build classic --bits 4096 --hashes 3 -o old.ink --force a.txt.gz --threads 1"),
    INK("build counting,scalable,count-min,top,fm,hll -n 300 --eps 0.01 -o old.ink --force "
        "a.txt.zst "
        "--threads 1"),
    INK("build count-min --conservative --eps 0.01 -o new.ink a.txt b.txt --threads 2",
        .flags = THREADS),
    INK("build bloom,hll --by group --key id --header -o old.ink --force t.tsv --threads 1"),
    INK("build bloom,top --by group --key id --weight n --header -o old.ink --force t.tsv "
        "--threads 2",
        .flags = THREADS),
    INK("build scalable --by group --key id --header -o new.ink t.tsv --threads 1"),
    INK("build top --key id --in csv --header --csv-multiline -o new.ink c.csv --threads 1"),
    INK("build hll --key a.id --in jsonl -o new.ink j.jsonl --threads 1"),
    INK("build theta --precision 4 -o new.ink a.txt --threads 1"),
    INK("build fuse -o new.ink a.txt --threads 2", .flags = THREADS),
    INK("build bloom --in u64 -o new.ink u.u64 --threads 1"),
    INK("build bloom --secret secret -o new.ink a.txt --threads 1"),
    INK("build bloom --bad skip --key 2 --in tsv -o new.ink a.txt --threads 1"),
    INK("build bloom,hll,top --by 2 --key 1 --in tsv -o old.ink --force many.tsv --threads 1"),
    INK("build scalable,count-min -n 10 --eps 0.1 --by 2 --key 1 --in tsv -o new.ink many.tsv "
        "--threads "
        "1"),
    INK("build --as spark-v1 -n 1000 -o old.ink --force a.txt --threads 1"),
    INK("build bloom --temp spill -o new.ink a.txt --threads 1"),
    INK("add keyed.ink b.txt --secret secret --max-rate 0.5 --threads 1"),
    INK("add bloom.ink b.txt --max-rate 0.5 --threads 1"),
    INK("add bloom.ink - --max-rate 0.5 --threads 1", .input = "|b.txt"),
    INK("add --once -e alpha -e beta counting.ink"),
    INK("add groups.ink --by group --key id --header t.tsv --max-rate 0.9 --threads 1"),
    INK("add all.ink b.txt --max-rate 0.9 --threads 2", .flags = THREADS),
    INK("remove counting.ink b.txt --threads 1"),
    INK("remove counting.ink b.txt --threads 2", .flags = THREADS),
    INK("remove -e word7 counting.ink"),
    INK("remove keyedcounting.ink b.txt --secret secret --threads 1"),

    /* ask */
    INK("filter bloom.ink b.txt --threads 1"),
    INK("filter -v bloom.ink a.txt b.txt.gz --threads 2", .flags = THREADS),
    INK("filter bloom.ink -o old.txt --force b.txt --threads 1"),
    INK("filter bloom.ink -o new.txt - --threads 1", .input = "|b.txt"),
    INK("filter -c --json bloom.ink b.txt --threads 1", .flags = TIMED),
    INK("filter -q bloom.ink b.txt --threads 1"),
    INK("filter -e word1 -e nobody all.ink --kind bloom"),
    INK("filter groups.ink --header --key id t.tsv --threads 1"),
    INK("filter --by groups.ink t.tsv --threads 2", .flags = THREADS),
    INK("filter --last 1 -e w3 ring.ink"),
    INK("filter keyed.ink b.txt --secret secret --threads 1"),
    INK("filter --from spark-v1 spark.bin b.txt --threads 1"),
    INK("count --from auto - -e word1", .input = "|rows.bin"),
    INK("distinct --from spark-v1 spark.bin spark.bin"),
    INK("count cm.ink b.txt --threads 1"),
    INK("count --kind counting keyedcounting.ink -e word1 --secret secret"),
    INK("count cm.ink -e word1 --json"),
    INK("count --keys-from b.txt a.txt --tsv --threads 1"),
    INK("count --kind counting counting.ink - --threads 1", .input = "|b.txt"),
    INK("count --groups g* cmgroups.ink -e k3"),
    INK("top top.ink --json"),
    INK("top -k 3 a.txt b.txt --threads 2", .flags = THREADS),
    INK("top -k 2 --by group --key id --header t.tsv --threads 1"),
    INK("top -k 3 a.txt --secret secret --threads 1"),
    INK("top - --threads 1", .input = "|a.txt"),
    INK("distinct hll.ink"),
    INK("distinct a.txt --json --threads 1"),
    INK("distinct --by group --key id --header t.tsv --tsv --threads 2", .flags = THREADS),
    INK("distinct a.txt.zst b.txt --threads 1"),
    INK("distinct a.txt --secret secret --temp spill --threads 1"),
    INK("overlap hll.ink hll.ink"),
    INK("overlap a.txt b.txt --json --threads 2", .flags = THREADS),
    INK("overlap a.txt b.txt --secret secret --threads 1"),
    INK("overlap --by group --key id --header t.tsv t.tsv --matrix --tsv --threads 1"),
    INK("uniq a.txt --threads 1"),
    INK("uniq a.txt --secret secret --threads 1"),
    INK("uniq -v -o old.txt --force a.txt --threads 1"),
    INK("uniq --count --json a.txt b.txt --threads 2", .flags = THREADS | TIMED),
    INK("uniq - --threads 1", .input = "|a.txt"),
    INK("dedup -q --exact --paragraphs -o spill a.txt.gz --threads 1",
        .flags = SCENARIO_TWO_OUTPUTS),
    INK("dedup -q --seen seen.ink -o spill b.txt --threads 1", .flags = SCENARIO_TWO_OUTPUTS),
    INK("dedup -q --against seen.ink -o spill b.txt.zst --threads 1",
        .flags = SCENARIO_TWO_OUTPUTS),
    INK("dedup -q --near 0.5 --ngrams 2 --dry-run --explain new.txt --in lines a.txt b.txt "
        "--threads 1"),
    INK("dot cm.ink cm2.ink"),
    INK("dot a.txt b.txt --json --threads 1"),
    INK("dot a.txt b.txt --secret secret --threads 1"),

    /* check */
    INK("info all.ink"),
    INK("info --json groups.ink"),
    INK("info --digest -", .input = "bloom.ink"),
    INK("info --tsv ring.ink"),
    INK("verify bloom.ink a.txt --threads 1"),
    INK("verify all.ink a.txt --json --threads 2", .flags = THREADS),
    INK("verify keyed.ink --truth a.txt --absent b.txt --secret secret --temp spill --threads 1"),
    INK("info --json many.ink"),
    INK("verify many.ink many.tsv --threads 1"),
    INK("verify groups.ink --by group --key id --header t.tsv --threads 1"),

    /* combine */
    INK("merge -o old.ink --force bloom.ink bloom2.ink"),
    INK("merge -o new.ink cm.ink cm2.ink --threads 2", .flags = THREADS),
    INK("merge -o - groups.ink groups.ink"),
    INK("merge -o new.ink - bloom2.ink", .input = "bloom.ink"),
    INK("merge -o old.ink --force many.ink many.ink"),
    INK("fold wide.ink -p 0.01 -o old.ink --force"),
    INK("fold wide.ink -o - -p 0.1"),
    INK("merge --from spark-v1 -o new.ink spark.bin spark.ink --threads 1"),
    INK("convert --from spark-v1 spark.bin new.ink --threads 1"),
    INK("convert --from auto - old.ink --force --threads 1", .input = "|spark.bin"),
    INK("convert --to spark-v1 spark.ink old.ink --force --threads 1"),
    INK("convert spark.ink - --threads 1"),

    /* live */
    INK("stream --train a.txt --sketch bloom:n=1000 --state new --every 100", .flags = RESUMES),
    INK("stream -q --train a.txt --train b.txt --sketch bloom:n=1000 --sketch top --state state "
        "--every 100 --ask questions.txt",
        .flags = RESUMES),
    INK("stream -q --train times.csv --key 2 --time 1 --window 2m --slots 4 --sketch bloom:n=100 "
        "--sketch hll --state new --every 20 --checkpoint 2 --ask questions.txt --json",
        .flags = RESUMES),
    INK("stream -q --train a.txt --sketch hll --secret secret --state new", .flags = RESUMES),
    INK("stream -q --train - --sketch scalable --state new --every 50 --ask questions.txt",
        .input = "|a.txt", .flags = STATE),
    INK("stream -q --train a.txt.zst --sketch bloom:n=1000 --state new --ask - --seen",
        .input = "|b.txt", .flags = RESUMES),
    INK("stream -q --train unix:train --ask unix:ask --sketch bloom:n=1000 --sketch top --state "
        "new "
        "--every 10",
        .flags = STATE, .peer = PEER_TRAINS | PEER_ASKS),
    INK("stream --train tcp://127.0.0.1:0 --ask tcp://localhost:0 --sketch hll --sketch "
        "bloom:n=100 "
        "--state new --every 20 --json",
        .flags = STATE, .peer = PEER_TRAINS | PEER_ASKS),
    INK("stream -q --train unix:train --ask unix:ask --sketch bloom:n=1000 --state new --every 40",
        .flags = STATE, .peer = PEER_TRAINS | PEER_ASKS | PEER_STALE),
    INK("stream -q --train growing.txt --follow --ask unix:ask --sketch count-min:eps=0.01 --state "
        "new --every 20",
        .flags = STATE, .peer = PEER_GROWS | PEER_ASKS),
    INK("stream -q --train unix:train --ask unix:ask --http 127.0.0.1:0 --sketch bloom:n=1000 "
        "--state "
        "new --every 20",
        .flags = STATE, .peer = PEER_TRAINS | PEER_ASKS | PEER_BROWSES),

    /* spread */
    INK("map bloom -n 1000 --buckets 2 a.txt --threads 1"),
    INK("map bloom,hll --by group --key id --header -n 100 t.tsv --buckets 2 --threads 2",
        .flags = THREADS),
    INK("map bloom -n 1000 --plan --bytes 1G --tasks 4"),
    INK("map --filter bloom.ink b.txt --threads 1"),
    INK("map --verify bloom.ink a.txt --threads 1"),
    INK("map bloom - --threads 1", .input = "|a.txt"),
    INK("map bloom -n 1000 --secret secret --temp spill a.txt --threads 1"),
    INK("build bloom -n 1000 -o old.ink --force webhdfs://127.0.0.1:PORT/dir/file?user.name=me "
        "--threads 1",
        .peer = PEER_OFFERS),
    INK("map bloom -n 1000 --splits --threads 1", .input = "|splits", .peer = PEER_OFFERS,
        .variables = "INK_WEBHDFS=127.0.0.1:PORT HADOOP_USER_NAME=me"),
    INK("reduce bloom -n 1000 -o webhdfs://127.0.0.1:PORT/dir/file?user.name=me pieces --threads 1",
        .peer = PEER_STORES),
    INK("reduce bloom -n 1000 -o old.ink --force pieces --threads 1"),
    INK("reduce bloom -n 1000 --secret secret --temp spill -o new.ink keyed.pieces --threads 1"),
    INK("reduce bloom -n 1000 --ranged --assemble --temp spill -o new.ink finished.pieces "
        "--threads 1"),
    INK("reduce bloom -n 1000 -o - - --threads 1", .input = "|pieces"),
    INK("reduce bloom -n 1000 --ranged ranged.pieces --threads 1"),
    INK("reduce bloom -n 1000 --ranged --assemble -o old.ink --force finished.pieces --threads 1"),
    INK("reduce --verify bloom.ink truth.pieces --threads 1"),
    INK("reduce --verify bloom.ink --assemble verdict --threads 1"),

    /* try */
    INK("gen log -n 50"),
    INK("gen zipf -n 100 -o old.txt --force"),
    INK("gen names -n 100 --sample 10 --sample-out new.txt -o old.txt --force",
        .flags = SCENARIO_TWO_OUTPUTS),
    INK("gen u64 -n 20 --seed 7"),
    INK("gen ip -n 50"),
    INK("gen imdb -o old.txt --force", .flags = SCENARIO_SLOW),
    INK("lab --quick --only 002 --threads 1 -q -o new.html",
        .flags =
            SCENARIO_SLOW | SCENARIO_OUTPUT_TIMED | SCENARIO_FILES_TIMED | SCENARIO_TWO_OUTPUTS),

    /* more */
    INK("completion bash"),
    INK("completion fish"),
    INK("completion zsh"),
    INK("help"),
    INK("help build"),
    INK("help hll"),
    INK("help --man stream"),
    INK("version"),
    INK("version --tuning --json"),
};

const size_t scenario_count = sizeof scenarios / sizeof *scenarios;

/* ---- The stock ---------------------------------------------------------------------------- */

/* What prepares the stock, in this order; "NAME < words" has what is printed in a file. */
static const char *const steps[] = {
    "build bloom -n 1000 -o bloom.ink a.txt --threads 1",
    "build bloom -n 1000 -o bloom2.ink b.txt --threads 1",
    "build bloom -n 1e5 -o wide.ink a.txt --threads 1",
    "build bloom -o old.ink b.txt --threads 1",
    "build --as spark-v1 -n 1000 -o spark.bin a.txt --threads 1",
    "build --as spark-count-min --eps 0.01 -o rows.bin a.txt --threads 1",
    "convert --from spark-v1 spark.bin spark.ink",
    "dedup -q --seen seen.ink -n 1000 -o made a.txt --threads 1",
    "build counting -n 1000 -o counting.ink a.txt b.txt --threads 1",
    "build count-min --eps 0.01 -o cm.ink a.txt --threads 1",
    "build count-min --eps 0.01 -o cm2.ink b.txt --threads 1",
    "build count-min --eps 0.1 --by group --key id --header -o cmgroups.ink t.tsv --threads 1",
    "build top -o top.ink a.txt --threads 1",
    "build hll --precision 8 -o hll.ink a.txt --threads 1",
    "build bloom -n 100 --by group --key id --header -o groups.ink t.tsv --threads 1",
    "build hll,top --by 2 --key 1 --in tsv -o many.ink many.tsv --threads 1",
    "build bloom,counting,scalable,count-min,top,fm,hll -n 1000 --eps 0.01 -o all.ink a.txt "
    "--threads 1",
    "build bloom -n 1000 --secret secret -o keyed.ink a.txt --threads 1",
    "build counting -n 1000 --secret secret -o keyedcounting.ink a.txt b.txt --threads 1",
    "keyed.pieces < map bloom -n 1000 --secret secret a.txt --threads 1",
    "pieces < map bloom -n 1000 a.txt --threads 1",
    "ranged.pieces < map bloom -n 1000 --ranged a.txt --threads 1",
    "finished.pieces < reduce bloom -n 1000 --ranged ranged.pieces --threads 1",
    "truth.pieces < map --verify bloom.ink a.txt --threads 1",
    "verdict < reduce --verify bloom.ink truth.pieces --threads 1",
    "stream -q --train times.csv --key 2 --time 1 --window 2m --slots 4 --sketch bloom:n=100 "
    "--sketch hll --state ring",
    "merge -o ring.ink ring/state.ink",
    "stream -q --train a.txt --sketch bloom:n=1000 --sketch top --state state --every 100",
};

enum { TEXT_BYTES = 1 << 14 };

typedef struct text {
    char   bytes[TEXT_BYTES];
    size_t used;
} text;

#define ADD(to, ...)                                                                               \
    (to).used += (size_t)snprintf((to).bytes + (to).used, TEXT_BYTES - (to).used, __VA_ARGS__)

/* Makes a file of a text, which is empty afterwards. */
static void save(text *of, const char *folder, const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file_write(path, of->bytes, of->used, 0644);
    of->used = 0;
}

static void save_packed(const text *of, const char *folder, const char *name)
{
    static char packed[2 * TEXT_BYTES];
    char        path[1024];

    snprintf(path, sizeof path, "%s/%s.zst", folder, name);
    size_t count = ZSTD_compress(packed, sizeof packed, of->bytes, of->used, 3);
    if (ZSTD_isError(count))
        torture_die("%s: cannot compress", path);
    file_write(path, packed, count, 0644);
    snprintf(path, sizeof path, "%s/%s.gz", folder, name);
    gzFile file = gzopen(path, "wb");
    if (file == NULL || gzwrite(file, of->bytes, (unsigned)of->used) != (int)of->used ||
        gzclose(file) != Z_OK)
        torture_die("%s: cannot compress", path);
}

static void make_data(const char *folder)
{
    static text of;
    uint64_t    number;

    for (int i = 0; i < 300; i++)
        ADD(of, "word%d\n", i * 7919 % 211);
    save_packed(&of, folder, "a.txt");
    save(&of, folder, "a.txt");

    for (int i = 0; i < 100; i++)
        ADD(of, "word%d\n", i * 3);
    save_packed(&of, folder, "b.txt");
    save(&of, folder, "b.txt");

    ADD(of, "id\tgroup\tn\n");
    for (int i = 0; i < 120; i++)
        ADD(of, "k%d\tg%d\t%d\n", i * 37 % 59, i % 5, i % 4 + 1);
    save(&of, folder, "t.tsv");

    for (int i = 0; i < 900; i++)
        ADD(of, "k%d\tg%d\n", i % 77, i % 450);
    save(&of, folder, "many.tsv");

    ADD(of, "id,text\n");
    for (int i = 0; i < 60; i++)
        ADD(of, "k%d,\"one\n\"\"two\"\", %d\"\n", i % 17, i);
    save(&of, folder, "c.csv");

    for (int i = 0; i < 60; i++)
        ADD(of, "{\"a\":{\"id\":\"k\\u00e9%d\"},\"n\":%d}\n", i % 17, i);
    save(&of, folder, "j.jsonl");

    for (int i = 0; i < 50; i++, of.used += sizeof number) {
        number = (uint64_t)i * 0x9e3779b97f4a7c15u;
        memcpy(of.bytes + of.used, &number, sizeof number);
    }
    save(&of, folder, "u.u64");

    for (int i = 0; i < 60; i++)
        ADD(of, "%d,w%d\n", i * 5, i % 13);
    save(&of, folder, "times.csv");

    ADD(of, "00112233445566778899aabbccddeeff\n");
    save(&of, folder, "secret");

    ADD(of, "what was here before\n");
    save(&of, folder, "old.txt");

    for (int i = 0; i < PEER_RECORDS; i++)
        ADD(of, "early%d\n", i % 19);
    save(&of, folder, PEER_GROWING);

    ADD(of, "0\t%d\thdfs://nn:8020/dir/file\n%d\t0\thdfs://nn:8020/dir/file\n", 100, 100);
    save(&of, folder, "splits");

    ADD(of, "word1\nnobody\nCOUNT word1\nTOP 2\nDISTINCT\n?TOP\nTOP two\n");
    save(&of, folder, "questions.txt");
}

void stock_make(server *with, const char *folder)
{
    char path[1024], name[64];

    make_data(folder);
    snprintf(path, sizeof path, "%s/spill", folder);
    if (mkdir(path, 0700) != 0)
        torture_die("%s: cannot make it", path);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        outcome     got;
        const char *words = strstr(steps[i], " < ");
        if (words != NULL)
            snprintf(name, sizeof name, "%.*s", (int)(words - steps[i]), steps[i]);
        server_run(with, words == NULL ? steps[i] : words + 3, NULL, folder, NULL, NULL, &got);
        if (got.code != 0)
            torture_die("ink %s: exit code %d: %s", steps[i], got.code, got.errors);
        if (words != NULL) {
            snprintf(path, sizeof path, "%s/%s", folder, name);
            file_write(path, got.output, got.output_bytes, 0644);
        }
        outcome_free(&got);
    }
}

void stock_take(const scenario *of, const char *stock, const char *folder)
{
    char words[2048], *rest = words;

    snprintf(words, sizeof words, "%s %s", of->words,
             of->input == NULL ? "" : of->input + (*of->input == '|'));
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (strchr(word, '/') == NULL)
            tree_copy(stock, folder, word);
}
