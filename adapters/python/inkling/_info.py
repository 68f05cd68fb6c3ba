"""What is said of a sketch, and of a kind: records under the command's names.

They are dataclasses, which take as long to load as all that a sketch needs: who only fills and asks one does
not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ._show import FieldsTable

__all__ = ["Info", "KindInfo"]


@dataclass(frozen=True, kw_only=True)
class Info(FieldsTable):
    """What a sketch is; a field that does not apply to its kind is None.

    >>> import inkling
    >>> info = inkling.plan("bloom", n=1e6, p=0.01)
    >>> info.bytes, info.hashes, info.promised_rate, info.precision
    (1318912, 8, 0.01, None)
    """

    kind: str
    """Of the sketch, such as ``"bloom"``."""
    key_type: str | None
    """``"bytes"`` or ``"int"``; None if the first keys will decide."""
    hash: str
    """How keys are hashed."""
    seed: int | None
    """Of the hash; None if it takes a secret instead."""
    keyed: bool
    """Hashed with a secret."""
    secret_check: int | None
    """What a file says of the secret, to recognise it."""
    records: int
    """Added so far, repeated ones included, less removals."""
    total: int | None
    """The sum of all weights, of kinds that take them."""
    bytes: int
    """Of its payload in a file, as it is now."""
    bytes_max: int | None
    """Of its payload at most."""
    keys: int | None
    """Different keys that it is planned for; scalable: by its first level; fuse: that it holds."""
    bits: int | None
    """Of a filter."""
    bits_per_key: float | None
    """Bits / keys."""
    hashes: int | None
    """Bits set, or counters raised, by a key; slots of a fuse that a question reads."""
    target_rate: float | None
    """The rate of false positives that was wanted."""
    promised_rate: float | None
    """The rate that the size promises."""
    ratio: float | None
    """Of a scalable: from one level's rate to the next."""
    levels: int | None
    """Of a scalable, so far."""
    width: int | None
    """Counters in a row; sub-sketches in a group."""
    depth: int | None
    """Rows; groups."""
    counter_bits: int | None
    """Of a count-min."""
    conservative: bool | None
    """Of a count-min: only the counters that must rise do."""
    epsilon: float | None
    """Of a count-min: a count is at most this share of the total too high ..."""
    delta: float | None
    """... but with this chance."""
    capacity: int | None
    """Of a top: how many keys it is sure to keep."""
    phi: float | None
    """Of a top: no key above this share of the total is missed."""
    missed: int | None
    """Of a top: at present no key that has more than this is missed."""
    precision: int | None
    """Of an hll: it has 2^precision registers; theta: it keeps at most 2^precision values."""
    standard_error: float | None
    """Of the number of different keys that is answered, relative."""
    read_only: bool
    """A view of a file."""
    concurrent: bool | None
    """Any number of threads add and ask at once."""
    order_free: bool
    """The same bytes in any order of the keys."""
    needs_keys: bool
    """The keys themselves are needed: hashes alone are refused."""

    def __repr__(self) -> str:
        return f"Info({', '.join(f'{name}={value!r}' for name, value in self._fields())})"

    _no_quantities = frozenset({"seed", "secret_check"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KindInfo(FieldsTable):
    """What a kind of sketches answers and needs, for programs that serve any kind."""

    contains: bool
    """Have I seen this key: a filter."""
    counts: bool
    """How often."""
    keeps_keys: bool
    """Which are the most frequent; needs the keys themselves."""
    distinct: bool
    """How many different ones."""
    dot: bool
    """The inner product of two."""
    weights: bool
    """Takes weights."""
    removes: bool
    """Keys can be taken out again."""
    sized_by_keys: bool
    """Needs `n`, or a size by hand; ``inkling.build`` counts the keys if there is neither."""
    fixed_size: bool
    """Its memory does not grow with what is added."""
    local: bool
    """Hashes that begin alike fall close together in it."""
    made_whole: bool
    """Made of all of its keys at once, by ``inkling.build`` or a draft, and never changed."""
    ranks: dict[str, int]
    """How well it answers ``"count"``, ``"top"``, ``"distinct"``, ``"dot"``, ``"member"`` and ``"overlap"``: of several
    kinds the one with the highest rank is asked, and among equals the caller chooses. 0: not at all."""

    subtracts: bool
    """A sample of the keys: intersections and differences of two have its bounds."""
