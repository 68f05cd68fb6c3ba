"""A Hadoop of five processes on this machine, for tests, demos and benchmarks: what `cluster` does."""
