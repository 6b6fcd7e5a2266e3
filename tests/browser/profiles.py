# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles as folded text, and the expected results of a search in them."""
import random
import re


def plain(more=0):
    """A profile with recursion, siblings that differ only a little, one wide frame and many narrow ones."""
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


def large(stacks=72500, functions=3600, depth=28):
    """Walks through a call graph in which functions call few others: 343,769 nodes."""
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
    """Returns (names, weight) of every line, without the suffixes of kinds."""
    for line in text.splitlines():
        path, weight = line.rsplit(' ', 1)
        yield [re.sub(r'_\[[kijw]\]$', '', name) for name in path.split(';')], int(weight)


def percent(part, whole):
    return '%d.%02d %%' % divmod((part * 20000 + whole) // (2 * whole), 100)


def matched(text, regex, below=()):
    """Returns the share of matching stacks among the stacks that begin with BELOW, as the graph must show it."""
    pattern = re.compile(regex)
    found = total = 0
    for names, weight in stacks_of(text):
        if tuple(names[:len(below)]) == tuple(below):
            total += weight
            found += weight * any(pattern.search(name) for name in names)
    return percent(found, total)


def recording(rows):
    """Returns a recording of ROWS, (comm, thread, stack as "NAME@FILE NAME@FILE …" root first, samples) each."""
    lines = ['flametap-recording 1', 'meta title Samples', 'event 0 on-cpu samples 1000000 cpu']
    tasks, frames = {}, {}

    for comm, thread, stack, _ in rows:
        if (comm, thread) not in tasks:
            tasks[comm, thread] = len(tasks)
            lines.append('task %d 100 %d 1 %s' % (tasks[comm, thread], thread, comm))
        for frame in stack.split():
            if frame not in frames:
                name, module = frame.split('@')
                frames[frame] = number = len(frames)
                lines += ['frame %d user name' % number, 'name %d %s 0 %s - 0' % (number, name, module or '-')]
    for number, (_, _, stack, _) in enumerate(rows):
        lines.append('stack %d user root - %s' % (number, ' '.join(str(frames[f]) for f in stack.split()[::-1])))
    for number, (comm, thread, _, count) in enumerate(rows):
        lines.append('row 0 %d %d - %d %d' % (tasks[comm, thread], number, count, count))
    return '\n'.join(lines + ['end %d' % len(lines)]) + '\n'


# ---- the expected content of the graph, computed from the stacks

def tree(stacks):
    """Returns the weight of every path; a path is its names with ';' between them, '' is the root."""
    found = {'': 0}
    for names, weight in stacks:
        found[''] += weight
        for end in range(1, len(names) + 1):
            path = ';'.join(names[:end])
            found[path] = found.get(path, 0) + weight
    return found


def without_loops(names):
    out = []
    for name in names:
        out = out[:out.index(name) + 1] if name in out else out + [name]
    return out


def last(names, name):
    return len(names) - names[::-1].index(name)


# by the names that the address uses; each function maps the names of a stack, or returns None if the stack leaves the graph
CHANGES = {
    'hide': lambda names, f: [n for n in names if n != f],
    'remove': lambda names, f: None if f in names else names,
    'only': lambda names, f: names if f in names else None,
    'focus': lambda names, f: names[names.index(f):] if f in names else None,
    'collapse': lambda names, f: names[:names.index(f)] + [f] + names[last(names, f):] if f in names else names,
    'collapseall': lambda names, _: without_loops(names),
    'threads': lambda names, _: [re.sub(r'/\d+$', '', names[0])] + names[1:],
    'callers': lambda names, f: None if f and f not in names else
               names[:names.index(f) + 1][::-1] if f else names[::-1],
}


def changed(stacks, *changes):
    """Returns STACKS after CHANGES, (how, function) each."""
    for how, function in changes:
        stacks = [(CHANGES[how](names, function), weight) for names, weight in stacks]
        stacks = [(names, weight) for names, weight in stacks if names is not None]
    return stacks
