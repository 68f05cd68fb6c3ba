"""Runs in the environment of a Python package. Reads the lines of a file; then answers the question
once for each line on standard input, and prints the seconds that it took as JSON.

    peer_program.py polars|duckdb distinct|exact|uniq DATA

A line "memory" asks of the lines that are in memory, "file" of the file anew.
"""
import json
import sys
import time

NO_FIELD = "\x01"  # a delimiter that no line has: a line is one field


def polars_ways(question, data):
    import polars
    how = {"has_header": False, "separator": NO_FIELD, "quote_char": None, "new_columns": ["line"]}
    lines = polars.read_csv(data, **how)["line"]
    if question == "distinct":
        line = polars.col("line").approx_n_unique()
        return {"memory": lines.approx_n_unique,
                "file": lambda: polars.scan_csv(data, **how).select(line).collect().item()}
    if question == "exact":
        line = polars.col("line").n_unique()
        return {"memory": lines.n_unique,
                "file": lambda: polars.scan_csv(data, **how).select(line).collect().item()}
    return {"memory": lambda: len(lines.unique(maintain_order=True)),
            "file": lambda: len(polars.scan_csv(data, **how).unique(maintain_order=True).collect())}


def duckdb_ways(question, data):
    import duckdb
    database = duckdb.connect()
    database.execute("SET threads = 1")
    read = (f"read_csv('{data}', delim = '{NO_FIELD}', quote = '', escape = '', header = false,"
            " auto_detect = false, columns = {'line': 'VARCHAR'})")
    database.execute(f"CREATE TABLE lines AS SELECT line FROM {read}")
    query = {"distinct": "SELECT approx_count_distinct(line) FROM ",
             "exact": "SELECT count(DISTINCT line) FROM "}[question]
    return {"memory": lambda: database.execute(query + "lines").fetchone()[0],
            "file": lambda: database.execute(query + read).fetchone()[0]}


def main():
    name, question, data = sys.argv[1:]
    ways = {"polars": polars_ways, "duckdb": duckdb_ways}[name](question, data)
    print("{}", flush=True)
    for line in sys.stdin:
        query = ways[line.strip()]
        start = time.perf_counter()
        answer = query()
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
