"""What values of Python are to sketches: one key, or the name of a group, as docs/keys.md says."""

from __future__ import annotations

from ._keys import one_key
from ._labels import one_group

__all__ = ["one_group", "one_key"]
