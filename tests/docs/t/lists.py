# SPDX-License-Identifier: GPL-2.0-or-later
"""Are lists in pages what the sources have, and can input reach every pattern of the built-in rules?"""
import glob
import os
import re
import shlex

from tap import check_eq, done

top = os.environ['TOP']
MANY = '\x01'  # stands for what a "*" of a pattern matches


def read(path):
    with open(os.path.join(top, path), encoding='utf-8') as file:
        return file.read()


def rules():
    """Yields the line, the category and the conditions of each built-in rule; a condition is a list of patterns."""
    for number, line in enumerate(read('src/view/default.rules').splitlines(), 1):
        words = shlex.split(line, comments=True)
        if words:
            yield number, words[0], {key: value.split('|') for key, value in (word.split('=', 1) for word in words[1:] if '=' in word)}


def expression_of(pattern):
    """Returns the regular expression that matches a pattern in which MANY stands for each "*" if PATTERN covers that pattern."""
    parts = {'*': '(?s:.)*', '?': '[^%s]' % MANY}
    return ''.join(parts.get(c) or re.escape(c) for c in pattern)


class Shadows:
    """The patterns of the rules so far: a pattern that one of them covers, with the same or wider other conditions, matches nothing."""

    def __init__(self):
        self.of = {}

    def add(self, number, key, kinds, others, patterns):
        """Adds patterns, and returns those that no input reaches, with the line that covers them."""
        list_of = self.of.setdefault((key, others), [])
        dead = []
        for pattern in patterns:
            text = pattern.replace('*', MANY)
            dead += ['%s by line %d' % (pattern, line) for line, covering, of in list_of if of >= kinds and covering.fullmatch(text)][:1]
        list_of += [(number, re.compile(expression_of(pattern)), kinds) for pattern in patterns]
        return dead


def unreached(all_rules):
    shadows, found = Shadows(), []
    every = frozenset(kind for _, _, conditions in all_rules for kind in conditions.get('kind', []))
    for number, category, conditions in all_rules:
        key = 'function' if 'function' in conditions else 'module'
        others = tuple(conditions.get('module', [])) if key == 'function' else ()
        dead = shadows.add(number, key, frozenset(conditions.get('kind', every)), others, conditions.get(key, ['*']))
        found += ['line %d, %s: %s' % (number, category, pattern) for pattern in dead]
    return '\n'.join(found)


def section(page, begin, end):
    text = read('man/' + page)
    return text[text.index(begin):text.index(end, text.index(begin))]


ALL = list(rules())
check_eq('rules: patterns that earlier lines shadow', '', unreached(ALL))
check_eq('rules: a covered pattern is found', 'line 3, c: ab? by line 1\nline 3, c: abc* by line 1', unreached([
    (1, 'a', {'kind': ['user', 'kernel'], 'function': ['x', 'ab*']}), (2, 'b', {'kind': ['jit'], 'function': ['ab*']}),
    (3, 'c', {'kind': ['user'], 'function': ['ab?', 'a*', 'abc*']}), (4, 'd', {'kind': ['user'], 'module': ['x'], 'function': ['abd']})]))

kernel = section('flametap-rules.5', '.It kernel.*', '.It user space')
page = section('flametap-rules.5', '.It kernel.*', '.El')
for name in sorted({category for _, category, _ in ALL}):
    short = name[len('kernel.'):] if name.startswith('kernel.') else name
    text = kernel if name.startswith('kernel') else page
    check_eq('flametap-rules(5) has the category ' + name, True, re.search(r'(?<![\w.])%s(?![\w]|\.\w)' % re.escape(short), text) is not None)
user = section('flametap-rules.5', '.It user space', '.It Perl')
for name in re.findall(r'[\w.+]+', re.sub(r'\([^)]*\)', '', user.split('\n', 1)[1])):
    check_eq('flametap-rules(5): a rule for ' + name.rstrip('.'), True, name.rstrip('.') in {category for _, category, _ in ALL})

ends = section('sample-bt-recording.5', '.It Ic stack Ar ID', '.It Ic label')
causes = re.findall(r'\[(?:CUT|BROKEN)_\w+\] = \{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}', read('src/model/cuts.c'))
words = [strings[-1].strip(' ()') for strings in (re.findall(r'"((?:[^"\\]|\\.)*)"|\bNULL\b', cause.replace('\n', ' ')) for cause in causes)
         if len(strings) >= 4]
check_eq('cuts.c: words in recordings are found', True, {'no access', 'depth', 'return probe', 'caller'} <= set(words))
for word in words:
    check_eq('sample-bt-recording(5) has the end %r' % word, True, word in ends)
for word in re.findall(r'^\.It ([a-z][a-z ]*)$|^\.Dq \(?([a-zELF ]+)\)?', ends, re.M):
    check_eq('cuts.c has the end %r' % ''.join(word).strip(), True, ''.join(word).strip() in words)

labels = section('sample-bt-recording.5', '.It Ic label', '.It Ic row')
listed = {word for line in re.findall(r'^\.It Cm (.*)', labels, re.M) for word in line.split(' , ')}
headers = sorted(glob.glob(top + '/stap/*.stp') + glob.glob(top + '/src/tool/*/*.tool'))
for path in headers:
    keys = re.findall(r'^// flametap: keys (.*)', read(path), re.M)
    name = os.path.splitext(os.path.basename(path))[0]
    check_eq(name + ': its header has the keys of its labels once', 1, len(keys))
    keys = set(' '.join(keys).split()) - {'-'}
    check_eq('sample-bt-recording(5) has the labels of ' + name, [], sorted(keys - listed))
    if os.path.exists('%s/man/sample-bt-%s.1' % (top, name)):
        page = read('man/sample-bt-%s.1' % name)
        check_eq('sample-bt-%s(1) has its labels' % name, [], sorted(key for key in keys if not re.search(r'(?:Cm|, |label) %s\b' % key, page)))
done()
