"""Spark's own sketches, one for each group of a DataFrame, beside ours of the same DataFrame.

Its Bloom filter is for Spark's optimizer: no function of SQL or Python makes one for each group, so the
expression is made in the JVM. It gives every group the same size, here that of the largest one, which has to
be known beforehand; it takes 64-bit integers, so strings are hashed by xxhash64 first, as the optimizer does.
"""
import math

from spark_session import take_turns

RATE = 0.01
PRECISION = 14
EPS, DELTA = 1e-4, 0.01
FASTER = {"bloom": 5, "hll": 2, "count-min": 2}


def bloom_filter_agg(spark, name, items, bits, hashed=True):
    """The column that aggregates `name` into a Bloom filter; it must be an integer if it is not hashed first."""
    from pyspark.sql import Column, functions

    utils = spark._jvm.org.apache.spark.sql.classic.ExpressionUtils
    aggregate = spark._jvm.org.apache.spark.sql.catalyst.expressions.aggregate.BloomFilterAggregate
    key = functions.xxhash64(name) if hashed else functions.col(name)
    asked = key, functions.lit(items).cast("long"), functions.lit(bits).cast("long")
    made = aggregate(*(utils.expression(column._jc) for column in asked))
    return Column(utils.column(made.toAggregateExpression()))


def theirs(spark, frame, largest):
    """Each as a function that makes all sketches and brings them to the driver."""
    from pyspark.sql import functions

    bits = math.ceil(-largest * math.log(RATE) / math.log(2) ** 2)
    lit = functions.lit
    columns = {
        "bloom": bloom_filter_agg(spark, "tconst", largest, bits),
        "hll": functions.hll_sketch_agg("tconst", lit(PRECISION)),
        "count-min": functions.count_min_sketch("tconst", lit(EPS), lit(1 - DELTA), lit(1)),
    }
    return {kind: (lambda column=column: frame.groupBy("rating").agg(column).collect())
            for kind, column in columns.items()}


def ours(frame):
    import inkling.spark as ink

    sizes = {"bloom": {"p": RATE}, "hll": {"precision": PRECISION}, "count-min": {"eps": EPS, "delta": DELTA}}
    return {kind: (lambda kind=kind, size=size: ink.build(frame, kind, key="tconst", by="rating", **size))
            for kind, size in sizes.items()}


def frame_of(spark, path):
    """Titles and rounded ratings, as Parquet, which costs least to read."""
    from pyspark.sql import functions

    parquet = path.with_suffix(".parquet")
    if not parquet.exists():
        table = spark.read.csv(str(path), sep="\t", header=True)
        rating = functions.bround(functions.col("averageRating").cast("decimal(3,1)")).cast("int")
        part = parquet.with_suffix(".part")
        table.select("tconst", rating.alias("rating")).write.mode("overwrite").parquet(str(part))
        part.rename(parquet)
    return spark.read.parquet(str(parquet))


def time_own(rows, spark, paths, rounds):
    names = {"bloom": "bloom_filter_agg (one size) / bloom (each its own)",
             "hll": f"hll_sketch_agg / hll, precision {PRECISION}",
             "count-min": f"count_min_sketch / count-min, eps {EPS:g}"}
    for path in paths:
        frame = frame_of(spark, path)
        sizes = [row["count"] for row in frame.groupBy("rating").count().collect()]
        rows.head("own", f"3. Spark's own, a sketch for each of {len(sizes)} ratings, {sum(sizes):,} rows "
                         "of Parquet, seconds")
        peers, mine = theirs(spark, frame, max(sizes)), ours(frame)
        for kind, what in names.items():
            peer, our = take_turns([peers[kind], mine[kind]], rounds)
            rows.faster(what, peer.seconds, our.seconds, FASTER[kind])
