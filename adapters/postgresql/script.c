/* script.c - prints what CREATE EXTENSION reads, from the list of functions: the control file, the
 * script of this version, and scripts that lead to it from earlier ones.
 *
 *     script control | create | upgrade
 *
 * An upgrade replaces every function and aggregate, and adds those that are new: names and
 * arguments of the list may be added, never changed. The type does not change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <stdio.h>
#include <string.h>

/* As the list needs it, though nothing is called here. */
const inksql_engine inksql_engine_here = {.cast_to_text = "", .cast_to_int = ""};

static const char *const type_names[] = {
    ['K'] = "\"any\"",
    ['W'] = "bigint",
    ['O'] = "text",
    ['S'] = "ink",
    ['L'] = "\"any\"",
    ['P'] = "text",
    ['R'] = "double precision",
    ['N'] = "bigint",
};

static const char *const result_names[] = {
    [INKSQL_GIVES_SKETCH] = "ink",
    [INKSQL_GIVES_WHOLE] = "bigint",
    [INKSQL_GIVES_REAL] = "double precision",
    [INKSQL_GIVES_BOOLEAN] = "boolean",
    [INKSQL_GIVES_TEXT] = "text",
    [INKSQL_GIVES_BYTES] = "bytea",
};

/* The type comes first, and is not there before. */
static const char type[] =
    "CREATE TYPE ink;\n\n"
    "CREATE FUNCTION inkling_in(cstring) RETURNS ink\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n"
    "CREATE FUNCTION inkling_out(ink) RETURNS cstring\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n"
    "CREATE FUNCTION inkling_receive(internal) RETURNS ink\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_receive' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n"
    "CREATE FUNCTION inkling_send(ink) RETURNS bytea\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n"
    "CREATE TYPE ink (INPUT = inkling_in, OUTPUT = inkling_out, RECEIVE = inkling_receive,\n"
    "    SEND = inkling_send, INTERNALLENGTH = VARIABLE, STORAGE = external);\n"
    "COMMENT ON TYPE ink IS 'a whole .ink file; its text is base64';\n\n"
    "CREATE FUNCTION ink(bytea) RETURNS ink\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;\n"
    "CREATE CAST (bytea AS ink) WITH FUNCTION ink(bytea) AS ASSIGNMENT;\n"
    "CREATE CAST (ink AS bytea) WITHOUT FUNCTION AS ASSIGNMENT;\n\n"
    "CREATE FUNCTION inkling_equal(ink, ink) RETURNS boolean\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;\n"
    "CREATE FUNCTION inkling_unequal(ink, ink) RETURNS boolean\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_unequal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST "
    "100;\n"
    "CREATE FUNCTION inkling_hash(ink) RETURNS integer\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;\n"
    "CREATE FUNCTION inkling_hash_extended(ink, bigint) RETURNS bigint\n"
    "    AS 'MODULE_PATHNAME', 'inkpg_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE\n"
    "    COST 100;\n"
    "CREATE OPERATOR = (LEFTARG = ink, RIGHTARG = ink, FUNCTION = inkling_equal,\n"
    "    COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES);\n"
    "CREATE OPERATOR <> (LEFTARG = ink, RIGHTARG = ink, FUNCTION = inkling_unequal,\n"
    "    COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);\n"
    "CREATE OPERATOR CLASS ink_ops DEFAULT FOR TYPE ink USING hash AS\n"
    "    OPERATOR 1 =, FUNCTION 1 inkling_hash(ink), FUNCTION 2 inkling_hash_extended(ink, "
    "bigint);\n\n";

/* What all aggregates share. */
static const char *const shared[][2] = {
    {"inkling_finish(internal) RETURNS ink", "inkpg_finish"},
    {"inkling_finish_count(internal) RETURNS bigint", "inkpg_finish_count"},
    {"inkling_combine(internal, internal) RETURNS internal", "inkpg_combine"},
    {"inkling_serialise(internal) RETURNS bytea", "inkpg_serialise"},
    {"inkling_deserialise(bytea, internal) RETURNS internal", "inkpg_deserialise"},
};

enum { SHARED = sizeof shared / sizeof *shared };

static const char *const ids[] = {
#define FUNCTION(id, name, shape, forms, result, kind, text) #id,
#include "function_list.h"
#undef FUNCTION
};

/* A form's arguments, as `count` letters; with their names where they are declared. */
static void print_arguments(const char *form, size_t count, bool any, bool named)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s%s", i > 0 ? ", " : "", any ? "VARIADIC " : "");
        if (named)
            printf("%s%s ", inksql_argument_name(form[i]), any ? "s" : "");
        printf("%s", type_names[(unsigned char)form[i]]);
    }
}

static void print_text(const inksql_function *function, const char *what, const char *form,
                       size_t count, bool any)
{
    printf("COMMENT ON %s %s(", what, function->name);
    print_arguments(form, count, any, false);
    printf(") IS '%s';\n\n", function->text);
}

static void print_aggregate(const inksql_function *function, const char *form, size_t count,
                            const char *create)
{
    const bool  counts = function->gives == INKSQL_GIVES_WHOLE;
    const char *name = function->name + strlen("ink_");

    printf("%s FUNCTION inkling_step_%s(internal, ", create, name);
    print_arguments(form, count, false, false);
    printf(") RETURNS internal\n    AS 'MODULE_PATHNAME', 'inkpg_%s' LANGUAGE C IMMUTABLE "
           "PARALLEL SAFE;\n",
           ids[function->id]);
    printf("%s AGGREGATE %s(", create, function->name);
    print_arguments(form, count, false, true);
    printf(") (\n    SFUNC = inkling_step_%s, STYPE = internal, FINALFUNC = inkling_finish%s", name,
           counts ? "_count" : "");
    printf(",\n    COMBINEFUNC = inkling_combine, SERIALFUNC = inkling_serialise, "
           "DESERIALFUNC = inkling_deserialise,\n    PARALLEL = SAFE);\n");
    print_text(function, "AGGREGATE", form, count, false);
}

static void print_result(const inksql_function *function)
{
    const inksql_column *column;

    if (function->shape != INKSQL_TABLE) {
        printf("%s", result_names[function->gives]);
        return;
    }
    for (size_t i = 0; (column = inksql_table_column(function, i)) != NULL; i++)
        printf("%s%s %s", i > 0 ? ", " : "TABLE(", column->name, result_names[column->gives]);
    printf(")");
}

static void print_function(const inksql_function *function, const char *form, size_t count,
                           bool any, const char *create)
{
    printf("%s FUNCTION %s(", create, function->name);
    if (count == 2 && form[0] == form[1])
        printf("a %s, b %s", type_names[(unsigned char)form[0]],
               type_names[(unsigned char)form[1]]);
    else
        print_arguments(form, count, any, true);
    printf(") RETURNS ");
    print_result(function);
    printf("\n    AS 'MODULE_PATHNAME', 'inkpg_%s' LANGUAGE C %s STRICT PARALLEL SAFE%s;\n",
           ids[function->id], function->opens_files ? "VOLATILE" : "IMMUTABLE",
           function->shape == INKSQL_TABLE ? " ROWS 10" : "");
    print_text(function, "FUNCTION", form, count, any);
}

static void print_functions(const char *create)
{
    for (size_t i = 0; i < SHARED; i++)
        printf("%s FUNCTION %s\n    AS 'MODULE_PATHNAME', '%s' LANGUAGE C IMMUTABLE%s PARALLEL "
               "SAFE;\n",
               create, shared[i][0], shared[i][1],
               strstr(shared[i][0], "serialise") ? " STRICT" : "");
    printf("\n");
    for (size_t f = 0; f < INKSQL_FUNCTIONS; f++) {
        const inksql_function *function = &inksql_functions[f];
        const char            *form;
        size_t                 count;
        bool                   any;
        for (size_t i = 0; (form = inksql_form(function, i, &count, &any)) != NULL; i++)
            if (function->shape == INKSQL_AGGREGATE)
                print_aggregate(function, form, count, create);
            else
                print_function(function, form, count, any, create);
    }
}

int main(int count, char **words)
{
    const char *what = count == 2 ? words[1] : "";

    if (strcmp(what, "control") == 0) {
        printf(
            "comment = 'sketches: sets, counts and distinct counts as values, the files of ink'\n"
            "default_version = '%s'\nmodule_pathname = '$libdir/inkling'\nrelocatable = true\n",
            ink_version());
        return 0;
    }
    const bool create = strcmp(what, "create") == 0;
    if (!create && strcmp(what, "upgrade") != 0) {
        fputs("script: expected one of control, create, upgrade\n", stderr);
        return 2;
    }
    printf("-- Printed by adapters/postgresql/script.c from adapters/sql/function_list.h.\n"
           "\\echo Use \"%s\" to load this file. \\quit\n\n",
           create ? "CREATE EXTENSION inkling" : "ALTER EXTENSION inkling UPDATE");
    if (create)
        fputs(type, stdout);
    print_functions(create ? "CREATE" : "CREATE OR REPLACE");
    return 0;
}
