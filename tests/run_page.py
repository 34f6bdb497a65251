"""Reads the page of a run as a browser would, and compares it with the log: run_page.py PAGE CSV STEPS"""
import csv, json, re, sys
from html.parser import HTMLParser

page, log, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
text = open(page, encoding="utf-8").read()
VOID = {"meta", "input", "br", "hr", "img", "link"}


class Reader(HTMLParser):
    """Every element is closed in its order; keeps attributes and the text of scripts."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.scripts, self.titles = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing, line {self.getpos()[0]}"

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        if self.open and self.open[-1] == "title":
            self.titles.append(data)


reader = Reader()
reader.feed(text)
reader.close()
assert not reader.open, f"left open: {reader.open}"
assert text.startswith("<!DOCTYPE html>")

# It needs nothing from elsewhere, and holds two scripts: the log, and ours.
assert "http" not in text.replace("http://www.w3.org/2000/svg", ""), "an address"
assert "@import" not in text and "url(" not in text
for tag, attributes in reader.seen:
    assert not {"src", "href", "action", "data"} & set(attributes), (tag, attributes)
    assert not any(name.startswith("on") for name in attributes), (tag, attributes)
assert sum(tag == "script" for tag, _ in reader.seen) == 2
assert not any(tag in ("b", "script") and "type" not in a and tag == "b" for tag, a in reader.seen)
assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", text), "a control character"

# What a screen reader hears: each picture has a name.
pictures = [a for tag, a in reader.seen if tag == "svg"]
assert len(pictures) == 5 and all(a["role"] == "img" for a in pictures)
assert len(reader.titles) >= 6 and all(reader.titles)

# The rows are those of the log, number by number.
rows = list(csv.reader(open(log, encoding="utf-8")))[1:]
data = json.loads(reader.scripts[0], parse_float=str, parse_int=str)
assert int(data["of"]) == len(rows)
columns = (0, 7, 2, 3, 4, 5, 6)
as_text = lambda row: [row[c] if row[c] else None for c in columns]
drawn = data["rows"]
every = max(1, (len(rows) + 1999) // 2000)
expected = [as_text(row) for i, row in enumerate(rows) if i % every == 0 or i == len(rows) - 1]
assert drawn == expected, "the rows are not those of the log"

# And so are the points of the curves: x by their step or time, y on one scale for both losses.
figures = re.findall(r'<figure data-x="(\d)" data-most="([^"]*)" data-left="(\d+)" data-width="(\d+)" [^>]*>(.*?)</figure>', text, re.S)
assert [f[0] for f in figures] == ["0", "1"]
for column, most, left, width, figure in figures:
    found, wanted = [], []
    for name, loss in (("train", 2), ("val", 3)):
        path = re.findall(rf'<path d="M([^"]*)" class="{name}"', figure)
        points = [tuple(map(float, p.split())) for p in path[0].split("L")] if path else []
        values = [(float(r[int(column)]), float(r[loss])) for r in drawn if r[loss] is not None]
        assert len(points) == len(values), (name, len(points), len(values))
        for (x, _), (at, _) in zip(points, values):
            assert abs(x - (int(left) + int(width) * at / float(most))) < 0.1, (name, x, at)
        found += [y for _, y in points]
        wanted += [y for _, y in values]
    low, high = wanted.index(min(wanted)), wanted.index(max(wanted))
    inside = [i for i in range(len(found)) if min(found) < found[i] < max(found)]
    if len(inside) > 2:
        a, b = min(inside, key=lambda i: wanted[i]), max(inside, key=lambda i: wanted[i])
        slope = (found[b] - found[a]) / (wanted[b] - wanted[a])
        assert slope < 0, "higher losses stand higher"
        for i in inside:
            assert abs(found[i] - found[a] - slope * (wanted[i] - wanted[a])) < 0.3, (found[i], wanted[i])
if steps:
    assert int(rows[-1][0]) == steps
