#!/usr/bin/env bash
# Runs test programs one after another, each in an empty scratch folder of its own, prints their TAP
# lines and a total, and fails if any test failed or any program died. A program is an executable, or
# a Python script; it exits with the number of its failed tests.
#   run_tests.sh OUT PROGRAM...
# INK_TEST_WRAPPER, such as "valgrind -q", goes before each program.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
shift
passed=0
failed=0
case $out in /*) ;; *) out=$root/$out ;; esac

for program in "$@"; do
    case $program in /*) ;; *) program=$root/$program ;; esac
    name=${program#"$out"/tests/}
    name=${name#"$root"/}
    scratch=$(mktemp -d)
    log=$(mktemp)
    printf '# %s\n' "$name"
    # The command is split into words on purpose.
    case $program in *.py) command="${PYTHON:-python3} -B $program" ;;
    *) command="${INK_TEST_WRAPPER:-} $program" ;; esac
    # shellcheck disable=SC2086
    (cd "$scratch" && INK_SOURCE="$root" INK_LIBRARY="$out/libinkling.so" CMOCKA_MESSAGE_OUTPUT=TAP \
        $command) >"$log" 2>&1
    code=$?
    grep -v -e '^1\.\.' -e '^\s*$' "$log"
    good=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    # cmocka exits with the number of failed tests; anything else is a crash or a sanitizer.
    if [ "$code" -ne "$bad" ]; then
        echo "not ok - $name ended with exit code $code"
        bad=$((bad + 1))
    fi
    left=$(ls -A "$scratch")
    if [ -n "$left" ]; then
        echo "not ok - $name left files behind: $left"
        bad=$((bad + 1))
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    rm -rf "$scratch" "$log"
done
echo "# $passed passed, $failed failed"
[ "$failed" -eq 0 ]
