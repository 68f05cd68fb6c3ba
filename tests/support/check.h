/* check.h - what every test includes: cmocka, and checks that say what failed. */
#ifndef INK_TESTS_CHECK_H
#define INK_TESTS_CHECK_H

#include "inkling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CHECK(condition) assert_true(condition)

/* The call succeeds; otherwise its error message stands in the test's output. The error must be
 * called `error`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        ink_status check_status = (call);                                                          \
        if (check_status != INK_OK)                                                                \
            fail_msg("%s: %s: %s", #call, ink_status_name(check_status), error.message);           \
    } while (0)

/* The call fails with this status, and its message contains this text. */
#define CHECK_FAILS(call, expected, text)                                                          \
    do {                                                                                           \
        ink_status check_status = (call);                                                          \
        if (check_status != (expected))                                                            \
            fail_msg("%s: %s, expected %s", #call, ink_status_name(check_status), #expected);      \
        if (strstr(error.message, (text)) == NULL)                                                 \
            fail_msg("%s: \"%s\" does not contain \"%s\"", #call, error.message, (text));          \
    } while (0)

#endif
