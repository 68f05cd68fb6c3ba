"""The virtual environment of the tests: made once, whole or not at all; one line if no server can be reached."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
import types

import pytest


@pytest.fixture
def script(source: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The script as a module, with a cache folder of its own."""
    spec = importlib.util.spec_from_file_location("python_env", source / "scripts/python_env.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return module


def unreachable(plain_environment: dict[str, str]) -> dict[str, str]:
    """An environment in which pip asks a registry that does not answer."""
    given = {name: value for name, value in plain_environment.items() if not name.startswith("PIP_")}
    no_server = "http://127.0.0.1:9/simple"
    return {**given, "PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "1", "PIP_INDEX_URL": no_server}


def test_an_environment_is_made_once_and_found_again(
    source: pathlib.Path, tmp_path: pathlib.Path, wheel: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    path = tmp_path / "requirements.txt"
    path.write_text(f"# One that is needed.\n{wheel}  # exactly\n")
    # As make runs it: by an interpreter outside of any environment.
    python = pathlib.Path(sys.base_prefix) / f"bin/python3.{sys.version_info.minor}"
    command = [str(python), "-B", str(source / "scripts/python_env.py"), str(path)]
    env = {**unreachable(plain_environment), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    runs = [subprocess.run(command, env=env, text=True, capture_output=True, check=False) for _ in range(2)]
    first, second = runs
    assert first.returncode == 0, first.stderr
    assert first.stderr.startswith(f"installing {wheel} into ") and first.stderr.count("\n") == 1
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    python = pathlib.Path(first.stdout.strip())
    question = "import sys, importlib.util as util; print(sys.prefix, util.find_spec('inkling').origin)"
    prefix, origin = subprocess.check_output([str(python), "-I", "-c", question], env=env, text=True).split()
    assert prefix == str(python.parent.parent) and origin.startswith(prefix)


def test_the_name_says_what_is_in_it(script: types.ModuleType, tmp_path: pathlib.Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("# why\na==1  # this one\n\n")
    second.write_text("-r first.txt\nb==2\n")
    assert list(script.requirements_of(first)) == ["a==1"]
    assert list(script.requirements_of(second)) == ["a==1", "b==2"]
    keys = {script.key_of(lines) for lines in (["a==1"], ["a==1", "b==2"], ["a==2"])}
    assert len(keys) == 3 and script.key_of(["a==1"]) in keys


def test_nothing_is_taken_for_whole_that_was_interrupted(
    script: types.ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = script.cache_folder() / "python-0"
    begun: list[list[str]] = []

    def install(part: pathlib.Path, lines: list[str], log: pathlib.Path) -> str | None:
        begun.append(sorted(path.name for path in part.parent.iterdir()))
        assert not part.exists() and not folder.exists()
        part.mkdir()
        (part / "some").touch()
        if len(begun) == 1:
            raise KeyboardInterrupt
        return "no answer" if len(begun) == 2 else None

    monkeypatch.setattr(script, "install", install)
    folder.parent.mkdir(parents=True)
    with pytest.raises(KeyboardInterrupt):
        script.make_whole(folder, ["a==1"], "x.txt")
    with pytest.raises(SystemExit) as failed:
        script.make_whole(folder, ["a==1"], "x.txt")
    assert failed.value.code == "make: the packages of x.txt cannot be installed: no answer"
    assert not folder.exists() and not folder.with_name("python-0.part").exists()
    script.make_whole(folder, ["a==1"], "x.txt")
    script.make_whole(folder, ["a==1"], "x.txt")  # who waited for the other finds it made
    assert [path.name for path in folder.iterdir()] == ["some"] and len(begun) == 3
    assert capsys.readouterr().err == f"installing a==1 into {folder}\n" * 3


def test_a_registry_that_does_not_answer_is_distinguished_from_a_package_that_is_not_there(
    script: types.ModuleType, tmp_path: pathlib.Path, plain_environment: dict[str, str]
) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--target", str(tmp_path)]
    said = [
        subprocess.run(
            [*pip, *words, "no-such-package==1.2.3"], env=unreachable(plain_environment), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        ).stdout
        for words in ([], ["--no-index"])
    ]  # fmt: skip
    assert script.why_not(said[0]) == "the registry of packages is not reachable"
    assert script.why_not(said[1]) == "No matching distribution found for no-such-package==1.2.3"
