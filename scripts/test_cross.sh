#!/usr/bin/env bash
# The same golden files, the same digests, the same refusals everywhere: builds the library and its
# tests for 64-bit Arm (little-endian, NEON) and s390x (big-endian), and runs them under qemu; for
# i686 (32 bits), where golden files are made and the transcripts of the command run; and for this
# machine with gcc and clang, -O0 and -O3, signed and unsigned char, where golden files are made with
# each kernel table. Installs cross compilers and qemu with apt (as root); cmocka, zlib and zstd of
# the foreign machines go to the user's cache folder.
#   test_cross.sh [here|i686|aarch64|s390x]...
set -eu
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inkling/cross
architectures=${*:-here i686 aarch64 s390x}

debian_name() { case $1 in aarch64) echo arm64 ;; i686) echo i386 ;; *) echo "$1" ;; esac; }

packages="qemu-user clang"
for arch in $architectures; do
    [ "$arch" = here ] || packages="$packages gcc-$arch-linux-gnu libc6-dev-$(debian_name "$arch")-cross"
done
missing=
for package in $packages; do dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"; done
if [ -n "$missing" ]; then
    echo "installing with apt:$missing"
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# Unpacks libraries of a foreign architecture with an apt of its own: adding the architecture to the
# system's apt would break it.
foreign="libcmocka0 libcmocka-dev zlib1g zlib1g-dev libzstd1 libzstd-dev"
fetch_foreign() {
    local name=$1 root=$cache/$1
    [ "$(cat "$root/done" 2>/dev/null)" = "$foreign" ] && return
    echo "fetching $foreign for $name into $root"
    rm -rf "$root"
    mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/unpacked"
    : >"$root/status"
    local apt=(apt-get -qq -o "APT::Architecture=$name" -o "APT::Architectures=$name"
        -o "Dir::State::lists=$root/lists" -o "Dir::State::status=$root/status"
        -o "Dir::Cache=$root/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update || true # a mirror of one suite may be out of step; the download fails if it is needed
    # shellcheck disable=SC2086
    (cd "$root" && "${apt[@]}" download $foreign)
    for package in "$root"/*.deb; do dpkg -x "$package" "$root/unpacked"; done
    rm -rf "$root/lists" "$root/cache" "$root"/*.deb
    echo "$foreign" >"$root/done"
}

# xxhash is a header; the cross compilers do not look where the host's stands.
headers=$cache/headers
mkdir -p "$headers"
cp /usr/include/xxhash.h /usr/include/xxh3.h "$headers/" 2>/dev/null || cp /usr/include/xxhash.h "$headers/"

# What goes before a foreign program. Most machines run i686 by themselves, with its own loader.
runner() {
    if [ "$1" = i686 ] && "/usr/$1-linux-gnu/lib/ld-linux.so.2" --version >/dev/null 2>&1; then
        echo "/usr/$1-linux-gnu/lib/ld-linux.so.2 --library-path /usr/$1-linux-gnu/lib:$2"
    else
        case $1 in i686) set -- i386 "$2" "$1" ;; *) set -- "$1" "$2" "$1" ;; esac
        echo "qemu-$1 -L /usr/$3-linux-gnu -E LD_LIBRARY_PATH=$2"
    fi
}

# Golden files by the program of a build, with each kernel table that runs.
check_golden() {
    local out=$1 tables=$2 cpu
    for cpu in $tables; do
        echo "# golden files: ${out##*/}, INK_CPU=$cpu"
        INK_CPU=$cpu scripts/run_tests.sh "$out" "$PWD/$out/tests/golden/golden_test"
    done
}

check_here() {
    local flags out tables
    make --no-print-directory all >/dev/null
    tables=$(for cpu in scalar avx2 avx512bw avx512 neon; do
        if INK_CPU=$cpu build/ink version --tuning >/dev/null 2>&1; then echo "$cpu"; fi
    done)
    # Intrinsics are macros of the compiler here, whose warnings another char changes: -w.
    for flags in "gcc -O0 -fsigned-char" "gcc -O3 -funsigned-char" "clang -O0 -funsigned-char" "clang -O3 -fsigned-char"; do
        out=build/same/$(echo "$flags" | tr -d ' ')
        make --no-print-directory "$out/tests/golden/golden_test" OUT="$out" CC="${flags%% *}" CFLAGS="${flags#* } -w" >/dev/null
        check_golden "$out" "$tables"
    done
    # No machine of ours has VBMI2: its table runs with those instructions written with older ones. The tests of its loops
    # are in make check (tests/emulated).
    if [ "$(uname -m)" = x86_64 ] && echo "$tables" | grep -q avx512bw; then
        out=build/vbmi2
        make --no-print-directory EMULATED=1 OUT="$out" "$out/tests/golden/golden_test" >/dev/null
        check_golden "$out" avx512
    else
        echo "# SKIP: the kernel table avx512 with VBMI2 emulated: this machine has no AVX-512"
    fi
}

for arch in $architectures; do
    if [ "$arch" = here ]; then
        check_here
        continue
    fi
    name=$(debian_name "$arch")
    fetch_foreign "$name"
    unpacked=$cache/$name/unpacked/usr
    libraries=$unpacked/lib/${name/arm64/aarch64}-linux-gnu
    flags="-O2 -g -isystem $headers -isystem $unpacked/include -isystem $unpacked/include/${name/arm64/aarch64}-linux-gnu"
    build=(make --no-print-directory "OUT=build/$arch" "CC=$arch-linux-gnu-gcc"
        "LDFLAGS=-L$libraries -Wl,-rpath-link,$libraries")
    export INK_TEST_WRAPPER
    INK_TEST_WRAPPER=$(runner "$arch" "$libraries")
    echo "# $arch"
    if [ "$arch" != i686 ]; then
        INK_TEST_LIGHT=1 "${build[@]}" check-programs CFLAGS="$flags"
        continue
    fi
    # Sizes follow from doubles that are rounded after every operation, which x87 does not do.
    "${build[@]}" all "build/i686/tests/golden/golden_test" CFLAGS="$flags -msse2 -mfpmath=sse -Wno-psabi" >/dev/null
    check_golden build/i686 scalar
    # Scripts call the command by its name.
    mkdir -p build/i686/run
    printf '#!/bin/sh\nexec %s %s/build/i686/ink "$@"\n' "$INK_TEST_WRAPPER" "$PWD" >build/i686/run/ink
    chmod +x build/i686/run/ink
    INK_BINARY_FOLDER=$PWD/build/i686/run python3 -B tests/cli/run_transcripts.py
done
