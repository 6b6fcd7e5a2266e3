# SPDX-License-Identifier: GPL-2.0-or-later
"""Differences: every node's sums and colour, on both sides, compared with sums over the stacks."""
import re

import profiles
from page import Page, equal, file_of, holds, run, test

BEFORE = profiles.plain()
AFTER = (BEFORE.replace('main;serve;parse 1500', 'main;serve;parse 2600').replace('longest_match 5000', 'longest_match 3000')
         .replace('main;work;deflate.cold;fix 300\n', 'main;work;inflate;fast 900\n'))
SIDES = ('before', BEFORE), ('after', AFTER)
NODES = '''
    const { tree } = flametap.actions.now, paths = [[]], found = [];
    for (let i = 0; i < tree.n; i++) {
        if (i)
            paths[i] = [...paths[tree.parent[i]], tree.name(i)];
        found.push([paths[i].join(';'), [...tree.totals(i), flametap.text.styleOf(tree, i)]]);
    }
    return found;'''


def static_styles(name):
    """Returns (frame, colour) of the picture that is shown without scripts, which bt-diff computed."""
    with open(file_of(name + '.svg'), encoding='utf-8') as f:
        return set(re.findall(r'<title>(\S+) \([^<]*</title><rect class="(d\d)"', f.read()))


def draw_diff(name, *options, sides=SIDES):
    for side, text in sides:
        with open(file_of(side + '.folded'), 'w', encoding='utf-8') as f:
            f.write(text)
    run('bt-diff', *options, file_of('before.folded'), file_of('after.folded'), out=name + '.svg')
    return 'file://' + file_of(name + '.svg')


def step(x, y, totals, normalized):
    """Returns the colour step as src/view/diff/diff.h defines it. If not NORMALIZED, TOTALS may be two lengths of time."""
    a, b = (side / (total or 1) for side, total in zip((x, y), totals))
    v = sum(side * (1 - side if normalized else 1) / (total or 1) for side, total in zip((a, b), totals))
    d, s = b - a, a + b
    if d == 0 or d * d < 4 * v:
        return 'd4'
    if not y or not x:
        return 'd8' if y else 'd0'
    k = 1 if 9 * abs(d) <= s else 2 if 3 * abs(d) <= s else 3
    return 'd%d' % (4 - k if d < 0 else 4 + k)


def model(normalized, *changes):
    trees = [profiles.tree(profiles.changed(list(profiles.stacks_of(text)), *changes)) for _, text in SIDES]
    totals = [tree[''] for tree in trees]
    pairs = {path: [tree.get(path, 0) for tree in trees] for tree in trees for path in tree}
    return {path: [x, y, step(x, y, totals if normalized else (1, 1), normalized)] for path, (x, y) in pairs.items()}


@test
def difference(browser):
    for options in (), ('--normalize',):
        page = Page(browser, draw_diff('diff', *options))
        for how, name in (None, ''), ('hide', 'work'), ('focus', 'deflate'), ('collapseall', ''):
            page.js("location.hash = arguments[0] ? '#' + arguments[0] + '=' + (arguments[1] || 1) : ''", how, name)
            browser.settle()
            equal(dict(page.js(NODES)), model(bool(options), *([(how, name)] if how else [])),
                  '%s %s' % (how, options))
        wanted = {(path.split(';')[-1] or 'all', style) for path, (_, _, style) in model(bool(options)).items()}
        drawn = static_styles('diff')
        holds(len(drawn) > 10 and drawn <= wanted, 'without scripts: %r' % (drawn - wanted))
        page.js("location.hash = '#callers=fast'")
        browser.settle()
        equal(dict(page.js(NODES)), model(bool(options), ('callers', 'fast')))
    styles = {style for _, _, style in model(False).values()}
    holds(len(styles) > 5 and {'d0', 'd8'} <= styles, 'too little changed')
    page.quiet()


@test
def what_a_function_does_itself(browser):
    """A caller that took over the work of its callees is the same as a whole; the part without callees is not."""
    sides = ('before', 'main 1000\nmain;b 9000\n'), ('after', 'main 6000\nmain;b 4000\n')
    page = Page(browser, draw_diff('own', sides=sides))
    boxes = [box.split() for box in page.js(
        "return [...document.querySelectorAll('#frames rect')].map((r) => r.getAttribute('class') + ' ' + r.getAttribute('width'))")]
    equal([box[0] for box in boxes], ['d4', 'd4', 'd7', 'd1'])
    holds(abs(float(boxes[2][1]) - 0.35 * page.width()) < 1, boxes)
    with open(file_of('own.svg'), encoding='utf-8') as f:
        equal(re.findall(r'<title>main[^<]*</title><rect class="(d\d)"[^>]*><rect class="(d\d)"', f.read()), [('d4', 'd7')])
    page.quiet()


@test
def chance_in_large_shares(browser):
    """Shares near one half or above vary less by chance than counts do."""
    sides = ('before', 'main;b 6000\nmain;c 4000\n'), ('after', 'main;b 6150\nmain;c 3850\n')
    for options, styles in ((), {'b': 'd4', 'c': 'd4'}), (('--normalize',), {'b': 'd5', 'c': 'd3'}):
        page = Page(browser, draw_diff('chance', *options, sides=sides))
        equal({path.split(';')[-1]: style for path, (_, _, style) in page.js(NODES) if ';' in path}, styles, options)
        equal({name: style for name, style in static_styles('chance') if name in 'bc'}, styles, options)


@test
def widths_of_a_difference(browser):
    page = Page(browser, draw_diff('diff'))
    totals = model(False)['']
    share = {side: profiles.tree(profiles.stacks_of(text)) for side, text in SIDES}
    for key, label, side in ('2', 'Before', 'before'), ('3', 'After', 'after'):
        page.press(key)
        holds(page.pressed(label), label + ' is not pressed')
        for name, path in ('parse', 'main;serve;parse'), ('longest_match', 'main;work;deflate;longest_match'):
            wanted = share[side][path] / share[side][''] * page.width()
            holds(abs(page.frame(name)[2] - wanted) < 2, '%s %s' % (name, side))
        equal(page.hash(), '#width=' + side)
    holds('fix' not in page.texts('#frames text'), 'what is gone has no width after')
    page.push('.bar button', 'Both')
    equal(page.hash(), '')
    wanted = (1500 + 2600) / sum(totals[:2]) * page.width()
    holds(abs(page.frame('parse')[2] - wanted) < 2, 'both')
    page.quiet()


def many(more):
    """Returns 60 functions with 100 samples each, in a caller with a long name; the first MORE of them have 50 more."""
    return ''.join('a_function_with_a_long_name;helper_with_a_long_name_%d %d\n' % (i, 150 if i < more else 100) for i in range(60))


@test
def list_of_what_changed(browser):
    """Functions that did not change are counted only, unless they are searched for; names have the room that numbers leave."""
    for options, most in ((), 3), (('--normalize',), 60):
        page = Page(browser, draw_diff('many', *options, sides=(('before', many(0)), ('after', many(3)))))
        names = page.texts('.table tbody th')
        equal((len(names), set(names[:3])), (most, {'helper_with_a_long_name_%d' % i for i in range(3)}), options)
        equal(page.text('note', '.table'), '58 more functions with a change of 0.00' if most == 3 else '1 more function with a change of 0.00')
        equal(page.texts('.table tfoot th'), ['Sum of 61'])
        page.search('name_7$')
        equal((page.texts('.table tbody th'), page.text('note', '.table')), (['helper_with_a_long_name_7'], ''))
        page.press('Escape')
    page = Page(browser, draw_diff('many', sides=(('before', many(0)), ('after', many(0)))))
    equal((len(page.texts('.table tbody th')), page.text('note', '.table')), (61, ''), 'nothing changed')
    page = Page(browser, draw_diff('many', '--normalize', sides=(('before', many(0)), ('after', many(3)))))
    page.browser.size(1400, 900)
    cut = page.js("return [...document.querySelectorAll('.table tbody th button')].filter((b) => b.scrollWidth > b.clientWidth).length")
    equal(cut, 0, 'names are cut where there is room')
    gaps = page.js("return [...document.querySelectorAll('.table tbody tr')].map((row) => {"
                   "const range = document.createRange(), edge = (node, side) => { range.selectNodeContents(node);"
                   "return range.getBoundingClientRect()[side]; };"
                   "return edge(row.querySelector('.after'), 'left') - edge(row.querySelector('.after').previousSibling, 'right'); })")
    holds(0 <= min(gaps) and max(gaps) < 24, 'the numbers of a pair are apart: %s' % gaps[:3])
    equal(page.js("const h = document.querySelector('.table th.change button'); return h.getBoundingClientRect().height < 36"), True,
          'the heading wraps')
    page.browser.size(1280, 900)
    page.quiet()


def signed(change):
    return '%s%.2f' % ('\u2212' if change < 0 else '+', abs(round(change * 10000) / 100))


@test
def numbers_of_a_difference(browser):
    """Numbers, tooltip and table have the change that the colours show, and say in what it is measured."""
    for options, measure in ((), '% of before'), (('--normalize',), 'points'):
        page = Page(browser, draw_diff('diff', *options))
        before, after = model(bool(options))[''][:2]
        page.hover('parse')
        pair = profiles.percent(1500, before), profiles.percent(2600, after)
        change = signed(2600 / after - 1500 / before if options else 1100 / before)
        equal(page.text('numbers'), 'before 1,500 (%s), after 2,600 (%s), +1,100 (%s %s); self 1,500 \u2192 2,600' % (
            *pair, change, measure))
        equal(page.texts('.tip tr')[:2], ['beforeafterchange (%s)' % measure, 'Inclusive1,500 (%s)2,600 (%s)+1,100 (%s)' % (*pair, change)])
        equal(page.search('^parse$'), 'Matched %s \u2192 %s' % pair)
        page.press('Escape')
        holds(page.pressed('Table'), 'what changed most is not listed')
        equal(page.texts('.table thead th')[1], 'Change, ' + measure)
        equal(page.texts('.table tbody th')[:3], ['longest_match', 'parse', 'fast'])
        shown = (pair[0].replace(' %', ''), pair[1]) if options else ('1,500', '2,600')
        row = 'parse%s%s \u2192%s' % (change, *shown)
        holds(page.texts('.table tbody tr')[1].startswith(row), page.texts('.table tbody tr')[1])
    equal([t for t in page.texts('.legend .step') if t], ['gone', 'less', 'same', 'more', 'new'])
    page.quiet()
