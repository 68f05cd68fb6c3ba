/* sql_fuzz.c - what the SQL functions take as bytes: states of aggregates that another process
 * sent, and sketches in columns. A state is refused in one line that begins with the function's
 * name, or takes rows, merges, and is sent and finished twice with the same bytes; a sketch is
 * refused so, or every scalar, table and aggregate answers in the type that it declares. Nothing is
 * left of either. The first byte of an input is the function, the second says how it is called. */
#define _DEFAULT_SOURCE 1
enum { FILE_BYTES_MAX = 1 << 13, SEED_BYTES = 512 };

#include "sql.h"

#include "fuzz/changed_files.h"

const inksql_engine inksql_engine_here = {.cast_to_text = "key::text",
                                          .cast_to_int = "key::bigint"};

/* A state begins with what it holds, a type, the bytes of its options, and their hash or text. */
enum { HEAD_BYTES = 2, STATE_HEAD_BYTES = 4, STATE_OPTIONS_BYTES = 8, HOLDS_DRAFT = 2 };
enum { AS_STATE = 1, TEXT_KEYS = 2, PATTERN = 4 };

static inksql_error failed_with;

/* ---- Memory and results ------------------------------------------------------------------- */

typedef struct room {
    uint8_t *data;
    size_t   count;
} room;

static void *give_room(void *host, size_t count)
{
    room *to = host;

    free(to->data);
    *to = (room){malloc(count + 1), count};
    return to->data;
}

static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    void *moved = new_bytes == 0 ? NULL : metered.resize(host, NULL, 0, new_bytes);

    if (moved != NULL && block != NULL)
        memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (block != NULL && (new_bytes == 0 || moved != NULL))
        metered.resize(host, block, old_bytes, 0);
    return moved;
}

static const ink_allocator allocator = {.resize = resize};

/* A failure says whose it is. */
static bool fine(const inksql_function *function, ink_status status)
{
    if (status == INK_OK)
        return true;
    const size_t name = strlen(function->name);
    if (status != failed_with.status || strncmp(failed_with.text, function->name, name) != 0 ||
        failed_with.text[name] != ':' || memchr(failed_with.text, '\n', sizeof failed_with.text))
        fail_msg("%s: %s: \"%s\"", tried, ink_status_name(status), failed_with.text);
    return false;
}

/* ---- Seeds -------------------------------------------------------------------------------- */

static const struct {
    inksql_id   id;
    const char *options;
    bool        texts;
} states[] = {
    {INKSQL_BLOOM, "n=100", false},       {INKSQL_BLOOM, NULL, false},
    {INKSQL_BLOOM, "p=0.001", true},      {INKSQL_CLASSIC, "hash=mmh3", true},
    {INKSQL_COUNTING, NULL, true},        {INKSQL_FUSE, NULL, false},
    {INKSQL_HLL, "precision=6", true},    {INKSQL_THETA, "precision=6", false},
    {INKSQL_COUNT_MIN, "eps=0.1", true},  {INKSQL_TOP, "k=2", true},
    {INKSQL_COUNT_DISTINCT, NULL, false}, {INKSQL_MERGE, NULL, false},
    {INKSQL_FILE, NULL, false},
};
enum { STATES = sizeof states / sizeof states[0], STATE_ROWS = 5, SAMPLES_EACH = 4 };

static inksql_value key_of(unsigned i, bool text)
{
    static const char *const texts[] = {"", "a", "a key of several words", "b", "c"};
    const char              *one = texts[i % 5];

    return text ? (inksql_value){.type = INKSQL_TEXT, .data = one, .bytes = strlen(one)}
                : (inksql_value){.type = INKSQL_INT, .whole = (int64_t)i - 1};
}

static size_t seed_state(unsigned index, uint8_t *to, size_t room_bytes)
{
    const inksql_function *function = &inksql_functions[states[index].id];
    const char            *options = states[index].options;
    inksql_state           state;
    inksql_plan            plan = {0};
    room                   sent = {0};
    const inksql_output    output = {give_room, &sent};
    inksql_value           row[2], result;

    inksql_state_start(&state, function, &allocator);
    for (unsigned i = 0; i < STATE_ROWS; i++) {
        row[0] = key_of(i, states[index].texts);
        row[1] = (inksql_value){
            .type = INKSQL_TEXT, .data = options, .bytes = options == NULL ? 0 : strlen(options)};
        if (function->kind == NULL) {
            row[0] = (inksql_value){
                .type = INKSQL_BYTES, .data = seeds[0].bytes, .bytes = seeds[0].count};
            row[1] = key_of(i, i % 2 == 0);
        }
        const size_t count = function->kind != NULL && options == NULL ? 1 : 2;
        REQUIRE(fine(function, inksql_step(&state, &plan, row, count, &failed_with)));
    }
    REQUIRE(fine(function, inksql_state_encode(&state, &output, &result, &failed_with)));
    inksql_state_free(&state);
    to[0] = (uint8_t)function->id;
    to[1] = (uint8_t)(AS_STATE | (states[index].texts ? TEXT_KEYS : 0));
    const size_t count = fuzz_put(to, room_bytes, to, result.data, result.bytes);
    free(sent.data);
    return count;
}

/* A few samples for each function that takes one. */
static size_t seed_value(unsigned index, uint8_t *to, size_t room_bytes)
{
    const files_sample *sample = &seeds[index * 7 % seed_count];

    if (index >= SAMPLES_EACH * INKSQL_FUNCTIONS)
        return SIZE_MAX;
    to[0] = (uint8_t)(index / SAMPLES_EACH);
    to[1] = (uint8_t)(index % 2 == 0 ? TEXT_KEYS : 0);
    return fuzz_put(to, room_bytes, to, sample->bytes, sample->count);
}

static size_t seed_input(unsigned index, uint8_t *to, size_t room_bytes)
{
    tried[0] = '\0';
    allow(FILE_BYTES_MAX, true);
    return index < STATES ? seed_state(index, to, room_bytes)
                          : seed_value(index - STATES, to, room_bytes);
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* Where the file in an input stands, of a draft its bytes. */
static size_t file_at(const uint8_t *bytes, size_t count)
{
    const uint8_t *state = bytes + HEAD_BYTES;
    size_t         at = HEAD_BYTES;

    if ((bytes[1] & AS_STATE) == 0)
        return at;
    if (count < HEAD_BYTES + STATE_HEAD_BYTES)
        return count;
    at += STATE_HEAD_BYTES;
    at += state[0] == HOLDS_DRAFT ? state[2] + (size_t)state[3] * 256 : STATE_OPTIONS_BYTES;
    return at < count ? at : count;
}

static size_t change_input(uint8_t *bytes, size_t count, size_t room_bytes)
{
    const size_t at = file_at(bytes, count);
    const bool   draft =
        (bytes[1] & AS_STATE) != 0 && count > HEAD_BYTES && bytes[HEAD_BYTES] == HOLDS_DRAFT;

    switch (fuzz_draw(8)) {
    case 0:
        bytes[fuzz_draw(HEAD_BYTES)] = (uint8_t)fuzz_draw(INKSQL_FUNCTIONS);
        return count;
    case 1: /* the state's head, and options in it */
        if (at > HEAD_BYTES)
            fuzz_scramble(bytes + HEAD_BYTES, at - HEAD_BYTES, at - HEAD_BYTES);
        return count;
    default:
        break;
    }
    if (draft || at == count)
        return at + fuzz_scramble(bytes + at, count - at, room_bytes - at);
    const size_t most = room_bytes - at < FILE_BYTES_MAX ? room_bytes - at : FILE_BYTES_MAX;
    if (count - at > most)
        return count;
    return at + change_file(bytes + at, count - at, most);
}

static void mend(uint8_t *bytes, size_t count)
{
    const size_t at = file_at(bytes, count);

    files_repair(bytes + at, count - at);
}

/* ---- States ------------------------------------------------------------------------------- */

static void require_same(const room *a, const room *b)
{
    REQUIRE(a->count == b->count);
    REQUIRE(a->count == 0 || memcmp(a->data, b->data, a->count) == 0);
}

/* Sends a state twice, the second time from what came of the first. */
static void send(const inksql_function *function, const inksql_state *state)
{
    room         first = {0}, second = {0};
    inksql_state again;
    inksql_value result;

    if (fine(function, inksql_state_encode(state, &(inksql_output){give_room, &first}, &result,
                                           &failed_with))) {
        first.count = result.bytes;
        inksql_state_start(&again, function, &allocator);
        REQUIRE(fine(function, inksql_state_decode(&again, first.data, first.count, &failed_with)));
        REQUIRE(fine(function, inksql_state_encode(&again, &(inksql_output){give_room, &second},
                                                   &result, &failed_with)));
        second.count = result.bytes;
        require_same(&first, &second);
        inksql_state_free(&again);
    }
    free(first.data);
    free(second.data);
}

static void finish(const inksql_function *function, const inksql_state *state)
{
    room         first = {0}, second = {0};
    inksql_value result;
    ink_status   status =
        inksql_finish(state, &(inksql_output){give_room, &first}, &result, &failed_with);

    if (fine(function, status)) {
        REQUIRE(result.type == INKSQL_NULL || result.type == INKSQL_BYTES ||
                (result.type == INKSQL_INT && function->gives == INKSQL_GIVES_WHOLE));
        REQUIRE(inksql_finish(state, &(inksql_output){give_room, &second}, &result, &failed_with) ==
                INK_OK);
        require_same(&first, &second);
    }
    free(first.data);
    free(second.data);
}

static void step(const inksql_function *function, inksql_state *state, bool texts)
{
    inksql_plan  plan = {0};
    inksql_value row[1];

    for (unsigned i = 0; i < 20 && function->kind != NULL; i++) {
        row[0] = key_of(i, texts);
        if (!fine(function, inksql_step(state, &plan, row, 1, &failed_with)))
            return;
    }
}

static void try_state(const inksql_function *function, const uint8_t *bytes, size_t count,
                      bool texts)
{
    inksql_state state, other;

    inksql_state_start(&state, function, &allocator);
    inksql_state_start(&other, function, &allocator);
    if (fine(function, inksql_state_decode(&state, bytes, count, &failed_with))) {
        REQUIRE(inksql_state_memory(&state) <= PLAN_BYTES_MAX);
        send(function, &state);
        finish(function, &state);
        if (fine(function, inksql_state_merge(&other, &state, &failed_with))) {
            (void)fine(function, inksql_state_merge(&other, &state, &failed_with));
            finish(function, &other);
        }
        step(function, &state, texts);
        (void)fine(function, inksql_state_merge(&other, &state, &failed_with));
        finish(function, &state);
        send(function, &state);
    } else
        REQUIRE(inksql_state_is_empty(&state));
    inksql_state_free(&state);
    inksql_state_free(&other);
}

/* ---- Values ------------------------------------------------------------------------------- */

static void try_aggregate(const inksql_function *function, const inksql_value *sketch)
{
    inksql_state       state;
    inksql_plan        plan = {0};
    const inksql_value row[] = {*sketch, {.type = INKSQL_TEXT, .data = "x", .bytes = 1}};

    inksql_state_start(&state, function, &allocator);
    for (int i = 0; i < 2; i++)
        if (fine(function, inksql_step(&state, &plan, row, function->id == INKSQL_FILE ? 2 : 1,
                                       &failed_with)))
            finish(function, &state);
    send(function, &state);
    inksql_state_free(&state);
}

static void try_rows(const inksql_function *function, const inksql_value *sketch)
{
    inksql_rows *rows;
    inksql_value columns[INKSQL_COLUMNS_MAX];
    bool         more = true;

    if (!fine(function, inksql_rows_open(&rows, function, sketch, 1, &allocator, &failed_with)))
        return;
    while (more && fine(function, inksql_rows_next(rows, columns, &more, &failed_with)))
        ;
    inksql_rows_close(rows);
}

static inksql_value argument_of(char letter, const inksql_value *sketch, uint8_t how)
{
    switch (letter) {
    case 'S':
        return *sketch;
    case 'R':
        return (inksql_value){.type = INKSQL_REAL, .real = 0.5};
    case 'K':
        return key_of(how / PATTERN, (how & TEXT_KEYS) != 0);
    default:
        return (inksql_value){.type = INKSQL_NULL};
    }
}

/* Asked twice, as the second time the sketch may be one that was kept. */
static void try_scalar(const inksql_function *function, const inksql_value *sketch, uint8_t how)
{
    inksql_cache *cache = inksql_cache_create(&allocator);
    inksql_value  arguments[2] = {{0}}, result = {0};
    room          made = {0};
    size_t        count;
    bool          any_number;
    const char   *form = inksql_form(function, 0, &count, &any_number);

    assert_non_null(cache);
    assert_true(count <= 2);
    for (size_t i = 0; i < count; i++)
        arguments[i] = argument_of(form[i], sketch, how);
    for (int i = 0; i < 2; i++)
        if (fine(function, inksql_call(function, cache, arguments, count, &allocator,
                                       &(inksql_output){give_room, &made}, &result, &failed_with)))
            REQUIRE(result.type == INKSQL_NULL || result.type == INKSQL_BYTES ||
                    (function->gives == INKSQL_GIVES_WHOLE && result.type == INKSQL_INT) ||
                    (function->gives == INKSQL_GIVES_REAL && result.type == INKSQL_REAL &&
                     result.real >= 0 && result.real <= 1) ||
                    (function->gives == INKSQL_GIVES_BOOLEAN && result.type == INKSQL_BOOLEAN) ||
                    (function->gives == INKSQL_GIVES_TEXT && result.type == INKSQL_TEXT));
    inksql_cache_free(cache);
    free(made.data);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    const inksql_function *function = &inksql_functions[bytes[0] % INKSQL_FUNCTIONS];
    const bool             is_state = (bytes[1] & AS_STATE) != 0;
    const inksql_value     sketch = {
            .type = INKSQL_BYTES, .data = bytes + HEAD_BYTES, .bytes = count - HEAD_BYTES};

    snprintf(tried, sizeof tried, "%s of a %s of %zu bytes", function->name,
             is_state ? "state" : "sketch", sketch.bytes);
    meter.live_bytes = 0;
    allow(2 * count, true);
    if (is_state && function->shape == INKSQL_AGGREGATE)
        try_state(function, bytes + HEAD_BYTES, sketch.bytes, (bytes[1] & TEXT_KEYS) != 0);
    else if (function->shape == INKSQL_AGGREGATE)
        try_aggregate(&inksql_functions[bytes[0] % 2 == 0 ? INKSQL_MERGE : INKSQL_FILE], &sketch);
    else if (function->shape == INKSQL_TABLE)
        try_rows(function, &sketch);
    else
        try_scalar(function, &sketch, bytes[1]);
    REQUIRE(meter.live_bytes == 0);
}

const fuzz_target fuzz_here = {
    .name = "sql",
    .most_bytes = FILE_BYTES_MAX + 64,
    .head_bytes = HEAD_BYTES,
    .rounds = 20000,
    .weight = 4,
    .begin = begin,
    .seed = seed_input,
    .change = change_input,
    .mend = mend,
    .attempt = attempt,
};
