/* list.h - the one list of foreign formats, in the order of docs/formats.md: a line for each. */
#ifndef INK_FORMAT_FOREIGN_LIST_H
#define INK_FORMAT_FOREIGN_LIST_H

#include "format/foreign/formats.h"

#define INK__FOREIGN_FORMATS(FORMAT)                                                               \
    FORMAT(parquet)                                                                                \
    FORMAT(spark_v1)                                                                               \
    FORMAT(spark_v2)                                                                               \
    FORMAT(spark_count_min)                                                                        \
    FORMAT(guava)                                                                                  \
    FORMAT(hadoop)                                                                                 \
    FORMAT(hadoop_counting)                                                                        \
    FORMAT(redis_hll)                                                                              \
    FORMAT(redisbloom)                                                                             \
    FORMAT(redisbloom_cms)                                                                         \
    FORMAT(datasketches_theta)                                                                     \
    FORMAT(datasketches_hll)                                                                       \
    FORMAT(datasketches_bloom)                                                                     \
    FORMAT(puffin)                                                                                 \
    FORMAT(postgresql_hll)                                                                         \
    FORMAT(dcso)                                                                                   \
    FORMAT(index_list)

#define INK__FOREIGN_DECLARED(name) extern const ink__foreign_format ink__foreign_##name;
INK__FOREIGN_FORMATS(INK__FOREIGN_DECLARED)

/* All of them, ended by NULL. */
extern const ink__foreign_format *const ink__foreign_formats[];

/* By name; INK_USAGE lists all. */
ink_status ink__foreign_find(const char *name, const ink__foreign_format **format,
                             ink_error *error);

#endif
