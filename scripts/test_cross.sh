#!/usr/bin/env bash
# Builds the library and its tests for 64-bit Arm (little-endian, NEON) and s390x (big-endian), and
# runs them under qemu: the same golden files, the same digests, the same refusals. Installs cross
# compilers and qemu with apt (as root); cmocka, zlib and zstd of the foreign machines go to the
# user's cache folder.
#   test_cross.sh [aarch64|s390x]...
set -eu
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/inkling/cross
architectures=${*:-aarch64 s390x}

debian_name() { if [ "$1" = aarch64 ]; then echo arm64; else echo "$1"; fi; }

packages=qemu-user
for arch in $architectures; do packages="$packages gcc-$arch-linux-gnu libc6-dev-$(debian_name "$arch")-cross"; done
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
foreign="libcmocka0 libcmocka-dev zlib1g-dev libzstd-dev"
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
    "${apt[@]}" update
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

for arch in $architectures; do
    name=$(debian_name "$arch")
    fetch_foreign "$name"
    unpacked=$cache/$name/unpacked/usr
    libraries=$unpacked/lib/$arch-linux-gnu
    include="-isystem $headers -isystem $unpacked/include -isystem $unpacked/include/$arch-linux-gnu"
    echo "# $arch"
    INK_TEST_LIGHT=1 \
        INK_TEST_WRAPPER="qemu-$arch -L /usr/$arch-linux-gnu -E LD_LIBRARY_PATH=$libraries" \
        make --no-print-directory check-programs OUT="build/$arch" CC="$arch-linux-gnu-gcc" \
        CFLAGS="-O2 -g $include" \
        LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries"
done
