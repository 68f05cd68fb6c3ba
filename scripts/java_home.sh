#!/usr/bin/env bash
# java_home.sh [javac] - prints the folder of a Java that Spark 4 and Hadoop 3.5 run on, JAVA_HOME; the only line on
# standard output. With "javac" it is one that has a compiler.
#
# Looks at JAVA_HOME, then at the PATH, then where Debian puts them. Where there is none it installs one with apt, as
# root, and says so; other users are shown what to install.
set -u
LEAST=17
PROGRAM=${1:-java}
case $PROGRAM in
java) PACKAGE=openjdk-17-jre-headless ;;
javac) PACKAGE=openjdk-17-jdk-headless ;;
*) echo "java_home.sh: found $PROGRAM, expected javac or nothing" >&2; exit 2 ;;
esac

# The number of a Java, such as 17; nothing if it does not run.
number_of() {
    "$1" -version 2>&1 | sed -n 's/^\(.* version "\|javac \)\(1\.\)\{0,1\}\([0-9]*\).*/\3/p' | head -n 1
}

find_java() {
    local java number
    for java in "${JAVA_HOME:+$JAVA_HOME/bin/$PROGRAM}" "$(command -v "$PROGRAM")" /usr/lib/jvm/*/bin/"$PROGRAM"; do
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
