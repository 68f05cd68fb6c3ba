/* bloom.c - the commands BF.*: a `scalable`, or with NONSCALING a `bloom`, below a rate of 1e-4 a
 * `classic`. */
#include "arguments.h"
#include "commands.h"
#include "encoding.h"
#include "keys.h"
#include "reply.h"
#include "type.h"

#include "inkling_foreign.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOT_FOUND "ERR not found"
#define FULL "ERR non scaling filter is full"

/* The first level is larger than what most clients ask for: a filter of many levels is slow. */
enum { CAPACITY = 100, EXPANSION = 2, FIRST_LEVEL = 4096 };
#define RATE 0.01
#define CLASSIC_BELOW 1e-4

/* ---- Make --------------------------------------------------------------------------------- */

typedef struct wanted {
    double    rate;
    long long capacity, expansion;
    bool      fixed, expands, must_exist;
} wanted;

static const wanted defaults = {.rate = RATE, .capacity = CAPACITY, .expansion = EXPANSION};

static ink_params params_of(const wanted *w)
{
    const uint64_t capacity = (uint64_t)w->capacity;
    ink_params     params = {
            .kind = "scalable", .expected_keys = capacity, .false_positive_rate = w->rate};

    if (w->fixed)
        params.kind = w->rate < CLASSIC_BELOW ? "classic" : "bloom";
    else if (capacity < FIRST_LEVEL)
        params.expected_keys = FIRST_LEVEL;
    return params;
}

/* Replies with an error and is NULL if it cannot be made. A scalable takes its first level later.
 */
static value *make(RM_Ctx *ctx, const wanted *w)
{
    const ink_params params = params_of(w);
    ink_description  planned;
    ink_error        error;
    value           *made;

    if (ink_plan_filled(&params, params.expected_keys, &planned, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return NULL;
    }
    if (!memory_allows(planned.bytes)) {
        reply_no_memory(ctx);
        return NULL;
    }
    if (value_make(&made, FAMILY_BLOOM, &params, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return NULL;
    }
    made->set.capacity = (uint64_t)w->capacity;
    made->set.expansion = (uint64_t)w->expansion;
    made->set.fixed = w->fixed;
    return made;
}

static const char *bad_rate(const RM_String *word, double *rate)
{
    if (!argument_real(word, rate))
        return "ERR bad error rate";
    return *rate <= 0 || *rate >= 1 ? "ERR (0 < error rate range < 1) " : NULL;
}

static const char *bad_capacity(const RM_String *word, long long *capacity)
{
    if (!argument_whole(word, capacity))
        return "ERR bad capacity";
    return *capacity <= 0 ? "ERR (capacity should be larger than 0)" : NULL;
}

static const char *bad_expansion(const RM_String *word, wanted *w)
{
    w->expands = true;
    return !argument_whole(word, &w->expansion) || w->expansion < 1 || w->expansion > UINT32_MAX
               ? "ERR bad expansion"
               : NULL;
}

static int reserve(RM_Ctx *ctx, RM_String **argv, int argc)
{
    wanted      w = defaults;
    open_key    to;
    const char *bad = bad_rate(argv[2], &w.rate);

    if (bad == NULL)
        bad = bad_capacity(argv[3], &w.capacity);
    for (int i = 4; bad == NULL && i < argc; i++)
        if (argument_is(argv[i], "nonscaling"))
            w.fixed = true;
        else if (argument_is(argv[i], "expansion") && i + 1 < argc)
            bad = bad_expansion(argv[++i], &w);
        else
            return RM_WrongArity(ctx);
    if (bad == NULL && w.fixed && w.expands)
        bad = "Nonscaling filters cannot expand";
    if (bad != NULL)
        return RM_ReplyWithError(ctx, bad);
    if (!key_open_of(ctx, argv[1], ACCESS_ANY, FAMILY_BLOOM, NULL, &to))
        return RM_OK;
    value *made = NULL;
    if (to.value != NULL)
        RM_ReplyWithError(ctx, "ERR item exists");
    else if ((made = make(ctx, &w)) != NULL) {
        key_set(&to, made);
        key_changed(ctx, &to, "bf.reserve");
        RM_ReplicateVerbatim(ctx);
        reply_ok(ctx);
    }
    key_close(&to);
    return RM_OK;
}

/* ---- Add ---------------------------------------------------------------------------------- */

/* How many more keys a filter takes. */
static uint64_t room(const value *v)
{
    if (!v->set.fixed)
        return UINT64_MAX;
    return v->items < v->set.capacity ? v->set.capacity - v->items : 0;
}

/* Adds a part of a batch; one key has a shorter way. */
static ink_status add_part(value *v, const ink_batch *batch, uint8_t *was_new, ink_error *error)
{
    ink_status status;
    bool new = false;

    if (batch->count == 1) {
        status =
            ink_sketch_add_new(v->body->sketch, batch->keys->data, batch->keys->bytes, &new, error);
        *was_new = new;
    } else {
        status = ink_sketch_add_new_batch(v->body->sketch, batch, was_new, error);
    }
    for (size_t i = 0; status == INK_OK && i < batch->count; i++)
        v->items += was_new[i];
    return status;
}

/* Adds keys until a filter is full: *added of them. Keys one by one if it may become so, as those
 * that it knows need no room. */
static ink_status add_all(value *v, const ink_batch *batch, size_t *added, ink_error *error)
{
    uint8_t   *was_new = argument_answers();
    ink_status status = INK_OK;

    if (room(v) >= batch->count) {
        *added = batch->count;
        return add_part(v, batch, was_new, error);
    }
    for (*added = 0; status == INK_OK && *added < batch->count; ++*added) {
        const ink_batch one = {.count = 1, .keys = batch->keys + *added};
        if (room(v) == 0) {
            if (ink_sketch_maybe(v->body->sketch, one.keys->data, one.keys->bytes) != 1)
                return INK_OK;
            was_new[*added] = 0;
        } else {
            status = add_part(v, &one, &was_new[*added], error);
        }
    }
    return status;
}

/* A new filter goes out with what it was made with: a replica may have other defaults. */
static void replicate(RM_Ctx *ctx, const open_key *to, bool made, RM_String **items, size_t count)
{
    char rate[INK_REAL_BYTES];

    if (!made) {
        RM_ReplicateVerbatim(ctx);
        return;
    }
    ink_description is;
    ink_sketch_describe(to->value->body->sketch, &is);
    ink_real_text(is.target_rate, rate);
    if (to->value->set.fixed)
        RM_Replicate(ctx, "BF.INSERT", "sclccccv", to->name, "CAPACITY",
                     (long long)to->value->set.capacity, "ERROR", rate, "NONSCALING", "ITEMS",
                     items, count);
    else
        RM_Replicate(ctx, "BF.INSERT", "sclccclcv", to->name, "CAPACITY",
                     (long long)to->value->set.capacity, "ERROR", rate, "EXPANSION",
                     (long long)to->value->set.expansion, "ITEMS", items, count);
}

static void reply_added(RM_Ctx *ctx, size_t added, size_t count, bool single)
{
    const uint8_t *was_new = argument_answers();

    if (single) {
        if (added == 1)
            RM_ReplyWithBool(ctx, was_new[0]);
        else
            RM_ReplyWithError(ctx, FULL);
        return;
    }
    RM_ReplyWithArray(ctx, (long)(added + (added < count)));
    for (size_t i = 0; i < added; i++)
        RM_ReplyWithBool(ctx, was_new[i]);
    if (added < count)
        RM_ReplyWithError(ctx, FULL);
}

static int add_items(RM_Ctx *ctx, RM_String **argv, size_t count, open_key *to, bool made,
                     bool single, const char *event)
{
    ink_batch batch;
    ink_error error;
    size_t    added;
    uint64_t  before = to->value->items;

    if (!argument_keys(ctx, to->value, argv, count, false, &batch))
        return RM_ERR;
    if (add_all(to->value, &batch, &added, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return RM_ERR;
    }
    if (made || to->value->items != before) {
        key_changed(ctx, to, event);
        replicate(ctx, to, made, argv, count);
    }
    reply_added(ctx, added, count, single);
    return RM_OK;
}

/* Adds items to a filter, which is made if there is none. */
static void insert_opened(RM_Ctx *ctx, open_key *to, const wanted *w, RM_String **items,
                          size_t count, bool single, const char *event)
{
    const bool made = to->value == NULL;

    if (made) {
        value *new = make(ctx, w);
        if (new == NULL)
            return;
        key_set(to, new);
    }
    if (add_items(ctx, items, count, to, made, single, event) != RM_OK && made)
        RM_DeleteKey(to->key);
}

static int insert_into(RM_Ctx *ctx, RM_String *name, const wanted *w, RM_String **items,
                       size_t count, const char *event)
{
    open_key to;

    if (!key_open_of(ctx, name, ACCESS_WRITE, FAMILY_BLOOM, w->must_exist ? NOT_FOUND : NULL, &to))
        return RM_OK;
    insert_opened(ctx, &to, w, items, count, false, event);
    key_close(&to);
    return RM_OK;
}

/* One item to a filter that is there and has room: what most commands are. */
static void add_one(RM_Ctx *ctx, open_key *to, const RM_String *item, const char *event)
{
    size_t      bytes;
    const char *key = RM_StringPtrLen(item, &bytes);
    bool        was_new;
    ink_error   error;

    if (ink_sketch_add_new(to->value->body->sketch, key, bytes, &was_new, &error) != INK_OK) {
        reply_failure(ctx, &error);
        return;
    }
    if (was_new) {
        to->value->items++;
        key_changed(ctx, to, event);
        RM_ReplicateVerbatim(ctx);
    }
    RM_ReplyWithBool(ctx, was_new);
}

static int add(RM_Ctx *ctx, RM_String **argv, int argc)
{
    open_key to;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_WRITE, FAMILY_BLOOM, NULL, &to))
        return RM_OK;
    if (to.value != NULL && room(to.value) > 0)
        add_one(ctx, &to, argv[2], "bf.add");
    else
        insert_opened(ctx, &to, &defaults, argv + 2, 1, true, "bf.add");
    key_close(&to);
    return RM_OK;
}

static int madd(RM_Ctx *ctx, RM_String **argv, int argc)
{
    return insert_into(ctx, argv[1], &defaults, argv + 2, (size_t)argc - 2, "bf.madd");
}

static int insert(RM_Ctx *ctx, RM_String **argv, int argc)
{
    wanted      w = defaults;
    const char *bad = NULL;
    int         i;

    for (i = 2; bad == NULL && i < argc && !argument_is(argv[i], "items"); i++)
        if (argument_is(argv[i], "nocreate"))
            w.must_exist = true;
        else if (argument_is(argv[i], "nonscaling"))
            w.fixed = true;
        else if (i + 1 == argc)
            return RM_WrongArity(ctx);
        else if (argument_is(argv[i], "capacity"))
            bad = bad_capacity(argv[++i], &w.capacity);
        else if (argument_is(argv[i], "error"))
            bad = bad_rate(argv[++i], &w.rate);
        else if (argument_is(argv[i], "expansion"))
            bad = bad_expansion(argv[++i], &w);
        else
            bad = "Unknown argument received";
    if (bad == NULL && w.fixed && w.expands)
        bad = "Nonscaling filters cannot expand";
    if (bad != NULL)
        return RM_ReplyWithError(ctx, bad);
    if (i + 1 >= argc)
        return RM_WrongArity(ctx);
    return insert_into(ctx, argv[1], &w, argv + i + 1, (size_t)(argc - i - 1), "bf.insert");
}

/* ---- Ask ---------------------------------------------------------------------------------- */

static int exists(RM_Ctx *ctx, RM_String **argv, int argc)
{
    open_key    of;
    size_t      bytes;
    const char *key = RM_StringPtrLen(argv[2], &bytes);

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NULL, &of))
        return RM_OK;
    const int maybe = of.value == NULL ? 0 : ink_sketch_maybe(of.value->body->sketch, key, bytes);
    if (maybe < 0)
        RM_ReplyWithError(ctx, "ERR this filter needs its secret");
    else
        RM_ReplyWithBool(ctx, maybe);
    key_close(&of);
    return RM_OK;
}

static int mexists(RM_Ctx *ctx, RM_String **argv, int argc)
{
    const size_t count = (size_t)argc - 2;
    const value  none = {.ints = false};
    ink_batch    batch;
    ink_error    error;
    open_key     of;

    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NULL, &of))
        return RM_OK;
    if (argument_keys(ctx, of.value != NULL ? of.value : &none, argv + 2, count, false, &batch)) {
        memset(argument_answers(), 0, count);
        if (of.value != NULL && ink_sketch_contains_batch(of.value->body->sketch, &batch,
                                                          argument_answers(), &error) != INK_OK)
            reply_failure(ctx, &error);
        else
            reply_flags(ctx, argument_answers(), count);
    }
    key_close(&of);
    return RM_OK;
}

static int card(RM_Ctx *ctx, RM_String **argv, int argc)
{
    open_key of;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NULL, &of))
        return RM_OK;
    RM_ReplyWithLongLong(ctx, of.value == NULL ? 0 : (long long)of.value->items);
    key_close(&of);
    return RM_OK;
}

/* What was asked for; once a filter has grown, what all its levels take. */
static uint64_t capacity_of(const value *v, const ink_description *is)
{
    const uint64_t asked = v->set.capacity != 0 ? v->set.capacity : is->expected_keys;

    return is->levels <= 1 || is->levels > 62
               ? asked
               : is->expected_keys * ((UINT64_C(1) << is->levels) - 1);
}

enum { INFO_FIELDS = 5 };

static const struct {
    const char *word, *name;
} info_fields[INFO_FIELDS] = {{"capacity", "Capacity"},
                              {"size", "Size"},
                              {"filters", "Number of filters"},
                              {"items", "Number of items inserted"},
                              {"expansion", "Expansion rate"}};

/* What INFO says, by the order of its fields; an expansion of 0 is none. */
static void measure(const value *v, uint64_t numbers[INFO_FIELDS])
{
    ink_description is;

    ink_sketch_describe(v->body->sketch, &is);
    numbers[0] = capacity_of(v, &is);
    numbers[1] = value_memory(v);
    numbers[2] = is.levels == 0 ? 1 : is.levels;
    numbers[3] = v->items;
    numbers[4] = strcmp(is.kind, "scalable") != 0 ? 0
                 : v->set.expansion != 0          ? v->set.expansion
                                                  : EXPANSION;
}

static void reply_info(RM_Ctx *ctx, const uint64_t *numbers, int field)
{
    if (field == INFO_FIELDS - 1 && numbers[field] == 0)
        RM_ReplyWithNull(ctx);
    else
        RM_ReplyWithLongLong(ctx, (long long)numbers[field]);
}

static void reply_all_info(RM_Ctx *ctx, const uint64_t *numbers)
{
    RM_ReplyWithMap(ctx, INFO_FIELDS);
    for (int i = 0; i < INFO_FIELDS; i++) {
        RM_ReplyWithSimpleString(ctx, info_fields[i].name);
        reply_info(ctx, numbers, i);
    }
}

/* In RESP2 one field is an array of its number alone. */
static void reply_one_info(RM_Ctx *ctx, const uint64_t *numbers, int field)
{
    if ((RM_GetContextFlags(ctx) & RM_FLAG_RESP3) != 0) {
        RM_ReplyWithMap(ctx, 1);
        RM_ReplyWithSimpleString(ctx, info_fields[field].name);
    } else {
        RM_ReplyWithArray(ctx, 1);
    }
    reply_info(ctx, numbers, field);
}

static int info(RM_Ctx *ctx, RM_String **argv, int argc)
{
    uint64_t numbers[INFO_FIELDS];
    open_key of;
    int      field = 0;

    if (argc > 3)
        return RM_WrongArity(ctx);
    for (; argc == 3 && field < INFO_FIELDS; field++)
        if (argument_is(argv[2], info_fields[field].word))
            break;
    if (field == INFO_FIELDS)
        return RM_ReplyWithError(ctx, "ERR Invalid information value");
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NOT_FOUND, &of))
        return RM_OK;
    measure(of.value, numbers);
    if (argc == 3)
        reply_one_info(ctx, numbers, field);
    else
        reply_all_info(ctx, numbers);
    key_close(&of);
    return RM_OK;
}

/* Lines for people, of no fixed form. */
static int debug(RM_Ctx *ctx, RM_String **argv, int argc)
{
    ink_description is;
    char            text[160];
    open_key        of;

    (void)argc;
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NOT_FOUND, &of))
        return RM_OK;
    ink_sketch_describe(of.value->body->sketch, &is);
    RM_ReplyWithArray(ctx, 2);
    snprintf(text, sizeof text, "size:%llu", (unsigned long long)of.value->items);
    RM_ReplyWithSimpleString(ctx, text);
    snprintf(text, sizeof text, "kind:%s levels:%u bits:%llu bytes:%llu error_ratio:%g", is.kind,
             (unsigned)is.levels, (unsigned long long)is.bits, (unsigned long long)is.bytes,
             is.target_rate);
    RM_ReplyWithSimpleString(ctx, text);
    key_close(&of);
    return RM_OK;
}

/* ---- Dump and load ------------------------------------------------------------------------ */

/* The first chunk of a dump: a mark, how many bytes follow, the head of the value. An iterator is 1
 * + the number of bytes up to the end of its chunk, and above that a part of the generation, so
 * that a scan of a filter that changes meanwhile is noticed. */
static const char mark[WORD + 1] = "INKDUMP1";
enum { CHUNK = 1 << 20, OFFSET_BITS = 40, GENERATION_BITS = 12 };
#define OFFSET_MASK ((UINT64_C(1) << OFFSET_BITS) - 1)

static uint64_t iterator(const value *v, uint64_t end)
{
    return (v->generation & ((1u << GENERATION_BITS) - 1)) << OFFSET_BITS | (end + 1);
}

static void reply_chunk(RM_Ctx *ctx, uint64_t next, const void *data, size_t bytes)
{
    RM_ReplyWithArray(ctx, 2);
    RM_ReplyWithLongLong(ctx, (long long)next);
    RM_ReplyWithStringBuffer(ctx, data, bytes);
}

static void reply_dump_head(RM_Ctx *ctx, const value *v)
{
    const size_t bytes = sizeof mark - 1 + WORD + value_head_bytes(v);
    uint8_t     *head = RM_TryAlloc(bytes), *to = head;

    if (head == NULL) {
        reply_no_memory(ctx);
        return;
    }
    memcpy(to, mark, sizeof mark - 1);
    to += sizeof mark - 1;
    put_word(&to, v->body->total);
    value_head_write(v, to);
    reply_chunk(ctx, iterator(v, 0), head, bytes);
    RM_Free(head);
}

static void reply_dump(RM_Ctx *ctx, value *v, const uint64_t *numbers)
{
    const uint64_t at = numbers[0];
    const uint64_t from = (at & OFFSET_MASK) - 1, total = v->body->total;

    if (at == 0) {
        reply_dump_head(ctx, v);
    } else if (at != iterator(v, from)) {
        RM_ReplyWithError(ctx, "ERR the filter has changed since the scan began: start again");
    } else if (from >= total) {
        reply_chunk(ctx, 0, "", 0);
        body_forget(v->body);
    } else {
        const uint64_t count = total - from < CHUNK ? total - from : CHUNK;
        reply_chunk(ctx, iterator(v, from + count), v->body->bytes + from, count);
    }
}

static int scandump(RM_Ctx *ctx, RM_String **argv, int argc)
{
    long long at;
    open_key  of;

    if (!argument_whole(argv[2], &at) || at < 0)
        return RM_ReplyWithError(ctx, "ERR Second argument must be numeric");
    if (!key_open_of(ctx, argv[1], ACCESS_READ, FAMILY_BLOOM, NOT_FOUND, &of))
        return RM_OK;
    return encoding_read(ctx, &of, argv, argc, reply_dump,
                         (uint64_t[ENCODING_NUMBERS]){(uint64_t)at});
}

/* The first chunk of a dump of ours. */
static value *begin_own(const uint8_t *data, size_t bytes)
{
    const uint8_t *from = data + sizeof mark - 1, *end = data + bytes;
    value         *v = value_create(FAMILY_BLOOM);
    uint64_t       total = 0;

    if (v != NULL && get_word(&from, end, &total) &&
        value_head_read(v, from, (size_t)(end - from)) && v->set.family == FAMILY_BLOOM &&
        total != 0 && (v->body->bytes = memory_zeroed(&v->body->memory, total)) != NULL) {
        v->body->total = total;
        v->body->arrived = 0;
        v->body->foreign = false;
        return v;
    }
    value_free(v);
    return NULL;
}

/* What the head of a dump of RedisBloom says of sizes; all of it is checked when the bytes are
 * whole. */
enum { FOREIGN_FILTERS = 8, FOREIGN_HEAD = 20, FOREIGN_EACH = 53, FOREIGN_MAX = 1024 };

static uint64_t number_at(const uint8_t *at, int bytes)
{
    uint64_t number = 0;

    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

static value *begin_foreign(const uint8_t *data, size_t bytes)
{
    const uint64_t filters = bytes < FOREIGN_HEAD ? 0 : number_at(data + FOREIGN_FILTERS, 4);
    uint64_t       total = bytes;

    if (filters == 0 || filters > FOREIGN_MAX || bytes != FOREIGN_HEAD + filters * FOREIGN_EACH)
        return NULL;
    for (uint64_t i = 0; i < filters; i++) {
        const uint64_t each = number_at(data + FOREIGN_HEAD + i * FOREIGN_EACH, WORD);
        if (each > OFFSET_MASK)
            return NULL;
        total += each;
    }
    value *v = value_create(FAMILY_BLOOM);
    if (v == NULL || (v->body->bytes = memory_zeroed(&v->body->memory, total)) == NULL) {
        value_free(v);
        return NULL;
    }
    memcpy(v->body->bytes, data, bytes);
    v->body->arrived = bytes;
    v->body->total = total;
    v->body->foreign = true;
    v->set.expansion = number_at(data + FOREIGN_HEAD - 4, 4);
    return v;
}

static ink_status take_foreign(void *host, const ink_label *label, ink_sketch *sketch,
                               ink_error *error)
{
    value *v = host;

    (void)label;
    if (v->body->sketch != NULL) {
        ink_sketch_free(sketch);
        *error = (ink_error){.status = INK_FORMAT, .message = "more than one filter"};
        return INK_FORMAT;
    }
    value_take(v, sketch);
    return INK_OK;
}

static ink_status complete_foreign(value **whole, const value *half, ink_error *error)
{
    const ink_foreign_options format = {.format = "redisbloom"};
    value                    *v = value_create(FAMILY_BLOOM);

    if (v == NULL)
        return value_no_memory(error);
    const ink_allocator memory = memory_of(&v->body->memory);
    const ink_status    status = ink_foreign_read(half->body->bytes, half->body->total, &format,
                                                  take_foreign, v, NULL, &memory, error);
    if (status != INK_OK) {
        value_free(v);
        return status;
    }
    v->set = half->set;
    *whole = v;
    return INK_OK;
}

/* Adds a chunk; with the last one the filter is whole. */
static bool take_chunk(value *v, uint64_t end, const uint8_t *data, size_t bytes)
{
    body     *of = v->body;
    ink_error error;
    value    *whole;
    /* Foreign bytes begin with the head, which iterators do not count. */
    const uint64_t before =
        of->foreign ? FOREIGN_HEAD + FOREIGN_EACH * number_at(of->bytes + FOREIGN_FILTERS, 4) : 0;

    if (of->sketch != NULL || bytes > of->total - of->arrived ||
        of->arrived + bytes != before + end)
        return false;
    memcpy(of->bytes + of->arrived, data, bytes);
    if (of->arrived + bytes < of->total) {
        of->arrived += bytes;
        return true;
    }
    if ((of->foreign ? complete_foreign : type_complete)(&whole, v, &error) != INK_OK)
        return false;
    value_swap(v, whole);
    value_free(whole);
    return true;
}

static bool load(open_key *to, uint64_t at, const uint8_t *data, size_t bytes)
{
    const uint64_t end = (at & OFFSET_MASK) - 1;
    value         *begun;

    if (at == 0 || (at & OFFSET_MASK) == 0)
        return false;
    if (end != 0)
        return to->value != NULL && take_chunk(to->value, end, data, bytes);
    if (to->value != NULL)
        return false;
    const bool own = bytes >= sizeof mark - 1 && memcmp(data, mark, sizeof mark - 1) == 0;
    begun = own ? begin_own(data, bytes) : begin_foreign(data, bytes);
    if (begun != NULL)
        key_set(to, begun);
    return begun != NULL;
}

static int loadchunk(RM_Ctx *ctx, RM_String **argv, int argc)
{
    size_t      bytes;
    const char *data = RM_StringPtrLen(argv[3], &bytes);
    long long   at;
    open_key    to;

    (void)argc;
    if (!argument_whole(argv[2], &at) || at < 0)
        return RM_ReplyWithError(ctx, "ERR Second argument must be numeric");
    if (!key_open_of(ctx, argv[1], ACCESS_ANY, FAMILY_BLOOM, NULL, &to))
        return RM_OK;
    if (load(&to, (uint64_t)at, (const uint8_t *)data, bytes)) {
        key_changed(ctx, &to, "bf.loadchunk");
        RM_ReplicateVerbatim(ctx);
        reply_ok(ctx);
    } else {
        const char *limit = memory_refused();
        RM_ReplyWithError(ctx, limit != NULL ? limit : "ERR received bad data");
    }
    key_close(&to);
    return RM_OK;
}

/* ---- The table ---------------------------------------------------------------------------- */

const command bloom_commands[] = {
    {"bf.add", add, 3, 'i', KEYS_FIRST, "key item", "Adds an item, and whether it was new", "O(1)"},
    {"bf.reserve", reserve, -4, 'i', KEYS_FIRST,
     "key rate capacity [EXPANSION expansion] [NONSCALING]", "Makes an empty filter", "O(1)"},
    {"bf.madd", madd, -3, 'i', KEYS_FIRST, "key item...", "Adds items, and which of them were new",
     "O(items)"},
    {"bf.insert", insert, -4, 'i', KEYS_FIRST,
     "key [CAPACITY capacity] [ERROR rate] [EXPANSION expansion] [NOCREATE] [NONSCALING] ITEMS "
     "item...",
     "Adds items to a filter, which is made if there is none", "O(items)"},
    {"bf.exists", exists, 3, 'r', KEYS_FIRST, "key item", "Whether an item may be in a filter",
     "O(1)"},
    {"bf.mexists", mexists, -3, 'r', KEYS_FIRST, "key item...", "Which items may be in a filter",
     "O(items)"},
    {"bf.card", card, 2, 'r', KEYS_FIRST, "key", "How many items were added that were new", "O(1)"},
    {"bf.info", info, -2, 'r', KEYS_FIRST, "key [field]",
     "Capacity, size, filters, items and expansion of a filter", "O(1)"},
    {"bf.debug", debug, 2, 'r', KEYS_FIRST, "key", "What a filter is made of", "O(1)"},
    {"bf.scandump", scandump, 3, 'r', KEYS_FIRST, "key iterator", "The next chunk of a filter",
     "O(size)"},
    {"bf.loadchunk", loadchunk, 4, 'i', KEYS_FIRST, "key iterator data",
     "Takes a chunk of a filter", "O(size)"},
    {0},
};
