# SPDX-License-Identifier: GPL-2.0-or-later
"""Other views of the same stacks: each is compared, node by node, with sums over the stacks."""
import re

import profiles
from page import Page, draw, equal, file_of, holds, test

PLAIN = profiles.plain()
STACKS = list(profiles.stacks_of(PLAIN))
KEYS = {'hide': 'h', 'remove': 'x', 'only': 'o', 'focus': 'f', 'collapse': 'k', 'collapseall': 'K'}


def recursive():
    lines = ['a;f;x;f;y 10', 'a;f;x;f;z 7', 'a;f;x 5', 'a;f;y 3', 'b;f;f;f;x 20', 'b;g;f 2', 'b;x;g;x;g;x 9', 'f 4']
    return '\n'.join(lines) + '\n'


def shows(page, stacks, *changes):
    equal(page.tree(), profiles.tree(profiles.changed(stacks, *changes)), str(changes))


@test
def changes_by_key(browser):
    """Applies each action to the frame under the pointer."""
    page = Page(browser, draw('plain', PLAIN))
    for how, key in list(KEYS.items())[:-1]:
        for name in ('work', 'deflate', 'longest_match'):
            page.hover(name)
            page.press(key)
            shows(page, STACKS, (how, name))
            equal(len(page.chips()), 1)
            holds(page.chips()[0].endswith(name), 'no chip for %s: %s' % (name, page.chips()))
            browser.back()
            shows(page, STACKS)
            equal(page.chips(), [])
    page.quiet()


@test
def recursion(browser):
    text = recursive()
    stacks = list(profiles.stacks_of(text))
    page = Page(browser, draw('recursive', text))
    shows(page, stacks)
    page.press('K')
    shows(page, stacks, ('collapseall', None))
    holds(page.pressed('Fold recursion'), 'the switch is not pressed')
    page.press('K')
    shows(page, stacks)
    for name in 'fgx':
        page.js("location.hash = '#collapse=' + arguments[0]", name)
        browser.settle()
        shows(page, stacks, ('collapse', name))
    for name in 'afgxy':
        page.js("location.hash = '#callers=' + arguments[0]", name)
        browser.settle()
        shows(page, stacks, ('callers', name))
        page.js("location.hash = '#focus=' + arguments[0]", name)
        browser.settle()
        shows(page, stacks, ('focus', name))
    page.quiet()


@test
def changes_in_a_row(browser):
    """Changes are listed in the order in which they were made; each can be undone."""
    made = [('hide', 'work'), ('collapse', 'f3'), ('remove', 'copy'), ('only', 'f3'), ('collapseall', None),
            ('focus', 'serve')]
    page = Page(browser, draw('plain', PLAIN))
    for number, (how, name) in enumerate(made):
        page.at(name or 'main')
        page.press(KEYS[how])
        shows(page, STACKS, *made[:number + 1])
    equal(len(page.chips()), len(made))
    link = page.hash()
    for number in reversed(range(len(made))):
        browser.back()
        shows(page, STACKS, *made[:number])
    page = Page(browser, draw('plain', PLAIN) + link)
    shows(page, STACKS, *made)
    for gone in (2, 0, 1):
        page.push('.chip:nth-child(%d) button' % (gone + 1))
        del made[gone]
        shows(page, STACKS, *made)
    page.quiet()


@test
def callers_of_everything(browser):
    page = Page(browser, draw('plain', PLAIN) + '#small=0')
    model = profiles.tree(profiles.changed(STACKS, ('callers', None)))
    page.push('.bar button', 'Callers')

    least = model[''] * 0.5 / page.width()
    equal(page.tree(least), {p: w for p, w in model.items() if w >= least})
    equal(page.search('main'), 'Matched 100.00 %')
    equal(page.search('deflate'), 'Matched ' + profiles.matched(PLAIN, 'deflate'))
    page.click('longest_match')
    equal(page.text('found'), 'Matched %s (of zoom: 100.00 %%)' % profiles.matched(PLAIN, 'deflate'))
    least = 5000 * 0.5 / page.width()
    below = {p: w for p, w in page.tree(least).items() if p.startswith('longest_match;')}
    equal(below, {p: w for p, w in model.items() if p.startswith('longest_match;') and w >= least})
    holds(abs(page.frame('longest_match')[2] - page.width()) < 2, 'does not zoom')
    link = page.hash()
    page = Page(browser, draw('plain', PLAIN) + link)
    equal((page.text('name'), page.chips()), ('longest_match', ['callers of everything']))
    browser.size(800, 700)
    page = Page(browser, draw('other', profiles.plain(9000)) + link)
    equal(page.text('name'), 'longest_match', 'link in another profile')
    browser.size(1280, 900)
    page.quiet()


@test
def smallest_callers(browser):
    """The smallest callers are below one frame, as long as they have a small share together."""
    page = Page(browser, draw('small', 'main;a;big 960\nmain;b;big 20\nmain;big 15\n' +
                              ''.join('main;s%d;big 2\n' % i for i in range(5))))
    for small, names in (('', ['a', 'b', 'main', '[smallest callers]']), ('&small=5', ['a', '[smallest callers]']),
                         ('&small=0', ['a', 'b', 'main', 's0', 's1', 's2', 's3', 's4'])):
        page.js("location.hash = '#callers=big' + arguments[0]", small)
        browser.settle()
        tree = page.tree()
        equal([path.split(';')[1] for path in tree if path.count(';') == 1], names, small)
        equal(tree.get('big;[smallest callers]'), {'': 10, '&small=5': 45}.get(small), small)
    page.js("location.hash = '#callers=big'")
    browser.settle()
    page.at('[smallest callers]')
    page.press('Enter')
    equal(sorted(path.split(';')[2] for path in page.tree() if path.count(';') == 2 and '[' in path),
          ['s%d' % i for i in range(5)])
    page.push('.chip:nth-child(2) button')
    equal(page.hash().split('&zoom')[0], '#callers=big&small=0')
    page.quiet()


@test
def narrow_callers_are_found(browser):
    """Zooming into a frame that was too narrow at first is as exact as for wide frames."""
    text = ''.join('main;a%d;b%d;c%d;leaf %d\n' % (i % 7, i % 11, i % 13, 1 + i % 3) for i in range(5000))
    text += 'main;big 100000000\nmain;x;big;big 50\n'
    stacks = list(profiles.stacks_of(text))
    model = profiles.tree(profiles.changed(stacks, ('callers', None)))
    page = Page(browser, draw('narrow', text))
    page.press('b')
    page.search('^leaf$')
    page.press('Escape')
    equal(set(page.tree()) & {'leaf', 'leaf;c1', 'leaf;c1;b1'}, {'leaf'}, 'what is known at first')
    page.js("const { actions } = flametap, t = actions.now.tree;"
            "for (let i = 0; i < t.n; i++) if (t.name(i) === 'leaf') { actions.zoomTo(i); break; }")
    browser.settle()
    least = model['leaf'] * 0.5 / page.width()
    found = {p: w for p, w in page.tree().items() if p.startswith('leaf')}
    equal({p: w for p, w in found.items() if w >= least},
          {p: w for p, w in model.items() if p.startswith('leaf') and w >= least})
    page.quiet()


@test
def icicle(browser):
    for options, downward in ((), False), (('--inverted',), True):
        page = Page(browser, draw('icicle', PLAIN, *options))
        for turned in False, True:
            equal(page.frame('main')[1] < page.frame('work')[1], downward != turned, str(options))
            equal(page.pressed('Icicle'), downward != turned)
            page.press('i')
        equal(page.hash(), '', 'what the file says needs no word')
        page.push('.bar button', 'Icicle')
        link = page.hash()
        page = Page(browser, draw('icicle', PLAIN, *options) + link)
        equal(page.frame('main')[1] < page.frame('work')[1], not downward, 'link')
        page.press('i')
    page.press('Home', 'Down')
    equal(page.text('name'), 'main')


@test
def callers_by_weight(browser):
    """Unless another order is chosen; so is the picture of reversed stacks, also without its script."""
    text = 'main;a;x 1\nmain;b;x 5\nmain;c;x 3\nmain;y 2\n'
    children = ("const { tree } = flametap.actions.now; return [...tree.parent.keys()].slice(1)"
                ".filter((i) => tree.depth[i] === arguments[0]).map((i) => tree.name(i))")
    url = draw('weights', text)
    for link, names in (('#callers=', ['x', 'y']), ('#callers=x', ['b', 'c', 'a']), ('#callers=x&order=name', ['a', 'b', 'c'])):
        page = Page(browser, url + link)
        equal(page.js(children, 1 if link == '#callers=' else 2), names, link)
    page = Page(browser, url)
    equal(page.js(children, 2), ['a', 'b', 'c', 'y'])
    url = draw('reversed', text, '--reverse')
    with open(file_of('reversed.svg'), encoding='utf-8') as f:
        static = re.findall('<title>([abc]) [(]', f.read())
    equal(static, ['b', 'c', 'a'])
    page = Page(browser, url)
    equal(page.js(children, 2)[:3], ['b', 'c', 'a'])
    page.press('w')
    equal((page.js(children, 2)[:3], page.hash()), (['a', 'b', 'c'], '#order=name'))
    page.press('w')
    equal((page.js(children, 2)[:3], page.hash()), (['b', 'c', 'a'], ''))
    page.quiet()


@test
def order(browser):
    page = Page(browser, draw('plain', PLAIN))
    rows = ("const t = flametap.actions.now.tree, rows = {};"
            "for (let i = 1; i < t.n; i++) (rows[t.parent[i]] ||= []).push([t.name(i), t.total(i)]);"
            "return Object.values(rows)")
    for key, sort in ((None, lambda n: n[0]), ('w', lambda n: (-n[1], n[0])), ('w', lambda n: n[0])):
        if key:
            page.press(key)
        for row in page.js(rows):
            equal(row, sorted(row, key=sort))
        shows(page, STACKS)
    page.push('.bar button', 'By weight')
    equal(page.hash(), '#order=weight')


@test
def threads(browser):
    rows = [('web', 100 + i, 'main@/bin/web f%d@/bin/web' % (i % 3), i) for i in range(1, 9)]
    stacks = [(['%s/%d' % (comm, thread)] + [f.split('@')[0] for f in stack.split()], count)
              for comm, thread, stack, count in rows + [('db', 9, 'main@/bin/db', 5)]]
    page = Page(browser, draw('threads', profiles.recording(rows + [('db', 9, 'main@/bin/db', 5)]), '--threads'))
    shows(page, stacks)
    page.push('.bar button', 'Merge threads')
    shows(page, stacks, ('threads', None))
    equal(page.chips(), ['threads merged'])
    equal(page.search('^web$'), 'Matched ' + profiles.percent(36, 41))
    browser.back()
    browser.back()
    shows(page, stacks)
    page.quiet()


@test
def zoom_stays_when_frames_go(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.at('deflate')
    page.press('Enter')
    page.js("flametap.go({ changes: [{ how: 'hide', what: 'work' }] }, { moved: true })")
    equal(page.text('name'), 'deflate')
    page.push('.chip button')
    equal(page.text('name'), 'deflate')
    page.js("flametap.go({ changes: [{ how: 'remove', what: 'deflate' }] }, { moved: true })")
    equal(page.text('name'), 'work')
    page.quiet()


@test
def matches_among_callers(browser):
    """Matches are found however narrow they are: callers are looked up until the next match is found."""
    text = 'main;needle;a;b;c;leaf 1\nmain;x;needle;d;leaf 1\nmain;leaf 3\nmain;big 9000000\nneedle 1\n'
    model = profiles.tree(profiles.changed(list(profiles.stacks_of(text)), ('callers', None)))
    wanted = sorted(p for p in model if p.split(';')[-1] == 'needle')
    path = ("const { tree, focus } = flametap.actions.now, names = [];"
            "for (let i = focus; i > 0; i = tree.parent[i]) names.unshift(tree.name(i)); return names.join(';')")
    page = Page(browser, draw('callers', text))
    page.press('b')
    equal(page.search('^needle$'), 'Matched ' + profiles.percent(3, 9000006))
    page.push('.scroller')
    seen = []
    for key in ['n'] * len(wanted) + ['N'] * len(wanted):
        page.press(key)
        seen.append(page.js(path))
        equal(page.js("return document.querySelector('rect.ring').getAttribute('visibility')"), 'visible')
    equal(seen[:3], wanted, 'forward')
    equal(seen[3:5], wanted[1::-1], 'backward')
    page.quiet()


@test
def kernel_and_user_functions(browser):
    """Folded text has no modules: a kernel function and a user function with the same name are two functions."""
    text = 'main;memcpy;user 3\nmain;read_[k];memcpy_[k];kernel_[k] 5\nmain;read_[k];copy_[k] 7\n'
    hide = "flametap.go({ changes: [{ how: 'hide', what: arguments[0] }] })"
    page = Page(browser, draw('memcpy', text))
    page.press('t')
    page.push('.table thead button', 'Inclusive')
    page.search('^memcpy$')
    equal(page.texts('.table tbody tr'), [
        'memcpy00.00 %%%d%s1%s' % (n, profiles.percent(n, 15), of) for n, of in ((5, '[kernel]kernel.copy'), (3, 'libc'))])
    page.press('Escape', 't')
    kept = {'': 15, 'main': 15, 'main;read': 12, 'main;read;copy': 7}
    for what, wanted in (('memcpy\t[kernel]', {'main;memcpy': 3, 'main;memcpy;user': 3, 'main;read;kernel': 5}),
                         ('memcpy', {'main;user': 3, 'main;read;memcpy': 5, 'main;read;memcpy;kernel': 5})):
        page.js(hide, what)
        equal(page.tree(), {**kept, **wanted})
    page.js(hide, 'copy')
    holds('main;read;copy' not in page.tree(), 'a name alone means the kernel when there is no other')
    page.js('flametap.go({ changes: [] })')
    page.at('kernel')
    page.press('f')
    equal(page.hash(), '#focus=kernel%09%5Bkernel%5D')
    equal(page.tree(), {'': 5, 'kernel': 5})
    page.quiet()


@test
def categories_after_a_change(browser):
    """Categories are computed from the shown stacks: stacks that become equal have one category, whichever came first."""
    rules = 'parse inherit function=parse\nload inherit function=load\n'
    with open(file_of('inherit.rules'), 'w', encoding='utf-8') as f:
        f.write(rules)
    sums = ("const s = flametap.actions.now.view.stacks.categorySums;"
            "return Object.fromEntries(flametap.data.categories.map((c, n) => [c, s.self[0][n]]).filter(([, n]) => n))")
    page = Page(browser, draw('inherit', 'main;load;work;get 3\nmain;parse;work;get 5\nmain;parse;work 2\n',
                              '--rules', file_of('inherit.rules')))
    equal(page.js(sums), {'load': 3, 'parse': 7})
    page.at('work')
    page.press('f')
    equal((page.tree(), page.js(sums)), ({'': 10, 'work': 10, 'work;get': 8}, {'user': 10}))
    browser.back()
    page.at('parse')
    page.press('h')
    equal(page.js(sums), {'load': 3, 'user': 7})
    page.quiet()


@test
def recursion_in_deep_stacks(browser):
    """Thousands of levels fold as fast as a few, and a frame far down finds the place of its function."""
    levels = 20000
    page = Page(browser, draw('abyss', profiles.deep(levels) +
                              ';'.join(['level_%d' % i for i in range(levels)] + ['level_9000', 'again']) + ' 50\n'))
    shape = ("const { tree } = flametap.actions.now; let i = 1; while (tree.name(i) !== 'again') i++;"
             "return [tree.n, tree.depth[i], tree.self(i)]")
    equal(page.js(shape), [levels + 4, levels + 2, 50])
    page.press('K')
    equal(page.js(shape), [levels + 3, 9002, 50])
    page.quiet()
