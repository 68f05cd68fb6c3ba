"""What tests do with files of other systems: build them, read and write them, ask them."""
import json

import pytest

from conftest import records


def key_type(keys):
    return ("--key-type", "int") if keys and isinstance(keys[0], int) else ()


def union(first, *others):
    """Of files with equal heads: keys of several types in one, which a filter of ours does not have."""
    for other in others:
        assert len(other) == len(first)
        first = bytes(a | b for a, b in zip(first, other))
    return first


class Sketches:
    """Runs the command on files of a format, in an empty folder."""

    def __init__(self, ink, folder):
        self.ink, self.folder = ink, folder

    def built(self, system, *words, keys):
        """A file of the system that is built of these keys."""
        self.ink("build", "--as", system, *words, *key_type(keys), "--in", "nul", "--force", "-o", "built", "-",
                 data=records(keys))
        return (self.folder / "built").read_bytes()

    def again(self, system, data, *words):
        """A file of the system, read and written; what was read stays in again.ink."""
        (self.folder / "read").write_bytes(data)
        self.ink("convert", "-q", "--force", "--from", system, *words, "read", "again.ink")
        self.ink("convert", "-q", "--force", "--to", system, "again.ink", "again")
        return (self.folder / "again").read_bytes()

    def kept(self, keys):
        """The keys that may be in again.ink; its group, if it has one, stands after a tab."""
        passed = self.ink("filter", "again.ink", "--in", "nul", "-", data=records(keys), code=None)
        found = [record.split(b"\t")[0] for record in passed.split(b"\0")[:-1]]
        return [int(key) for key in found] if key_type(keys) else found

    def asked(self, keys, system, data, *words):
        """The keys that may be in a file of the system, asked as it is."""
        (self.folder / "read").write_bytes(data)
        passed = self.ink("filter", "--from", system, *words, "read", "--in", "nul", "-", data=records(keys), code=None)
        return passed.split(b"\0")[:-1]

    def counted(self, keys):
        """How often each key is in again.ink."""
        lines = self.ink("count", "again.ink", "--in", "nul", "--json", "-", data=records(keys)).splitlines()
        return [json.loads(line)["estimate"] for line in lines]

    def refused(self, system, data, *words):
        """The line that says why a file is not read."""
        (self.folder / "read").write_bytes(data)
        why = self.ink("convert", "--force", "--from", system, *words, "read", "refused.ink", code=None, error=True)
        assert why.startswith(b"ink: ") and not (self.folder / "refused.ink").exists()
        return why.decode()

    def both_ways(self, java, system, words, *, form, numbers, keys, asked, reading=()):
        """A filter of theirs and one of ours, of the same keys: equal bytes, and equal answers here and there."""
        theirs, _ = java.ask(system, form, numbers, added=keys)
        ours = self.built(system, *words, keys=keys)
        assert ours == theirs
        assert self.again(system, theirs, *reading) == theirs
        written, answers = java.ask(system, form, sketch=ours, asked=asked)
        assert written == ours
        assert self.kept(asked) == [key for key, answer in zip(asked, answers) if answer]


@pytest.fixture
def sketches(ink, tmp_path):
    return Sketches(ink, tmp_path)
