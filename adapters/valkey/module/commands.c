/* commands.c - registers commands with their key positions, categories and documentation. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 16, TEXT_MAX = 256 };

/* Categories of access control, by what a command's name begins with. */
static const struct {
    const char *prefix, *category;
} families[] = {
    {"ink.", "ink"}, {"bf.", "bloom"}, {"cms.", "cms"}, {"topk.", "topk"}, {"cf.", "cuckoo"}};

enum { FAMILY_COUNT = sizeof families / sizeof *families };

int commands_categories(RM_Ctx *ctx)
{
    if (RM_AddACLCategory == NULL)
        return RM_OK;
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (RM_AddACLCategory(ctx, families[i].category) != RM_OK)
            return RM_ERR;
    return RM_OK;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* The arguments of one command while it is registered; the server copies them. */
typedef struct documented {
    RM_Argument list[ARGUMENTS_MAX + 1], parts[ARGUMENTS_MAX][3];
    char        text[TEXT_MAX];
    int         count;
} documented;

static bool is_token(const char *word)
{
    return word[0] >= 'A' && word[0] <= 'Z';
}

static void describe_word(RM_Argument *to, char *word)
{
    const size_t length = strlen(word);

    *to = (RM_Argument){.name = word, .key_spec = -1};
    if (length > 3 && strcmp(word + length - 3, "...") == 0) {
        word[length - 3] = 0;
        to->flags |= RM_ARG_MULTIPLE;
    }
    if (is_token(word)) {
        to->type = RM_ARG_TOKEN;
        to->token = word;
    } else if (strcmp(word, "key") == 0 || strcmp(word, "source") == 0) {
        to->type = RM_ARG_KEY;
        to->key_spec = 0;
    } else {
        to->type = RM_ARG_STRING;
    }
}

/* One word, or the words between [ and ]: one, or a token and a value. */
static void describe_argument(documented *d, char *words, bool optional)
{
    RM_Argument *to = &d->list[d->count], *parts = d->parts[d->count];
    char        *more = strchr(words, ' ');

    d->count++;
    if (more != NULL)
        *more++ = 0;
    describe_word(to, words);
    if (more != NULL && is_token(words)) {
        describe_word(to, more);
        to->token = words;
    } else if (more != NULL) {
        describe_word(&parts[0], words);
        describe_word(&parts[1], more);
        *to = (RM_Argument){.name = words, .type = RM_ARG_BLOCK, .key_spec = -1, .parts = parts};
        to->flags = parts[1].flags;
        parts[1].flags = 0;
    }
    if (optional)
        to->flags |= RM_ARG_OPTIONAL;
}

static void describe_arguments(documented *d, const char *arguments)
{
    char *at = d->text;

    memset(d, 0, sizeof *d);
    snprintf(d->text, sizeof d->text, "%s", arguments);
    while (*at != 0 && d->count < ARGUMENTS_MAX) {
        const bool grouped = *at == '[' || *at == '(';
        char      *word = at + grouped;
        char      *end = word + strcspn(word, grouped ? "])" : " ");
        at = end + (*end != 0);
        *end = 0;
        if (grouped && *at == ' ')
            at++;
        describe_argument(d, word, word != d->text && word[-1] == '[');
    }
}

/* ---- Keys --------------------------------------------------------------------------------- */

static uint64_t key_flags(char access)
{
    switch (access) {
    case 'r':
        return RM_KEY_READ_ONLY | RM_KEY_ACCESS;
    case 'i':
        return RM_KEY_READ_WRITE | RM_KEY_INSERT;
    case 'd':
        return RM_KEY_READ_WRITE | RM_KEY_DELETE;
    case 'o':
        return RM_KEY_OVERWRITE | RM_KEY_UPDATE;
    default:
        return RM_KEY_READ_WRITE | RM_KEY_UPDATE;
    }
}

/* One or two specs, and an empty one. */
static void key_specs(const command *c, RM_KeySpec specs[3])
{
    memset(specs, 0, 3 * sizeof *specs);
    specs[0] = (RM_KeySpec){.flags = key_flags(c->access),
                            .search = RM_SEARCH_INDEX,
                            .from.index.pos = 1,
                            .find = RM_FIND_RANGE,
                            .to.range = {c->keys == KEYS_ALL ? -1 : 0, 1, 0}};
    if (c->keys != KEYS_TO_AND_FROM && c->keys != KEYS_NUMBERED)
        return;
    specs[1] =
        (RM_KeySpec){.flags = key_flags('r'), .search = RM_SEARCH_INDEX, .from.index.pos = 2};
    if (c->keys == KEYS_TO_AND_FROM) {
        specs[1].find = RM_FIND_RANGE;
        specs[1].to.range.last = -1;
        specs[1].to.range.step = 1;
    } else {
        specs[1].find = RM_FIND_NUMBER;
        specs[1].to.number.first = 1;
        specs[1].to.number.step = 1;
    }
}

/* ---- A command ---------------------------------------------------------------------------- */

static const char *flags_of(const command *c)
{
    switch (c->access) {
    case 'r':
        return "readonly";
    case 'd':
        return "write";
    default:
        return "write deny-oom";
    }
}

static int set_categories(RM_CommandItem *item, const command *c)
{
    char categories[64];

    if (RM_SetCommandACLCategories == NULL)
        return RM_OK;
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (strncmp(c->name, families[i].prefix, strlen(families[i].prefix)) == 0) {
            snprintf(categories, sizeof categories, "%s %s", c->access == 'r' ? "read" : "write",
                     families[i].category);
            return RM_SetCommandACLCategories(item, categories);
        }
    return RM_OK;
}

static int document(RM_CommandItem *item, const command *c)
{
    static const RM_InfoSizes sizes = {RM_COMMAND_INFO, sizeof(RM_History), sizeof(RM_KeySpec),
                                       sizeof(RM_Argument)};
    static documented         arguments;
    RM_KeySpec                specs[3];

    describe_arguments(&arguments, c->arguments);
    key_specs(c, specs);
    return RM_SetCommandInfo(item, &(RM_CommandInfo){.sizes = &sizes,
                                                     .summary = c->summary,
                                                     .complexity = c->complexity,
                                                     .since = "0.2.0",
                                                     .arity = c->arity,
                                                     .keys = specs,
                                                     .arguments = arguments.list});
}

int commands_register(RM_Ctx *ctx, const command *table)
{
    for (const command *c = table; c->name != NULL; c++) {
        const int last = c->keys == KEYS_FIRST || c->keys == KEYS_NUMBERED ? 1 : -1;
        if (RM_CreateCommand(ctx, c->name, c->run, flags_of(c), 1, last, 1) != RM_OK)
            return c == table ? COMMANDS_TAKEN : RM_ERR;
        RM_CommandItem *item = RM_GetCommand(ctx, c->name);
        if (item == NULL || document(item, c) != RM_OK || set_categories(item, c) != RM_OK)
            return RM_ERR;
    }
    return RM_OK;
}
