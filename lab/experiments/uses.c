/* uses.c - the experiments of a lecture on Bloom filters and the Count-Min sketch (document 002):
 * what filters and counts are good for, in small scenarios. */
#include "experiments/uses_parts.h"

static void run(lab *bench)
{
    void (*const parts[])(lab *) = {
        uses_space,     uses_spelling, uses_keywords, uses_delivery, uses_traceback,
        uses_multicast, uses_errors,   uses_heavy,    uses_phrases,
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts && bench->status == INK_OK; i++)
        parts[i](bench);
}

const experiment experiment_uses = {
    .id = "002",
    .title = "What filters and counts are used for",
    .source =
        "\u201cLecture 10: Bloom\u2019s Filter & Count-Min Sketch\u201d, slides by Wilson Rivera",
    .about =
        "A lecture: what a Bloom filter costs, a spell checker in 25 kB, peers that find common "
        "documents or missing packets, routers that remember packets and multicast addresses, and "
        "the Count-Min sketch for counts, heavy hitters and phrases. It has published formulas "
        "and a few sizes; the scenarios are small ones of ours that do what it describes.",
    .share = 20,
    .run = run,
};
