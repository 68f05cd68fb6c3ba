"""What is to be reached: each target as a ratio of two measurements of one run, and its bound."""

from __future__ import annotations

from dataclasses import dataclass

from cases import Case

MILLION = 1_000_000
USUAL_MIX = 0.53  # ns of an fmix64 on the machine that bounds in ns are for; they scale with it


@dataclass(frozen=True)
class Spot:
    """One number: who, in which case, doing what; several names: the fastest of them."""

    names: tuple[str, ...]
    case: Case
    operation: str


@dataclass(frozen=True)
class Target:
    """`ours` / `other` at most, or `other` / `ours` at least so much; without `other` nanoseconds."""

    what: str
    ours: Spot
    other: Spot | None = None
    at_most: float | None = None
    at_least: float | None = None
    beside: tuple[tuple[str, Spot, Spot], ...] = ()  # reported with it: a name, and two spots to compare


def spot(name: str, workload: str, count: int, operation: str, threads: int = 1, form: str = "u64") -> Spot:
    return Spot((name,), Case(workload, form, count, threads), operation)


def against(names: tuple[str, ...], one: Spot, threads: int | None = None) -> Spot:
    """Another contestant in the same case and operation."""
    case = one.case
    return Spot(names, Case(case.workload, case.form, case.count, threads or case.threads), one.operation)


def limit(what: str, ours: Spot, at_most: float) -> Target:
    return Target(f"{what} / random lines", ours, against(("lines",), ours), at_most=at_most)


def faster(what: str, ours: Spot, names: tuple[str, ...], at_least: float) -> Target:
    return Target(f"{' or '.join(names)} / {what}", ours, against(names, ours), at_least=at_least)


def filters() -> list[Target]:
    """Memory's limit outside of the caches, the best split-block peer inside."""
    found = [
        limit("bloom, u64, add, 1e8", spot("bloom", "filter", 100 * MILLION, "add"), 0.75),
        limit("bloom, u64, add, 1e7", spot("bloom", "filter", 10 * MILLION, "add"), 1.0),
    ]
    for operation in "hit", "miss":
        found += [
            limit(f"bloom, u64, {operation}, 1e8", spot("bloom", "filter", 100 * MILLION, operation), 1.35),
            limit(f"bloom, u64, {operation}, 1e7", spot("bloom", "filter", 10 * MILLION, operation), 1.15),
        ]
    for operation in "add", "hit", "miss":
        for name, least in ("bloom", 1.6), ("bloom@avx2", 1.0):
            one = spot(name, "filter", 10_000, operation)
            found.append(faster(f"{name}, u64, {operation}, 1e4", one, ("sbbf-rs", "fastbloom"), least))
        for name, count, least in (("1e4", 10_000, 16), ("1e6", MILLION, 14)):
            one = spot("bloom", "filter", count, operation)
            found.append(faster(f"bloom, u64, {operation}, {name}", one, ("libbloom",), least))
    return found


def foreign() -> list[Target]:
    """Filters of other systems beside the native classic, and beside the system that runs here."""
    found = []
    for name, count in ("1e6", MILLION), ("1e7", 10 * MILLION):
        for operation in "hit", "miss":
            for ours in "classic-spark-v1", "classic-guava":
                one = spot(ours, "filter", count, operation)
                native = against(("classic",), one)
                found.append(Target(f"{ours}, {operation}, {name} / classic", one, native, at_most=1.5))
            found.append(faster(f"classic-guava, {operation}, {name}", one, ("guava",), 1))
    return found


def threads() -> list[Target]:
    """Two threads beside one."""
    found = []
    for name, count, least in (
        ("1e6", MILLION, 1.5),
        ("1e7", 10 * MILLION, 1.5),
        ("1e8", 100 * MILLION, 1.1),
    ):
        two = spot("bloom", "filter", count, "add", 2)
        lines = spot("lines", "filter", count, "add", 2)
        hit = spot("bloom", "filter", count, "hit", 2)
        found.append(
            Target(
                f"bloom, u64, add, {name}: 1 thread / 2 threads",
                two,
                against(("bloom",), two, 1),
                at_least=least,
                beside=(
                    ("the limit gains", against(("lines",), lines, 1), lines),
                    ("asking", against(("bloom",), hit, 1), hit),
                ),
            )
        )
    return found


def counters() -> list[Target]:
    """Count-Min, HyperLogLog and frequent keys."""
    small = {operation: spot("count-min", "count16", MILLION, operation) for operation in ("add", "ask")}
    large = {operation: spot("count-min", "count22", MILLION, operation) for operation in ("add", "ask")}
    hll = spot("hll", "distinct", 10 * MILLION, "add")
    top = spot("top", "frequent", 10 * MILLION, "add")
    return [
        limit("count-min 4 x 2^22, add, 1e6", large["add"], 1.15),
        limit("count-min 4 x 2^22, ask, 1e6", large["ask"], 1.15),
        Target("count-min 4 x 2^16, add, 1e6", small["add"], at_most=7.5),
        Target("count-min 4 x 2^16, ask, 1e6", small["ask"], at_most=3.5),
        faster("count-min 4 x 2^16, add, 1e6", small["add"], ("datasketches",), 4.5),
        faster("count-min 4 x 2^16, ask, 1e6", small["ask"], ("datasketches",), 9),
        faster("count-min 4 x 2^22, add, 1e6", large["add"], ("datasketches",), 3),
        Target("hll, u64, add, 1e7, AVX2", spot("hll@avx2", "distinct", 10 * MILLION, "add"), at_most=2.4),
        Target("hll, u64, add, 1e7", hll, at_most=1.8),
        faster("hll, u64, add, 1e7", hll, ("datasketches",), 4),
        faster("top, u64, add, 1e7", top, ("datasketches",), 2),
        faster(
            "top, str16, add, 1e7",
            spot("top", "frequent", 10 * MILLION, "add", form="str16"),
            ("datasketches",),
            2,
        ),
    ]


def sets() -> list[Target]:
    """Theta beside the crate's, with our hash and with its own, and beside our hll."""
    peer = ("datasketches-theta",)
    ints = spot("theta", "distinct", 10 * MILLION, "add")
    texts = spot("theta", "distinct", 10 * MILLION, "add", form="str16")
    return [
        faster("theta, u64, add, 1e7", ints, peer, 3),
        faster("theta@scalar, u64, add, 1e7", spot("theta@scalar", "distinct", 10 * MILLION, "add"), peer, 1.5),
        faster("theta-murmur3, u64, add, 1e7", spot("theta-murmur3", "distinct", 10 * MILLION, "add"), peer, 2),
        faster("theta, str16, add, 1e7", texts, peer, 1.2),
        Target("theta, u64, add, 1e7 / hll", ints, against(("hll",), ints), at_most=1.3),
        Target("theta, str16, add, 1e7 / hll", texts, against(("hll",), texts), at_most=1.3),
        faster("theta, 1,000 different sets", spot("theta", "union", 10 * MILLION, "add"), ("datasketches",), 5),
        faster("theta, 1,000 equal sets", spot("theta", "union-equal", 10 * MILLION, "add"), ("datasketches",), 2),
    ]


def static() -> list[Target]:
    """Filters that never change."""
    peer = ("xor_singleheader",)
    found = []
    for name, count, least in (("1e6", MILLION, 1), ("1e7", 10 * MILLION, 3), ("1e8", 100 * MILLION, 8)):
        one = spot("fuse", "static", count, "add")
        two = spot("fuse", "static", count, "add", 2)
        found += [
            faster(f"fuse, {name}, built", one, peer, least),
            Target(f"fuse, {name}, built: 1 thread / 2 threads", two, against(("fuse",), two, 1), at_least=1.7),
        ]
    for operation in "hit", "miss":
        for name, count, least in (("1e6", MILLION, 1 / 1.5), ("5e7", 50 * MILLION, 1.3), ("1e8", 100 * MILLION, 1.3)):
            found.append(faster(f"fuse, {name}, {operation}", spot("fuse", "static", count, operation), peer, least))
    return found


def targets() -> list[Target]:
    """All of them, in the order in which they are reported."""
    return filters() + foreign() + threads() + counters() + sets() + static()
