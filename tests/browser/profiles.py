# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles as folded text, and what a search in them must find."""
import random
import re


def plain(more=0):
    """Recursion, siblings that differ in little, one wide and many narrow frames."""
    r = random.Random(7)
    lines = ['main;work;deflate;longest_match 5000', 'main;work;deflate;longest_match;deflate 700',
             'main;work;deflate.cold;fix 300', 'main;work;Deflate 123', 'main;work 400',
             'main;serve;read;vfs_read_[k];copy_[k] %d' % (2000 + more), 'main;serve;parse 1500']
    for i in range(400):
        path = ['main', r.choice(['work', 'serve'])]
        path += ['f%d' % r.randrange(60) for _ in range(r.randint(1, 12))]
        lines.append('%s %d' % (';'.join(path), r.randint(1, 20)))
    return '\n'.join(lines) + '\n'


def deep(levels=5000):
    return ('%s 900\n' % ';'.join('level_%d' % i for i in range(levels)) +
            'level_0;level_1;side 100\n')


def hostile():
    attack = 'window.pwned=1'
    names = ['</script><script>%s</script>' % attack, ']]><script>%s</script>' % attack,
             '"><img src=x onerror=%s>' % attack, "' onload='%s" % attack,
             '<svg onload=%s>' % attack, 'javascript:%s' % attack, '&lt;b&gt; &amp; %s', '__proto__',
             'constructor', 'right \u202eto left', '\u65e5\u672c\u8a9e', '${%s}' % attack]
    text = ''.join('main;%s;%s %d\n' % (name, name, 100) for name in names).encode()
    return text + b'main;bad \xff\xfe bytes;\x01\x1b[31m 100\n'


def large(stacks=65000, functions=3600, depth=28):
    """Walks of a call graph in which functions call few others: about 300,000 nodes."""
    r = random.Random(1)
    calls = [[r.randrange(functions) for _ in range(r.choice([1, 1, 2, 2, 2, 3]))]
             for _ in range(functions)]
    lines = []
    for _ in range(stacks):
        function, path = 0, ['function_0']
        for _ in range(max(4, int(r.gauss(depth, 6)))):
            callees = calls[function]
            function = callees[min(int(r.expovariate(1.2)), len(callees) - 1)]
            path.append('function_%d' % function)
        lines.append('%s %d' % (';'.join(path), 1 + int(r.paretovariate(1.1))))
    return '\n'.join(lines) + '\n'


def stacks_of(text):
    """(names, weight) of every line, without the suffixes of kinds."""
    for line in text.splitlines():
        path, weight = line.rsplit(' ', 1)
        yield [re.sub(r'_\[[kijw]\]$', '', name) for name in path.split(';')], int(weight)


def percent(part, whole):
    return '%d.%02d %%' % divmod((part * 20000 + whole) // (2 * whole), 100)


def matched(text, regex, below=()):
    """The share of stacks with a match, of those that begin with BELOW: as the graph must say it."""
    pattern = re.compile(regex)
    found = total = 0
    for names, weight in stacks_of(text):
        if tuple(names[:len(below)]) == tuple(below):
            total += weight
            found += weight * any(pattern.search(name) for name in names)
    return percent(found, total)
