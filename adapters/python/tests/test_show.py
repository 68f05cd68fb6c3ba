"""How sketches, answers and plans look, as text and in a notebook."""

from __future__ import annotations

import copy
import csv
import html.parser
import io
import json
import pathlib
import pickle
import re
from typing import Any

import pytest

import inkling
from inkling import Answer, Sketch, _show, _sketch


class Balanced(html.parser.HTMLParser):
    """Fails where a tag is closed that was not opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_html(text: str) -> None:
    parser = Balanced()
    parser.feed(text)
    parser.close()
    assert not parser.open


def test_the_text_of_each_kind() -> None:
    shown = {
        "bloom": repr(Sketch("bloom", n=1e6).add(["a", "b", "c"])),
        "scalable": repr(Sketch("scalable").add("a")),
        "count-min": repr(Sketch("count-min").add("a", weight=1000)),
        "top": repr(Sketch("top").add(["a", "b"])),
        "hll": repr(Sketch("hll").add(range(50))),
        "fm": repr(Sketch("fm")),
        "theta": repr(Sketch("theta").add(range(50))),
        "fuse": repr(inkling.build(b"a\nb\na\n", "fuse")),
        "one key": repr(inkling.build(b"a\n", "fuse")),
    }
    rate = r"[0-9.e+-]+"
    assert re.fullmatch(
        rf"<inkling bloom: 3 records of 1,000,000 keys planned for, 1.3 MB, rate {rate} now, 0.01 promised>",
        shown["bloom"],
    )
    assert re.fullmatch(
        r"<inkling scalable: 1 record of 65,536 keys planned for, 101 kB, 1 level, "
        rf"rate {rate} now, 0.01 promised>",
        shown["scalable"],
    )
    counted = "1 record, total 1,000, 544 kB, eps 0.0001, delta 0.00674"
    assert shown["count-min"] == f"<inkling count-min: {counted}>"
    assert shown["top"] == "<inkling top: 2 records, 66 B, no key above 0.000977 of the total is missed>"
    assert re.fullmatch(
        r"<inkling hll: 50 records, \d+ B, about 50 different keys, standard error 0.00812>", shown["hll"]
    )
    assert shown["fm"] == "<inkling fm: 0 records, 144 B, about 0 different keys, standard error 0.131>"
    assert shown["theta"] == "<inkling theta: 50 records, 408 B, about 50 different keys, standard error 0.0156>"
    assert shown["fuse"] == "<inkling fuse: 3 records of 2 different keys, 20 B, rate 0.00781 now, 0.00781 promised>"
    assert shown["one key"].startswith("<inkling fuse: 1 record of 1 different key, ")


def test_a_large_sketch_is_shown_without_reading_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sketch, "_SHOWN_BYTES_MAX", 100)
    assert "now" not in repr(Sketch("bloom", n=1e6))
    assert "now" in repr(Sketch("bloom", n=10))


def test_html_is_whole_and_escaped() -> None:
    for kind in inkling.kinds():
        sketch = inkling.build(b"a\n", kind)  # type: ignore[call-overload]
        for text in (sketch._repr_html_(), sketch.info._repr_html_()):
            check_html(text)
            assert kind in text and "None" not in text
    table = _show.html_table(["<a>", "b"], [["&", "<script>"]], note="<c>")
    check_html(table)
    assert "<script>" not in table and "&lt;script&gt;" in table and "&lt;c&gt;" in table


def test_whatever_a_notebook_shows_is_small_and_escaped(tmp_path: pathlib.Path) -> None:
    hostile = "<script>alert('&')</script>"
    data = f'{hostile},"{hostile}"\nbee,"10"\n'.encode()
    options: Any = {"format": "csv", "key": 1, "by": 2}
    file = inkling.build(data, "bloom,top", **options)
    file.save(path := tmp_path / f"{hostile.replace('/', '')}.ink")
    top = file["top", hostile]
    shown = {
        "file": file,
        "opened": inkling.open(path),
        "sketch": top,
        "items": top.top(),
        "answer": top.count(hostile),
        "info": top.info,
        "kind": inkling.kind_info("top"),
        "build": file.built,
        "filter": inkling.filter(file, data, kind="bloom"),
        "verify": inkling.verify(file, data, tests=10),
        "uniq": inkling.uniq(data),
        "add": inkling.add(path, data),
    }
    for name, value in shown.items():
        text = value._repr_html_()  # type: ignore[attr-defined]
        check_html(text)
        assert "<script" not in text and "None" not in text and len(text) < 4000, (name, text)
        if name in ("file", "opened", "sketch", "items", "verify"):
            assert "&lt;script&gt;" in text, (name, text)
    assert shown["answer"]._repr_html_() == "<b>1</b> (exactly)"  # type: ignore[attr-defined]
    assert "<td>2</td>" in shown["build"]._repr_html_()  # type: ignore[union-attr]


def test_what_the_first_keys_will_decide_is_said() -> None:
    assert "not decided yet" in Sketch("hll")._repr_html_()
    assert "<td>int</td>" in Sketch("hll").add(1)._repr_html_()


def test_the_keys_of_a_top_are_shown() -> None:
    shown = Sketch("top").add(["<b>", "bee", "bee"])._repr_html_()
    check_html(shown)
    assert '<td style="text-align: left">bee</td><td>2</td><td>2</td><td>2</td>' in shown
    many = Sketch("top").add(list("abcdefg"))._repr_html_()
    assert sum(f'left">{letter}</td>' in many for letter in "abcdefg") == 5  # as many as can be read at a glance
    assert shown.index("bee") < shown.index("&lt;b&gt;") and "color" not in shown
    assert "at least" not in Sketch("top")._repr_html_() and "at least" not in Sketch("hll")._repr_html_()


def test_a_cell_is_one_line_of_what_can_be_seen() -> None:
    shown = Sketch("top").add(["two\nlines", ("a", 1), "x" * 900, "é"]).top()._repr_html_()
    check_html(shown)
    for text in ("two\\nlines", "\\x01\\x00\\x00\\x00a\\x01\\x00\\x00\\x001", f"{'x' * 99}…", "é"):
        assert f'<td style="text-align: left">{text}</td>' in shown
    groups = inkling.build(b"a,red\n", "hll", format="csv", key=1, by=2)._repr_html_()
    assert '<td style="text-align: left">hll</td><td style="text-align: left">red</td><td>1</td>' in groups


def test_one_key_is_no_keys() -> None:
    assert " of 1 key planned for" in repr(Sketch("bloom", n=1))
    assert " about 1 different key," in repr(Sketch("hll").add("a"))


def test_a_seed_is_no_quantity() -> None:
    info = inkling.plan("bloom", n=1e6, seed=12345678)
    assert "<td>12345678</td>" in info._repr_html_() and "<td>1,000,000</td>" in info._repr_html_()
    assert "seed=12345678," in repr(info) and "12345678" in repr(info)


def test_an_info_shows_what_applies() -> None:
    text = repr(inkling.plan("hll", precision=12))
    assert text.startswith("Info(kind='hll', ") and "precision=12" in text and "None" not in text
    assert "False" in text  # which is no reason to leave a field out


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Answer(1024, 1011.2, 1037.9, 0.95, False), "1,024 (1,011 to 1,038, 95 %)"),
        (Answer(41455, 40800.9, 42120.1, 0.95, False), "41,455 (40,800 to 42,121, 95 %)"),
        (Answer(1.1, 1.1, 2.201, 0.95, False), "1 (1 to 3, 95 %)"),
        (Answer(3, 3, 3, 1, False), "3 (exactly)"),
        (Answer(0, 0, 0, 1, False), "0 (exactly)"),
        (Answer(5, 3, 5, 1, False), "5 (3 to 5, certain)"),
        (Answer(2.5, 0.25, 9.999, 0.999, False), "3 (0 to 10, 99.9 %)"),
        (Answer(15, 0, 15, 1, True), "15 (0 to 15, certain, saturated: perhaps far more)"),
        (Answer(1, 0, float("inf"), 0.95, True), "1 (0 to inf, 95 %, saturated: perhaps far more)"),
    ],
)
def test_answers(answer: Answer, text: str) -> None:
    assert repr(answer) == text and str(answer) == f"{answer}" == str(int(answer))
    assert answer.low <= answer <= answer.high


def test_an_answer_is_a_number_and_no_tuple() -> None:
    answer = Answer(2499.6, 2400.5, 2600.1, 0.95)
    assert (answer, answer.estimate, answer.low, answer.high) == (2500, 2500, 2400, 2601)
    assert type(answer.estimate) is type(answer.low) is type(answer.high) is int and not answer.saturated
    assert answer * 2 == 5000 and type(answer * 2) is int and 2 * answer + answer == 7500 and answer / 2 == 1250
    assert round(answer) == 2500 and round(answer, -3) == 2000 and int(answer) == float(answer) == 2500
    assert f"{answer:,}" == "2,500" and f"{answer:8.1f}" == "  2500.0" and "%d" % answer == "2500"
    assert hash(answer) == hash(2500) and {2500: "a"}[answer] == "a" and sorted([answer, 7]) == [7, 2500]
    assert answer == Answer(2500, 0, 9999, 1) and 2499 < answer < 2501 and sum([answer, answer]) == 5000
    assert not isinstance(answer, tuple) and answer and not Answer(0, 0, 0)
    assert json.dumps({"n": answer}) == '{"n": 2500}'
    csv.writer(written := io.StringIO()).writerow([answer])
    assert written.getvalue() == "2500\r\n"
    for again in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert type(again) is Answer and repr(again) == repr(answer) == "2,500 (2,400 to 2,601, 95 %)"
    with pytest.raises(TypeError):
        len(answer)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        answer.low = 5  # type: ignore[misc]


def test_columns_of_answers_are_columns_of_ints() -> None:
    answers = Sketch("top").add(["a", "b", "a"]).count(["a", "b"])
    numpy = pytest.importorskip("numpy")
    assert numpy.array(answers).dtype == numpy.int64 and (numpy.array(answers) * 2).tolist() == [4, 2]
    pandas = pytest.importorskip("pandas")
    assert pandas.Series(answers).dtype == numpy.int64
    for package in ("polars", "pyarrow"):
        table = getattr(pytest.importorskip(package), "DataFrame" if package == "polars" else "table")
        assert inkling.Sketch("top").add(table({"n": answers})["n"]).count(2) == 1


def test_sizes() -> None:
    assert [_show.size_text(10**exponent) for exponent in (0, 3, 6, 18, 21)] == [
        "1 B",
        "1.0 kB",
        "1.0 MB",
        "1.0 EB",
        "1000 EB",
    ]
    assert _show.size_text(999_499) == "999 kB" and _show.size_text(999_500) == "1.0 MB"
