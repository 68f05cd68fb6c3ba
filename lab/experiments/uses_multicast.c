/* uses_multicast.c - multicast forwarding: a router keeps a filter for each interface, of the
 * addresses that are listened to behind it, instead of a list of interfaces for each address.
 */
#include "experiments/uses_parts.h"

#include <stdio.h>
#include <string.h>

/* Address number i is listened to behind interfaces i, i + 3 and i + 6 modulo INTERFACES, or the
 * first one or two of these. */
enum { INTERFACES = 8, STEP = 3, LISTENERS_MOST = 3, ADDRESS_BYTES = 4 };

static const double rates[] = {0.1, 0.01, 0.001};
enum { RATES = sizeof rates / sizeof *rates };

typedef struct multicast {
    uint64_t drawn;     /* addresses, of which some are equal */
    uint64_t addresses; /* that are listened to */
    uint64_t packets;   /* one for each different address, also where no one listens */
    uint64_t routes;    /* pairs of an interface and an address */
    size_t   bytes[RATES];
    uint64_t right[RATES], vain[RATES]; /* packets forwarded */
} multicast;

static unsigned interface_of(uint64_t address, unsigned listener)
{
    return (unsigned)((address + STEP * listener) % INTERFACES);
}

static void list_interfaces(uint64_t number, char *list, size_t bytes)
{
    size_t used = 0;

    for (unsigned j = 0; j <= number % LISTENERS_MOST; j++)
        used += (size_t)snprintf(list + used, bytes - used, "%s%u", j == 0 ? "" : ",",
                                 interface_of(number, j));
}

/* Lines of the interfaces and an address; a minus sign where no one listens. Routes are lines of
 * one interface and an address. Addresses that were drawn twice count once. */
static lab_data make_packets(lab *bench, multicast *found, lab_data *routes)
{
    lab_data addresses = lab_generate(bench, "ip", found->drawn, 6);
    lab_data packets = {0};
    exact    different = exact_of(bench, &addresses);

    for (uint64_t number = 1; number <= different.count; number++) {
        text_line address = different.entries[number - 1].key;
        char      list[32] = "-";
        if (number <= found->addresses) {
            list_interfaces(number, list, sizeof list);
            for (unsigned j = 0; j <= number % LISTENERS_MOST; j++)
                lab_add_line(bench, routes, "%u\t%.*s", interface_of(number, j), (int)address.bytes,
                             address.text);
        }
        lab_add_line(bench, &packets, "%s\t%.*s", list, (int)address.bytes, address.text);
    }
    found->packets = different.count;
    found->routes = lab_lines(routes);
    exact_free(&different);
    lab_data_free(&addresses);
    return packets;
}

static bool is_listed(text_line list, text_line wanted)
{
    text_line one;

    for (unsigned i = 0; (one = line_field(list, ',', i)).bytes > 0; i++)
        if (one.bytes == wanted.bytes && memcmp(one.text, wanted.text, one.bytes) == 0)
            return true;
    return false;
}

/* A line of the filter's output: interfaces that it belongs to, address, and those it goes to. */
static void forward(text_line line, uint64_t *right, uint64_t *vain)
{
    text_line to = line_field(line, '\t', 2), one;

    for (unsigned i = 0; (one = line_field(to, ',', i)).bytes > 0; i++)
        ++*(is_listed(line_field(line, '\t', 0), one) ? right : vain);
}

static void forward_all(lab *bench, multicast *found)
{
    static const char *const key[] = {"2"};
    const ink_reading reading = {.form = INK_FORM_TSV, .key = key, .key_count = 1, .by = "1"};
    lab_data          routes = {0}, packets = make_packets(bench, found, &routes);
    text_line         line;

    for (unsigned i = 0; i < RATES && bench->status == INK_OK; i++) {
        const ink_params params = {.kind = "bloom", .false_positive_rate = rates[i]};
        message          interfaces = message_of(bench, &routes, &reading, &params);
        lab_data         forwarded = message_filter(bench, &interfaces, &packets, false);
        found->bytes[i] = interfaces.count;
        for (size_t at = 0; next_line(&forwarded, &at, &line);)
            forward(line, &found->right[i], &found->vain[i]);
        lab_data_free(&forwarded);
        message_free(&interfaces);
    }
    lab_data_free(&packets);
    lab_data_free(&routes);
}

/* Pairs of a packet and an interface that it should not go out by. */
static double not_to_go(const multicast *found)
{
    return (double)(found->packets * INTERFACES - found->routes);
}

static void report_table(findings *all, const multicast *found)
{
    const double others = not_to_go(found);

    found_table(all, "forwarded", "Packets that go out by an interface");
    found_column(all, "rate of the filters", "", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "all filters", "bytes", FOUND_HERE, 0);
    found_column(all, "forwarded rightly", "", FOUND_HERE, 0);
    found_column(all, "missed", "", FOUND_HERE, 0);
    found_column(all, "forwarded in vain", "", FOUND_HERE, 0);
    found_column(all, "of what should not go", "%", FOUND_HERE, 3);
    for (unsigned i = 0; i < RATES; i++) {
        found_number(all, rates[i]);
        found_number(all, (double)found->bytes[i]);
        found_number(all, (double)found->right[i]);
        found_number(all, (double)(found->routes - found->right[i]));
        found_number(all, (double)found->vain[i]);
        found_number(all, 100 * (double)found->vain[i] / others);
    }
}

static void report_meaning(findings *all, const multicast *found)
{
    /* An address and a bit for each interface. */
    const double list = (double)found->addresses * (ADDRESS_BYTES + INTERFACES / 8.0);
    uint64_t     missed = 0;

    for (unsigned i = 0; i < RATES; i++)
        missed += found->routes - found->right[i];
    found_text(all,
               "%s With p = %g one in %.0f packets that should not go out by an interface does, "
               "which costs a transmission. A table with %d bytes of address and a bit for each "
               "interface takes %.0f bytes at least, and the filters of p = %g %.0f %% of that; "
               "with longer addresses the table grows and the filters do not.",
               missed == 0 ? "No packet that a listener waits for is missed."
                           : "Packets were missed, which must not be.",
               rates[1], not_to_go(found) / (double)(found->vain[1] > 0 ? found->vain[1] : 1),
               ADDRESS_BYTES, list, rates[1], 100 * (double)found->bytes[1] / list);
}

static void report_commands(findings *all, const multicast *found)
{
    found_command(
        all,
        "ink gen ip -n %llu --seed 6 | awk '$0 in seen {next} {seen[$0]; n++}\n"
        "  n > %llu {print \"-\\t\" $0; next} {list = \"\"\n"
        "  for (j = 0; j <= n %% %d; j++) list = list (j ? \",\" : \"\") (n + %d * j) %% %d\n"
        "  print list \"\\t\" $0}' > datagrams.tsv",
        (unsigned long long)found->drawn, (unsigned long long)found->addresses, LISTENERS_MOST,
        STEP, INTERFACES);
    found_command(all, "awk '$1 != \"-\" {n = split($1, to, \",\"); for (i = 1; i <= n; i++) print "
                       "to[i] \"\\t\" $2}' \\\n"
                       "  datagrams.tsv > routes.tsv; wc -l < routes.tsv");
    found_command(
        all, "for p in 0.1 0.01 0.001; do\n"
             "  ink build bloom -p $p --by 1 --key 2 --force -o interfaces.ink routes.tsv; wc -c < "
             "interfaces.ink\n"
             "  ink filter interfaces.ink datagrams.tsv | awk -F'\\t' '{n = split($3, to, \",\")\n"
             "    for (i = 1; i <= n; i++) if (index(\",\" $1 \",\", \",\" to[i] \",\")) right++; "
             "else vain++}\n"
             "    END {print right, vain}'\n"
             "done");
}

void uses_multicast(lab *bench)
{
    findings *all = bench->found;
    uint64_t  addresses = lab_size(bench, 100000, 20000);
    multicast found = {.drawn = 2 * addresses, .addresses = addresses};

    if (!lab_step(bench, 0.55, "multicast forwarding"))
        return;
    found_part(all, "multicast", "Which interfaces does this packet go to?");
    found_text(
        all,
        "For multicast a router usually keeps a list of interfaces for each address. "
        "Instead it can keep a filter of addresses for each interface, and look into all of "
        "them. Here are %d interfaces and %llu addresses that are listened to behind one, "
        "two or three of these; one packet comes for each of them, and as many for addresses "
        "that no one behind this router listens to.",
        INTERFACES, (unsigned long long)found.addresses);
    report_commands(all, &found);
    forward_all(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_table(all, &found);
    report_meaning(all, &found);
}
