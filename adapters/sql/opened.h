/* opened.h - sketches that were opened for questions, for the parts of adapters/sql.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKSQL_OPENED_H
#define INKSQL_OPENED_H

#include "sql.h"

/* ink_contains, ink_contains_file, ink_count, _low, _high of one key, which is not NULL. */
ink_status inksql_ask(const inksql_function *function, const inksql_opened *opened,
                      const inksql_value *key, inksql_value *result, inksql_error *error);

/* A number of an answer: its bounds are rounded away from it. */
typedef enum inksql_bound { INKSQL_ESTIMATE, INKSQL_LOW, INKSQL_HIGH } inksql_bound;
int64_t inksql_whole(const ink_answer *answer, inksql_bound bound);

#endif
