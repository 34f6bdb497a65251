#!/usr/bin/env python3
"""Writes report/widths.h from the Unicode Character Database (Debian: unicode-data).

    report/make_widths.py >report/widths.h && clang-format -i report/widths.h
"""
import re

FOLDER = "/usr/share/unicode/"


def lines(name):
    """The fields of each line of a file of the database, without comments."""
    for line in open(FOLDER + name, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line:
            yield [field.strip() for field in line.split(";")]


def table(name, meaning, codes):
    ranges = []
    for code in sorted(codes):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    print(f"\n// {meaning}\nstatic const CodeRange {name}[] = {{")
    print(", ".join(f"{{0x{first:x}, 0x{last:x}}}" for first, last in ranges) + "};")


category, first = {}, None
for code, name, kind, *_ in lines("UnicodeData.txt"):
    if name.endswith(", First>"):
        first = int(code, 16)
    for c in range(first if name.endswith(", Last>") else int(code, 16), int(code, 16) + 1):
        category[c] = kind
marks = {c for c, kind in category.items() if kind in ("Mn", "Me")} | set(range(0x1160, 0x1200))
unseen = {c for c, kind in category.items() if kind in ("Cf", "Zl", "Zp")}
# Planes and blocks of ideographs are wide where nothing is assigned, too: so says the head of the file.
wide = {c for b, e in ((0x3400, 0x4dc0), (0x4e00, 0xa000), (0xf900, 0xfb00), (0x20000, 0x2fffe), (0x30000, 0x3fffe))
        for c in range(b, e)}
for codes, width in lines("EastAsianWidth.txt"):
    b, _, e = codes.partition("..")
    span = set(range(int(b, 16), int(e or b, 16) + 1))
    wide = wide | span if width in ("W", "F") else wide - span
version = re.search(r"-([\d.]+)\.txt", open(FOLDER + "EastAsianWidth.txt", encoding="utf-8").readline()).group(1)

print("// widths.h -- which characters are not one column wide, as ascending ranges.")
print(f"// Made by make_widths.py from EastAsianWidth.txt and UnicodeData.txt of Unicode {version}.")
print("#ifndef WIDTHS_H\n#define WIDTHS_H\n\n#include <stdint.h>\n")
print("typedef struct {\n    uint32_t first, last;\n} CodeRange;")
table("WIDE", "Two columns: East_Asian_Width W and F.", wide - marks)
table("MARKS", "None, since they stand on the character before them: Mn, Me, and the vowels and finals of Hangul Jamo.", marks)
table("UNSEEN", "None, and nothing to see: Cf, Zl, Zp. Some of them turn the direction of writing around.", unseen)
print("\n#endif")
