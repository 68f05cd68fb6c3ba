"""What a sketch is, and what one would be: its size and its promises, under the command's names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from ctypes import byref
from typing import Any, Literal

from ._errors import UsageError
from ._library import (
    KEY_INT,
    InkDescription,
    InkKindInfo,
    InkParams,
    call,
    fields_of,
    pylib,
    real,
    secret_bytes,
    text_bytes,
    whole,
)
from ._show import FieldsTable
from ._words import FIELDS, suggestion

__all__ = ["Info", "KindInfo", "hashes", "kind_info", "kinds", "plan"]

KEY_TYPES = {"bytes": 0, "int": 1}


@dataclasses.dataclass(frozen=True, kw_only=True)
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


def info_of(description: InkDescription, *, key_type_known: bool = True) -> Info:
    """A description of C in Python's words: what is 0 because it does not apply is None."""
    what = kind_info(description.kind.decode())
    found = fields_of(description)
    found["keys"] = found.pop("expected_keys")
    always = {"records", "bytes", "keyed", "read_only", "order_free", "needs_keys"}
    if what.counts and not what.contains:
        always.add("total")
    if what.keeps_keys:
        always.add("missed")
    if description.counter_bits:
        always.add("conservative")
    if description.ratio:
        always.add("levels")
    if not description.keyed:
        always.add("seed")
    fields: dict[str, Any] = {
        name: value if name in always else value or None for name, value in found.items()
    }
    fields["concurrent"] = True if description.concurrent else None
    fields["kind"] = description.kind.decode()
    fields["hash"] = description.hash.decode()
    fields["key_type"] = ("int" if description.key_type == KEY_INT else "bytes") if key_type_known else None
    return Info(**fields)


# ---- Parameters -------------------------------------------------------------------------------------


def _number(bits: int) -> Callable[[InkParams, str, object], None]:
    def set_number(params: InkParams, name: str, value: object) -> None:
        # From 1 on, as 0 would be the default in C.
        setattr(params, FIELDS.get(name, name), whole(name, value, bits, least=1))

    return set_number


def _set_real(params: InkParams, name: str, value: object) -> None:
    number = real(name, value)
    if number == 0:  # which would be the default in C
        raise UsageError(f"{name} 0, expected a number above 0")
    setattr(params, FIELDS.get(name, name), number)


def _set_flag(params: InkParams, name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} of type {type(value).__name__}, expected True or False")
    setattr(params, name, value)


def _set_key_type(params: InkParams, name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} of type {type(value).__name__}, expected 'bytes' or 'int'")
    if value not in KEY_TYPES:
        raise UsageError(f"{name} {value!r}, expected 'bytes' or 'int'")
    params.key_type = KEY_TYPES[value]


def kind_bytes(kind: object) -> bytes:
    """The name of a kind as C wants it; UsageError, with what was perhaps meant, if there is none."""
    return _known("kind", kind, kinds(), InkParams(kind=text_bytes("kind", kind)))


def _known(name: str, value: object, names: tuple[str, ...], params: InkParams) -> bytes:
    """The text of a parameter that is one of these names; of another the library says what it expects."""
    text = text_bytes(name, value)
    if text.decode() not in names:
        try:
            call(pylib.ink_plan, byref(params), byref(InkDescription()))
        except UsageError as error:
            raise UsageError(error.message + suggestion(text.decode(), names)) from None
    return text


def _set_hash(params: InkParams, name: str, value: object) -> None:
    found = InkParams(kind=b"classic", hash=text_bytes(name, value))
    params.hash = _known(name, value, hashes(), found)


def _set_seed(params: InkParams, name: str, value: object) -> None:
    params.seed = whole(name, value)
    params.has_seed = True


def _set_secret(params: InkParams, name: str, value: object) -> None:
    params.secret = secret_bytes(value)


#: The options that are parameters of sketches, and how each is set.
PARAMETERS: dict[str, Callable[[InkParams, str, object], None]] = {
    "n": _number(64),
    "p": _set_real,
    "bits": _number(64),
    "hashes": _number(32),
    "ratio": _set_real,
    "eps": _set_real,
    "delta": _set_real,
    "width": _number(64),
    "depth": _number(32),
    "counters": _number(32),
    "conservative": _set_flag,
    "k": _number(32),
    "phi": _set_real,
    "precision": _number(32),
    "max_rate": _set_real,
    "concurrent": _set_flag,
    "key_type": _set_key_type,
    "hash": _set_hash,
    "seed": _set_seed,
    "secret": _set_secret,
}


def params_of(kind: object, options: Mapping[str, object]) -> InkParams:
    """The parameters of a sketch as C wants them; options that are None are left out."""
    params = InkParams(kind=kind_bytes(kind))
    for name, value in options.items():
        if name not in PARAMETERS:
            known = f"expected one of {', '.join(PARAMETERS)}"
            raise TypeError(f"{name} is no parameter of a sketch, {known}{suggestion(name, PARAMETERS)}")
        if value is not None:
            PARAMETERS[name](params, name, value)
    return params


# ---- Questions that need no sketch ------------------------------------------------------------------


def plan(
    kind: str,
    *,
    filled: int | float | None = None,
    n: int | float | None = None,
    p: float | None = None,
    bits: int | float | None = None,
    hashes: int | None = None,
    ratio: float | None = None,
    eps: float | None = None,
    delta: float | None = None,
    width: int | float | None = None,
    depth: int | None = None,
    counters: int | None = None,
    conservative: bool = False,
    k: int | None = None,
    phi: float | None = None,
    precision: int | None = None,
    max_rate: float | None = None,
    concurrent: bool = False,
    key_type: Literal["bytes", "int"] | None = None,
    hash: str | None = None,
    seed: int | None = None,
    secret: bytes | None = None,
) -> Info:
    """What ``Sketch(kind, ...)`` with these parameters would be, without making it.

    `filled` asks for the sketch once it holds that number of different keys, for kinds that grow.

    >>> import inkling
    >>> inkling.plan("bloom", n=1e6, p=0.001).bytes
    2121728
    >>> inkling.plan("hll", precision=12).bytes_max
    3072
    """
    options = {name: value for name, value in locals().items() if name in PARAMETERS}
    params = params_of(kind, options)
    description = InkDescription()
    if filled is None:
        call(pylib.ink_plan, byref(params), byref(description))
    else:
        call(pylib.ink_plan_filled, byref(params), whole("filled", filled), byref(description))
    return info_of(description)


def _names(function: Callable[[int], bytes | None]) -> tuple[str, ...]:
    names: list[str] = []
    while (name := function(len(names))) is not None:
        names.append(name.decode())
    return tuple(names)


def kinds() -> tuple[str, ...]:
    """The names of all kinds of sketches.

    >>> import inkling
    >>> "bloom" in inkling.kinds()
    True
    """
    return _names(pylib.ink_kind_name)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
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


_QUESTIONS = ("count", "top", "distinct", "dot", "member", "overlap")


def kind_info(kind: str) -> KindInfo:
    """What a kind answers and needs; UsageError, naming all kinds, if there is no such one.

    >>> import inkling
    >>> inkling.kind_info("bloom").contains, inkling.kind_info("bloom").counts
    (True, False)
    >>> [kind for kind in inkling.kinds() if inkling.kind_info(kind).ranks["top"]]
    ['top']
    """
    found = InkKindInfo()
    call(pylib.ink_kind_describe, kind_bytes(kind), byref(found))
    fields = fields_of(found)
    fields["made_whole"] = bool(found.made_whole)
    fields["ranks"] = dict(zip(_QUESTIONS, found.ranks))
    fields["subtracts"] = bool(found.subtracts)
    return KindInfo(**fields)


def hashes() -> tuple[str, ...]:
    """The names of all hashes, for ``hash=``.

    >>> import inkling
    >>> inkling.hashes()[0]
    'xxh3'
    """
    return _names(pylib.ink_hash_name)
