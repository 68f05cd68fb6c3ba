"""The command line: options of ink-hadoop, options that go to `ink`, and operands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .failure import USAGE, Failure
from .program import Option

MOST_REDUCERS = 4096
OWN = {
    name: option
    for option in (
        Option(("--reducers",), "N"),
        Option(("--queue",), "NAME"),
        Option(("-D",), "NAME=VALUE"),
        Option(("--ink",), "PATH"),
        Option(("--no-uber",), ""),
        Option(("--lines",), ""),
        Option(("--no-progress",), ""),
        Option(("-q", "--quiet"), ""),
    )
    for name in option.names
}


@dataclass(frozen=True)
class Typed:
    """An option of ink as it was typed, with its value if that is a word of its own."""

    words: tuple[str, ...]
    option: Option
    value: str

    @property
    def name(self) -> str:
        """The option's long name."""
        return self.option.names[-1]

    @property
    def file(self) -> str | None:
        """The file of this machine that it names."""
        return self.value if self.option.value == "FILE" else None


@dataclass
class Words:
    """A command line that was taken apart."""

    operands: list[str] = field(default_factory=list)
    passed: list[Typed] = field(default_factory=list)  # options of ink, as they were typed
    given: dict[str, list[str]] = field(
        default_factory=dict
    )  # the values of all options, by their long names
    unknown: str | None = None  # the first word that looks like an option and is none

    def one(self, name: str) -> str | None:
        """The value of an option of ours that may be given once."""
        values = self.given.get(name, [])
        if len(values) > 1:
            raise Failure(f"{name} is given twice, expected it once", USAGE)
        if values and not values[0] and OWN[name].value:
            raise Failure(f"{name} without its value {OWN[name].value}", USAGE)
        return values[0] if values else None

    @property
    def reducers(self) -> int | None:
        """How many reducers were asked for."""
        text = self.one("--reducers")
        if text is None:
            return None
        if not text.isdecimal() or not 1 <= int(text) <= MOST_REDUCERS:
            raise Failure(f"--reducers {text}, expected a whole number from 1 to {MOST_REDUCERS}", USAGE)
        return int(text)

    @property
    def settings(self) -> dict[str, str]:
        """What -D sets."""
        found = {}
        for text in self.given.get("-D", []):
            name, equals, value = text.partition("=")
            if not equals or not name:
                raise Failure(f"-D {text}, expected -D name=value", USAGE)
            found[name] = value
        return found

    @property
    def quiet(self) -> bool:
        """Whether nothing is to be printed but errors."""
        return "--quiet" in self.given


def named_program(words: Sequence[str]) -> str | None:
    """The value of --ink, which is needed before anything else can be understood."""
    for at, word in enumerate(words):
        if word.startswith("--ink="):
            return word.partition("=")[2]
        if word == "--ink" and at + 1 < len(words):
            return words[at + 1]
    return None


def letters_of(word: str, options: Mapping[str, Option]) -> list[tuple[str, Option, str | None]] | None:
    """The options in -abVALUE: each as if it stood alone, and the value after its letter."""
    found: list[tuple[str, Option, str | None]] = []
    for at in range(1, len(word)):
        option = options.get("-" + word[at])
        if option is None:
            return None
        if option.value:
            return [*found, ("-" + word[at:], option, word[at + 1 :] or None)]
        found.append(("-" + word[at], option, None))
    return found


def options_of(word: str, options: Mapping[str, Option]) -> list[tuple[str, Option, str | None]] | None:
    """The options in a word that begins with a dash, as `ink` reads it; None if one is unknown."""
    if not word.startswith("--"):
        return letters_of(word, options)
    name, equals, value = word.partition("=")
    option = options.get(name)
    return None if option is None else [(word, option, value if equals else None)]


def take_apart(words: Sequence[str], options: Mapping[str, Option]) -> Words:
    """Separates options with their values from operands; `options` are those of `ink`, ours come first."""
    every = {**options, **OWN}
    result, at = Words(), 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            result.operands += words[at:]
            break
        if len(word) < 2 or not word.startswith("-"):
            result.operands.append(word)
            continue
        found = options_of(word, every)
        if found is None:
            result.unknown = word
            break
        for typed, option, value in found:
            own_words: tuple[str, ...] = (typed,)
            if option.value and value is None and not option.bare and at < len(words):
                value = words[at]
                own_words = (typed, value)
                at += 1
            result.given.setdefault(option.names[-1], []).append(value or "")
            if option not in OWN.values():
                result.passed.append(Typed(own_words, option, value or ""))
    return result
