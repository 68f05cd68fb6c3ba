#!/usr/bin/env bash
# The published job over ratings by ink-hadoop, for `ink lab --hadoop`: prints the seconds that it took.
#
# From the table in HDFS to the rates: one job builds a filter for each rating, with the published bits, one tests every
# title against the filters of all other ratings. The table is brought to HDFS before. Uses the cluster of
# HADOOP_CONF_DIR, with hdfs and ink-hadoop on the PATH; leaves nothing in HDFS.
set -euo pipefail

: "${INK_LAB_FILE:?is not set, expected to be run by ink lab --hadoop}" "${INK_LAB_RATE:?is not set}"
root=/ink-lab-$$

need() {
    command -v "$1" > /dev/null || { echo "hadoop.sh: no $1 on the PATH, expected $2; see docs/hadoop.md" >&2; exit 2; }
}

need ink-hadoop "Inkling's command for Hadoop"
[ -n "${INK_HADOOP_JARS:-}" ] || need hdfs "Hadoop's"

# The command of Hadoop, or its class where there are only jars.
files() {
    if [ -n "${INK_HADOOP_JARS:-}" ]; then
        "${JAVA_HOME:+$JAVA_HOME/bin/}java" -Xmx256m -cp "$HADOOP_CONF_DIR:$INK_HADOOP_JARS/*" \
            org.apache.hadoop.fs.FsShell "$@"
    else
        hdfs dfs "$@"
    fi >&2
}

trap 'files -rm -r -f -skipTrash "$root" || true' EXIT
files -mkdir "$root"
files -put "$INK_LAB_FILE" "$root/titles.tsv"
from=$(date +%s%N)
ink-hadoop build classic --hash mmh3 -p "$INK_LAB_RATE" --header --key tconst --by averageRating --round half-even \
    "$root/titles.tsv" "$root/filters" >&2
ink-hadoop verify "$root/filters" "$root/titles.tsv" >&2
to=$(date +%s%N)
printf '%d.%03d\n' $(((to - from) / 1000000000)) $(((to - from) / 1000000 % 1000))
