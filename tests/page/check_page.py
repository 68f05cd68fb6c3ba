#!/usr/bin/env python3
"""The page of a stream in a real browser: what it shows, how it looks, and what it says when the stream is gone.

    check_page.py CHROMIUM PICTURES

Trains and asks a stream for some seconds, and leaves pictures of its page in the folder PICTURES. Prints a TAP line
for each test and exits with the number that failed.
"""
import math
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

from chromium import Chromium
from prometheus_client.parser import text_string_to_metric_families

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import tap  # noqa: E402

INK = os.path.abspath(os.environ["INK_COMMAND"])
PATIENCE = 30
SECONDS = 25  # of data before the pictures are taken
EVIL = ["<script>window.hit = 1</script>", "<img src=x onerror=window.hit=1>", "</bdi></td><h1>hit</h1>", "&lt;b&gt;",
        "caf\udce9 <b>é"]  # not UTF-8: the surrogate is the byte e9
SIZES = ((400, 800), (1400, 900))


class Stream:
    """`ink stream` with a page, at a port that may be chosen."""

    def __init__(self, folder, sketches, port=0, ask=True):
        words = [word for sketch in sketches for word in ("--sketch", sketch)]
        words += ["--ask", f"unix:{folder}.socket"] if ask else []
        self.process = subprocess.Popen(
            [INK, "stream", "--train", "tcp://127.0.0.1:0", "--state", folder, "--every", "200ms", "--checkpoint", "10",
             "--http", f"127.0.0.1:{port}", *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"records from tcp://(\S+):(\d+);.*page at (http://127.0.0.1:(\d+)/)", line)
        assert found, line
        self.train, self.page, self.port = (found[1], int(found[2])), found[3], int(found[4])
        self.asked = f"{folder}.socket"

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=PATIENCE)


def keys_of(chance):
    """A piece of a stream: paths as often as in a log, and keys that would like to be markup."""
    for _ in range(500):
        rank = int(chance.paretovariate(0.4))
        yield EVIL[rank - 4] if 4 <= rank < 4 + len(EVIL) else f"/item/{rank}" if rank > 1 else "/index.html"


class Load:
    """Trains and asks a stream until it is ended, in waves."""

    def __init__(self, stream):
        self.stream, self.over = stream, threading.Event()
        self.threads = [threading.Thread(target=target, daemon=True) for target in (self.train, self.ask)]
        for thread in self.threads:
            thread.start()

    def train(self):
        chance = random.Random(7)
        with socket.create_connection(self.stream.train) as train:
            for step in range(1 << 30):
                for _ in range(2 + int(3 * (1 + math.sin(step / 12)))):
                    train.sendall("".join(key + "\n" for key in keys_of(chance)).encode("utf-8", "surrogateescape"))
                if self.over.wait(0.1):
                    return

    def ask(self):
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(self.stream.asked)
            while not self.over.wait(0.05):
                asking.sendall(b"?/index.html\n")
                asking.recv(4096)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(PATIENCE)


# What the tests share: made by main.
browser = stream = load = pictures = None


def text_of(selector):
    found = browser.value(f"[...document.querySelectorAll({selector!r})].map(e => e.innerText).join('\\n')")
    return found.replace("\xa0", " ")


def records_shown():
    text = browser.value("[...document.querySelectorAll('.tile')].find(t => t.innerText.startsWith('Records')).querySelector('b').innerText")
    return int(text.replace(",", ""))


# ---- The tests, in an order that makes sense ----


def everything_is_shown():
    tiles, cards = text_of(".tile h2").split("\n"), text_of(".card h2").split("\n")
    assert tiles == ["Throughput", "Records", "Different keys", "Questions", "Connections", "Last checkpoint", "Left out"], tiles
    assert cards == ["Records a second", "Different keys", "Filter: bloom", "Filter: scalable", "Most frequent keys",
                     "Other sketches"], cards
    assert text_of("#pill") == "live"
    shown = text_of("body")
    for words in ("records/s", "1 train, 1 ask", "promised: at most 1 %", "within its promise", "/index.html", "hll",
                  "count-min", f"unix:{stream.asked}", "ago", "bits a key10.", "hash functions8"):
        assert words in shown, words
    assert "NaN" not in shown and "undefined" not in shown and "Infinity" not in shown, shown


def a_number_of_keys_says_whose_it_is():
    for selector, line in ((".tile", r"[0-9,]+ – [0-9,]+ \(95 %\), by hll"), (".meter", r"[0-9,]+ of 40,000 keys, by bloom"),
                           (".head output", r"[0-9,]+, by hll")):
        assert re.search(f"^{line}$", text_of(selector), re.M), text_of(selector)


def the_data_fill_their_charts():
    """From the left end of the axes to the right one, also in the first minute."""
    sides = browser.value("[...document.querySelectorAll('svg.chart')].map(chart => (line => [line.getBBox().x, line.getBBox().x + "
                          "line.getBBox().width, chart.querySelector('line.grid').x1.baseVal.value, "
                          "chart.querySelector('line.grid').x2.baseVal.value])(chart.querySelector('path.line')))")
    assert len(sides) == 4, sides
    for left, right, first, last in sides:
        assert abs(left - first) < 2 and abs(right - last) < 2, sides


def it_goes_on_each_second_without_a_reload():
    browser.value("window.mark = 'here'")
    seen, began = [records_shown()], time.monotonic()
    while len(seen) < 4:
        browser.wait_for(f"Number([...document.querySelectorAll('.tile')].find(t => t.innerText.startsWith('Records'))"
                         f".querySelector('b').innerText.replaceAll(',', '')) > {seen[-1]}", 5)
        seen.append(records_shown())
    assert time.monotonic() - began < 10 and browser.value("window.mark") == "here", seen


def keys_are_text():
    keys = text_of("td.key bdi").split("\n")
    assert {key.replace("\udce9", "\\xe9") for key in EVIL} <= set(keys), keys
    assert browser.value("window.hit") is None
    assert browser.value("document.querySelectorAll('td script, td img, td h1').length") == 0


def lines_are_drawn():
    charts = browser.value("[...document.querySelectorAll('svg.chart')].map(chart => "
                           "[...chart.querySelectorAll('path.line')].map(path => path.getAttribute('d')).join())")
    assert len(charts) == 4, charts
    for path in charts:
        assert path.count("L") >= SECONDS - 8 and "NaN" not in path, path[:200]
    assert browser.value("document.querySelectorAll('line.promise').length") == 2


def a_pointer_shows_the_past():
    box = browser.value("(box => ({x: box.x, y: box.y, width: box.width, height: box.height}))"
                        "(document.querySelector('svg.chart').getBoundingClientRect())")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + 80, y=box["y"] + box["height"] / 2)
    browser.wait_for("/ ago: [0-9,]+ records/.test(document.querySelector('.head output').innerText)", 5)
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    browser.wait_for("!document.querySelector('.head output').innerText.includes('ago')", 5)


def nothing_is_wider_than_the_window():
    for width in (320, 360, 400, 520, 700, 899, 1000, 1400, 2200):
        browser.look(width, 900)
        browser.wait_for(f"innerWidth === {width}")
        beyond = browser.value(
            "[...document.querySelectorAll('body *')].filter(e => e.getClientRects().length > 0 && "
            f"(e.getBoundingClientRect().right > {width} + 0.5 || e.getBoundingClientRect().left < -0.5))"
            ".map(e => e.tagName + '.' + e.getAttribute('class'))")
        assert beyond == [] and browser.value("document.documentElement.scrollWidth") <= width, (width, beyond)


def numbers_are_not_broken_into_lines():
    for width, height in SIZES:
        browser.look(width, height)
        tall = browser.value("[...document.querySelectorAll('.tile b span')].filter(e => e.getClientRects().length > 1)"
                             ".map(e => e.innerText)")
        assert tall == [], (width, tall)


def channel(value):
    return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4


def luminance(colour):
    red, green, blue = (channel(int(colour[i:i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def light_and_dark_can_both_be_read():
    """Text has a contrast of 4.5 to 1 or more to what is behind it, as WCAG 2 asks for."""
    papers = []
    for scheme in ("light", "dark"):
        browser.look(1400, 900, scheme)
        colour = {name: browser.value(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
                  for name in ("paper", "card", "text", "soft", "ink", "good", "bad")}
        papers.append(luminance(colour["paper"]))
        for front in ("text", "soft", "ink", "good", "bad"):
            for back in ("paper", "card"):
                light, dark = sorted((luminance(colour[front]), luminance(colour[back])), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (scheme, front, back)
    assert papers[0] > 0.8 > 0.1 > papers[1], papers


def pictures_are_taken():
    for name, (width, height) in zip(("phone", "wide"), SIZES):
        for scheme in ("light", "dark"):
            browser.look(width, height, scheme)
            browser.picture(pictures / f"{name}-{scheme}.png")
    assert all((pictures / f"{name}.png").stat().st_size > 20000
               for name in ("phone-light", "phone-dark", "wide-light", "wide-dark"))


def metrics_are_read_by_prometheus_own_parser():
    with urllib.request.urlopen(stream.page + "metrics", timeout=PATIENCE) as response:
        text = response.read().decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert all(name.startswith("ink_stream_") and family.documentation and family.type in ("counter", "gauge")
               for name, family in families.items())
    assert families["ink_stream_records"].type == "counter" and families["ink_stream_records"].samples[0].value > 10000
    assert {sample.labels["kind"] for sample in families["ink_stream_sketch_bytes"].samples} == \
        {"bloom", "scalable", "top", "hll", "count-min"}


def the_console_has_nothing_to_complain_about():
    assert browser.complaints() == [], browser.complaints()


def what_is_not_there_is_left_out():
    other = Stream(os.path.abspath("counts"), ["count-min"], ask=False)
    try:
        browser.open(other.page)
        browser.wait_for("document.querySelector('.tile') !== null")
        tiles, cards = text_of(".tile h2").split("\n"), text_of(".card h2").split("\n")
        assert tiles == ["Throughput", "Records", "Connections", "Last checkpoint", "Left out"], tiles
        assert cards == ["Records a second", "Other sketches"], cards
        assert browser.complaints() == [], browser.complaints()
    finally:
        browser.open(stream.page)
        other.end()


def the_worst_filter_is_the_headline():
    assert re.fullmatch(r"(bloom|scalable): [0-9.e-]+ % false positives, promised (1|0\.1) %", text_of("#headline")), text_of("#headline")
    assert browser.value("document.title") == "Inkling stream"
    other = Stream(os.path.abspath("full"), ["scalable", "bloom:n=10"], ask=False)
    try:
        with socket.create_connection(other.train) as train:
            train.sendall(b"".join(b"key %d\n" % i for i in range(100)))
            browser.open(other.page)
            browser.wait_for("document.querySelector('#headline.over') !== null")
        assert re.fullmatch(r"bloom: [0-9.]+ % false positives, promised 1 %: it holds [0-9]+ keys of 10 planned; begin a new state "
                            r"with n=[0-9]+ or --grow, or go on with --renew", text_of("#headline")), text_of("#headline")
        assert browser.value("document.title") == "Above promise: Inkling stream"
        for name, (width, height) in zip(("phone", "wide"), SIZES):
            browser.look(width, height)
            browser.picture(pictures / f"{name}-above.png")
            lines = browser.value("[...document.querySelectorAll('#headline code')].map(e => e.getClientRects().length)")
            assert lines == [1, 1, 1], lines
        assert browser.complaints() == [], browser.complaints()
    finally:
        browser.open(stream.page)
        other.end()


def a_stream_that_is_gone_is_reported_and_found_again():
    global stream
    browser.look(1400, 900)
    browser.wait_for("document.querySelector('.tile') !== null")
    load.end()
    stream.end()
    browser.wait_for("!document.getElementById('alarm').hidden", 15)
    assert re.match(r"The stream cannot be reached since \d\d:\d\d:\d\d\.", text_of("#alarm")), text_of("#alarm")
    assert text_of("#pill") == "not reachable" and browser.value("document.title").startswith("Lost")
    assert browser.value("document.querySelector('.tile') !== null")  # what was known is still there
    browser.picture(pictures / "lost.png")
    stream = Stream(os.path.abspath("again"), ["hll"], stream.port)
    browser.wait_for("document.getElementById('alarm').hidden", 15)
    assert text_of("#pill") == "live" and browser.value("document.title") == "Inkling stream"


TESTS = (everything_is_shown,
         a_number_of_keys_says_whose_it_is,
         the_data_fill_their_charts,
         it_goes_on_each_second_without_a_reload,
         keys_are_text,
         lines_are_drawn,
         a_pointer_shows_the_past,
         nothing_is_wider_than_the_window,
         numbers_are_not_broken_into_lines,
         light_and_dark_can_both_be_read,
         pictures_are_taken,
         metrics_are_read_by_prometheus_own_parser,
         the_console_has_nothing_to_complain_about,
         what_is_not_there_is_left_out,
         the_worst_filter_is_the_headline,
         a_stream_that_is_gone_is_reported_and_found_again)


def main():
    global browser, stream, load, pictures
    pictures = pathlib.Path(sys.argv[2]).absolute()
    pictures.mkdir(parents=True, exist_ok=True)
    stream = Stream(os.path.abspath("state"), ["bloom:n=40000", "scalable:n=4000,p=0.001", "top", "hll", "count-min"])
    load = Load(stream)
    time.sleep(SECONDS)
    try:
        with Chromium(sys.argv[1]) as browser:
            browser.look(1400, 900)
            browser.open(stream.page)
            browser.wait_for("document.querySelectorAll('.card').length >= 5")
            return tap.run(TESTS, "ink-page-")
    finally:
        load.end()
        stream.end()


if __name__ == "__main__":
    sys.exit(main())
