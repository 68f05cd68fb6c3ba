/* options.c - the options of all commands, in one table, and their names in messages. */
#include "options/options.h"

#include "inkling.h"
#include "options/kind_texts.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {"lines", "csv", "tsv", "nul", "jsonl", "u32", "u64", NULL};
static const char *const key_types[] = {"bytes", "int", NULL};
static const char *const rounds[] = {"half-even", "half-up", NULL};
static const char *const time_units[] = {"s", "ms", "us", "ns", NULL};
static const char *const bads[] = {"fail", "skip", NULL};
static const char *const estimators[] = {"default", "seed", NULL};
static const char *const counter_sizes[] = {"32", "64", NULL};

/* Whether a hash needs no secret for keys of this type. */
static bool is_hash_for(const char *name, ink_key_type type)
{
    ink_description plan;

    return ink_plan(
               &(ink_params){.kind = "classic", .expected_keys = 1, .hash = name, .key_type = type},
               &plan, NULL) == INK_OK;
}

/* The hashes, without the one that takes a secret: --secret selects it. */
static const char *hash_words(size_t index, const char **about)
{
    const char *name;

    if (about != NULL)
        *about = "";
    for (size_t i = 0; (name = ink_hash_name(i)) != NULL; i++)
        if ((is_hash_for(name, INK_KEY_BYTES) || is_hash_for(name, INK_KEY_INT)) && index-- == 0)
            break;
    return name;
}

/* Range of times, in microseconds: a millisecond to ten years. */
#define TIME_LEAST UINT64_C(1000)
#define TIME_MOST (3650 * UINT64_C(86400) * 1000000)

/* The value of an option, and its name in help. */
#define FLAG .value = VALUE_NONE
#define VALUE(type, shown) .value = VALUE_##type, .value_name = shown
#define RANGE(type, shown, least, most) VALUE(type, shown), .low = least, .high = most
#define CHOICE(shown, list) VALUE(CHOICE, shown), .choices = list
#define KIND_WORDS .words = kind_words

static const cli_option options[OPTION_LIMIT_] = {
#define OPTION(id, ...) [OPTION_##id] = {__VA_ARGS__},
#include "options/option_list.h"
#undef OPTION
};

const cli_option *option_of(option_id id)
{
    return &options[id];
}

const char *option_name(option_id id)
{
    static char names[2][32];
    static int  next;
    char       *name = names[next ^= 1];

    if (options[id].name != NULL)
        snprintf(name, sizeof names[0], "--%s", options[id].name);
    else
        snprintf(name, sizeof names[0], "-%c", options[id].letter);
    return name;
}

const char *option_word(const cli_option *option, size_t index)
{
    if (option->choices != NULL)
        return option->choices[index];
    return option->words == NULL ? NULL : option->words(index, NULL);
}

option_group option_group_of(option_id id)
{
    static const option_id nexts[GROUP_OUTPUT] = {OPTION_IN, OPTION_HASH, OPTION_KEYS,
                                                  OPTION_THREADS, OPTION_JSON};
    option_group           group = GROUP_OWN;

    while (group < GROUP_OUTPUT && id >= nexts[group])
        group++;
    return group;
}

const char *option_group_name(option_group group)
{
    static const char *const names[GROUP_LIMIT_] = {
        [GROUP_OWN] = "options", [GROUP_INPUT] = "input", [GROUP_HASH] = "hash",
        [GROUP_SIZE] = "size",   [GROUP_RUN] = "run",     [GROUP_OUTPUT] = "output",
    };

    return names[group];
}

const char *offer_about(const cli_offer *offer)
{
    return offer->about != NULL ? offer->about : options[offer->id].about;
}

const cli_offer *command_offer(const cli_command *command, option_id id)
{
    static const cli_offer help = {.id = OPTION_HELP};

    for (const cli_offer *o = command->offers; o->id != OPTION_END; o++)
        if (o->id == id)
            return o;
    return id == OPTION_HELP ? &help : NULL;
}

const cli_offer *command_offer_next(const cli_command *command, const cli_offer *before)
{
    const cli_offer *next = NULL;

    for (const cli_offer *o = command->offers; o->id != OPTION_END; o++)
        if ((before == NULL || o->id > before->id) && (next == NULL || o->id < next->id))
            next = o;
    return next;
}

/* Whether the library's messages may use an option's own name for its parameter. */
static bool is_parameter(option_id id)
{
    const cli_option *o = &options[id];
    option_group      group = option_group_of(id);

    return o->name != NULL && o->field == NULL &&
           (group == GROUP_SIZE || group == GROUP_HASH || o->value == VALUE_REAL);
}

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 &&
           (text[length] == '\0' || strchr(" ,:", text[length]) != NULL);
}

/* The option that is named at `at`, and the length of that name; OPTION_LIMIT_: none. `plain`:
 * names that are also plain words count. */
static option_id option_named(const char *at, bool plain, size_t *length)
{
    option_id id = OPTION_END + 1;

    for (; id < OPTION_LIMIT_; id++) {
        const cli_option *o = &options[id];
        bool by_field = o->field != NULL && strncmp(at, o->field, strlen(o->field)) == 0;
        if (!by_field && !(plain && is_parameter(id) && begins_with_word(at, o->name)))
            continue;
        *length = strlen(by_field ? o->field : o->name);
        break;
    }
    return id;
}

/* Whether a joining word stands before `at`. */
static bool is_joined(const char *message, const char *at)
{
    static const char *const joints[] = {" and ", " without ", " beside "};

    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        size_t length = strlen(joints[i]);
        if ((size_t)(at - message) >= length && strncmp(at - length, joints[i], length) == 0)
            return true;
    }
    return false;
}

void options_speak(char *text, size_t room, const char *message, bool usage)
{
    const char *at = message;
    bool        begun = false; /* the message begins with a parameter */
    size_t      used = 0, length = 0;

    while (*at != '\0' && used + 1 < room) {
        bool      plain = usage && (at == message || (begun && is_joined(message, at)));
        option_id id = option_named(at, plain, &length);
        if (id == OPTION_LIMIT_) {
            text[used++] = *at++;
            continue;
        }
        begun |= at == message;
        int wrote = snprintf(text + used, room - used, "%s", option_name(id));
        used += (size_t)wrote < room - used ? (size_t)wrote : room - used - 1;
        at += length;
    }
    text[used] = '\0';
}
