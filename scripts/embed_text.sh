#!/usr/bin/env bash
# Turns a file into a C string.
#   embed_text.sh NAME FILE > C
set -euo pipefail
printf '/* Made of %s by scripts/embed_text.sh. */\nextern const char %s[];\nconst char %s[] = {\n' "$2" "$1" "$1"
od -An -v -tu1 -w16 "$2" | sed 's/  */ /g; s/\([0-9]\)\( \|$\)/\1,\2/g'
printf '0};\n'
