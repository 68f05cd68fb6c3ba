#!/usr/bin/env python3
"""The page of the lab in a real browser: that it is whole, that it can be read on a phone, by day and by night, and printed.

    check_lab.py CHROMIUM PICTURES

Runs `ink lab --quick`, and leaves pictures of its page in the folder PICTURES. Prints a TAP line for each test and
exits with the number that failed.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from chromium import Chromium

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tap  # noqa: E402

INK = os.path.abspath(os.environ["INK_COMMAND"])
SIZES = ((400, 800), (1400, 900))


def shown_as(text):
    """Marks of code and powers are not shown."""
    return re.sub(r"\^\(([^)]*)\)|\^", lambda match: match[1] or "", text).replace("`", "")


def every_finding_is_shown():
    shown = browser.value("document.body.innerText")
    for experiment in found["experiments"]:
        for text in (experiment["title"], experiment["source"]):
            assert shown.count(shown_as(text)) >= 2, text  # in the contents, and where it is reported
        for part in experiment["parts"]:
            assert shown.count(shown_as(part["title"])) >= 2, part["title"]
    kinds = {kind: sum(entry["is"] == kind for entry in entries) for kind in ("table", "plot")}
    assert browser.value("document.querySelectorAll('table').length") == kinds["table"], kinds
    assert browser.value("document.querySelectorAll('figure svg').length") == kinds["plot"], kinds


def every_cell_of_a_table_is_there():
    rows = browser.value("[...document.querySelectorAll('tbody')].map(body => [...body.rows].map(row => row.cells.length))")
    tables = [entry for entry in entries if entry["is"] == "table"]
    assert len(rows) == len(tables)
    for shape, table in zip(rows, tables):
        assert shape == [len(table["columns"])] * len(table["rows"]), table["id"]


def every_line_of_a_plot_is_drawn_inside_it():
    for number, plot in enumerate(entry for entry in entries if entry["is"] == "plot"):
        paths = browser.value(f"[...document.querySelectorAll('figure svg')[{number}].querySelectorAll('.line path')]"
                              ".filter(path => path.matches('.way')).map(path => path.getTotalLength())")
        assert len(paths) == 2 * len(plot["lines"]) and min(paths) > 0, (plot["id"], paths)
        outside = browser.value(
            f"(svg => [...svg.querySelectorAll('text, path')].filter(e => (box => box.x < -1 || box.y < -1 || "
            f"box.x + box.width > svg.viewBox.baseVal.width + 1 || box.y + box.height > svg.viewBox.baseVal.height + 1)"
            f"(e.getBBox()) && !e.hasAttribute('transform')).map(e => e.textContent || e.outerHTML.slice(0, 80)))"
            f"(document.querySelectorAll('figure svg')[{number}])")
        assert outside == [], (plot["id"], outside)


def the_summary_comes_first_and_leads_to_its_parts():
    for reproduced, name in ((True, "same"), (False, "other")):
        lines = [line for line in found["summary"] if line["reproduced"] is reproduced]
        shown = browser.value(f"[...document.querySelectorAll('.summary .{name} li')].map(e => e.innerText)")
        assert len(shown) == len(lines) > 0, (shown, lines)
        for line, text in zip(lines, shown):
            assert text.startswith(f"{line['experiment']} {shown_as(line['what'])}: ") and ", here " in text, text
            assert text.endswith(f": {shown_as(line['why'])}.") is not reproduced, text
    lost = browser.value("[...document.querySelectorAll('.summary a')].filter(a => document.querySelector("
                         "'[id=\"' + a.hash.slice(1) + '\"]') === null).length")
    assert lost == 0
    assert browser.value("document.querySelector('.summary').getBoundingClientRect().bottom <= "
                         "document.querySelector('nav').getBoundingClientRect().top")
    made = found["made"]
    machine = browser.value("document.querySelector('.machine').innerText")
    for words in (made["date"], made["version"], made["processor"], made["system"], f"{made['cores']} core", made["compiler"]):
        assert words in machine, (words, machine)


def there_is_a_way_back_to_the_top():
    for width, height in SIZES:
        browser.look(width, height)
        browser.value("scrollTo(0, document.documentElement.scrollHeight)")
        browser.wait_for("scrollY > 1000")
        inside = browser.value("(box => box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight)"
                               "(document.querySelector('a.up').getBoundingClientRect())")
        assert inside
        browser.value("document.querySelector('a.up').click()")
        browser.wait_for("scrollY < 100")


def what_is_cut_at_an_edge_is_shaded_there():
    """On a phone wide tables and commands scroll, and nothing else is cut."""
    browser.look(400, 800)
    browser.wait_for("innerWidth === 400")
    cut = browser.value("[...document.querySelectorAll('body *')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && "
                        "getComputedStyle(e).overflowX !== 'visible').map(e => [e.className || e.localName, "
                        "getComputedStyle(e).overflowX, getComputedStyle(e).backgroundAttachment, "
                        "getComputedStyle(e).backgroundImage.split('linear-gradient').length - 1])")
    assert len(cut) > 20 and {name for name, *_ in cut} == {"scroll", "pre"}, cut
    for _, overflow, moves, shades in cut:
        assert (overflow, moves, shades) == ("auto", "local, local, scroll, scroll", 4), cut


def published_figures_are_marked():
    published = sum(column["by"] == "published" for entry in entries if entry["is"] == "table" for column in entry["columns"])
    assert published > 0 and browser.value("document.querySelectorAll('th.published').length") == published


def nothing_is_wider_than_the_window():
    for width in (320, 400, 700, 1000, 1400, 2200):
        browser.look(width, 900)
        browser.wait_for(f"innerWidth === {width}")
        assert browser.value("document.documentElement.scrollWidth") <= width, width
        captions = browser.value("[...document.querySelectorAll('figcaption')].map(e => e.getBoundingClientRect().right)")
        assert max(captions) <= width, width


def the_head_of_a_row_stays_when_a_wide_table_is_scrolled():
    browser.look(400, 800)
    browser.wait_for("innerWidth === 400")
    moved = browser.value(
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 40).map(box => {"
        " box.scrollLeft = 40; const row = box.querySelector('tbody tr').cells, left = box.getBoundingClientRect().left;"
        " const at = [row[0].getBoundingClientRect().left - left, row[1].getBoundingClientRect().left - left];"
        " box.scrollLeft = 0; return [...at, row[1].getBoundingClientRect().left - left]; })")
    assert len(moved) > 5, moved
    for head, then, before in moved:
        assert abs(head) < 1 and before - then > 30, moved


def commands_are_not_broken_where_they_cannot_be():
    """A line of a command is a line on the page, at every width; on a wide page none has to be scrolled."""
    for width in (400, 1000):
        browser.look(width, 900)
        browser.wait_for(f"innerWidth === {width}")
        lines = browser.value("[...document.querySelectorAll('pre')].map(pre => [pre.textContent.split('\\n').length, "
                              "(pre.clientHeight - parseFloat(getComputedStyle(pre).paddingTop) * 2) / "
                              "parseFloat(getComputedStyle(pre).lineHeight), pre.scrollWidth - pre.clientWidth])")
        for written, drawn, beyond in lines:
            assert abs(written - drawn) < 0.6, (width, written, drawn)
            assert width < 1000 or beyond <= 0, beyond


def nothing_comes_from_elsewhere():
    page = pathlib.Path("lab.html") if pathlib.Path("lab.html").exists() else home / "lab.html"
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link|img|iframe)\b|url\(|@import|src=", text)
    asked = [event for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    assert all(event["params"]["request"]["url"].startswith("file:") for event in asked)


def the_console_has_nothing_to_complain_about():
    assert browser.complaints() == [], browser.complaints()


def it_can_be_printed():
    """On paper nothing scrolls: all of a table has room."""
    browser.look(690, 980, "dark")
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    wide = browser.value("[...document.querySelectorAll('table, pre, svg')].filter(e => e.getBoundingClientRect().right > 691)"
                         ".map(e => e.textContent.slice(0, 60))")
    paper = browser.value("getComputedStyle(document.body).backgroundColor")
    browser.call("Emulation.setEmulatedMedia", media="")
    assert wide == [] and paper == "rgb(255, 255, 255)", (wide, paper)
    printed = browser.call("Page.printToPDF", printBackground=False)
    assert len(printed["data"]) > 50000


def pictures_are_taken():
    for name, (width, height) in zip(("phone", "wide"), SIZES):
        for scheme in ("light", "dark"):
            browser.look(width, height, scheme)
            browser.picture(pictures / f"lab-{name}-{scheme}.png")
            assert (pictures / f"lab-{name}-{scheme}.png").stat().st_size > 20000


TESTS = (every_finding_is_shown,
         every_cell_of_a_table_is_there,
         every_line_of_a_plot_is_drawn_inside_it,
         the_summary_comes_first_and_leads_to_its_parts,
         there_is_a_way_back_to_the_top,
         what_is_cut_at_an_edge_is_shaded_there,
         published_figures_are_marked,
         nothing_is_wider_than_the_window,
         the_head_of_a_row_stays_when_a_wide_table_is_scrolled,
         commands_are_not_broken_where_they_cannot_be,
         nothing_comes_from_elsewhere,
         the_console_has_nothing_to_complain_about,
         it_can_be_printed,
         pictures_are_taken)


def main():
    global browser, found, entries, pictures, home
    home = pathlib.Path.cwd()
    pictures = pathlib.Path(sys.argv[2]).absolute()
    pictures.mkdir(parents=True, exist_ok=True)
    subprocess.run([INK, "lab", "--quick", "-q", "-o", home / "lab.html"], check=True)
    found = json.loads((home / "lab.json").read_text(encoding="utf-8"))
    entries = [entry for experiment in found["experiments"] for part in experiment["parts"] for entry in part["found"]]
    with Chromium(sys.argv[1]) as browser:
        browser.look(1400, 900)
        browser.open((home / "lab.html").as_uri())
        return tap.run(TESTS, "ink-lab-")


if __name__ == "__main__":
    sys.exit(main())
