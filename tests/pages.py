#!/usr/bin/env python3
"""What pages.sh asks of the files that the program wrote. Says what is wrong and ends with status 1.

    pages.py page FILE...            well formed, and needs no other file
    pages.py attention NAME CONTEXT  NAME.json holds weights and expectations; NAME.html shows the same
    pages.py next ATTENTION SAMPLE   two JSON files about one start agree on what comes next
    pages.py sample FILE TEXT        the page holds the text that was printed
    pages.py picture FILE MAPS CHARACTERS
    pages.py map FILE CHARACTERS     one map for a terminal, aligned
    pages.py terminal COLOURS COMMAND...   runs it in a terminal, and expects colours or none
"""
import html.parser
import json
import math
import os
import pty
import re
import sys
import unicodedata
import xml.etree.ElementTree as xml

VOID = {"meta", "input", "br", "link", "img", "hr"}
SHOWN = {" ": "\u2423", "\n": "\u21b5", "\t": "\u21e5", "\r": "\u240d"}


class Page(html.parser.HTMLParser):
    """A tree of [tag, attributes, children]; asserts that what is opened is closed, and no id is there twice."""

    def __init__(self, path):
        super().__init__()
        self.root = ["", {}, []]
        self.open, self.ids = [self.root], set()
        self.source = open(path, encoding="utf-8").read()
        self.feed(self.source)
        self.close()
        assert self.open == [self.root], f"{path}: <{self.open[-1][0]}> is not closed"

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        assert len(names) == len(attributes), f"<{tag}> has an attribute twice"
        assert "id" not in names or names["id"] not in self.ids, f"id {names.get('id')} twice"
        self.ids.add(names.get("id"))
        element = [tag, names, []]
        self.open[-1][2].append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag, f"</{tag}> closes another, line {self.getpos()[0]}"

    def handle_data(self, data):
        self.open[-1][2].append(data)

    def all(self, test, of=None):
        for child in (of or self.root)[2]:
            if not isinstance(child, str):
                if test(child):
                    yield child
                yield from self.all(test, child)

    def by_class(self, name, of=None):
        return list(self.all(lambda e: name in (e[1].get("class") or "").split(), of))

    def by_id(self, name):
        return next(self.all(lambda e: e[1].get("id") == name))


def text(element):
    return element if isinstance(element, str) else "".join(map(text, element[2]))


def needs_nothing(path, source):
    foreign = [u for u in re.findall(r"https?:[^\s\"'<>]*|//[a-z]+\.[a-z]", source) if u != "http://www.w3.org/2000/svg"]
    assert not foreign, f"{path}: {foreign[0]}"
    for what in (r"\bsrc\s*=", r"\bhref\s*=\s*[\"']?[^#\"']", r"@import", r"\burl\(", r"\bfetch\(", r"XMLHttp", r"\bimport\b"):
        assert not re.search(what, source), f"{path}: {what}"


def page(*paths):
    for path in paths:
        p = Page(path)
        needs_nothing(path, p.source)
        assert p.source.startswith("<!DOCTYPE html>") and len(list(p.all(lambda e: e[0] == "title"))) == 1
        try:
            import html5lib
        except ImportError:
            continue
        html5lib.HTMLParser(strict=True).parse(p.source)


def decoded(line, characters):
    """The weights of one head, as attention.js reads them."""
    digits = iter((60 if c == "!" else 92 if c == " " else ord(c)) - 35 for c in line)
    weights = []
    for first in digits:
        if first < 84:
            weights.append(first)
        elif first < 90:
            weights.append(84 + (first - 84) * 92 + next(digits))
        else:
            weights.append(636 + ((first - 90) * 92 + next(digits)) * 92 + next(digits))
    assert len(weights) == characters * (characters + 1) // 2
    return weights


def guesses(p, element):
    return [(g[2][0], float(text(g[2][1]))) for g in p.by_class("guess", element)]


def attention(name, context):
    d = json.load(open(name + ".json", encoding="utf-8"))
    length = len(d["prompt_ids"])
    assert d["n_positions"] == int(context) and 0 < length <= int(context)
    for head in d["heads"]:
        assert [len(row) for row in head["weights"]] == list(range(1, length + 1))
        for row in head["weights"]:
            assert abs(sum(row) - 1) < 1e-5 and min(row) >= 0, f"a row sums to {sum(row)}"
    assert len(d["next"]) == length
    for some in d["next"]:
        p = [g["p"] for g in some]
        assert p == sorted(p, reverse=True) and 0 < sum(p) < 1 + 1e-5 and len(p) == min(5, d["vocab_size"])
    p = Page(name + ".html")
    steps = json.loads(text(p.by_id("weights")))
    assert len(steps["weights"]) == len(d["heads"])
    for head, line in zip(d["heads"], steps["weights"]):
        weights = [w for row in head["weights"] for w in row]
        for w, n in zip(weights, decoded(line, length)):
            assert abs(w - n / steps["steps"]) <= 0.5 / steps["steps"] + 1e-7, (w, n)
    assert len(p.by_class("head")) == len(d["heads"])
    tokens, cards = p.by_class("token", p.by_id("text")), list(p.all(lambda e: e[0] == "li", p.by_id("next")))
    assert len(tokens) == len(cards) == length
    if len(d["prompt"]) == length:  # characters, not bytes
        assert "".join(map(text, tokens)) == d["prompt"].replace("\n", "\u21b5\n").replace("\t", "\u21e5")
    for card, some in zip(cards, d["next"]):
        shown = guesses(p, card)
        assert len(shown) == len(some)
        for (symbol, share), g in zip(shown, some):
            assert abs(share - g["p"]) <= 0.0005 + 1e-7
            assert symbol == SHOWN.get(g["text"], g["text"]) or len(d["prompt"]) != length


def next_agrees(attention_json, sample_json):
    a, s = (json.load(open(path, encoding="utf-8")) for path in (attention_json, sample_json))
    assert a["prompt_ids"] == s["prompt_ids"]
    largest = max(s["logits"])
    p = [math.exp(logit - largest) for logit in s["logits"]]
    for g in a["next"][-1]:
        assert abs(g["p"] - p[g["id"]] / sum(p)) < 1e-5, g
    assert a["next"][-1][0]["id"] == max(range(len(p)), key=p.__getitem__)


def sample(path, printed):
    p = Page(path)
    texts = [text(e).replace("\u21b5", "") for e in p.by_class("text")]
    assert "---------------\n".join(t + "\n" for t in texts) == open(printed, encoding="utf-8").read()
    for section in p.by_class("sample"):
        rows = [row for row in p.all(lambda e: e[0] == "tr", section) if p.by_class("guess", row)]
        spans = p.by_class("new", section)
        assert len(rows) == len(spans) > 0
        mean = sum(float(text(row[2][2])) for row in rows) / len(rows)
        assert abs(mean - float(re.search(r"mean surprise ([\d.]+)", text(section)).group(1))) < 0.01
        for row, span in zip(rows, spans):
            bits, share = float(text(row[2][2])), float(text(row[2][3]))
            assert abs(2 ** -bits - share) < 0.004 * share + 0.00006, (bits, share)
            assert f"s{min(8, int(bits + 0.5))}" in span[1]["class"].split() or abs(bits % 1 - 0.5) < 0.006
            shown = guesses(p, row)
            assert shown == sorted(shown, key=lambda g: -g[1])
            assert text(row[2][1]) not in [g[0] for g in shown] or abs(dict(shown)[text(row[2][1])] - share) < 0.0006


def picture(path, maps, characters):
    source = open(path, encoding="utf-8").read()
    needs_nothing(path, source)
    root = xml.fromstring(source)
    svg = "{http://www.w3.org/2000/svg}"
    groups = root.findall(svg + "g")
    assert root.tag == svg + "svg" and root.find(svg + "title").text and "prefers-color-scheme:dark" in source
    assert len(groups) == int(maps)
    for group in groups:
        assert len(group.findall(svg + "text")) == 1 + 2 * int(characters)
        assert len(group.findall(svg + "path")) > 1


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def aligned(path, characters):
    lines = open(path, encoding="utf-8").read().split("\n")
    symbols = [SHOWN.get(c, c) for c in characters]
    assert lines[0] == "layer 0 head 0" and lines[1].strip() == "".join(symbols)
    label = width(lines[1]) - sum(map(width, symbols))
    for i, line in enumerate(lines[2:2 + len(symbols)]):
        assert line.startswith(symbols[i]), line
        assert width(line) == label + sum(map(width, symbols[:i + 1])), line
        assert set(line[len(symbols[i]):]) <= set(" ·░▒▓█"), line
    assert "\x1b" not in "".join(lines)


def terminal(colours, *command):
    said = bytearray()

    def read(fd):
        said.extend(os.read(fd, 4096))
        return b"."

    assert pty.spawn(list(command), read) == 0
    assert (b"\x1b[38;5;" in said) == (colours == "colours"), said[:200]


commands = {"page": page, "attention": attention, "next": next_agrees, "sample": sample, "picture": picture,
            "map": aligned, "terminal": terminal}
try:
    commands[sys.argv[1]](*sys.argv[2:])
except AssertionError as error:
    import traceback
    traceback.print_exc()
    sys.exit(1)
