"""One pass over text in CPU seconds: a filter of it beside the least that Spark can do with it."""
from spark_session import take_turns

BY_SPLITS, BY_FRAME = 1.3, 1.25


def time_pass(rows, spark, path, count, rounds):
    import inkling.spark as ink

    size = {"kind": "bloom", "n": count, "p": 0.01}
    text = str(path)
    lines = spark.read.text(text)
    size_mb = path.stat().st_size / 1e6
    rows.head("pass", f"4. One pass over {size_mb:.0f} MB of text, {count:,} lines, CPU seconds")

    def swallow(batches):
        for _ in batches:
            pass
        return iter(())

    def empty():
        return lines.mapInArrow(swallow, "nothing int").count()

    def build(read):
        return ink.build_files(spark, text, format="tsv", header=True, key="tconst", read=read, **size)

    def by_splits():
        return build("splits")

    def by_text():
        return build("text")

    def by_frame():
        return ink.build(lines, key="value", **size)

    limit, mine = take_turns([lines.count, by_splits], rounds)
    rows.costs("read.text(...).count() / build_files, splits", limit.cpu, mine.cpu, BY_SPLITS)
    rows.faster("the same, by the clock", limit.seconds, mine.seconds)
    limit, frame, parsed = take_turns([empty, by_frame, by_text], rounds)
    for what, mine in (("build of read.text(...)", frame), ('build_files, read="text"', parsed)):
        rows.costs(f"empty mapInArrow / {what}", limit.cpu, mine.cpu, BY_FRAME)
        rows.faster("the same, by the clock", limit.seconds, mine.seconds)
