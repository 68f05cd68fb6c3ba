"""The SQL functions of the jar beside Spark's own, in one session, in CPU seconds: whole columns, rows, groups, questions.

Whole columns come from Parquet; rows are those of the same table below a filter, which Spark makes row by row, and of
spark.range for integers. Spark's Bloom filter is an expression of its optimizer, made in the JVM: of 64-bit integers,
so strings are hashed first, as the optimizer does.
"""
import math

from spark_own import DELTA, EPS, PRECISION, RATE, bloom_filter_agg
from spark_session import take_turns, with_functions

# How much faster it must be: from columns and from rows; with 10 and 1,000 groups.
COLUMNS = {("bloom", "id"): 8, ("bloom", "word"): 5, ("count-min", "id"): 2.5, ("hll", "id"): 2.5, ("hll", "word"): 2.2}
ROWS = {("bloom", "id"): 3, ("bloom", "word"): 2.2, ("count-min", "id"): 1.7, ("hll", "id"): 1.1, ("hll", "word"): 1.1}
GROUPS = {("hll", "word"): 1.5, ("count-min", "id"): 1.8, ("bloom", "id"): 4}
FILTER_KEYS = 1_000_000
ROW_NS = 15


def settings():
    """What a session needs for this part."""
    return {**with_functions(), "spark.sql.shuffle.partitions": "2"}


def table_of(spark, folder, count):
    """Integers, strings of about 19 bytes, and numbers of 10 and 1,000 groups, as Parquet."""
    path = folder / f"sql-{count}.parquet"
    if not path.exists():
        part = path.with_suffix(".part")
        spark.range(0, count, 1, 4).selectExpr(
            "id", "concat('visitor ', id * 7919 % 10000000019) AS word",
            "id * 2654435761 % 10 AS ten", "id * 2654435761 % 1000 AS thousand",
        ).write.mode("overwrite").parquet(str(part))
        part.rename(path)
    return spark.read.parquet(str(path))


def aggregates(spark, kind, column, keys):
    """Spark's own and ours, as columns; each for this many different keys."""
    from pyspark.sql import functions

    lit, expr = functions.lit, functions.expr
    if kind == "hll":
        return functions.hll_sketch_agg(column, lit(PRECISION)), expr(f"ink_hll({column}, 'precision={PRECISION}')")
    if kind == "count-min":
        theirs = functions.count_min_sketch(column, lit(EPS), lit(1 - DELTA), lit(1))
        return theirs, expr(f"ink_count_min({column}, 'eps={EPS}, delta={DELTA}')")
    bits = math.ceil(-keys * math.log(RATE) / math.log(2) ** 2)
    theirs = bloom_filter_agg(spark, column, keys, bits, hashed=column == "word")
    return theirs, expr(f"ink_bloom({column}, 'n={keys}, p={RATE}')")


def work(frame, columns, group=None):
    """What makes all sketches and drops them."""
    made = frame.groupBy(group).agg(*columns) if group else frame.agg(*columns)
    return lambda: made.write.format("noop").mode("overwrite").save()


def compare(rows, spark, frame, cases, rounds, count, group=None, groups=1):
    for (kind, column), target in cases.items():
        pair = aggregates(spark, kind, column, count // groups)
        peer, our = take_turns([work(frame, [one], group) for one in pair], rounds)
        of = f", {groups:,} groups" if group else ""
        rows.faster(f"{kind} of {'integers' if column == 'id' else 'strings'}{of}", peer.cpu, our.cpu, target, unit="CPU s")


def might_contain(spark, keys):
    """Spark's question to its filter, which is made here."""
    from pyspark.sql import Column, functions

    utils = spark._jvm.org.apache.spark.sql.classic.ExpressionUtils
    bits = math.ceil(-keys * math.log(RATE) / math.log(2) ** 2)
    made = spark.range(keys).agg(bloom_filter_agg(spark, "id", keys, bits, hashed=False)).first()[0]
    asked = functions.lit(bytes(made)), functions.xxhash64("id")
    kind = spark._jvm.org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain
    return Column(utils.column(kind(*(utils.expression(column._jc) for column in asked))))


def time_questions(rows, spark, frame, rounds, count):
    import inkling
    import inkling.spark as ink
    from pyspark.sql import functions

    sketch = inkling.Sketch("bloom", n=FILTER_KEYS, p=RATE).add(range(FILTER_KEYS))
    total = functions.sum("id")
    floor, theirs, ours = take_turns(
        [work(frame, [total]), *(work(frame.where(asks), [total])
                                 for asks in (might_contain(spark, FILTER_KEYS), ink.contains("id", sketch)))], rounds)

    def per_row(cost):
        return [(seconds - min(floor.cpu)) / count * 1e9 for seconds in cost.cpu]

    rows.faster("a row above the scan: might_contain / ink_contains", per_row(theirs), per_row(ours), 1, unit="ns")
    rows.fact("... ink_contains", min(per_row(ours)), "ns", ROW_NS)


def time_sql(rows, spark, folder, count, rounds):
    frame = table_of(spark, folder, count)
    rows.head("sql", f"6. SQL functions: Spark's own / ours, {count:,} rows, CPU seconds; whole columns")
    compare(rows, spark, frame, COLUMNS, rounds, count)
    rows.head("sql", "... rows")
    ints = {case: target for case, target in ROWS.items() if case[1] == "id"}
    words = {case: target for case, target in ROWS.items() if case[1] == "word"}
    compare(rows, spark, spark.range(0, count, 1, 4), ints, rounds, count)
    compare(rows, spark, frame.where("id >= 0"), words, rounds, count)
    rows.head("sql", "... groups")
    for group, groups in (("ten", 10), ("thousand", 1000)):
        compare(rows, spark, frame, GROUPS, rounds, count, group, groups)
    rows.head("sql", f"... questions to a filter of {FILTER_KEYS:,} keys")
    time_questions(rows, spark, frame, rounds, count)
