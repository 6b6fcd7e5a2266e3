#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Comments and man pages are written in whole sentences: shorthand that a reader has to solve does not come back."""
import os
import re
import subprocess
import sys

from tap import check, done, note

TOP = os.environ["TOP"]
# What a comment of each kind of file is.
C = r"/\*.*?\*/|//[^\n]*"
HASH = r"(?:^|(?<=\s))#[^!{\n][^\n]*"
COMMENTS = {".c": C, ".h": C, ".js": C, ".css": C, ".stp": C, ".stpm": C, ".sh": HASH, ".py": HASH, ".pl": HASH, ".awk": HASH}
# A literal: no sentence, whatever stands in it.
QUOTED = r'"(?:\\.|[^"\\\n])*"'
SHORTHAND = {
    # instead of 0, a colon and "none", say "or 0 if there is none"
    "a value and a colon": r"(?<![\w.'\"])(?:NULL|EOF|[-+]?\d+|[Tt]rue|[Ff]alse|[A-Z]\w*_MAX|U?INT\d+_M\w+): +[a-z]",
    # repeat the noun
    "that of, those of": r"\b(?:[Tt]hat|[Tt]hose) of\b",
    # begin with who does what
    "a sentence that begins with Of": r"(?:^|[.:;]\s+)Of (?!course\b)[a-z]",
    "a sentence that begins with So that": r"(?:^|\.\s+)So that\b",
}


def files(*folders):
    listed = subprocess.run(["git", "ls-files", *folders], cwd=TOP, capture_output=True, text=True)
    names = listed.stdout.split() if not listed.returncode else [
        os.path.relpath(os.path.join(base, name), TOP)
        for folder in folders for base, _, names in os.walk(os.path.join(TOP, folder)) for name in names]
    return sorted(name for name in names if os.path.isfile(os.path.join(TOP, name)))


def comments(name, text):
    """Yields the line and the words of each comment of a source; a man page is one comment."""
    if re.search(r"\.\d$", name):
        yield 1, re.sub(r"(?m)^\.\\\".*$", "", text)
        return
    pattern = COMMENTS.get(os.path.splitext(name)[1])
    if not pattern:
        return
    for match in re.finditer(f"{QUOTED}|({pattern})", text, re.S | re.M):
        if match[1]:
            if match[1].startswith("# SKIP"):
                continue  # part of a script for sed
            words = re.sub(r"(?m)^\s*(?:/\*+|\*/|\*(?!/)|//|#)|\*/\s*$", "", match[1])
            yield text.count("\n", 0, match.start()) + 1, words.strip()


def found(name):
    with open(os.path.join(TOP, name), encoding="utf-8", errors="replace") as file:
        text = file.read()
    for line, words in comments(name, text):
        for what, pattern in SHORTHAND.items():
            for match in re.finditer(pattern, words):
                at = line + words.count("\n", 0, match.start())
                begin = max(0, match.start() - 50)
                yield f"{name}:{at}: {what}: ...{' '.join(words[begin:match.end() + 30].split())}..."


def main():
    for folder in sys.argv[1:] or ("src", "stap", "tapsets", "man", "tests"):
        wrong = [line for name in files(folder) for line in found(name)]
        for line in wrong:
            note(line)
        check(f"{folder}: comments and pages are whole sentences", not wrong, f"{len(wrong)} are not")
    done()


main()
