# SPDX-License-Identifier: GPL-2.0-or-later
"""Tooltip, menu, copying, legend, table, keys, theme."""
import csv
import io
import os
import re
import shlex

import diffs
import profiles
from page import Page, draw, equal, file_of, holds, run, test
from webdriver import Browser

PLAIN = profiles.plain()
STACKS = list(profiles.stacks_of(PLAIN))
TOTAL = sum(weight for _, weight in STACKS)
TREE = profiles.tree(STACKS)
LINES = '''flametap-recording 2
event 0 cpu samples 1000000 cpu
task 0 10 10 99 perl
frame 0 perl name
name 0 A::run 0 - /srv/A&B.pm 15
frame 1 perl name
name 1 A::run 0 - /srv/A&B.pm 12
stack 0 perl root - 0
stack 1 perl root - 1
row 0 0 0 - 3 3
row 0 0 1 - 1 1
end 11
'''


def share(weight, whole=TOTAL):
    return profiles.percent(weight, whole)


def of_function(name):
    """The tooltip shows the self and the inclusive weight, counting a stack once, and places."""
    return ('{:,}'.format(sum(w for names, w in STACKS if names[-1] == name)),
            '{:,}'.format(sum(w for names, w in STACKS if name in names)),
            sum(path.split(';')[-1] == name for path in TREE))


@test
def pointer_tells_numbers(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.hover('longest_match')
    equal(page.text('name'), 'longest_match')
    equal(page.text('numbers'), '5,700 samples (%s), self 5,000 (%s)' % (share(5700), share(5000)))
    browser.point(700, 5)
    equal(page.text('name'), 'all')


@test
def tooltip_tells_lines(browser):
    """The tooltip has the lines that were executed, also in a graph that was made from the graph."""
    page = Page(browser, draw('lines', LINES))
    page.hover('A::run')
    equal(page.text('path', '.tip'), '/srv/A&B.pm:12\u201315')
    with open(file_of('lines.svg'), 'rb') as picture:
        page = Page(browser, draw('again', picture.read()))
    page.hover('A::run')
    equal(page.text('path', '.tip'), '/srv/A&B.pm:12\u201315')


@test
def tooltip(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.hover('longest_match')
    equal(page.text('name', '.tip'), 'longest_match')
    equal(page.texts('.tip tr'), ['samplesof all', 'Inclusive5,700' + share(5700), 'Self5,000' + share(5000)])
    work = TREE['main;work']
    page.click('work')
    page.hover('longest_match')
    equal(page.texts('.tip tr')[1], 'Inclusive5,700' + share(5700) + share(5700, work))
    page.hover('deflate')
    own, inclusive, places = of_function('deflate')
    equal(places, 2)
    equal(page.texts('.tip tr')[3:], ['This function in 2 places', 'Inclusive%s%s' % (
        inclusive, share(int(inclusive.replace(',', '')))), 'Self%s%s' % (own, share(int(own)))])
    for x in range(30, 1280, 60):
        browser.point(x, page.frame('work')[1])
        box = page.js("const r = document.querySelector('.tip').getBoundingClientRect();"
                      "return [r.left >= 0, r.top >= 0, r.right <= innerWidth, r.bottom <= innerHeight]")
        equal(box, [True] * 4, 'the tooltip leaves the window')
    browser.point(700, 5)
    equal(page.text('name', '.tip'), None)
    page.quiet()


@test
def exact_sizes(browser):
    """Bytes are shown in units that fit them, and exactly where there is room."""
    page = Page(browser, draw('bytes', 'main;copy 61571072\nmain 1000\n', '--countname', 'bytes'))
    page.hover('copy')
    equal(page.text('numbers'), '58.72 MiB = 61,571,072 bytes (100.00 %), self 58.72 MiB (100.00 %)')
    equal(page.texts('.tip tr')[:2], ['sizebytesof all', 'Inclusive58.72 MiB61,571,072100.00 %'])
    page.hover('main')
    equal(page.texts('.tip tr')[2], 'Self1,000 B1,0000.00 %')
    page.quiet()


@test
def origin(browser):
    page = Page(browser, draw('origin', profiles.recording([
        ('web', 7, 'main@/opt/it/web memcpy@/usr/lib/libc.so.6', 3), ('web', 7, 'main@/opt/it/web', 1)])))
    page.hover('memcpy')
    holds(page.text('origin').startswith('libc.so.6'), page.text('origin'))
    equal(page.text('path', '.tip'), '/usr/lib/libc.so.6')


@test
def numbers_are_those_of_the_table(browser):
    """For each function, the tooltip's sums are those of bt-report, and the search finds them."""
    page = Page(browser, draw('plain', PLAIN))
    sums = dict(page.js(
        "const s = flametap.actions.now.view.stacks.byFunction(), { functions, frames } = flametap.data;"
        "return functions.first.map((f, n) => [frames.name[f], [s.self[0][n], s.total[0][n]]])"))
    run('bt-report', data=PLAIN.encode(), out='plain.csv')
    with open(file_of('plain.csv'), newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(io.StringIO(f.read())))
    holds(len(rows) > 60, 'no table')
    for row in rows:
        equal(sums[row['function']], [int(row['self']), int(row['inclusive'])], row['function'])


@test
def menu(browser):
    page = Page(browser, draw('plain', PLAIN))
    focused = "return document.activeElement.firstChild.textContent"
    page.click('deflate', button=2)
    equal(page.text('name', '.menu'), 'deflate')
    equal(page.js(focused), 'Zoom here')
    page.press('Up')
    equal(page.js(focused), 'Copy stack')
    page.press('Down', 'Down', 'Escape')
    equal(page.text('name', '.menu'), None)
    equal(page.hash(), '')
    page.press('Home', 'Up', 'Up', 'm')
    equal(page.text('name', '.menu'), 'work')
    page.press('Down', 'Enter')
    equal(page.chips(), ['focus onwork'])
    page.click('deflate', button=2)
    page.push('.menu button', 'Its callers, all places')
    equal(page.chips(), ['focus onwork', 'callers ofdeflate'])
    equal(page.tree(), profiles.tree(profiles.changed(STACKS, ('focus', 'work'), ('callers', 'deflate'))))
    page.click('work', button=2)
    browser.point(700, 5, click=True)
    equal(page.text('name', '.menu'), None, 'a click elsewhere closes it')
    equal(page.js("return flametap.actions.ofFrame.length"), 11)
    page.quiet()


@test
def annotating(browser):
    """The command gives a shell and bt-annotate the function's name, whatever that is."""
    text = "main;it's[k]*\\y?;deep_[k] 5\nmain;jitted_[j] 3\n"
    page = Page(browser, draw('annotate', text))
    page.js("window.copied = []; navigator.clipboard.writeText = async (t) => { copied.push(t); };")
    names = page.js("const { now, ofFrame } = flametap.actions, all = [];"
                    "const action = ofFrame.find((a) => a.key === 'a');"
                    "for (let i = 0; i < now.tree.n; i++) if (action.when(i)) { action.run(i); all.push(now.tree.name(i)); }"
                    "return all")
    equal(sorted(names), ['deep', "it's[k]*\\y?", 'main'], 'not the root, and not what was generated')
    words = [shlex.split(command) for command in page.js('return copied')]
    equal([[*w[:2], re.sub(r'\\(.)', r'\1', w[2]), w[3]] for w in words],
          [['bt-annotate', '-f', name, 'a.rec'] for name in names])
    page.quiet()


@test
def copying(browser):
    text = 'main;a\\x3bb;c d_[k] 5\nmain;\\x5cx41_[i];e 3\n'
    page = Page(browser, draw('copy', text))
    page.js("window.copied = []; navigator.clipboard.writeText = async (t) => { copied.push(t); };")
    page.hover('c d')
    page.press('c', 'C')
    equal(page.js('return copied'), ['c d', 'main;a\\x3bb;c d_[k] 5'])
    equal(page.js("return document.querySelector('.notice').textContent"), 'Copied: main;a\\x3bb;c d_[k] 5')
    page.press('b')
    page.hover('main')
    page.press('C')
    equal(page.js('return copied')[2], 'main;a\\x3bb;c d_[k] 5')
    page.press('b')
    page.js("navigator.clipboard.writeText = async () => { throw new Error('no'); };"
            "document.execCommand = () => false;")
    page.hover('c d')
    page.press('C')
    browser.settle()
    equal(page.js("const a = document.querySelector('.sheet textarea');"
                  "return [document.activeElement === a, a.value, a.selectionEnd]"),
          [True, 'main;a\\x3bb;c d_[k] 5', 21], 'the text is there to be copied by hand')
    page.press('Escape')
    equal(page.text('close', '.sheet'), None)
    page.quiet()


# the lines of the legend that are shown
ROWS = ("return [...document.querySelectorAll('.legend > .entries')].filter((e) => e.offsetHeight)"
         ".map((e) => e.getAttribute('aria-label') || e.lastChild.getAttribute('aria-label'))")


@test
def legend(browser):
    text = profiles.recording([
        ('w', 1, 'main@/bin/w work@/bin/w memcpy@/usr/lib/libc.so.6', 30), ('w', 1, 'main@/bin/w', 10),
        ('w', 1, 'main@/bin/w memcpy@/usr/lib/libc.so.6 main@/bin/w memcpy@/usr/lib/libc.so.6', 7)])
    page = Page(browser, draw('legend', text))
    run('bt-report', '--summary', data=text.encode(), out='legend.csv')
    with open(file_of('legend.csv'), newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(io.StringIO(f.read())))
    shown = page.js("const s = flametap.actions.now.view.stacks.categorySums;"
                    "return flametap.data.categories.map((c, n) => [c, [s.self[0][n], s.total[0][n]]])")
    equal({c: n for c, n in shown if n[1]},
          {r['category']: [int(r['self']), int(r['inclusive'])] for r in rows})
    equal(page.texts('.legend [aria-label=Kinds] button'), ['user100.00 %'])
    for row in rows:
        label = row['category']
        page.push('.legend [aria-label=Categories] button', page.js(
            "return [...document.querySelectorAll('.legend [aria-label=Categories] button')]"
            ".find((b) => b.textContent.startsWith(arguments[0])).textContent", label))
        equal(page.text('found'), 'Matched ' + profiles.percent(int(row['inclusive']), 47), label)
        holds(page.js("return document.querySelectorAll('#frames .m').length") > 0, 'nothing is marked')
    link = page.hash()
    page = Page(browser, draw('legend', text) + link)
    equal(page.texts('.legend .entries button[aria-pressed="true"] .label'), [rows[-1]['category']])
    page.search('work')
    equal(page.texts('.legend .entries button[aria-pressed="true"]'), [], 'one highlight at a time')
    equal(len(page.js(ROWS)), 3)
    page.press('Escape', 'l')
    equal(page.js(ROWS), ['Kinds'], 'in brief')
    page = Page(browser, draw('legend', text))
    equal(page.js(ROWS), ['Kinds'], 'it remembers')
    page.push('.bar button', 'Legend')
    equal(len(page.js(ROWS)), 3, 'does not come back')
    page.quiet()


@test
def colour_by_category(browser):
    """Every category has the colour of its legend, the heaviest one the first, also in another view; notes and the root keep theirs."""
    text = profiles.recording([
        ('w', 1, 'main@/bin/w work@/bin/w memcpy@/usr/lib/libc.so.6', 30), ('w', 1, 'main@/bin/w', 10)])
    page = Page(browser, draw('colours', text))
    styles = '''
        return [...document.querySelectorAll('#frames rect')].map((rect) => rect.getAttribute('class'));'''
    swatches = "return [...document.querySelectorAll('.legend .swatch rect')].map((rect) => rect.getAttribute('class'))"
    holds(all(style[0] in 'ru' for style in page.js(styles)), page.js(styles))
    page.push('.legend .head button', 'Category')
    equal(page.hash(), '#colour=category')
    equal(page.js(styles), ['r0', 'q1', 'q1', 'q0'])
    equal(page.js(swatches), ['q0', 'q1'])
    page.js("location.hash = '#colour=category&callers='")
    browser.settle()
    equal(sorted(page.js(styles)), ['q0', 'q1', 'q1', 'q1', 'r0'])
    page.push('.legend .head button', 'Kind')
    equal(page.hash(), '#callers=')
    page.quiet()


@test
def colour_by_other_ways(browser):
    """Modules, packages and labels have the colours of their entries, which highlight their frames; the others fade."""
    text = profiles.recording([
        ('a', 1, 'std::sort<int>@/bin/w memcpy@/usr/lib/libc.so.6', 30), ('b', 2, 'std::sort<int>@/bin/w boost::f@/usr/lib/libc.so.6', 10)])
    page = Page(browser, draw('ways', text, '--threads'))
    entries = '.legend [aria-label=Groups] button'
    equal(page.texts('.legend .ways button'), ['Module', 'Package', 'Label'])
    equal(page.texts(entries), [])
    for way, expected in (('Module', ['libc.so.6100.00 %', 'w0.00 % (incl. 100.00 %)', 'task0.00 % (incl. 100.00 %)']),
                          ('Package', ['libc.so.675.00 %', 'boost25.00 %', 'std0.00 % (incl. 100.00 %)', 'task0.00 % (incl. 100.00 %)']),
                          ('Label', ['a/175.00 %', 'b/225.00 %'])):
        page.push('.legend .ways button', way)
        equal(page.hash(), '#colour=' + way.lower())
        equal(sorted(page.texts(entries)), sorted(expected))
        equal(len(page.js("return [...document.querySelectorAll('.legend [aria-label=Groups] .swatch')]")), len(expected))
    page.push(entries, 'b/225.00 %')
    equal(page.text('found').split(' (')[0], 'Matched ' + profiles.percent(10, 40))
    equal(page.js("return document.querySelectorAll('#frames rect.m').length"), 3)
    holds(page.js("return document.getElementById('frames').classList.contains('dimmed')"), 'the others do not fade')
    page.push('.legend .head button', 'Kind')
    equal(page.hash(), '')
    page.quiet()


@test
def names_of_paths(browser):
    """A path that is too long shows its end, in the script's picture and in the static one."""
    path = '/usr/share/' + 'folder/' * 60 + 'Handler.php:120'
    with open(draw('paths', 'main;%s 1\n' % path)[len('file://'):], encoding='utf-8') as file:
        holds('/Handler.php:120</text>' in file.read(), 'the static picture')
    page = Page(browser, draw('paths', 'main;%s 1\n' % path))
    label = [text for text in page.texts('#frames text') if 'Handler' in text]
    holds(label and label[0].startswith('\u2026') and label[0].endswith('/Handler.php:120'), label)
    page.quiet()


@test
def rows_use_the_height(browser):
    """The rows of a short graph are higher, those of a deep one are not."""
    height = "return Number(document.querySelector('#frames rect').getAttribute('height'))"
    page = Page(browser, draw('short', 'a;b 1\n'))
    equal(page.js(height), 25)
    page = Page(browser, draw('deep', profiles.deep(300)))
    equal(page.js(height), 17)
    page.quiet()


@test
def mixed(browser):
    """Frames of C, Perl and the kernel in one stack, recorded with --mixed."""
    with open(os.path.join(os.path.dirname(__file__), '../golden/recording/mixed.in'), encoding='utf-8') as f:
        page = Page(browser, draw('mixed', f.read()))
    equal(page.texts('.legend [aria-label=Kinds] button'),
          ['user70.15 % (incl. 100.00 %)', 'kernel29.85 %', 'perl0.00 % (incl. 94.03 %)', 'note0.00 % (incl. 10.45 %)'])
    page.push('.legend [aria-label=Kinds] button', 'perl0.00 % (incl. 94.03 %)')
    equal(page.text('found'), 'Matched ' + profiles.percent(63, 67))
    page.quiet()


@test
def states(browser):
    """States of waits are labels: the self weight belongs to the function, also with the leaf at the root."""
    text = 'main;work;futex_k;[sleeping] 60\nmain;work;[preempted] 30\nmain;work 10\n'
    for options in (), ('--reverse',):
        page = Page(browser, draw('states', text, *options))
        equal(page.texts('.legend [aria-label=Kinds] button'), ['user100.00 %'])
        equal(page.texts('.legend [aria-label=States] button'), ['[sleeping]60.00 %', '[preempted]30.00 %'])
        page.hover('work')
        equal(page.text('numbers').split('self ')[1].split()[0], '0' if options else '40')
        shown = page.texts('#frames text')
        equal(('[sleeping]' in shown, 'futex_k' in shown), (bool(options), True), 'states are colours')
        equal(page.js("return [...document.querySelectorAll('#frames .st0, #frames .st4')].map((r) => r.tagName)"),
              [] if options else ['rect', 'rect'])
        if not options:
            equal([row for row in page.texts('.tip tr') if row.startswith('[')], ['[preempted]3030.00 %'])
        page.push('.legend [aria-label=States] button', '[preempted]30.00 %')
        equal(page.text('found'), 'Matched ' + profiles.percent(30, 100))
        equal(page.texts('.legend .entries button[aria-pressed="true"] .label'), ['[preempted]'])
        page.push('.legend .entries button[aria-pressed="true"]')
        equal(page.hash(), '')
        page.push('.bar button', 'Table')
        equal(sorted(page.texts('.table tbody th')), ['futex_k', 'main', 'work'], 'states are no functions')
        page.quiet()


@test
def legend_in_brief(driver):
    """In a narrow window, the legend is one line with the meaning of the colours that frames have, which can be scrolled."""
    text = 'main;work;futex_k;[sleeping] 60\nmain;work;[preempted] 30\nmain;work;[uninterruptible] 4\nmain;work;[waiting for CPU] 3\nmain;work 3\n'
    with Browser(driver, os.environ['CHROMIUM'], mobile=(420, 800)) as browser:
        page = Page(browser, draw('states', text))
        for colour, line in ('', 'States'), ('category', 'Categories'), ('module', 'Groups'):
            page.js('flametap.go({ colour: arguments[0] })', colour)
            equal(page.js(ROWS), [line] + (['Kinds'] if not colour else []), colour)
            holds(page.js("return document.querySelector('.legend').offsetHeight") <= 50, 'more than a line by ' + colour)
            holds(page.js("const l = document.querySelector('.legend'); return [...l.querySelectorAll('.swatch')].some((s) => s.clientWidth)"),
                  'nothing tells the colours')
        page.js("flametap.go({ colour: '' })")
        page.js("document.querySelector('.legend [aria-label=Kinds] button').focus()")
        left = page.js("return document.querySelector('.legend [aria-label=Kinds] button').getBoundingClientRect().right")
        holds(left <= 420, 'the end is out of reach: %s' % left)
        equal(page.js('return document.documentElement.scrollWidth'), 420)
        page.quiet()
        page = Page(browser, diffs.draw_diff('diff'))
        equal(page.js(ROWS), ['Change'])
        page.quiet()


@test
def legend_where_it_fits(driver):
    """The legend is closed at first if it would push leaves out of the window, whatever the size of the window."""
    deep = ';'.join('level%d' % i for i in range(30))
    for height, levels, brief in (900, 30, True), (900, 10, False), (1400, 30, False), (600, 10, False), (600, 20, True):
        with Browser(driver, os.environ['CHROMIUM'], mobile=(1400, height)) as browser:
            page = Page(browser, draw('fits', ';'.join(deep.split(';')[:levels]) + ' 10\nlevel0;x_[k] 10\nlevel0;y_[j];[sleeping] 5\n'))
            equal(page.js(ROWS) == ['States', 'Kinds'], brief, '%d levels in %d px' % (levels, height))
            page.push('.bar button', 'Legend')
            equal(page.js(ROWS) == ['States', 'Kinds'], not brief)
            page.quiet()
            page.js('localStorage.clear()')


@test
def narrow_states(browser):
    """A part of a frame that is hardly a pixel wide is drawn."""
    page = Page(browser, draw('narrow_states', 'main;work;[sleeping] 6\nmain;work 9994\n'))
    widths = page.js("return [...document.querySelectorAll('#frames .st0')].map((r) => Number(r.getAttribute('width')))")
    holds(len(widths) == 1 and widths[0] > 0, widths)
    page.quiet()


@test
def kinds(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.push('.legend [aria-label=Kinds] button:last-child')
    equal(page.text('found'), 'Matched ' + profiles.matched(PLAIN, 'vfs_read|copy'))
    equal(page.hash(), '#kind=k')
    page.push('.legend .entries button[aria-pressed="true"]')
    equal(page.hash(), '')


@test
def table(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.push('.bar button', 'Table')
    rows = page.texts('.table tbody tr')
    equal(rows[0], 'longest_match5,000%s5,700%s1compression' % (share(5000), share(5700)))
    equal(page.texts('.table th[aria-sort=descending]'), ['Self'])
    equal(page.texts('.table tfoot tr'), ['Sum of %d%s%s' % (len(rows), format(TOTAL, ','), share(TOTAL))])
    names = sorted({n for names, _ in STACKS for n in names})
    equal(len(rows), len(names))
    page.push('.table thead button', 'Function')
    equal(page.texts('.table tbody th'), names)
    page.push('.table thead button', 'Inclusive')
    equal(page.texts('.table tbody th')[:3], ['main', 'work', 'deflate'])
    page.search('^f1')
    equal(sorted(page.texts('.table tbody th')), [n for n in names if n.startswith('f1')])
    page.push('.table tbody button', 'f13')
    equal(page.text('found'), 'Matched ' + profiles.matched(PLAIN, '^f13$'))
    holds(page.width() < 900, 'the graph does not make room')
    page.press('Escape', 'Escape')
    page.push('.table td.category button', 'compression')
    equal(page.hash(), '#category=compression&table=1')
    equal(set(page.texts('.table td.category')), {'compression'})
    page.push('.table .filter button')
    equal((page.hash(), len(page.texts('.table tbody tr'))), ('#table=1', len(names)))
    page = Page(browser, draw('modules', profiles.recording([
        ('web', 7, 'main@/bin/web memcpy@/usr/lib/libc.so.6', 3), ('web', 7, 'main@/bin/web', 1)])) + '#table=1')
    page.push('.table td.module button', 'libc.so.6')
    equal(page.texts('.table tbody th'), ['memcpy'])
    equal(page.texts('.table tfoot th'), ['Sum of 1'])
    equal(page.text('found'), 'Matched 75.00 %')
    page.push('.table td.module button', 'libc.so.6')
    equal(page.texts('.table tbody th'), ['memcpy', 'main'])
    page = Page(browser, draw('plain', PLAIN) + '#table=1')
    holds(page.texts('.table tbody tr'), 'not in the link')
    page.press('t')
    equal(page.js("return document.querySelector('.table').hidden"), True)
    page.quiet()


@test
def help_lists_every_key(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.press('?')
    keys = page.texts('.sheet kbd')
    for key in [*'frohxkscCibwKtld?mnN/0', 'Enter', 'Esc', 'Arrow keys']:
        holds(key in keys, 'no word about ' + key)
    page.press('h', 'Escape')
    equal((page.text('close', '.sheet'), page.hash()), (None, ''))
    page.push('.bar button', 'Keys')
    page.push('.sheet .close')
    equal(page.text('close', '.sheet'), None)
    page.quiet()


@test
def theme(browser):
    paper = "return getComputedStyle(document.querySelector('.app')).backgroundColor"
    page = Page(browser, draw('plain', PLAIN))
    light = page.js(paper)
    page.push('.bar button', 'Theme')
    dark = page.js(paper)
    holds(light != dark, 'no change')
    page = Page(browser, draw('other', PLAIN))
    equal(page.js(paper), dark, 'it remembers')
    page.press('d')
    equal(page.js(paper), light)
    page.js('localStorage.clear()')
    page.quiet()


@test
def every_control_has_a_name_and_a_key(browser):
    page = Page(browser, draw('plain', PLAIN))
    page.click('deflate', button=2)
    page.press('Escape', 't')
    page.js("flametap.go({ changes: [{ how: 'hide', what: 'f1' }] }, { moved: true })")
    nameless = page.js(
        "return [...document.querySelectorAll('.app button, .app input, [role]')].filter((e) =>"
        "!(e.getAttribute('aria-label') || e.textContent || e.title || e.closest('[hidden]') ||"
        "['group', 'status', 'list', 'tooltip'].includes(e.getAttribute('role')))).map((e) => e.outerHTML)")
    equal(nameless, [])
    stops = set()
    for _ in range(12):
        page.press('Tab')
        stops.add(page.js("const a = document.activeElement; return a.id || a.textContent || a.placeholder"))
    holds(len(stops) == 12, 'Tab does not lead on: %s' % stops)
    page.quiet()


@test
def shown_unit(browser):
    """Weights are shown as multiples of a user's factor, in a unit of the user's own."""
    page = Page(browser, draw('unit', 'a;b 1500\na 250000\n', '--factor', '0.001', '--countname', 'ms'))
    page.hover('a')
    holds(page.text('numbers').startswith('252 ms (100.00 %)'), page.text('numbers'))
    holds('time' in page.texts('.tip th'), page.texts('.tip th'))
    page.quiet()


@test
def times(browser):
    """Times are shown in s, ms or us by their size, with and without the script."""
    url = draw('times', 'main;b 1302\nmain;c 5302123\nmain;d 830\n', '--countname', 'us')
    with open(file_of('times.svg'), encoding='utf-8') as f:
        holds('<title>main (5.304 s, 100.00 %)</title>' in f.read(), 'static picture')
    page = Page(browser, url)
    page.hover('main')
    equal(page.text('numbers'), '5.304 s (100.00 %), self 0 us (0.00 %)')
    page.press('t')
    equal([row[:9] for row in page.texts('.table tbody tr')[:3]], ['c5.302 s9', 'b1.302 ms', 'd830 us0.'])
    page.quiet()


@test
def source_behind_the_name(browser):
    """With --lines a name is shown, searched and copied with file and line, which the data store apart from it."""
    text = profiles.recording([('w', 1, 'main@/bin/w work@/bin/w', 3)]).replace(' work 0 /bin/w - 0', ' work 0 /bin/w w.c 12')
    page = Page(browser, draw('source', text, '--lines'))
    equal(page.tree(), {'': 3, 'main': 3, 'main;work w.c:12': 3})
    equal(page.search(r'^work w\.c:12$'), 'Matched 100.00 %')
    page.at('work w.c:12')
    page.press('f')
    equal(page.tree(), {'': 3, 'work w.c:12': 3})
    page.quiet()
