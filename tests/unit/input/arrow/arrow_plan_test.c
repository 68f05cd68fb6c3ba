/* arrow_plan_test.c - a schema and what is wanted of it give a plan: every type of column as what
 * it is, columns by name or number, and what cannot be is refused by its name. */
#include "input/arrow/arrow_plan.h"

#include "support/check.h"

static ink_error       error;
static ink__arrow_plan plan;

static ink_status make(const struct ArrowSchema *schema, const ink__arrow_wanted *wanted)
{
    return ink__arrow_plan_make(&plan, schema, wanted, &error);
}

/* A schema by hand: no one looks at its memory. */
static void keep(struct ArrowSchema *schema)
{
    (void)schema;
}

static struct ArrowSchema schema_of(const char *name, const char *format)
{
    return (struct ArrowSchema){.format = format, .name = name, .release = keep};
}

static const char *const x[] = {"x"};

static ink_status plan_key(const char *format)
{
    struct ArrowSchema schema = schema_of("x", format);

    return make(&schema, &(ink__arrow_wanted){0});
}

/* The plan of a table of a key and a column that is the group or the weight. */
static ink_status plan_second(const char *format, bool weight, bool rounded)
{
    struct ArrowSchema  key = schema_of("x", "l"), second = schema_of("y", format);
    struct ArrowSchema *children[] = {&key, &second};
    struct ArrowSchema  table = schema_of("", "+s");

    table.n_children = 2;
    table.children = children;
    return make(&table, &(ink__arrow_wanted){.key = x,
                                             .key_count = 1,
                                             .by = weight ? NULL : "y",
                                             .rounded = rounded,
                                             .weight = weight ? "y" : NULL});
}

/* Every format that can be read. */
static const struct {
    const char       *format;
    ink__arrow_layout layout;
    uint32_t          width;
    bool              is_unsigned;
    int64_t           times, over;
    bool              key, rounded, weight;
} formats[] = {
    {"n", INK__ARROW_NULLS, 0, false, 1, 1, true, true, true},
    {"b", INK__ARROW_BITS, 0, false, 1, 1, false, false, false},
    {"c", INK__ARROW_INTS, 1, false, 1, 1, true, true, true},
    {"C", INK__ARROW_INTS, 1, true, 1, 1, true, true, true},
    {"s", INK__ARROW_INTS, 2, false, 1, 1, true, true, true},
    {"S", INK__ARROW_INTS, 2, true, 1, 1, true, true, true},
    {"i", INK__ARROW_INTS, 4, false, 1, 1, true, true, true},
    {"I", INK__ARROW_INTS, 4, true, 1, 1, true, true, true},
    {"l", INK__ARROW_INTS, 8, false, 1, 1, true, true, true},
    {"L", INK__ARROW_INTS, 8, true, 1, 1, true, true, true},
    {"e", INK__ARROW_FLOATS, 2, false, 1, 1, false, true, false},
    {"f", INK__ARROW_FLOATS, 4, false, 1, 1, false, true, false},
    {"g", INK__ARROW_FLOATS, 8, false, 1, 1, false, true, false},
    {"z", INK__ARROW_OFFSETS32, 4, false, 1, 1, true, true, false},
    {"u", INK__ARROW_OFFSETS32, 4, false, 1, 1, true, true, false},
    {"Z", INK__ARROW_OFFSETS64, 8, false, 1, 1, true, true, false},
    {"U", INK__ARROW_OFFSETS64, 8, false, 1, 1, true, true, false},
    {"vz", INK__ARROW_VIEWS, 16, false, 1, 1, true, true, false},
    {"vu", INK__ARROW_VIEWS, 16, false, 1, 1, true, true, false},
    {"w:0", INK__ARROW_FIXED, 0, false, 1, 1, true, true, false},
    {"w:16", INK__ARROW_FIXED, 16, false, 1, 1, true, true, false},
    {"tdD", INK__ARROW_INTS, 4, false, 1, 1, true, true, false},
    {"tdm", INK__ARROW_INTS, 8, false, 1, 86400000, true, true, false},
    {"tss:", INK__ARROW_INTS, 8, false, 1000000, 1, true, true, false},
    {"tsm:UTC", INK__ARROW_INTS, 8, false, 1000, 1, true, true, false},
    {"tsu:Europe/Berlin", INK__ARROW_INTS, 8, false, 1, 1, true, true, false},
    {"tsn:", INK__ARROW_INTS, 8, false, 1, 1000, true, true, false},
};

static void check_type(const ink__arrow_type *type, size_t i)
{
    assert_int_equal(type->layout, formats[i].layout);
    assert_int_equal(type->width, formats[i].width);
    assert_int_equal(type->is_unsigned, formats[i].is_unsigned);
    CHECK(type->times == formats[i].times && type->over == formats[i].over);
}

TEST(every_type_is_what_its_format_says)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].key) {
            CHECK_OK(plan_key(formats[i].format));
            check_type(&plan.keys[0].type, i);
            assert_int_equal(plan.key_type,
                             formats[i].layout == INK__ARROW_INTS ? INK_KEY_INT : INK_KEY_BYTES);
            assert_string_equal(plan.keys[0].name, "x");
            CHECK(plan.key_count == 1 && plan.keys[0].child == -1 && !plan.is_struct);
        } else {
            CHECK_FAILS(plan_key(formats[i].format), INK_UNSUPPORTED,
                        "expected integers, strings, binary, dates or timestamps");
        }
        CHECK_OK(plan_second(formats[i].format, false, false));
        check_type(&plan.group.type, i);
        assert_int_equal(plan_second(formats[i].format, false, true),
                         formats[i].rounded ? INK_OK : INK_UNSUPPORTED);
        assert_int_equal(plan_second(formats[i].format, true, false),
                         formats[i].weight ? INK_OK : INK_UNSUPPORTED);
    }
}

TEST(types_that_cannot_be_keys_are_named)
{
    static const struct {
        const char *format, *words;
    } refused[] = {{"b", "booleans"},
                   {"e", "floats (half)"},
                   {"f", "floats (single)"},
                   {"g", "floats (double)"},
                   {"d:10,2", "decimals"},
                   {"d:10,2,256", "decimals"},
                   {"tts", "times of day"},
                   {"ttn", "times of day"},
                   {"tDu", "durations"},
                   {"tiM", "intervals"},
                   {"tin", "intervals"},
                   {"+l", "lists"},
                   {"+L", "lists (large)"},
                   {"+vl", "lists (views)"},
                   {"+vL", "lists (large views)"},
                   {"+w:3", "lists (fixed-"},
                   {"+m", "maps"},
                   {"+ud:0,1", "unions"},
                   {"+us:0", "unions"},
                   {"+r", "runs (run-end enco"},
                   {"q", "unknown format \"q\""},
                   {"uu", "unknown format"},
                   {"", "unknown format \"\""},
                   {"vx", "unknown format"},
                   {"\x01", "format \"\\x01\""}};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_FAILS(plan_key(refused[i].format), INK_UNSUPPORTED, refused[i].words);
        CHECK(strstr(error.message, "column \"x\" holds ") == error.message);
        assert_int_equal(error.location, INK_NOWHERE);
    }
    CHECK_FAILS(plan_key("g"), INK_UNSUPPORTED,
                "column \"x\" holds floats (double), expected integers, strings, binary, dates or "
                "timestamps");
    /* Those are no groups either. */
    for (size_t i = 4; i < sizeof refused / sizeof *refused; i++)
        CHECK_FAILS(plan_second(refused[i].format, false, false), INK_UNSUPPORTED,
                    "column \"y\" holds ");
    CHECK_FAILS(plan_second("b", false, true), INK_UNSUPPORTED,
                "booleans, expected numbers, or strings of them, to round to groups");
    CHECK_FAILS(plan_second("g", true, false), INK_UNSUPPORTED,
                "floats (double), expected integers as weights");
    CHECK_FAILS(plan_second("tsu:", true, false), INK_UNSUPPORTED, "timestamps (us)");
}

TEST(a_fixed_size_is_a_number)
{
    CHECK_FAILS(plan_key("w:"), INK_FORMAT, "\"w:\", expected w: and a number of bytes");
    CHECK_FAILS(plan_key("w:-1"), INK_FORMAT, "number of bytes");
    CHECK_FAILS(plan_key("w:9x"), INK_FORMAT, "number of bytes");
    CHECK_FAILS(plan_key("w:2147483648"), INK_FORMAT, "number of bytes");
    CHECK_OK(plan_key("w:2147483647"));
}

/* ---- Columns ------------------------------------------------------------------------------ */

/* A table of five columns, two of one name, one whose name is a number and one without a name. */
static struct ArrowSchema columns[5], *pointers[5];

static struct ArrowSchema five(void)
{
    struct ArrowSchema table = schema_of(NULL, "+s");

    columns[0] = schema_of("id", "l");
    columns[1] = schema_of("twice", "u");
    columns[2] = schema_of("twice", "vu");
    columns[3] = schema_of("2", "s");
    columns[4] = schema_of(NULL, "g");
    for (size_t i = 0; i < 5; i++)
        pointers[i] = &columns[i];
    table.n_children = 5;
    table.children = pointers;
    return table;
}

static ink_status plan_named(const char *key)
{
    struct ArrowSchema table = five();

    return make(&table, &(ink__arrow_wanted){.key = &key, .key_count = 1});
}

/* Wherever a name ends, there is room to say that there are more. */
TEST(names_that_are_left_out_are_told)
{
    enum { COLUMNS = 30 };

    for (size_t length = 1; length < 24; length++) {
        char               name[24] = "nnnnnnnnnnnnnnnnnnnnnnn";
        struct ArrowSchema all[COLUMNS], *children[COLUMNS], table = schema_of("", "+s");
        static const char *key[] = {"x"};
        name[length] = '\0';
        for (size_t i = 0; i < COLUMNS; i++) {
            all[i] = schema_of(name, "l");
            children[i] = &all[i];
        }
        table.n_children = COLUMNS;
        table.children = children;
        CHECK_FAILS(make(&table, &(ink__arrow_wanted){.key = key, .key_count = 1}), INK_USAGE,
                    "n\", ..., or a number up to 30");
    }
}

TEST(columns_are_found_by_name_then_by_number)
{
    static const struct {
        const char *key;
        int64_t     child; /* "2" is the name of the fourth */
    } columns_found[] = {{"id", 0}, {"1", 0}, {"2", 3}, {"3", 2}};
    static const struct {
        const char *key;
        ink_status  status;
        const char *text;
    } wrong[] = {
        {"twice", INK_USAGE, "columns 2 and 3 are both named \"twice\": give a number"},
        {"ids", INK_USAGE,
         "no column \"ids\", expected one of \"id\", \"twice\", \"twice\", \"2\", "},
        {"0", INK_USAGE, "no column \"0\""},
        {"6", INK_USAGE, "no column \"6\""},
        {"-1", INK_USAGE, "no column \"-1\""},
        {"5", INK_UNSUPPORTED, "column 5 holds floats (double)"},
    };

    for (size_t i = 0; i < sizeof columns_found / sizeof *columns_found; i++) {
        CHECK_OK(plan_named(columns_found[i].key));
        assert_int_equal(plan.keys[0].child, columns_found[i].child);
        CHECK(plan.is_struct && plan.child_count == 5);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(plan_named(wrong[i].key), wrong[i].status, wrong[i].text);
}

TEST(many_names_are_cut_short)
{
    static struct ArrowSchema  many[100];
    static struct ArrowSchema *children[100];
    struct ArrowSchema         table = schema_of("", "+s");
    const char                *key = "no";

    for (size_t i = 0; i < 100; i++) {
        many[i] = schema_of("a column with a long name", "l");
        children[i] = &many[i];
    }
    table.n_children = 100;
    table.children = children;
    CHECK_FAILS(make(&table, &(ink__arrow_wanted){.key = &key, .key_count = 1}), INK_USAGE,
                "\"a column with a long name\", \"a column");
    CHECK(strstr(error.message, "name\", ..., or a number up to 100") != NULL);
}

TEST(a_key_need_not_be_named_if_there_is_one_column)
{
    struct ArrowSchema table = five();
    ink__arrow_wanted  nothing = {0};
    struct ArrowSchema alone = schema_of(NULL, "u");
    const char *const  one[] = {"1"};
    ink__arrow_wanted  first = {.key = one, .key_count = 1, .by = "1"};

    CHECK_FAILS(make(&table, &nothing), INK_USAGE,
                "5 columns and none named as the key, expected one of \"id\", \"twice\"");
    table.n_children = 1;
    CHECK_OK(make(&table, &nothing));
    assert_int_equal(plan.keys[0].child, 0);
    table.n_children = 0;
    CHECK_FAILS(make(&table, &nothing), INK_USAGE, "an array without columns");
    /* A column that stands alone is column 1, whatever its name. */
    CHECK_OK(make(&alone, &first));
    CHECK(plan.keys[0].child == -1 && plan.group.child == -1 && plan.has_group);
    assert_string_equal(plan.keys[0].name, "");
    first.by = "by";
    CHECK_FAILS(make(&alone, &first), INK_USAGE,
                "no column \"by\": the array is a column itself, expected a table");
    alone.format = "g";
    CHECK_FAILS(make(&alone, &nothing), INK_UNSUPPORTED, "the array holds floats");
    table.n_children = 1; /* a column without a name has its number */
    table.children = &(struct ArrowSchema *){&alone};
    CHECK_FAILS(make(&table, &nothing), INK_UNSUPPORTED, "column 1 holds floats");
}

TEST(several_columns_make_a_tuple_of_bytes)
{
    struct ArrowSchema table = five();
    const char        *names[INK__KEY_COLUMNS_MAX + 1];
    ink__arrow_wanted  wanted = {.key = names, .key_count = 2};

    for (size_t i = 0; i < INK__KEY_COLUMNS_MAX + 1; i++)
        names[i] = i % 2 == 0 ? "id" : "2";
    CHECK_OK(make(&table, &wanted));
    CHECK(plan.key_count == 2 && plan.keys[0].child == 0 && plan.keys[1].child == 3);
    assert_int_equal(plan.key_type, INK_KEY_BYTES);
    wanted.key_count = INK__KEY_COLUMNS_MAX;
    CHECK_OK(make(&table, &wanted));
    wanted.key_count++;
    CHECK_FAILS(make(&table, &wanted), INK_USAGE, "17 key columns, expected at most 16");
    names[1] = "5";
    wanted.key_count = 2;
    CHECK_FAILS(make(&table, &wanted), INK_UNSUPPORTED, "floats");
}

TEST(what_is_wanted_stands_in_the_plan)
{
    struct ArrowSchema      table = five();
    const char *const       key[] = {"id"};
    const ink__arrow_wanted wanted = {.key = key,
                                      .key_count = 1,
                                      .by = "5",
                                      .rounded = true,
                                      .rounding = INK__ROUND_HALF_UP,
                                      .weight = "2",
                                      .refuse_nulls = true};

    CHECK_OK(make(&table, &wanted));
    CHECK(plan.has_group && plan.rounded && plan.rounding == INK__ROUND_HALF_UP);
    CHECK(plan.has_weight && plan.refuse_nulls && plan.group.child == 4 && plan.weight.child == 3);
}

TEST(dictionaries_are_what_they_decode_to)
{
    static const char *const indices[] = {"c", "C", "s", "S", "i", "I", "l", "L"};
    struct ArrowSchema       words = schema_of("", "u"), column = schema_of("x", "i");
    ink__arrow_wanted        wanted = {0};

    column.dictionary = &words;
    for (size_t i = 0; i < 8; i++) {
        column.format = indices[i];
        CHECK_OK(make(&column, &wanted));
        CHECK(plan.keys[0].dictionary && plan.keys[0].index.width == 1u << i / 2);
        CHECK(plan.keys[0].index.is_unsigned == (i % 2 == 1));
        assert_int_equal(plan.key_type, INK_KEY_BYTES);
    }
    words.format = "tsn:";
    CHECK_OK(make(&column, &wanted));
    assert_int_equal(plan.key_type, INK_KEY_INT);
    assert_int_equal(plan.keys[0].type.over, 1000);
    static const struct {
        const char *column, *words;
        ink_status  status;
        const char *text;
    } wrong[] = {
        {"i", "g", INK_UNSUPPORTED, "floats (double)"},
        {"i", "+s", INK_UNSUPPORTED, "structs"},
        {"tdD", "u", INK_FORMAT, "expected integers as its indices"},
        {"u", "u", INK_FORMAT, "indices"},
        {"+s", "u", INK_FORMAT, "indices"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        column.format = wrong[i].column;
        words.format = wrong[i].words;
        CHECK_FAILS(make(&column, &wanted), wrong[i].status, wrong[i].text);
    }
    column.format = "i";
    words.dictionary = &words;
    CHECK_FAILS(make(&column, &wanted), INK_UNSUPPORTED, "a dictionary of dictionaries");
    words.dictionary = NULL;
    words.release = NULL;
    CHECK_FAILS(make(&column, &wanted), INK_USAGE, "released");
}

TEST(schemas_that_cannot_be_are_refused)
{
    struct ArrowSchema table = five();
    const char *const  key[] = {"id"};
    ink__arrow_wanted  wanted = {.key = key, .key_count = 1};

    plan.key_count = 7;
    table.release = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_USAGE, "the schema was released");
    table = five();
    table.format = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_FORMAT, "no format");
    table = five();
    columns[3].release = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_USAGE, "a column of the schema was released");
    table = five();
    columns[4].format = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_FORMAT, "no format");
    table = five();
    pointers[1] = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_FORMAT, "is NULL");
    table.children = NULL;
    CHECK_FAILS(make(&table, &wanted), INK_FORMAT, "5 columns that are not there");
    table.n_children = -1;
    CHECK_FAILS(make(&table, &wanted), INK_FORMAT, "-1 columns");
    assert_int_equal(plan.key_count, 7); /* as it was */
}

RUN_TESTS()
