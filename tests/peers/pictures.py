# SPDX-License-Identifier: GPL-2.0-or-later
"""pictures.py THEIRS.svg OURS.svg: do flamegraph.pl's picture, made with --minwidth 0, and ours have the same frames: the same
multiset of depth, name and samples? It draws a frame twice where another sorts between the lines of its children; such ones are
added up, and told on stdout. Exit: 0, 1 they differ."""
import collections
import html
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'views'))
from svg import Svg  # noqa: E402

FRAME = re.compile(r'<title>(.*) \(([0-9,]+) samples, [0-9.]+%\)</title><rect x="[^"]*" y="([0-9.]+)"')


def theirs(path):
    with open(path, encoding='utf-8') as f:
        found = [(html.unescape(name), int(samples.replace(',', '')), float(y))
                 for name, samples, y in FRAME.findall(f.read())]
    root = max(y for _, _, y in found)
    return collections.Counter((round((root - y) / 16), name, samples) for name, samples, y in found)


def ours(path):
    picture = Svg(path)
    return collections.Counter((node.depth, node.frame.name if node.frame else 'all', node.total)
                               for node in picture.nodes)


def sums(frames):
    added = collections.Counter()
    for (depth, name, samples), times in frames.items():
        added[depth, name] += samples * times
    return added


a, b = theirs(sys.argv[1]), ours(sys.argv[2])
if a != b:
    if sums(a) != sums(b):
        for key in sorted(set(sums(a).items()) ^ set(sums(b).items()))[:10]:
            print('differs: %r' % (key,))
        sys.exit(1)
    print('%d frames drawn %d times' % (sum((b - a).values()), sum((a - b).values())))
