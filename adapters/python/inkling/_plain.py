"""What stands in for the compiled module (``_single``): the same in Python, with one plain call of C a key."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Any

_INT_MIN, _INT_MAX, _UINT_MAX = -(1 << 63), (1 << 63) - 1, (1 << 64) - 1


def signed(key: int) -> int:
    """An int up to 2^64 - 1 as the signed one of the same bits."""
    return key if key <= _INT_MAX else key - (1 << 64)


class Keys:
    """The base of a sketch: what it answers one key at a time."""

    __slots__ = ("_lock", "_unwatched")

    _lock: Any  # a HandleLock; the compiled module looks at its Pointers
    _unwatched: int  # keys that may be added until the rate is looked at; below 0: none the quick way

    def __contains__(self, key: Any) -> bool:
        """``key in sketch``: whether one key may have been added; False is certain."""
        found: bool = self._contains_slowly(key)  # type: ignore[attr-defined]
        return found


def quicken(kind: type, name: str, text: str) -> None:
    """Puts a compiled method before the one in Python of this name; there is none."""


def pack(keys: list[Any], start: int, stop: int, values: bytearray, data: bytearray, takes: str) -> str:
    """Appends some keys of a list to the buffers of an Arrow column, all of them or none. Returns its format: "l", 64 bits each,
    or "Z", of which `values` are the offsets into `data`; "" if the keys are not all of one, or not of one that
    `takes` names: "L" means ints of up to 64 bits, "l" those with a sign."""
    keys = keys[start:stop] if 0 <= start < stop <= len(keys) else []
    kinds = set(map(type, keys))
    try:
        if kinds == {int} and ("l" in takes or "L" in takes):
            if "L" in takes and _INT_MIN <= min(keys) and max(keys) <= _UINT_MAX:
                keys = list(map(signed, keys))
            values += array("q", keys).tobytes()
            return "l"
        if kinds and kinds <= {str, bytes} and "Z" in takes:
            texts = [key if type(key) is bytes else key.encode() for key in keys]
            ends = list(accumulate(map(len, texts), initial=len(data)))
            values += array("q", ends[1:] if values else ends).tobytes()
            data += b"".join(texts)
            return "Z"
    except (OverflowError, UnicodeEncodeError):
        pass
    return ""
