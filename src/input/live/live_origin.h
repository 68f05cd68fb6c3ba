/* live_origin.h - what the origins of arrivals share: how long they wait, when they are to end, and
 * what they tell. */
#ifndef INK_INPUT_LIVE_LIVE_ORIGIN_H
#define INK_INPUT_LIVE_LIVE_ORIGIN_H

#include "input/live/live_source.h"

/* Nobody waits for longer than this without asking whether to stop, in milliseconds. */
enum { INK__ARRIVING_PAUSE = 100 };

/* Whether to end as if the data had ended. */
static inline bool ink__arriving_stops(const ink__arrivals_rule *rule)
{
    return rule->stop != NULL && rule->stop(rule->host);
}

/* How many milliseconds to wait: at most `most`, and not beyond `until`; 0 if that is over. */
int ink__arriving_milliseconds(uint64_t until, int most);

/* Tells what has happened: "ADDRESS: words". */
void ink__arriving_tell(const ink__arrivals_rule *rule, const char *address, const char *format,
                        ...) INK__PRINTF(3, 4);

/* Begins an arrival, without bytes, in the memory of the one before. */
void ink__arriving_begin(ink__arrival *arrival, size_t address, bool first);

/* The check of a place that these bytes stand before. */
uint64_t ink__place_check(const uint8_t *bytes, uint64_t count);

#endif
