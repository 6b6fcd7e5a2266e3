# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile.py make: prints 30,000 names of random bytes as folded stacks. hostile.py record: prints a recording with such names of threads,
files, functions, sources and of itself, and with such labels.
hostile.py csv FILE: is it valid by RFC 4180, and is no cell a formula? hostile.py json FILE. Both print the sum of self weight, or of
weights."""
import csv
import json
import random
import sys
import xml.etree.ElementTree

NAMES = 30000
TASKS = 2000
PIECES = [b'</script><script>window.pwned=1</script>', b']]>', b'<![CDATA[', b'<!--', b'-->', b'&#0;', b'&lt;', b'"', b"'",
          b'=1+1', b'+', b'-', b'@SUM(1)', b'\t', b'\r', b',', b'""', b' ', b'\xff\xfe', b'\xed\xa0\x80', b'\xe2\x80\xae',
          b'\xf0\x9f\x94\xa5', b'\x1b[31m', b'%s%n', b'\\', b'\\x', b'\\x3b', b'javascript:', b'\xef\xbf\xbf', b'[', b']',
          b'_[k]', b' 12', b'{{', b'__proto__', b'onload=']


def name(r):
    parts = []
    for _ in range(r.randint(1, 5)):
        if r.random() < 0.5:
            parts.append(r.choice(PIECES))
        else:
            parts.append(bytes(r.randrange(256) for _ in range(r.randint(1, 12))))
    return b''.join(parts)


def escaped(raw):
    """Escapes a name as src/lib/word.h says, and no more than necessary: all other hostile characters are kept."""
    return raw.replace(b'\\x', b'\\x5cx').replace(b';', b'\\x3b').replace(b'\n', b'\\x0a').replace(b'\r', b'\\x0d').replace(b'\0', b'\\x00')


def make():
    r = random.Random(52)
    out = sys.stdout.buffer
    for _ in range(NAMES // 4):
        out.write(b';'.join(escaped(name(r)) for _ in range(4)) + b' %d\n' % r.randint(1, 1000))


def word(raw):
    """Returns a word of a recording, with the escapes that src/lib/word.h requires."""
    if raw in (b'', b'-'):
        return b'\\x2d' if raw else b'-'
    return b''.join(b'\\x%02x' % c if c <= 32 or c in (92, 127) else bytes([c]) for c in raw)


def record():
    r = random.Random(53)
    lines = [b'flametap-recording 2', b'meta title ' + word(name(r)), b'kernel ' + word(name(r)) + b' -',
             b'event 0 on-cpu samples 1000000 cpu']
    lines += [b'task %d %d %d 1 %s' % (i, i + 1, i + 1, word(name(r)[:15])) for i in range(TASKS)]
    lines += [b'map %d %d 0 1000 2000 0 - /%s' % (i, i + 1, word(name(r))) for i in range(TASKS)]
    for i in range(TASKS):
        lines += [b'frame %d user pc %d 10' % (i, i),
                  b'name %d %s 0 %s %s 12' % (i, word(name(r)), word(name(r)), word(name(r)))]
    lines += [b'stack %d user root - %d' % (i, i) for i in range(TASKS)]
    pairs, sets = {}, []
    for i in range(TASKS):
        labels = {b'uri': name(r), name(r): name(r)}
        sets.append(b','.join(b'%d' % pairs.setdefault(pair, len(pairs)) for pair in labels.items()))
    lines += [b'label %d %s %s' % (n, word(key), word(value)) for (key, value), n in pairs.items()]
    lines += [b'row 0 %d %d %s 3 3' % (i, i, sets[i]) for i in range(TASKS)]
    lines.append(b'end %d' % len(lines))
    sys.stdout.buffer.write(b'\n'.join(lines) + b'\n')


def read_csv(path):
    """Parses by the grammar of RFC 4180, because csv.reader accepts almost anything."""
    with open(path, 'rb') as f:
        text = f.read()
    rows, at = [[]], 0
    while at < len(text):
        if text[at:at + 1] == b'"':
            cell = b''
            while True:
                end = text.index(b'"', at + 1)
                cell += text[at + 1:end]
                at = end + 1
                if text[at:at + 1] != b'"':
                    break
                cell += b'"'
        else:
            end = min(i for i in (text.find(b',', at), text.find(b'\n', at)) if i >= 0)
            cell = text[at:end]
            if b'"' in cell or b'\r' in cell:
                raise ValueError('%r is not quoted' % cell)
            at = end
        rows[-1].append(cell)
        if text[at:at + 1] == b'\n':
            rows.append([])
        elif text[at:at + 1] != b',':
            raise ValueError('%r follows a quote' % text[at:at + 10])
        at += 1
    return rows[:-1]


def check_csv(path):
    head, *rows = read_csv(path)
    for row in rows:
        if len(row) != len(head):
            raise ValueError('%r has not %d cells' % (row, len(head)))
        if any(cell[:1] in (b'=', b'+', b'-', b'@', b'\t', b'\r') for cell in row):
            raise ValueError('%r is a formula' % row)
    with open(path, newline='', encoding='latin-1') as f:
        if [[cell.encode('latin-1') for cell in row] for row in csv.reader(f, strict=True)] != [head] + rows:
            raise ValueError('another reader of CSV reads it otherwise')
    print(sum(int(row[head.index(b'self' if b'self' in head else b'weight')]) for row in rows))


def check_json(path):
    with open(path, encoding='utf-8') as f:
        data = json.load(f)
    print(sum(row['self'] for row in data['functions']) if 'functions' in data else sum(row['weight'] for row in data['rows']))


def check_limit(json_path, junit_path):
    """Reads the output of bt-diff --fail-above in both forms."""
    with open(json_path, encoding='utf-8') as f:
        limit = json.load(f)['limit']
    suite = xml.etree.ElementTree.parse(junit_path).getroot()
    failed = [case for case in suite if case.find('failure') is not None]
    number = len(limit['functions']) + limit['total_failed']
    if [len(suite), len(failed), int(suite.get('tests')), int(suite.get('failures'))] != [max(number, 1), number] * 2:
        raise ValueError('%d functions, %d tests, %d failed' % (number, len(suite), len(failed)))
    if limit['failed'] != bool(failed):
        raise ValueError('failed is %r' % limit['failed'])
    for case, function in zip(failed, limit['functions']):
        if function['after'] - function['before'] != function['change'] or bool(case.get('name')) != bool(function['function']):
            raise ValueError('%r is %r' % (case.get('name'), function))
    print('none' if not number else 'one' if number == 1 else 'several')


if sys.argv[1] == 'make':
    make()
elif sys.argv[1] == 'record':
    record()
elif sys.argv[1] == 'csv':
    check_csv(sys.argv[2])
elif sys.argv[1] == 'limit':
    check_limit(*sys.argv[2:])
else:
    check_json(sys.argv[2])
