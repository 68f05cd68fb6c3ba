"""The parts of `ink-hadoop`: sketches from HDFS with one command, by jobs that run `ink`."""
