#!/usr/bin/env python3
"""Completion in shells: what the printed scripts offer, asked of the shells themselves.

bash must be there; what is about zsh and fish is skipped where they are not. Prints a TAP line for each test and exits
with the number that failed.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import help_pages
import tap
from help_pages import ink

FILES, FOLDERS = ["(files)"], ["(folders)"]
KINDS = help_pages.kinds()
COMMANDS = help_pages.commands()
FORMS = ["lines", "csv", "tsv", "nul", "jsonl", "u32", "u64"]

# A line, as bash parts it into words, and what is offered for its last word.
BASH = (
    (["ink", "bui"], ["build"]),
    (["ink", ""], COMMANDS + ["--help", "--version"]),
    (["ink", "no-such", ""], []),
    (["ink", "build", ""], KINDS),
    (["ink", "build", "bloom,h"], ["bloom,hll"]),
    (["ink", "build", "bloom,hll,"], [f"bloom,hll,{kind}" for kind in KINDS if kind not in ("bloom", "hll")]),
    (["ink", "build", "-n", "1e6", "--header", "cou"], ["counting", "count-min"]),
    (["ink", "build", "--in", "=", "csv", "bl"], ["bloom"]),
    (["ink", "build", "--in=csv", "bl"], ["bloom"]),
    (["ink", "plan", "bloom,cl"], ["bloom,classic"]),
    (["ink", "build", "bloom", "--in", ""], FORMS),
    (["ink", "build", "bloom", "--in", "="], FORMS),
    (["ink", "build", "bloom", "--in", "=", "j"], ["jsonl"]),
    (["ink", "build", "bloom", "--in=j"], ["--in=jsonl"]),
    (["ink", "build", "bloom", "--key-type", "i"], ["int"]),
    (["ink", "build", "bloom", "--round", ""], ["half-even", "half-up", "half-away"]),
    (["ink", "build", "count-min", "--counters", ""], ["32", "64"]),
    (["ink", "build", "bloom", "--hash", "mm"], ["mmh3", "mmh3-signed"]),
    (["ink", "build", "bloom", "--hash", "sip"], []),
    (["ink", "build", "bloom", "--thr"], ["--threads"]),
    (["ink", "build", "bloom", "-n", ""], []),
    (["ink", "build", "bloom", "-n", "--th"], []),
    (["ink", "build", "bloom", "-o", "wo"], FILES),
    (["ink", "build", "bloom", "--output", "=", "wo"], FILES),
    (["ink", "build", "bloom", "--temp", "wo"], FOLDERS),
    (["ink", "build", "bloom", "wo"], FILES),
    (["ink", "build", "bloom", "--", "--wo"], FILES),
    (["ink", "filter", "--kind", "sc"], ["scalable"]),
    (["ink", "filter", "--by", "wo"], FILES),
    (["ink", "filter", "words.ink", "wo"], FILES),
    (["ink", "help", "bl"], ["bloom"]),
    (["ink", "help", "un"], ["uniq"]),
    (["ink", "help", "build", "un"], []),
    (["ink", "completion", ""], ["bash", "fish", "zsh"]),
    (["ink", "gen", "na"], ["names"]),
    (["ink", "gen", "names", "wo"], []),
    (["ink", "version", "wo"], []),
)

BASH_SCRIPT = """
compopt() { case $2 in default) echo '(files)' ;; dirnames) echo '(folders)' ;; esac; }
set -u
. ./ink.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ink
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""

# The same for fish, which parts a line itself.
FISH = (
    ("ink bui", ["build"]),
    ("ink ", COMMANDS),
    ("ink build ", KINDS),
    ("ink build bloom,h", ["bloom,hll"]),
    ("ink build -n 5 cou", ["counting", "count-min"]),
    ("ink build bloom --in ", FORMS),
    ("ink build bloom --in=j", ["--in=jsonl"]),
    ("ink build bloom --hash mm", ["mmh3", "mmh3-signed"]),
    ("ink build top -o wo", ["words.ink", "words.txt"]),
    ("ink build bloom --temp fo", ["folder/"]),
    ("ink filter wo", ["words.ink", "words.txt"]),
    ("ink filter words.ink fo", ["folder/"]),
    ("ink filter --by words.ink fo", ["folder/"]),
    ("ink filter --by wo", ["words.ink", "words.txt"]),
    ("ink build --by fo", []),
    ("ink build -- blo", ["bloom"]),
    ("ink build -- -n fo", ["folder/"]),
    ("ink help bl", ["bloom"]),
    ("ink completion ", ["bash", "fish", "zsh"]),
    ("ink gen na", ["names"]),
    ("ink gen names wo", []),
)

# What is typed at a terminal, with a tab after it, and the words that ink is called with then.
TYPED = (
    ("ink bui", "<build>"),
    ("ink build blo", "<build><bloom>"),
    ("ink build bloom,hl", "<build><bloom,hll>"),
    ("ink build bloom --key-ty", "<build><bloom><--key-type>"),
    ("ink build bloom --key-type i", "<build><bloom><--key-type><int>"),
    ("ink build bloom --in=j", "<build><bloom><--in=jsonl>"),
    ("ink info my", "<info><my words.ink>"),
    ("ink build bloom -o my", "<build><bloom><-o><my words.ink>"),
    ("ink build bloom --temp fo", "<build><bloom><--temp><folder>"),
    ("ink help blo", "<help><bloom>"),
    ("ink gen nam", "<gen><names>"),
)

# File names that a shell would take apart, by the letters that they begin with: as words of their own, and after
# an option.
ODD = {"sp": "sp ace.ink", "it": "it's.ink", "do": "do$HOME.ink", "qu": 'qu"ote.ink', "co": "co:lon.ink",
       "eq": "eq=ual.ink", "st": "st*r.ink", "se": "se;mi.ink", "am": "am&p.ink", "ba": "ba\\ck.ink", "gr": "gr`ave.ink",
       "um": "um\u00e4.ink"}
TYPED_ODD = tuple(
    typed for begin, name in ODD.items() for typed in (
        (f"ink info odd/{begin}", f"<info><odd/{name}>"),
        (f"ink build bloom --output odd/{begin}", f"<build><bloom><--output><odd/{name}>"),
        (f"ink build bloom --output=odd/{begin}", f"<build><bloom><--output=odd/{name}>")))
# The first quotes a name itself, and goes on within the quote or after what must be quoted.
TYPED_ODD += (
    ("ink info 'odd/sp a", "<info><odd/sp ace.ink>"),
    ('ink build bloom --output="odd/sp a', "<build><bloom><--output=odd/sp ace.ink>"),
    ("ink build bloom --output=odd/sp\\ a", "<build><bloom><--output=odd/sp ace.ink>"),
    ("ink build bloom --output=odd/co\\:l", "<build><bloom><--output=odd/co:lon.ink>"),
    ("ink build bloom --output=odd/eq\\=u", "<build><bloom><--output=odd/eq=ual.ink>"),
)


def in_bash(words):
    """What the script offers."""
    done = subprocess.run(["bash", "--norc", "-c", BASH_SCRIPT, "bash", *words], capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return done.stdout.splitlines()


def bash_offers(words, expected):
    """One line of the table."""
    offered = in_bash(words)
    assert offered == expected, f"offers {offered}, expected {expected}"


def bash_offers_every_option(name):
    """Just those that help lists, and --help."""
    listed = help_pages.options(ink("help", name).split("\nexamples:\n")[0])
    offered = in_bash(["ink", name, "-"])
    assert sorted(offered) == sorted(listed + ["-h", "--help"]), f"offers {offered}, help lists {listed}"


def need(shell):
    """Skips what is about a shell that is not there."""
    if not shutil.which(shell):
        raise tap.Skipped("the shell is not installed")


def parses(shell, script):
    """The shell finds no fault with it."""
    need(shell)
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def fish_offers(line, expected):
    """One line of the table; what follows a tab is a description."""
    need("fish")
    done = subprocess.run(["fish", "--no-config", "-c", f"source ink.fish; complete -C '{line}'"],
                          capture_output=True, text=True, check=False)
    offered = [word.split("\t")[0] for word in done.stdout.splitlines()]
    assert (sorted(offered), done.stderr) == (sorted(expected), ""), f"offers {offered}, {done.stderr}"


class Terminal:
    """A shell at a terminal."""

    def __init__(self, words, begin):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.seen = ""
        self.type(begin + "PS1='>'; echo rea''dy\n")
        self.wait("ready\r\n")

    def type(self, text):
        """As if by hand."""
        os.write(self.master, text.encode())

    def wait(self, pattern):
        """Reads until it is there."""
        until = time.monotonic() + 20
        while not re.search(pattern, self.seen):
            ready, _, _ = select.select([self.master], [], [], until - time.monotonic())
            assert ready, f"nothing like {pattern!r} in {self.seen!r}"
            self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
        found = re.search(pattern, self.seen)
        self.seen = self.seen[found.end():]
        return found

    def end(self):
        """The shell goes with its terminal."""
        os.close(self.master)
        self.process.kill()
        self.process.wait()


def typing_gives(terminal, typed, expected):
    """Types a line and a tab, waits for what the shell makes of it, and lets it run."""
    terminal.type(typed + "\t\n")
    called = terminal.wait(r"ran(<[^\r\n]*>)\r").group(1).replace("/>", ">")  # some shells take the slash off again
    assert called == expected, f"{typed}: ran {called}, expected {expected}"


def typing_works(words, begin, lines=TYPED):
    """All lines that are typed, in one shell."""
    need(words[0])
    show = "ink() { printf 'ran'; printf '<%s>' \"$@\"; echo; }; "
    terminal = Terminal(words, show + begin)
    try:
        for typed, expected in lines:
            typing_gives(terminal, typed, expected)
    finally:
        terminal.end()


def tests():
    """Messages, checks, and what these take."""
    for words, expected in BASH:
        yield f"bash completes {' '.join(words)}", bash_offers, words, expected
    for name in COMMANDS:
        yield f"bash offers the options of {name}", bash_offers_every_option, name
    bash, zsh = ["bash", "--norc", "-i"], ["zsh", "-f", "-i"]
    unbroken = "COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:]/}; . ./ink.bash; "
    begin = "unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -D; "
    yield "a tab works in bash", typing_works, bash, ". ./ink.bash; "
    yield "a tab in bash quotes odd file names", typing_works, bash, ". ./ink.bash; ", TYPED_ODD
    yield "a tab works in bash where = and : do not part words", typing_works, bash, unbroken
    yield "a tab in bash quotes odd file names where = and : do not part words", typing_works, bash, unbroken, TYPED_ODD
    yield "zsh can read its script", parses, "zsh", "_ink"
    yield "a tab works in zsh, sourced", typing_works, zsh, begin + ". ./_ink; "
    yield "a tab in zsh quotes odd file names", typing_works, zsh, begin + ". ./_ink; ", TYPED_ODD
    yield "a tab works in zsh, from fpath", typing_works, zsh, "fpath=($PWD $fpath); " + begin
    yield "fish can read its script", parses, "fish", "ink.fish"
    for line, expected in FISH:
        yield f"fish completes {line}", fish_offers, line, expected


def make_folder():
    """The scripts, and files to be completed."""
    for shell, name in (("bash", "ink.bash"), ("zsh", "_ink"), ("fish", "ink.fish")):
        pathlib.Path(name).write_text(ink("completion", shell))
    for name in ("words.txt", "words.ink", "my words.ink"):
        pathlib.Path(name).touch()
    pathlib.Path("folder").mkdir()
    pathlib.Path("odd").mkdir()
    for name in ODD.values():
        pathlib.Path("odd", name).touch()


# What a user has set for shells, and what changes what they print or how they complete.
SETTINGS = ("ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "FIGNORE", "PROMPT_COMMAND", "HISTFILE", "ZDOTDIR", "CDPATH",
            "GLOBIGNORE", "POSIXLY_CORRECT")


def main():
    """One TAP line for each test."""
    home = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="ink-completion-") as folder:
        for name in SETTINGS:
            os.environ.pop(name, None)
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, TERM="dumb", LC_ALL="C.UTF-8",
                          INPUTRC="/dev/null")
        os.chdir(folder)
        make_folder()
        failed = tap.run_cases(tests())
        os.chdir(home)
    return failed


if __name__ == "__main__":
    sys.exit(main())
