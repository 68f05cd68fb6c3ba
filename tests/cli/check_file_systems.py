#!/usr/bin/env python3
"""The same files come, and a full disk leaves what was there, on each file system that can be mounted here: tmpfs, ext4, xfs,
overlay. Each is mounted in a namespace of its own, as root; one that cannot be is a SKIP that names it and says why."""
import os
import pathlib
import shutil
import subprocess
import sys

import tap

FOLDER = os.environ.get("INK_BINARY_FOLDER") or os.path.dirname(os.path.abspath(os.environ["INK_LIBRARY"]))
MEGABYTES = 48
IMAGE = f"truncate -s {MEGABYTES}M image && {{make}} -q image >/dev/null 2>&1 && mount -o loop image at"
MOUNTS = {
    "tmpfs": ("mount", f"mount -t tmpfs -o size={MEGABYTES}m ink at"),
    "ext4": ("mkfs.ext4", IMAGE.format(make="mkfs.ext4")),
    "xfs": ("mkfs.xfs", IMAGE.format(make="mkfs.xfs -f").replace(f"{MEGABYTES}M", "320M")),
    "overlay": ("mount", f"mount -t tmpfs -o size={MEGABYTES}m ink below && mkdir below/lower below/upper below/work && "
                         "mount -t overlay -o lowerdir=below/lower,upperdir=below/upper,workdir=below/work ink at"),
}
# What is done in the mounted folder: files that are made, changed, followed and replaced; then the disk is full.
WORK = r"""
set -eu
seq 20000 > keys; seq 20001 20500 > more
ink build bloom -q -n 30000 -o b.ink keys
ink add -q b.ink more
ink build hll -q -o h.ink keys
ink build top -q -k 5 -o t.ink keys more
ink dedup -q --exact --every 1ms -o out keys
ink stream -q --train keys --sketch hll --state s
for f in b.ink h.ink t.ink s/state.ink; do ink info --digest $f; done | cut -d ' ' -f 1
cksum < out/keys
cp b.ink before; touch why
dd if=/dev/zero of=fill bs=64k 2>/dev/null || true
dd if=/dev/zero of=fill.small bs=512 2>/dev/null || true
code=0; ink build classic -n 300000000 --force -q -o b.ink keys 2> why || code=$?
[ $code = 4 ] || { echo "exit code $code on a full disk"; exit 1; }
cmp b.ink before
rm -f fill fill.small # the second does not exist where making a file takes a block, as on xfs
ls -A | tr '\n' ' '
"""


def run(script, folder):
    environment = {**os.environ, "PATH": FOLDER + os.pathsep + os.environ["PATH"]}
    return subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script], cwd=folder, env=environment,
                          capture_output=True, text=True, timeout=120, check=False)


def check(name, expected):
    tool, mount = MOUNTS[name]
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise tap.Skipped(f"{name} was not tried: mounting takes root and unshare")
    if shutil.which(tool) is None:
        raise tap.Skipped(f"{name} was not tried: there is no {tool}")
    for folder in ("at", "below"):
        pathlib.Path(folder).mkdir(exist_ok=True)
    if run(mount, ".").returncode != 0:
        raise tap.Skipped(f"{name} was not tried: it cannot be mounted here")
    done = run(f"{mount} && cd at && rm -rf lost+found && {{ {WORK} }}", ".")
    assert done.returncode == 0, f"{name}: exit code {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout.splitlines()[:5] == expected, f"{name}: {done.stdout}, expected {expected}"
    assert done.stdout.splitlines()[-1].split() == sorted("b.ink before h.ink keys more out s t.ink why".split()), done.stdout


def results_elsewhere():
    """What comes in the folder of the tests, of the part before the disk is full."""
    done = subprocess.run(["sh", "-c", WORK.split("cp b.ink before")[0]], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": FOLDER + os.pathsep + os.environ["PATH"]})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def main():
    expected = []
    tap.in_empty_folder(lambda: expected.extend(results_elsewhere()), "ink-files-")
    return tap.run_cases((f"{name}: the same files, and a full disk leaves what was there", tap.in_empty_folder,
                          lambda name=name: check(name, expected), "ink-files-") for name in MOUNTS)


if __name__ == "__main__":
    sys.exit(main())
