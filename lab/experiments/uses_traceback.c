/* uses_traceback.c - hash-based IP traceback: each router of a small network keeps a filter of the
 * packets that it has seen, and the path of an attack packet is found back from its victim. */
#include "experiments/uses_parts.h"

/* The network is a tree in which router r has the neighbours r / 2, 2 r and 2 r + 1; the last
 * LEAVES of its routers are where senders and receivers are. */
enum { LEAVES = 64, ROUTERS = 2 * LEAVES - 1, VICTIM = LEAVES };

static const double rates[] = {0.1, 0.01, 0.001};
enum { RATES = sizeof rates / sizeof *rates };

typedef struct traceback {
    uint64_t packets, hops, traced;
    size_t   bytes[RATES]; /* of the file of all filters */
    struct {
        uint64_t asked, wrong; /* routers; those that said yes and never saw the packet */
        uint64_t clear;        /* packets whose path was found without any wrong turn */
        uint64_t lost;         /* routers on the path that did not say yes */
    } walks[RATES];
} traceback;

/* ---- The network and its packets ---------------------------------------------------------- */

/* The routers on the way from one to another: marked, and how many there are. */
static unsigned mark_path(unsigned from, unsigned to, bool *on_path)
{
    unsigned count = 1;

    for (; from != to; count++)
        if (from > to) {
            on_path[from] = true;
            from /= 2;
        } else {
            on_path[to] = true;
            to /= 2;
        }
    on_path[from] = true;
    return count;
}

/* Lines of receiver, packet and sender. Digits of the packet say who they are. */
static lab_data make_packets(lab *bench, uint64_t count)
{
    lab_data  numbers = lab_generate(bench, "u64", count, 5), packets = {0};
    text_line line;

    for (size_t at = 0; next_line(&numbers, &at, &line);)
        lab_add_line(bench, &packets, "%llu\t%.*s\t%llu",
                     LEAVES + (unsigned long long)line_number(line_part(line, 7, 4)) % LEAVES,
                     (int)line.bytes, line.text,
                     LEAVES + (unsigned long long)line_number(line_part(line, 3, 4)) % LEAVES);
    lab_data_free(&numbers);
    return packets;
}

/* Lines of a router and a packet that it has seen. */
static lab_data forward(lab *bench, const lab_data *packets)
{
    lab_data  hops = {0};
    text_line line;

    for (size_t at = 0; next_line(packets, &at, &line);) {
        text_line packet = line_field(line, '\t', 1);
        unsigned  a = (unsigned)line_number(line_field(line, '\t', 2));
        unsigned  b = (unsigned)line_number(line);
        for (; a != b; *(a > b ? &a : &b) /= 2)
            lab_add_line(bench, &hops, "%u\t%.*s", a > b ? a : b, (int)packet.bytes, packet.text);
        lab_add_line(bench, &hops, "%u\t%.*s", a, (int)packet.bytes, packet.text);
    }
    return hops;
}

/* The packets that the victim has received. */
static lab_data attack_of(lab *bench, const lab_data *packets)
{
    lab_data  attack = {0};
    text_line line;

    for (size_t at = 0; next_line(packets, &at, &line);)
        if (line_number(line) == VICTIM)
            lab_add_line(bench, &attack, "%.*s", (int)line.bytes, line.text);
    return attack;
}

/* ---- The way back ------------------------------------------------------------------------- */

/* From the victim's router to each neighbour that says yes, and from there on. Marks who was
 * reached; the number of routers asked. */
static uint64_t walk_back(const bool *says_yes, bool *reached)
{
    unsigned queue[ROUTERS + 1], first = 0, last = 1;
    bool     known[ROUTERS + 1] = {[VICTIM] = true};
    uint64_t asked = 0;

    queue[0] = VICTIM;
    reached[VICTIM] = true;
    while (first < last) {
        const unsigned router = queue[first++];
        const unsigned neighbours[] = {router / 2, 2 * router, 2 * router + 1};
        for (unsigned i = 0; i < 3; i++) {
            unsigned next = neighbours[i];
            if (next < 1 || next > ROUTERS || known[next])
                continue;
            known[next] = true;
            asked++;
            if (says_yes[next]) {
                reached[next] = true;
                queue[last++] = next;
            }
        }
    }
    return asked;
}

/* A line of the filter's output: receiver, packet, sender and the routers that say yes. */
static void trace(text_line line, traceback *found, unsigned rate)
{
    bool      says_yes[ROUTERS + 1] = {false}, on_path[ROUTERS + 1] = {false};
    bool      reached[ROUTERS + 1] = {false};
    text_line routers = line_field(line, '\t', 3), router;
    uint64_t  wrong = 0, path, on = 0;

    for (unsigned i = 0; (router = line_field(routers, ',', i)).bytes > 0; i++)
        says_yes[line_number(router) <= ROUTERS ? line_number(router) : 0] = true;
    found->walks[rate].asked += walk_back(says_yes, reached);
    path = mark_path((unsigned)line_number(line_field(line, '\t', 2)), VICTIM, on_path);
    for (unsigned i = 1; i <= ROUTERS; i++) {
        wrong += reached[i] && !on_path[i];
        on += reached[i] && on_path[i];
    }
    found->walks[rate].wrong += wrong;
    found->walks[rate].clear += wrong == 0;
    found->walks[rate].lost += path - on;
}

static void trace_all(lab *bench, traceback *found)
{
    static const char *const key[] = {"2"};
    const ink_reading reading = {.form = INK_FORM_TSV, .key = key, .key_count = 1, .by = "1"};
    lab_data          packets = make_packets(bench, found->packets);
    lab_data          hops = forward(bench, &packets), attack = attack_of(bench, &packets);
    text_line         line;

    found->hops = lab_lines(&hops);
    found->traced = lab_lines(&attack);
    for (unsigned i = 0; i < RATES && bench->status == INK_OK; i++) {
        const ink_params params = {.kind = "bloom", .false_positive_rate = rates[i]};
        message          routers = message_of(bench, &hops, &reading, &params);
        lab_data         answers = message_filter(bench, &routers, &attack, false);
        found->bytes[i] = routers.count;
        for (size_t at = 0; next_line(&answers, &at, &line);)
            trace(line, found, i);
        lab_data_free(&answers);
        message_free(&routers);
    }
    lab_data_free(&attack);
    lab_data_free(&hops);
    lab_data_free(&packets);
}

/* ---- What it means ------------------------------------------------------------------------ */

static void report_table(findings *all, const traceback *found)
{
    const double traced = (double)found->traced;

    found_table(all, "walks", "The way back to the sender of each attack packet");
    found_column(all, "rate of the filters", "", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "all filters", "bytes", FOUND_HERE, 0);
    found_column(all, "routers asked", "a packet", FOUND_HERE, 2);
    found_column(all, "wrong turns", "in all", FOUND_HERE, 0);
    found_column(all, "wrong turns", "a packet", FOUND_HERE, 4);
    found_column(all, "paths without one", "%", FOUND_HERE, 1);
    found_column(all, "true routers missed", "", FOUND_HERE, 0);
    for (unsigned i = 0; i < RATES; i++) {
        found_number(all, rates[i]);
        found_number(all, (double)found->bytes[i]);
        found_number(all, (double)found->walks[i].asked / traced);
        found_number(all, (double)found->walks[i].wrong);
        found_number(all, (double)found->walks[i].wrong / traced);
        found_number(all, 100 * (double)found->walks[i].clear / traced);
        found_number(all, (double)found->walks[i].lost);
    }
}

static void report_meaning(findings *all, const traceback *found)
{
    uint64_t lost = 0;

    for (unsigned i = 0; i < RATES; i++)
        lost += found->walks[i].lost;
    found_text(all,
               "%s A false positive is a wrong turn: some more routers are asked, and at p = %g "
               "%.1f %% of the paths have one at least, at p = %g %.1f %%. Lists of all packets "
               "seen, 8 bytes for each, would take %.0f bytes in all routers together, %.1f times "
               "as much as the filters of p = %g.",
               lost == 0 ? "The true path was found each time."
                         : "Parts of true paths were not found, which must not be.",
               rates[0], 100 - 100 * (double)found->walks[0].clear / (double)found->traced,
               rates[1], 100 - 100 * (double)found->walks[1].clear / (double)found->traced,
               8 * (double)found->hops, 8 * (double)found->hops / (double)found->bytes[1],
               rates[1]);
}

static void report_commands(findings *all, const traceback *found)
{
    found_command(
        all,
        "ink gen u64 -n %llu --seed 5 | awk '{print (%d + substr($0, 8, 4) %% %d) \"\\t\" $0 \\\n"
        "  \"\\t\" (%d + substr($0, 4, 4) %% %d)}' > sent.tsv",
        (unsigned long long)found->packets, LEAVES, LEAVES, LEAVES, LEAVES);
    found_command(all, "awk '{a = $3; b = $1\n"
                       "  while (a != b) if (a > b) {print a \"\\t\" $2; a = int(a / 2)}\n"
                       "    else {print b \"\\t\" $2; b = int(b / 2)}\n"
                       "  print a \"\\t\" $2}' sent.tsv > hops.tsv");
    found_command(all, "awk '$1 == %d' sent.tsv > attack.tsv", VICTIM);
    found_command(
        all,
        "cat > walk.awk <<'end'\n"
        "{\n"
        "  split(\"\", yes); n = split($4, list, \",\"); for (i = 1; i <= n; i++) yes[list[i]]\n"
        "  split(\"\", path); a = $3; b = $1; path[$1]; path[$3]\n"
        "  while (a != b) {if (a > b) a = int(a / 2); else b = int(b / 2); path[a]; path[b]}\n"
        "  for (r in path) lost += !(r in yes)\n"
        "  split(\"\", known); known[$1]; queue[1] = $1; last = 1; before = wrong\n"
        "  for (first = 1; first <= last; first++) {\n"
        "    r = queue[first]; wrong += !(r in path)\n"
        "    to[1] = int(r / 2); to[2] = 2 * r; to[3] = 2 * r + 1\n"
        "    for (i = 1; i <= 3; i++) {\n"
        "      q = to[i]; if (q < 1 || q > %d || q in known) continue\n"
        "      known[q]; asked++; if (q in yes) queue[++last] = q\n"
        "    }\n"
        "  }\n"
        "  clear += wrong == before\n"
        "}\n"
        "END {print asked / NR, wrong, wrong / NR, 100 * clear / NR, lost}\n"
        "end",
        ROUTERS);
    found_command(all, "for p in 0.1 0.01 0.001; do\n"
                       "  ink build bloom -p $p --by 1 --key 2 --force -o routers.ink hops.tsv; wc "
                       "-c < routers.ink\n"
                       "  ink filter routers.ink attack.tsv | awk -F'\\t' -f walk.awk\n"
                       "done");
}

void uses_traceback(lab *bench)
{
    findings *all = bench->found;
    traceback found = {.packets = lab_size(bench, 200000, 20000)};

    if (!lab_step(bench, 0.45, "the way back of packets"))
        return;
    found_part(all, "traceback", "Where did this packet come from?");
    found_text(
        all,
        "The sender\u2019s address in an attack packet can be forged. If each router keeps a "
        "filter of the packets that it has seen lately, the path is found back from the "
        "victim: ask the neighbours of its router, go on from those that say yes. Here are "
        "%d routers in a tree, %d of them at its edge, and %llu packets from edge to edge; "
        "each that router %d receives is traced. The lines are receiver, packet, sender; "
        "one file holds the filters of all routers.",
        ROUTERS, LEAVES, (unsigned long long)found.packets, VICTIM);
    report_commands(all, &found);
    trace_all(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_table(all, &found);
    report_meaning(all, &found);
}
