#!/usr/bin/env bash
# Runs test programs, two more at a time than there are cores, since some mostly wait, each in an
# empty scratch folder of its own, prints their TAP lines in order, with the seconds that each took,
# and a total, and fails if any test failed or any program died.
# A program is an executable, or a Python script; it exits with the number of its failed tests. A suite of
# torture is called with --check, for the share of its cases that is tried each time.
#   run_tests.sh OUT PROGRAM...
# INK_TEST_WRAPPER, such as "valgrind -q", goes before each program; INK_TEST_JOBS says how many run at
# a time.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
shift
jobs=${INK_TEST_JOBS:-$(($(nproc) + 2))}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
case $out in /*) ;; *) out=$root/$out ;; esac

path_of() {
    case $1 in /*) echo "$1" ;; *) echo "$root/$1" ;; esac
}

# Runs one program; leaves its output in $2/log, what it left behind in $2/left, its exit code in
# $2/code, how long it took in $2/seconds.
run() {
    local program=$1 result=$2 command began=$EPOCHREALTIME
    # The command is split into words on purpose.
    case $program in *.py) command="${PYTHON:-python3} -B $program" ;;
    *) command="${INK_TEST_WRAPPER:-} $program" ;; esac
    case $program in */torture/check_torture.py) ;; */tests/torture/*) command="$command --check" ;; esac
    mkdir "$result/scratch"
    # shellcheck disable=SC2086
    (cd "$result/scratch" && INK_SOURCE="$root" INK_LIBRARY="$out/libinkling.so" INK_BINARY_FOLDER="$out" \
        CMOCKA_MESSAGE_OUTPUT=TAP $command) >"$result/log" 2>&1
    local code=$?
    local tenths=$(((${EPOCHREALTIME/[.,]/} - ${began/[.,]/} + 50000) / 100000))
    echo "$((tenths / 10)).$((tenths % 10))" >"$result/seconds"
    ls -A "$result/scratch" >"$result/left"
    echo $code >"$result/ended"
    # A test that is skipped has not failed, whatever cmocka writes.
    sed -i 's/^not ok \([0-9]*\) # SKIP/ok \1 # SKIP/' "$result/log"
    mv "$result/ended" "$result/code" # complete as soon as it is there
}

passed=0
failed=0
report() {
    local program=$1 result=$2 name good bad code left
    name=${program#"$out"/tests/}
    name=${name#"$root"/}
    printf '# %s (%s s)\n' "$name" "$(cat "$result/seconds")"
    grep -v -e '^1\.\.' -e '^\s*$' "$result/log"
    good=$(grep -c '^ok ' "$result/log")
    bad=$(grep -c '^not ok ' "$result/log")
    code=$(cat "$result/code")
    # cmocka exits with the number of failed tests; anything else is a crash or a sanitizer.
    if [ "$code" -ne "$bad" ]; then
        echo "not ok - $name ended with exit code $code"
        bad=$((bad + 1))
    fi
    left=$(cat "$result/left")
    if [ -n "$left" ]; then
        echo "not ok - $name left files behind: $left"
        bad=$((bad + 1))
    fi
    grep '# SKIP' "$result/log" | sed "s|^|#   $name: |" >>"$results/skipped"
    passed=$((passed + good))
    failed=$((failed + bad))
    rm -rf "$result"
}

programs=("$@")
reported=0
report_finished() {
    while [ $reported -lt ${#programs[@]} ] && [ -f "$results/$reported/code" ]; do
        report "$(path_of "${programs[reported]}")" "$results/$reported"
        reported=$((reported + 1))
    done
}

for i in "${!programs[@]}"; do
    mkdir "$results/$i"
    run "$(path_of "${programs[i]}")" "$results/$i" &
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n
        report_finished
    done
done
wait
report_finished
if [ -s "$results/skipped" ]; then
    echo "# not run here:"
    cat "$results/skipped"
fi
echo "# $passed passed, $failed failed"
[ "$failed" -eq 0 ]
