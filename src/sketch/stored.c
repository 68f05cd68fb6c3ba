/* stored.c - what bytes state of a sketch: its key rule and kind, written, and read with checks. */
#include "base/bits.h"
#include "base/status.h"
#include "sketch/sketch.h"

#include <string.h>

void ink__stored_put(uint8_t *to, const char *magic, uint16_t version, const ink__key_rule *rule,
                     const ink__kind *kind)
{
    memcpy(to, magic, INK__HEADER_VERSION);
    ink__store_u16(to + INK__HEADER_VERSION, version);
    ink__store_u16(to + INK__HEADER_KEY_TYPE, (uint16_t)rule->type);
    ink__store_u16(to + INK__HEADER_HASH, (uint16_t)rule->hash);
    ink__store_u64(to + INK__HEADER_SEED, rule->seed);
    ink__store_u64(to + INK__HEADER_CHECK, rule->check);
    ink__store_u16(to + INK__STORED_KIND_AT, kind->id);
    ink__store_u16(to + INK__STORED_KIND_AT + 2, kind->position_rules[rule->scheme]);
    ink__store_u16(to + INK__STORED_KIND_AT + 4, kind->layout);
}

ink__stored_kind ink__stored_numbers(const uint8_t *bytes)
{
    return (ink__stored_kind){ink__load_u16(bytes + INK__STORED_KIND_AT),
                              ink__load_u16(bytes + INK__STORED_KIND_AT + 2),
                              ink__load_u16(bytes + INK__STORED_KIND_AT + 4)};
}

ink_status ink__stored_placed(ink_status status, uint64_t field_at, uint64_t payload_at,
                              ink_error *error)
{
    if (status == INK_OK || error == NULL)
        return status;
    error->at = error->location == INK__AT_FIELD ? field_at : payload_at + error->at;
    error->location = INK_AT_BYTE;
    return status;
}

ink_status ink__stored_rule(const ink__identity *keys, ink__key_rule *rule, ink_error *error)
{
    static const unsigned location_of[] = {
        [INK__RULE_TYPE] = INK__HEADER_KEY_TYPE,
        [INK__RULE_HASH] = INK__HEADER_HASH,
        [INK__RULE_SEED] = INK__HEADER_SEED,
        [INK__RULE_CHECK] = INK__HEADER_CHECK,
    };
    ink_status status =
        ink__rule_read(rule, keys->key_type, keys->hash, keys->seed, keys->check, error);

    return status == INK_OK ? INK_OK : ink__stored_placed(status, location_of[error->at], 0, error);
}

/* Whether some kind has this position rule. */
static bool is_known_rule(unsigned rule)
{
    for (const ink__kind *const *kind = ink__kinds; *kind != NULL; kind++)
        for (size_t i = 0; i < sizeof(*kind)->position_rules / sizeof *(*kind)->position_rules; i++)
            if ((*kind)->position_rules[i] == rule)
                return true;
    return false;
}

ink_status ink__stored_kind_of(const ink__stored_kind *numbers, uint64_t at, ink__key_rule *rule,
                               const ink__kind **kind, ink_error *error)
{
    const ink__kind *found = ink__kind_of_id(numbers->kind);
    const char      *hash = ink__rule_hash_name(rule);

    rule->scheme = ink__hash_scheme_of(numbers->position_rule);
    if (found == NULL)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "kind %u is unknown: a newer library is needed", numbers->kind);
    if (numbers->position_rule != 0 && !is_known_rule(numbers->position_rule))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 2,
                         "position rule %u is unknown: a newer library is needed",
                         numbers->position_rule);
    if (found->position_rules[rule->scheme] != numbers->position_rule ||
        !ink__rule_has_scheme(rule))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 2,
                         "position rule %u does not go with kind %s and hash %s of %s keys, seed "
                         "%llu",
                         numbers->position_rule, found->name, hash,
                         rule->type == INK_KEY_INT ? "int" : "bytes",
                         (unsigned long long)rule->seed);
    if (numbers->layout == 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 4, "layout 0 of kind %s, expected %u",
                         found->name, found->layout);
    if (numbers->layout != found->layout)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 4,
                         "layout %u of kind %s is unknown: a newer library is needed",
                         numbers->layout, found->name);
    *kind = found;
    return INK_OK;
}
