# SPDX-License-Identifier: GPL-2.0-or-later
"""The time axis: what is selected in it is compared, node by node, with the parts of the stacks in that time."""
import csv
import math
import os
import random

import diffs
import profiles
from page import Page, draw, equal, holds, run, file_of, test
from webdriver import KEYS, Browser

SLICES, MS = 50, 20


def parts(tasks=('web',)):
    """Returns (names, slice, weight) of the parts of made-up stacks; one function works for one slice only."""
    r = random.Random(5)
    found = []
    for number in range(60):
        names = [r.choice(tasks), 'main', 'work%d' % (number % 7), 'leaf%d' % number]
        for at in sorted(r.sample(range(1, SLICES + 1), r.choice([1, 2, 10, 50]))):
            found.append((names, at, r.randint(1, 300)))
    found.append(([tasks[0], 'main', 'hiccup'], 30, 5000))
    return found


def recording(found):
    """Returns a recording with slices of these parts."""
    stacks = {}
    for names, at, weight in found:
        stacks.setdefault(tuple(names), []).append((at, weight))
    rows = [(names[0], 1 + (names[0] == 'db'), ' '.join(name + '@/bin/x' for name in names[1:]), sum(w for _, w in items))
            for names, items in stacks.items()]
    lines = profiles.recording(rows).replace('recording 1\n', 'recording 2\n').splitlines()[:-1]
    lines.insert(3, 'slices %d %d' % (MS * 1000000, SLICES))
    series, items = [], iter(stacks.values())
    for line in lines:
        series.append(line)
        if line.startswith('row '):
            before, text = 0, 'series'
            for at, weight in next(items):
                text += ' %d*%d' % (at - before, weight)
                before = at
            series.append(text)
    return '\n'.join(series + ['end %d' % len(series)]) + '\n'


def expected(found, first=1, last=SLICES):
    stacks = [(names, weight) for names, at, weight in found if first <= at <= last]
    return profiles.tree([(names if len({n[0] for n, _, _ in found}) > 1 else names[1:], weight) for names, weight in stacks])


def axis(page):
    return page.js("const r = document.querySelector('.strip .axis').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")


def place(page, column):
    x, y, width, _ = axis(page)
    return x + (column + 0.5) * width / SLICES, y + 20


def drag(page, first, last, shift=False):
    """Drags from slice FIRST to slice LAST, both from 1."""
    key = [{'type': kind, 'value': KEYS['Shift']} for kind in ('keyDown', 'keyUp')]
    actions = []
    for column, kind in ((first - 1, 'pointerDown'), (last - 1, 'pointerUp')):
        x, y = place(page, column)
        actions += [{'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)}, {'type': kind, 'button': 0}]
    if shift:
        page.browser.post('/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': key[:1]}]})
    page.browser.post('/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': actions}]})
    if shift:
        page.browser.post('/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': key[1:]}]})
    page.browser.settle()


def compared(found, before, after):
    """Returns the sums and the colour of each node, where BEFORE and AFTER are (first, last) slices: weights per second are compared."""
    sides = [expected(found, *part) for part in (before, after)]
    lengths = [(last - first + 1) * (MS / 1000) for first, last in (before, after)]
    return {path: [x, y, diffs.step(x, y, lengths, False)] for path, x, y in
            ((path, sides[0].get(path, 0), sides[1].get(path, 0)) for path in {**sides[0], **sides[1]})}


def amount(value):
    """Returns an amount per second as the picture shows it."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return '{:,.{}f}'.format(math.floor(value * 10 ** digits + 0.5) / 10 ** digits, digits)


def nodes(page):
    return dict(page.js(diffs.NODES))


@test
def time_selected_by_dragging(browser):
    found = parts()
    page = Page(browser, draw('times', recording(found)))
    equal(page.tree(), expected(found))
    for first, last in ((1, 10), (40, 12), (11, 11), (30, 30), (1, 50)):
        drag(page, first, last)
        equal(page.tree(), expected(found, min(first, last), max(first, last)), 'slices %d to %d' % (first, last))
    drag(page, 5, 9)
    holds(page.text('range', '.strip').startswith('0.08 \u2013 0.18 s of 1 s'), page.text('range', '.strip'))
    drag(page, 6, 6)
    equal(page.tree(), expected(found), 'a click into the selection')
    drag(page, 5, 9)
    page.push('.strip button')
    equal(page.tree(), expected(found))
    holds(page.hash() in ('', '#'), page.hash())
    page.quiet()


@test
def time_in_the_address(browser):
    """A link, and the option of bt-flame, show the same."""
    found = parts()
    text = recording(found)
    page = Page(browser, draw('times', text) + '#time=0.58-0.6')
    equal(page.tree(), expected(found, 30, 30))
    page.search('hiccup')
    holds(page.text('found').startswith('Matched '), 'the search does not work in a part of the time')
    page = Page(browser, draw('times_part', text, '--from', '580ms', '--to', '600ms'))
    equal(page.tree(), expected(found, 30, 30))
    for wrong in ('2-3', 'x', '0.3-0.2', '-', '1'):
        page = Page(browser, draw('times', text) + '#time=' + wrong)
        equal(page.tree(), expected(found), wrong)
    page.quiet()


@test
def time_by_keys(browser):
    found = parts()
    page = Page(browser, draw('times', recording(found)))
    page.js("document.querySelector('.strip .axis').focus()")
    page.press('Right')
    equal(page.tree(), expected(found, 1, 1))
    page.press('Right')
    equal(page.tree(), expected(found, 2, 2))
    page.js("document.querySelector('.strip .axis').dispatchEvent(new KeyboardEvent('keydown',"
            "{ key: 'ArrowRight', shiftKey: true, bubbles: true }))")
    browser.settle()
    equal(page.tree(), expected(found, 2, 3))
    page.press('Escape')
    equal(page.tree(), expected(found))
    page.quiet()


@test
def time_and_changes(browser):
    """Changes apply to the selected part, and the selection to changed stacks."""
    found = parts()
    page = Page(browser, draw('times', recording(found)) + '#hide=work3%09/bin/x&time=0-0.2')
    stacks = [([n for n in names[1:] if n != 'work3'], weight) for names, at, weight in found if at <= 10]
    equal(page.tree(), profiles.tree(stacks))
    drag(page, 11, 20)
    stacks = [([n for n in names[1:] if n != 'work3'], weight) for names, at, weight in found if 11 <= at <= 20]
    equal(page.tree(), profiles.tree(stacks))
    page.quiet()


@test
def time_of_tasks_and_highlights(browser):
    """The highlighted part is drawn, and each task has a row."""
    found = parts(('web', 'db'))
    page = Page(browser, draw('tasks', recording(found), '--by', 'comm'))
    equal(page.tree(), expected(found))
    equal(page.js("return document.querySelectorAll('.strip .row').length"), 2)
    part = "return document.querySelector('.strip .part').getAttribute('d')"
    equal(page.js(part), '')
    page.search('hiccup')
    equal(page.js(part).count('M'), 1)
    holds(page.js(part).startswith('M29 '), 'the hiccup is in another slice: ' + page.js(part))
    page.quiet()


@test
def names_of_tasks(driver):
    """Each row has the name of its task beside it, cut to fit; pointing at the name, or touching it, tells all of it."""
    long = 'a-task-with-a-name-that-no-margin-has-the-room-for'
    found = parts(('web', long, '/a/path/whose/end/says/more/than/its/beginning.php'))
    url = draw('tasks', recording(found), '--by', 'comm')
    boxes = ("return [...document.querySelectorAll('.strip .names div')].map((e) => { const r = e.getBoundingClientRect();"
             "return [e.textContent, r.left, r.right, r.y + r.height / 2]; })")
    rows = "return [...document.querySelectorAll('.strip .row')].map((e) => { const r = e.getBoundingClientRect(); return r.y + r.height / 2; })"
    for width in 1400, 420:
        with Browser(driver, os.environ['CHROMIUM'], mobile=(width, 800)) as browser:
            page = Page(browser, url)
            names = page.js(boxes)
            left = axis(page)[0]
            equal(len(names), 3)
            holds(all(0 <= x and end <= left for _, x, end, _ in names), 'the names are not beside the rows: %s, %s' % (names, left))
            holds(left < width * 0.3, 'the names leave too little for the time: %s' % left)
            holds(all(abs(y - middle) < 3 for (_, _, _, y), middle in zip(names, page.js(rows))), 'names and rows: %s' % names)
            cut = {name for name, _, _, _ in names}
            holds(any(name.startswith('a-task') and name.endswith('\u2026') for name in cut), cut)
            holds(any(name.startswith('\u2026') and name.endswith('.php') for name in cut), cut)
            _, x, _, y = next(name for name in names if name[0].startswith('a-task'))
            browser.tap(x + 5, y)
            told = "const e = document.querySelector('.strip .told'); return [e.textContent, e.scrollWidth <= e.clientWidth]"
            holds(page.js(told)[0].startswith(long + ' ') and page.js(told)[1], page.js(told))
            page.quiet()


def wall():
    """Returns a recording of a thread whose time is always all of it: it runs and is preempted, but sleeps from 0.4 s to 0.6 s."""
    found = [(['web', 'main', 'work', 'C'], at, 60) for at in range(1, SLICES + 1) if not 20 < at <= 30]
    found += [(['web', 'main', 'work', 'R'], at, 40) for at in range(1, SLICES + 1) if not 20 < at <= 30]
    found += [(['web', 'main', 'nap', 'S'], at, 100) for at in range(21, 31)]
    lines, tags = [], []
    for line in recording([(names[:3] + [names[2] + '-' + names[3]], at, weight) for names, at, weight in found]).splitlines():
        words = line.split()
        if words[0] == 'name' and '-' in words[2]:
            tags.append(words[2][-1])
        if words[0] == 'row':
            words[4] = str('CRS'.index(tags[int(words[3])]))
        lines.append(' '.join(words))
        if words[0] == 'slices':
            lines += ['label %d state %s' % (number, state) for number, state in enumerate('CRS')]
    lines[-1] = 'end %d' % (len(lines) - 1)
    return '\n'.join(lines) + '\n'


LAYERS = """
    return [...document.querySelector('.strip .layers').children].map((path) => {
        const heights = {};
        for (const [, at, high] of path.getAttribute('d').matchAll(/M(\\d+) \\d+v(-[\\d.]+)/g))
            heights[at] = Math.round(-high);
        return [path.getAttribute('class'), heights];
    });"""


@test
def states_over_time(browser):
    """The columns have the colours of the states, with what runs at the bottom, so that a stall is seen in time that is always 100 %."""
    page = Page(browser, draw('wall', wall()))
    busy = [str(at) for at in range(SLICES) if not 20 <= at < 30]
    heights = dict(page.js(LAYERS))
    equal([style for style, _ in page.js(LAYERS)], ['st0', 'st4', 'st8'], 'what is highest is drawn first')
    equal({at: heights['st8'].get(at) for at in busy}, {at: round(38 * 0.6) for at in busy}, 'on CPU')
    equal({at: heights['st4'].get(at) for at in busy}, {at: 38 for at in busy}, 'preempted')
    equal({at: heights['st0'][str(at)] for at in range(20, 30)}, {at: 38 for at in range(20, 30)}, 'sleeping')
    holds('25' not in heights['st8'] and '25' not in heights['st4'], 'it runs while it sleeps')
    told = "return document.querySelector('.strip .told').textContent"
    browser.point(*place(page, 25))
    equal(page.js(told).split(': ')[1], '100 samples, [sleeping] 100.00 %, unusual', 'a stall')
    browser.point(*place(page, 5))
    equal(page.js(told).split(': ')[1], '100 samples, [on CPU] 60.00 %, [preempted] 40.00 %')
    page.js("flametap.go({ colour: 'module' })")
    equal([style for style, _ in page.js(LAYERS)], ['q0'])
    page.search('nap')
    holds(page.js("return document.querySelector('.strip .part').getAttribute('d')").startswith('M20 '), 'the nap is in another slice')
    page = Page(browser, draw('wall', wall()) + '#time=0-0.2&compare=0.4-0.6')
    equal([style for style, _ in page.js(LAYERS)], ['all'], 'a difference has other colours')
    page.quiet()


@test
def unusual_times(browser):
    """What differs from the rest is marked as bt-report lists it, and can be selected."""
    found = parts()
    url = draw('unusual', recording(found))
    with open(file_of('unusual.rec'), 'w', encoding='ascii') as f:
        f.write(recording(found))
    run('bt-report', '--outliers', '--csv', file_of('unusual.rec'), out='unusual.csv')
    with open(file_of('unusual.csv'), newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    ranges = list(dict.fromkeys((row['from'], row['to']) for row in rows))
    page = Page(browser, url)
    marks = "return [...document.querySelector('.strip .odd').getAttribute('d').matchAll(/M(\\d+) 0H(\\d+)/g)].map((m) => [m[1], m[2]])"
    equal([[float(at) * MS / 1000 for at in mark] for mark in page.js(marks)], [[float(at) for at in pair] for pair in ranges])
    holds(('0.580', '0.600') in ranges, 'the hiccup is not unusual: %s' % ranges)
    at = next(row for row in rows if row['from'] == '0.580')
    browser.point(*place(page, 29))
    told = page.js("return document.querySelector('.strip .told').textContent")
    holds(told.endswith(', unusual: %s %s samples, usually %s samples' % (
        at['function'] or 'all', '{:,}'.format(int(at['weight'])), '{:,}'.format(int(at['usual'])))), told)
    for pair in ranges + ranges[:1]:
        page.push('.strip button', 'Unusual (%d)' % len(ranges))
        equal(page.hash(), '#time=' + '-'.join(str(float(second)) for second in pair))
    equal(page.tree(), expected(found, 1 + round(float(ranges[0][0]) * 1000 / MS), round(float(ranges[0][1]) * 1000 / MS)))
    page.quiet()


@test
def kinds_over_time(browser):
    """Without states, the columns have the colours of the kinds of leaves, or of the groups by which the frames are coloured."""
    text = recording([(['web', 'main', 'work'], at, 10 + at) for at in range(1, SLICES + 1)] +
                     [(['web', 'main', 'call'], at, 20) for at in range(11, 21)])
    text = text.replace('frame 2 user name', 'frame 2 kernel name')
    page = Page(browser, draw('kinds', text))
    heights = dict(page.js(LAYERS))
    equal(sorted(heights), ['k2', 'u2'])
    equal([heights['k2'][str(at)] > heights['u2'][str(at)] for at in (9, 10, 19, 20)], [False, True, True, False])
    page.quiet()


@test
def times_compared_by_dragging(browser):
    """A second part is compared with the first one or, without one, with all of the time."""
    found = parts()
    page = Page(browser, draw('times', recording(found)))
    drag(page, 1, 10)
    drag(page, 31, 50, shift=True)
    equal(nodes(page), compared(found, (1, 10), (31, 50)))
    equal(page.hash(), '#time=0-0.2&compare=0.6-1')
    equal(page.text('range', '.strip'), 'before: 0 \u2013 0.2 s, after: 0.6 \u2013 1 s, per second')
    equal(page.js("return [...document.querySelectorAll('.strip .tag')].map((t) => [t.style.left, t.style.width])"),
          [['0%', '20%'], ['60%', '40%']])
    drag(page, 30, 30)
    equal(nodes(page), compared(found, (1, 10), (30, 30)), 'once there is a second part, it is what is selected')
    equal(nodes(page)['main;hiccup'], [0, 5000, 'd8'])
    page.press('Escape')
    equal(page.tree(), expected(found, 1, 10), 'Esc')
    page.press('Escape')
    drag(page, 1, 25, shift=True)
    equal(nodes(page), compared(found, (1, 50), (1, 25)))
    drag(page, 3, 3)
    equal(page.tree(), expected(found), 'a click into the second part')
    page.quiet()


@test
def times_compared_by_keys(browser):
    found = parts()
    page = Page(browser, draw('times', recording(found)))
    equal(page.text('ruler', '.strip'), None)
    drag(page, 11, 15)
    page.press('v')
    equal(nodes(page), compared(found, (11, 15), (16, 20)), 'the part behind the selection')
    page.press('Right')
    equal(nodes(page), compared(found, (11, 15), (21, 25)))
    page.press('2')
    holds(page.pressed('Before'), 'the widths before')
    page.press('1')
    page.press('v')
    equal(page.tree(), expected(found, 11, 15))
    page.push('.strip button', 'Compare')
    equal(nodes(page), compared(found, (11, 15), (16, 20)), 'by the button')
    page.push('.strip button', '\u00d7')
    equal(page.tree(), expected(found))
    page.press('v')
    page.press('Left')
    equal(nodes(page), compared(found, (1, 50), (50, 50)), 'with all of the time')
    page.quiet()


@test
def numbers_of_compared_times(browser):
    """Legend, table, search and changes are those of a difference, and amounts are per second."""
    found = parts()
    page = Page(browser, draw('times', recording(found)) + '#time=0-0.2&compare=0.4-0.8')
    before, after = ([(names[1:], weight) for names, at, weight in found if first <= at <= last] for first, last in ((1, 10), (21, 40)))
    x, y = (sum(weight for names, weight in side if names[1] == 'work3') for side in (before, after))
    all_x, all_y = (sum(weight for _, weight in side) for side in (before, after))
    shares = profiles.percent(x, all_x), profiles.percent(y, all_y)
    equal(page.search('^work3$'), 'Matched %s \u2192 %s' % shares)
    page.press('Escape')
    page.at('work3')
    rates = tuple(amount(value) for value in (x / 0.2, y / 0.4))
    holds(page.text('numbers').startswith('before %s/s (%s), after %s/s (%s), ' % (rates[0], shares[0], rates[1], shares[1])),
          page.text('numbers'))
    change = diffs.signed((y / 0.4 - x / 0.2) / (all_x / 0.2))
    holds('(%s %% of before, per s)' % change in page.text('numbers'), page.text('numbers'))
    equal([t for t in page.texts('.legend .step') if t], ['gone', 'less', 'same', 'more', 'new'])
    heads = "return [...document.querySelectorAll('.table thead th')].map((t) => t.textContent)"
    page.press('t')
    equal(page.js(heads), ['Function', 'Change, % of before, per s', 'Self', 'Inclusive', 'Module'])
    page.js("location.hash = '#time=0-0.2&compare=0.4-0.8&table=1&hide=work3%09/bin/x'")
    browser.settle()
    wanted = [profiles.tree(profiles.changed(side, ('hide', 'work3'))) for side in (before, after)]
    equal({path: pair[:2] for path, pair in nodes(page).items()},
          {path: [wanted[0].get(path, 0), wanted[1].get(path, 0)] for path in {**wanted[0], **wanted[1]}})
    page.js("location.hash = '#time=0-0.2&table=1'")
    browser.settle()
    equal(page.js(heads), ['Function', 'Self', 'Inclusive', 'Places', 'Module', 'Category'])
    holds(not [t for t in page.js("return [...document.querySelectorAll('.legend .step')].filter((e) => !e.closest('[hidden]'))")],
          'the scale of changes is still shown')
    for wrong in ('2-3', 'x', '0.3-0.2', '-', '1'):
        page = Page(browser, draw('times', recording(found)) + '#compare=' + wrong)
        equal(page.tree(), expected(found), wrong)
    page.quiet()


@test
def order_of_compared_times(browser):
    """What comes first, and which callers are the smallest, is decided per second as the widths are, not by sums."""
    weights = {'p': (1, 100), 'q': (2, 300), **{'c%d' % i: (1, 8) for i in range(6)}, **{'d%d' % i: (2, 6) for i in range(5)}}
    found = [(['web', caller, 'x'], at, weight) for caller, (at, weight) in weights.items()]
    page = Page(browser, draw('times', recording(found)) + '#time=0-0.02&compare=0.02-0.22&callers=x%09/bin/x&small=5')
    names = ("const { tree } = flametap.actions.now, found = [];"
             "for (let i = 0; i < tree.n; i++) if (tree.depth[i] === arguments[0]) found.push(tree.name(i)); return found")
    equal(page.js(names, 2), ['p', 'q', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', '[smallest callers]'])
    page.js("location.hash = '#time=0-0.02&compare=0.02-0.22&order=weight'")
    browser.settle()
    equal(page.js(names, 1)[:3], ['p', 'q', 'c0'])
    page.quiet()


@test
def no_time(browser):
    """Graphs without slices, and of several recordings, have no time axis."""
    page = Page(browser, draw('none', profiles.plain()))
    equal(page.text('range', '.strip'), None)
    for name in ('one', 'two'):
        with open(file_of(name + '.rec'), 'w', encoding='ascii') as f:
            f.write(recording(parts()))
    run('bt-flame', file_of('one.rec'), file_of('two.rec'), out='both.svg')
    page = Page(browser, 'file://' + file_of('both.svg'))
    equal(page.text('range', '.strip'), None)
    draw('times', recording(parts()))
    run('bt-collapse', file_of('times.svg'), out='times.folded')
    with open(file_of('times.folded'), encoding='ascii') as f:
        equal(profiles.tree(profiles.stacks_of(f.read())), expected(parts()))
    page.quiet()
