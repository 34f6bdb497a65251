#!/usr/bin/env python3
"""Runs a command whose standard error is a terminal of so many columns, for tests of what is written there.
    tests/terminal.py COLUMNS[,LATER] LIVE LINES COMMAND...
LIVE gets whatever was written to be written over, a line each; LINES what stays. As soon as the first of LIVE is
there, the terminal has LATER columns. It is an error where LIVE is not cleared before other text, needs more
columns than there are less one, or is neither ASCII nor blocks of a curve."""
import fcntl, os, pty, re, struct, subprocess, sys, termios

CLEAR = "\x1b[K"  # to the end of the line


def set_columns(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))


def pieces_of(fd):
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:  # the last one to write has gone
            return
        if not piece:
            return
        yield piece


first, *later = [int(n) for n in sys.argv[1].split(",")]
live_path, lines_path, *command = sys.argv[2:]
terminal, end = pty.openpty()
set_columns(terminal, first)
process = subprocess.Popen(command, stderr=end)
os.close(end)
written = b""
for piece in pieces_of(terminal):
    written += piece
    if later and CLEAR.encode() in written:
        set_columns(terminal, later[0])
status = process.wait()

live, lines, problems = [], [], []
for line in written.decode("utf-8").replace("\r\n", "\n").split("\n"):
    before, *over, stays = line.split("\r") if "\r" in line else ["", line]
    if before:
        problems.append(f"written over: {before!r}")
    if "\r" in line and not stays.startswith(CLEAR):
        problems.append(f"stands on the live line: {stays!r}")
    problems += [f"not cleared behind: {part!r}" for part in over if not part.endswith(CLEAR)]
    live += [part.removesuffix(CLEAR) for part in over]
    lines.append(stays.removeprefix(CLEAR))
if later and len(live) < 2:
    problems.append("too short a run")
for i, part in enumerate(live):
    columns = later[0] if later and i == len(live) - 1 else first
    if len(part) > columns - 1:
        problems.append(f"{len(part)} of {columns} columns: {part!r}")
    if re.search("[^ -~\u2581-\u2588]", part):
        problems.append(f"neither ASCII nor blocks: {part!r}")
if "\x1b" in "".join(lines):
    problems.append("another escape sequence")
if lines[-1]:
    problems.append(f"left at the end: {lines[-1]!r}")

for path, found in (live_path, live), (lines_path, lines[:-1]):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in found)
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(status or (1 if problems else 0))
