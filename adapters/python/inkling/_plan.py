"""What a sketch is, and what one would be: its size and its promises, under the command's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ctypes import byref
from typing import TYPE_CHECKING, Any, Literal

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
from ._words import FIELDS, suggestion

if TYPE_CHECKING:
    from ._info import Info, KindInfo

__all__ = ["hashes", "kind_info", "kinds", "plan"]

KEY_TYPES = {"bytes": 0, "int": 1}


def info_of(description: InkDescription, *, key_type_known: bool = True) -> Info:
    """A description of C in Python's words: what is 0 because it does not apply is None."""
    from ._info import Info  # which takes long to load

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


_QUESTIONS = ("count", "top", "distinct", "dot", "member", "overlap")


def kind_info(kind: str) -> KindInfo:
    """What a kind answers and needs; UsageError, naming all kinds, if there is no such one.

    >>> import inkling
    >>> inkling.kind_info("bloom").contains, inkling.kind_info("bloom").counts
    (True, False)
    >>> [kind for kind in inkling.kinds() if inkling.kind_info(kind).ranks["top"]]
    ['top']
    """
    from ._info import KindInfo

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
