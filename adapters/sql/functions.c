/* functions.c - the list of functions as a table, and what follows from a form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <string.h>

#define OPENS_FILES(forms) ((forms)[0] == 'P')

#define FUNCTION(id, name, shape, forms, result, kind, text)                                       \
    [INKSQL_##id] = {INKSQL_##id,           name, INKSQL_##shape,     forms,                       \
                     INKSQL_GIVES_##result, kind, OPENS_FILES(forms), text},

const inksql_function inksql_functions[INKSQL_FUNCTIONS] = {
#include "function_list.h"
};
#undef FUNCTION

const char *inksql_form(const inksql_function *function, size_t index, size_t *letters,
                        bool *any_number)
{
    const char *form = function->forms;

    for (; index > 0 && *form != '\0'; index--) {
        form += strcspn(form, " ");
        form += strspn(form, " ");
    }
    if (*form == '\0')
        return NULL;
    *letters = strcspn(form, " +-");
    *any_number = form[*letters] == '+';
    return form;
}

const char *inksql_argument_name(char letter)
{
    static const char *const names[] = {
        ['K'] = "key",   ['W'] = "weight", ['O'] = "options", ['S'] = "sketch",
        ['L'] = "label", ['P'] = "path",   ['R'] = "rate",    ['N'] = "k",
    };

    return names[(unsigned char)letter];
}

const inksql_column *inksql_table_column(const inksql_function *function, size_t index)
{
    static const inksql_column top_keys[] = {
        {"key", INKSQL_GIVES_TEXT},
        {"estimate", INKSQL_GIVES_WHOLE},
        {"low", INKSQL_GIVES_WHOLE},
        {"high", INKSQL_GIVES_WHOLE},
    };
    static const inksql_column read[] = {
        {"kind", INKSQL_GIVES_TEXT},
        {"label", INKSQL_GIVES_TEXT},
        {"slot", INKSQL_GIVES_WHOLE},
        {"sketch", INKSQL_GIVES_SKETCH},
    };

    if (function->shape != INKSQL_TABLE || index >= INKSQL_COLUMNS_MAX)
        return NULL;
    return function->id == INKSQL_TOP_KEYS ? &top_keys[index] : &read[index];
}
