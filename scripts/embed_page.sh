#!/usr/bin/env bash
# Turns a page into C: its bytes, and a Content-Security-Policy that allows its one style and its one
# script by their hashes, and nothing else from anywhere. The tags of both stand alone on their lines.
#   embed_page.sh PAGE > C
set -euo pipefail
shopt -s inherit_errexit
page=$1

# What stands between the two tags, from the end of the first to the start of the second.
inside() {
    local lines
    lines=$(grep -c -e "^<$1>\$" -e "^</$1>\$" "$page") || true
    if [ "$lines" != 2 ] || [ "$(grep -c "<$1" "$page")" != 1 ]; then
        echo "$page: expected one <$1> and one </$1>, each alone on its line" >&2
        exit 1
    fi
    echo
    sed -n "/^<$1>\$/,/^<\/$1>\$/p" "$page" | sed '1d;$d'
}

hash_of() {
    local digest
    digest=$(inside "$1" | sha256sum | cut -c 1-64)
    # shellcheck disable=SC2059
    printf "$(sed 's/../\\x&/g' <<<"$digest")" | base64
}

style=$(hash_of style)
script=$(hash_of script)
printf '/* Made of %s by scripts/embed_page.sh. */\n#include "stream/page.h"\n\n' "$page"
printf 'const char page_policy[] =\n'
printf '    "%s"\n' "default-src 'none'; script-src 'sha256-$script'; style-src 'sha256-$style'; " \
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " \
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
printf '    ;\n\nconst unsigned char page_html[] = {\n'
od -An -v -tu1 -w16 "$page" | sed 's/  */ /g; s/\([0-9]\)\( \|$\)/\1,\2/g'
printf '};\nconst size_t page_html_bytes = sizeof page_html;\n'
