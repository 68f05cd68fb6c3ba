/* uses_delivery.c - informed content delivery: a peer says by a filter which packets it has, and
 * gets those that it lacks; and which peer is worth asking, by sketches of how many there are.
 */
#include "experiments/uses_parts.h"

/* A packet with its content, and its number alone. */
enum { PACKET_BYTES = 1000, NUMBER_BYTES = 8 };

static const double rates[] = {0.1, 0.01, 0.001};
enum { RATES = sizeof rates / sizeof *rates };

/* The peers that A could ask: the share of their packets that A has already, in percent. */
static const struct {
    const char *name, *file;
    unsigned    known;
} peers[] = {{"B", "b", 50}, {"C", "c", 95}, {"D", "d", 10}};
enum { PEERS = sizeof peers / sizeof *peers };

typedef struct delivery {
    uint64_t packets; /* that each peer has */
    uint64_t useful;  /* of B's packets, those that A lacks */
    size_t   filter[RATES];
    uint64_t sent[RATES], arrived[RATES]; /* packets, and those of them that A lacked */
    double   lacks[PEERS], lacks_estimate[PEERS];
    size_t   hll_bytes[PEERS];
} delivery;

/* The packets of a peer: they begin so far after A's that they share what is to be known. */
static lab_data packets_of(const delivery *found, const lab_data *all, unsigned known)
{
    lab_data rest = lab_tail(all, found->packets - found->packets * known / 100);

    return lab_head(&rest, found->packets);
}

static uint64_t new_ones(const exact *have, const lab_data *lines)
{
    text_line line;
    uint64_t  count = 0;

    for (size_t at = 0; next_line(lines, &at, &line);)
        count += exact_count(have, line) == 0;
    return count;
}

static void deliver(lab *bench, const lab_data *mine, const lab_data *others, delivery *found)
{
    exact have = exact_of(bench, mine);

    found->useful = new_ones(&have, others);
    for (unsigned i = 0; i < RATES && bench->status == INK_OK; i++) {
        const ink_params params = {.kind = "bloom", .false_positive_rate = rates[i]};
        message          filter = message_of(bench, mine, &(ink_reading){0}, &params);
        lab_data         sent = message_filter(bench, &filter, others, true);
        found->filter[i] = filter.count;
        found->sent[i] = lab_lines(&sent);
        found->arrived[i] = new_ones(&have, &sent);
        message_free(&filter);
        lab_data_free(&sent);
    }
    exact_free(&have);
}

static void choose_peer(lab *bench, const lab_data *all, const lab_data *mine, delivery *found)
{
    const ink_params params = {.kind = "hll"};
    ink_sketch      *own = lab_build(bench, mine, &params);
    exact            have = exact_of(bench, mine);

    for (unsigned i = 0; i < PEERS && bench->status == INK_OK; i++) {
        lab_data    theirs = packets_of(found, all, peers[i].known);
        ink_sketch *sketch = lab_build(bench, &theirs, &params);
        message     file = message_of(bench, &theirs, &(ink_reading){0}, &params);
        found->hll_bytes[i] = file.count;
        found->lacks[i] = (double)new_ones(&have, &theirs);
        found->lacks_estimate[i] = together(bench, own, sketch) - together(bench, own, own);
        message_free(&file);
        ink_sketch_free(sketch);
    }
    exact_free(&have);
    ink_sketch_free(own);
}

static void report_row(findings *all, double reported, uint64_t sent, uint64_t arrived,
                       uint64_t useful)
{
    found_number(all, reported);
    found_number(all, (double)sent);
    found_number(all, (double)arrived);
    found_number(all, (double)(sent - arrived));
    found_number(all, (double)(useful - arrived));
    found_number(all, (reported + (double)(PACKET_BYTES * sent)) / 1e6);
}

static void report_delivery(findings *all, const delivery *found)
{
    found_table(all, "delivery", "What A sends B, and what B sends back");
    found_column(all, "A sends", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "bytes from A", "", FOUND_HERE, 0);
    found_column(all, "packets from B", "", FOUND_HERE, 0);
    found_column(all, "new to A", "", FOUND_HERE, 0);
    found_column(all, "sent in vain", "", FOUND_HERE, 0);
    found_column(all, "kept back wrongly", "", FOUND_HERE, 0);
    found_column(all, "sent in all", "MB", FOUND_HERE, 2);
    found_word(all, "nothing");
    report_row(all, 0, found->packets, found->useful, found->useful);
    found_word(all, "its list");
    report_row(all, NUMBER_BYTES * (double)found->packets, found->useful, found->useful,
               found->useful);
    for (unsigned i = 0; i < RATES; i++) {
        found_word(all, "a filter, p = %g", rates[i]);
        report_row(all, (double)found->filter[i], found->sent[i], found->arrived[i], found->useful);
    }
}

static void report_meaning(findings *all, const delivery *found)
{
    uint64_t vain = 0;

    for (unsigned i = 0; i < RATES; i++)
        vain += found->sent[i] - found->arrived[i];
    found_text(all,
               "%s A false positive makes B keep back a packet that A could use: %.2f %% of the "
               "useful ones at p = %g. Since any packet of the redundant encoding is as good as "
               "another, A takes a few more from another peer. The filter of p = %g takes %.0f "
               "%% of the bytes of the list.",
               vain == 0 ? "With a filter no packet is sent in vain: what A has is never taken "
                           "for missing."
                         : "Packets were sent in vain in spite of a filter, which must not be.",
               100 * (double)(found->useful - found->arrived[1]) / (double)found->useful, rates[1],
               rates[1], 100 * (double)found->filter[1] / (NUMBER_BYTES * (double)found->packets));
}

static void report_peers(findings *all, const delivery *found)
{
    found_text(
        all,
        "Which peer should A ask? The lecture names min-wise samples for it. An `hll`, "
        "which counts distinct keys, shows it too: of each peer\u2019s packets, and of A\u2019s "
        "and the peer\u2019s together. The difference to A\u2019s own number is what the peer "
        "has that A lacks.");
    found_command(all, "ink build hll --force -o a.hll a.txt; ink distinct a.hll");
    found_command(all, "for peer in b c d; do\n"
                       "  ink build hll --force -o $peer.hll $peer.txt; wc -c < $peer.hll\n"
                       "  ink distinct a.hll $peer.hll\n"
                       "  awk 'NR == FNR {mine[$0]; next} !($0 in mine)' a.txt $peer.txt | wc -l\n"
                       "done");
    found_table(all, "peers", "Packets of a peer that A lacks");
    found_column(all, "peer", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "truly", "packets", FOUND_HERE, 0);
    found_column(all, "by two `hll`", "packets", FOUND_HERE, 0);
    found_column(all, "bytes of its `hll`", "", FOUND_HERE, 0);
    for (unsigned i = 0; i < PEERS; i++) {
        found_word(all, "%s", peers[i].name);
        found_number(all, found->lacks[i]);
        found_number(all, found->lacks_estimate[i]);
        found_number(all, (double)found->hll_bytes[i]);
    }
}

static void report_choice(findings *all, const delivery *found)
{
    unsigned best = 0, truly = 0;

    for (unsigned i = 0; i < PEERS; i++) {
        best = found->lacks_estimate[i] > found->lacks_estimate[best] ? i : best;
        truly = found->lacks[i] > found->lacks[truly] ? i : truly;
    }
    found_text(all, "The sketches say %s, and %s is the peer that has most for A.",
               peers[best].name, best == truly ? "that" : peers[truly].name);
}

static void report_commands(findings *all, const delivery *found)
{
    unsigned long long packets = found->packets;

    found_command(all,
                  "ink gen u64 -n %llu --seed 4 --force -o packets.txt\n"
                  "head -n %llu packets.txt > a.txt",
                  2 * packets, packets);
    for (unsigned i = 0; i < PEERS; i++)
        found_command(all, "tail -n +%llu packets.txt | head -n %llu > %s.txt",
                      packets - packets * peers[i].known / 100 + 1, packets, peers[i].file);
    found_command(all, "for p in 0.1 0.01 0.001; do\n"
                       "  ink build bloom -p $p --force -o a.ink a.txt; wc -c < a.ink\n"
                       "  ink filter -v a.ink b.txt > sent.txt; wc -l < sent.txt\n"
                       "  awk 'NR == FNR {mine[$0]; next} !($0 in mine)' a.txt sent.txt | wc -l\n"
                       "done");
}

void uses_delivery(lab *bench)
{
    findings *all = bench->found;
    delivery  found = {.packets = lab_size(bench, 100000, 20000)};

    if (!lab_step(bench, 0.4, "packets that a peer lacks"))
        return;
    found_part(all, "delivery", "Send me what I lack");
    found_text(
        all,
        "Large content is sent as redundantly encoded packets: a peer needs many different "
        "ones, but no particular ones. A sends B a filter of the packets that it has; B "
        "sends those that are certainly not in it. Here A and B have %llu packets of %d "
        "bytes each, and A has %u %% of B\u2019s already; a list has %d bytes for each packet.",
        (unsigned long long)found.packets, PACKET_BYTES, peers[0].known, NUMBER_BYTES);
    report_commands(all, &found);
    lab_data packets = lab_generate(bench, "u64", 2 * found.packets, 4);
    lab_data mine = lab_head(&packets, found.packets);
    lab_data others = packets_of(&found, &packets, peers[0].known);
    deliver(bench, &mine, &others, &found);
    choose_peer(bench, &packets, &mine, &found);
    lab_data_free(&packets);
    if (bench->status != INK_OK)
        return;
    report_delivery(all, &found);
    report_meaning(all, &found);
    report_peers(all, &found);
    report_choice(all, &found);
}
