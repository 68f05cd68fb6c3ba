#!/usr/bin/env bash
# java_home.sh - prints the folder of a Java runtime that Spark 4 runs on, JAVA_HOME; the only line on standard output.
#
# Looks at JAVA_HOME, then at the PATH, then where Debian puts them. Where there is none it installs one with apt, as
# root, and says so; who is not root is told what to install.
set -u
LEAST=17
PACKAGE=openjdk-17-jre-headless

# The number of a Java, such as 17; nothing if it does not run.
number_of() {
    "$1" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1
}

find_java() {
    local java number
    for java in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java)" /usr/lib/jvm/*/bin/java; do
        [ -n "$java" ] && [ -x "$java" ] || continue
        number=$(number_of "$java")
        if [ -n "$number" ] && [ "$number" -ge $LEAST ]; then
            dirname "$(dirname "$(readlink -f "$java")")"
            return 0
        fi
    done
    return 1
}

find_java && exit 0
if [ "$(id -u)" != 0 ]; then
    echo "make: found no Java $LEAST or later: as root: apt-get install $PACKAGE" >&2
    exit 1
fi
echo "installing with apt: $PACKAGE" >&2
apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $PACKAGE >/dev/null &&
    find_java && exit 0
echo "make: $PACKAGE cannot be installed" >&2
exit 1
