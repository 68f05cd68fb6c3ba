"""Two streams: one brings keys that are kept in a sketch, the other asks whether they were seen.

    spark-submit two_streams.py --train FOLDER --ask FOLDER --state FOLDER --answers FOLDER

Keys are lines of text files that appear in the folders, as IPv4 addresses without dots. Those of the second
folder that may have been seen, with `--kind count-min` how often, are written to a folder for each batch. The
state is one file; after a crash, start the program again: no batch counts twice and none is left out.
"""

from __future__ import annotations

import argparse

from pyspark.sql import DataFrame, SparkSession, functions

import inkling.spark as ink


def options() -> argparse.Namespace:
    as_it_stands = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_it_stands)
    parser.add_argument("--train", required=True, help="the folder of keys to keep")
    parser.add_argument("--ask", required=True, help="the folder of keys to ask for")
    parser.add_argument("--state", required=True, help="the folder of the state")
    parser.add_argument("--answers", required=True, help="the folder that answers are written to")
    parser.add_argument("--kind", choices=("bloom", "count-min"), default="bloom", help="seen, or how often")
    parser.add_argument("-n", "--keys", type=float, default=1e6, help="keys to plan a bloom for (1e6)")
    parser.add_argument("--once", action="store_true", help="take what is there, and end")
    return parser.parse_args()


def lines(spark: SparkSession, folder: str) -> DataFrame:
    return spark.readStream.text(folder)


def main() -> None:
    asked = options()
    spark = SparkSession.builder.appName("two streams").getOrCreate()
    trigger = {"availableNow": True} if asked.once else None
    filters = asked.kind == "bloom"
    size = {"n": asked.keys, "p": 0.01} if filters else {"eps": 1e-4, "delta": 0.01}

    def answer(batch: DataFrame, batch_id: int) -> None:
        # A batch that is repeated after a crash rewrites its folder.
        if filters:
            found = batch.where("maybe").select("value")
        else:
            count = functions.col("count.estimate").cast("long")
            found = batch.select(functions.concat_ws("\t", "value", count))
        found.distinct().write.mode("overwrite").text(f"{asked.answers}/batch={batch_id}")

    keys = lines(spark, asked.train)
    train = ink.stream(keys, asked.kind, asked.state, key="value", trigger=trigger, **size)
    if asked.once:
        train.awaitTermination()  # so that the questions find all keys
    questions = ink.ask(
        lines(spark, asked.ask), asked.state, key="value", sink=answer, trigger=trigger,
        answer="maybe" if filters else "count", checkpoint=f"{asked.answers}/checkpoint",
    )  # fmt: skip
    questions.awaitTermination()
    print(f"{train.status.records:,} keys so far; answers: {asked.answers}")
    train.stop()
    spark.stop()


if __name__ == "__main__":
    main()
