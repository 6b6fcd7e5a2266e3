# SPDX-License-Identifier: GPL-2.0-or-later
"""numbers.py NAME SVG PROFILE.csv SUMMARY.csv JSON FOLDED: do all of them have the same numbers? Prints one result line for each."""
import csv
import json
import sys

from svg import Svg

NAME, SVG, PROFILE, SUMMARY, JSON, FOLDED = sys.argv[1:]


def compare(what, expected, actual):
    if expected == actual and expected:
        print('ok %s: %s' % (NAME, what))
        return
    different = [key for key in expected.keys() | actual.keys() if expected.get(key) != actual.get(key)]
    print('not ok %s: %s: %d of %d differ' % (NAME, what, len(different), len(expected)))
    for key in sorted(different)[:10]:
        print('# %r: %r, expected %r' % (key, actual.get(key), expected.get(key)))


def percent(part, whole):
    return '%d.%02d' % divmod((part * 20000 + whole) // (2 * whole), 100)


def plain(text):
    """Removes the character that csv_field put before a formula."""
    return text[1:] if text[:1] == "'" and text[1:2] in tuple('=+-@\t\r') else text


def table(path, keys):
    rows = {}
    with open(path, newline='', errors='surrogateescape') as f:
        for row in csv.DictReader(f):
            key = tuple(plain(row[k]) for k in keys)
            if key in rows:
                print('not ok %s: %r is twice in %s' % (NAME, key, path))
            rows[key] = [int(row['self']), int(row['inclusive'])]
            for column in ('self', 'inclusive'):
                if row[column + '_pct'] != percent(int(row[column]), picture.total):
                    print('not ok %s: %r: %s_pct is %s' % (NAME, key, column, row[column + '_pct']))
    return rows


picture = Svg(SVG)
functions = picture.sums(lambda frame, category: (frame.name, frame.module, category))
compare('profile.csv = picture', functions, table(PROFILE, ('function', 'module', 'category')))
compare('summary.csv = picture', picture.sums(lambda frame, category: (category,)),
        table(SUMMARY, ('category',)))
with open(JSON) as f:
    report = json.load(f)
compare('json = picture', functions, {
    (row['function'], row['module'], row['category']): [row['self'], row['inclusive']]
    for row in report['functions']})
with open(FOLDED, errors='surrogateescape') as f:
    folded = sum(int(line.rsplit(' ', 1)[1]) for line in f)
own = sum(entry[0] for entry in functions.values()) + picture.nodes[0].self
compare('sums of self weight', dict.fromkeys(('picture', 'json', 'folded', 'profile.csv'), picture.total), {
    'picture': picture.nodes[0].total, 'json': report['total'], 'folded': folded, 'profile.csv': own})
siblings = {}
for node in picture.nodes[1:]:
    siblings.setdefault(id(node.parent), []).append(
        (node.frame.name, node.frame.module, node.frame.kind))
twice = {key: names for key, names in siblings.items() if len(set(names)) < len(names)}
compare('no frame is twice under one caller', {'twice': {}}, {'twice': twice})
