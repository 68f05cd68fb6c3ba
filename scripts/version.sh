#!/bin/sh
# Prints the version, which include/inkling.h has.
exec awk '/define INK_VERSION_[MP]/ { printf "%s%s", dot, $3; dot = "." } END { print "" }' \
    "$(dirname "$0")/../include/inkling.h"
