# SPDX-License-Identifier: GPL-2.0-or-later
"""Loading, zoom, search, links, and what must not happen."""
import os
import random
import subprocess

import profiles
from page import Page, draw, equal, file_of, holds, serve, test

BASE = serve()


@test
def load(browser):
    page = Page(browser, draw('plain', profiles.plain(), '--title', 'A & B', '--subtitle', 'two'))
    total = sum(weight for _, weight in profiles.stacks_of(profiles.plain()))
    equal(page.text('title'), 'A & B')
    equal(page.text('subtitle'), 'two')
    equal(page.text('name'), 'all')
    equal(page.text('numbers'), '{:,} samples (100.00 %), self 0 (0.00 %)'.format(total))
    equal(page.js('return document.title'), 'A & B')
    equal(page.tree(), profiles.tree(profiles.stacks_of(profiles.plain())), 'the whole tree')
    holds(abs(page.frame('main')[2] - page.width()) < 2, 'main is not as wide as the window')
    page.quiet()


@test
def every_search_is_exact(browser):
    text = profiles.plain()
    page = Page(browser, draw('plain', text))
    regexes = sorted({'^%s$' % n.replace('.', r'\.') for names, _ in profiles.stacks_of(text)
                      for n in names})
    for regex in regexes + ['f1', 'deflate', 'f[0-9]|copy', '.', 'nothing at all', 'main|work', 'all']:
        equal(page.search(regex), 'Matched ' + profiles.matched(text, regex), regex)
    page.quiet()


@test
def zoom_and_share_of_zoom(browser):
    text = profiles.plain()
    page = Page(browser, draw('plain', text))
    page.search('longest|f1')
    page.click('work')
    equal(page.text('name'), 'work')
    holds(abs(page.frame('work')[2] - page.width()) < 2, 'the frame does not fill the window')
    equal(page.text('found'), 'Matched %s (of zoom: %s)' % (
        profiles.matched(text, 'longest|f1'),
        profiles.matched(text, 'longest|f1', ('main', 'work'))))
    equal(page.search('main'), 'Matched 100.00 % (of zoom: 100.00 %)')
    page.click('main')
    equal(page.text('name'), 'main', 'zoom out to a caller')
    page.quiet()


@test
def next_and_previous_match(browser):
    """Visits each match once, in order, and makes it visible, however narrow it is."""
    text = profiles.plain() + 'main;work;deflate;longest_match;f7;needle 1\n'
    page = Page(browser, draw('needle', text.replace(' 5000\n', ' 5000000\n')))
    seen = "const r = document.querySelector('rect.ring'); return [r.getAttribute('visibility')," \
           "r.getBoundingClientRect().width]"
    page.search('^f7$|needle')
    nodes = sum(path.split(';')[-1] in ('f7', 'needle') for path in page.tree())
    holds(nodes > 10, 'too few matches')
    equal(page.text('count'), '%d frames' % nodes)
    page.push('.scroller')
    told = set()
    for number in range(1, nodes + 2):
        page.press('n')
        at = (number - 1) % nodes + 1
        equal(page.text('count'), '%d of %d' % (at, nodes))
        holds(page.text('name') in ('f7', 'needle'), page.text('name') + ' is no match')
        visible, width = page.js(seen)
        holds(visible == 'visible' and width >= 1, 'match %d is not to be seen' % at)
        told.add(page.text('name'))
    equal(told, {'f7', 'needle'})
    page.press('N')
    equal(page.text('count'), '%d of %d' % (nodes, nodes), 'N')
    page.press('/', 'Enter')
    equal(page.text('count'), '1 of %d' % nodes, 'Enter')
    page.push('.search button', '\u2191')
    equal(page.text('count'), '%d of %d' % (nodes, nodes), 'button')
    page.quiet()


@test
def back_and_forward(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    page.click('work')
    one = page.hash()
    page.click('deflate')
    two = page.hash()
    holds(one and two and one != two, 'the address does not change')
    browser.back()
    equal((page.hash(), page.text('name')), (one, 'work'), 'back')
    browser.back()
    equal(page.text('name'), 'all', 'back twice')
    browser.forward()
    browser.forward()
    equal((page.hash(), page.text('name')), (two, 'deflate'), 'forward')
    page.press('/', 'f', '1')
    browser.back()
    equal((page.text('name'), page.text('found')), ('deflate', ''), 'back from a search')
    page.quiet()


@test
def permalink_at_another_width_and_profile(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    page.click('deflate')
    page.push('.bar .case')
    page.search('LONGEST|[f]1 +&=#%')
    link, found = page.hash(), page.text('found')
    browser.size(700, 900)
    for name, more, options in (('plain', 0, ()), ('other', 5000, ('--inverted',))):
        url = draw(name, profiles.plain(more), *options)
        page = Page(browser, url + link)
        equal(page.text('name'), 'deflate', name)
        equal(page.js("return document.querySelector('.bar input').value"), 'LONGEST|[f]1 +&=#%')
        if not more:
            equal(page.text('found'), found)
    browser.size(1280, 900)
    page = Page(browser, url + '#zoom=0123456789abcdef')
    equal((page.text('name'), page.text('found')),
          ('all', 'This link leads to a frame that is not in this profile'))
    page = Page(browser, url + '#hide=nobody&zoom=%00&kind=zz&width=x&order=y&category=none&callers=nobody')
    equal(page.chips(), ['without framesnobody', 'callers ofnobody'])
    page.quiet()


@test
def reset(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    disabled = "return document.querySelector('.bar .reset').disabled"
    equal(page.js(disabled), True)
    for how in (lambda: page.push('.bar .reset'), lambda: page.press('Escape'), lambda: page.press('0'),
                lambda: page.click('all')):
        page.click('work')
        equal(page.js(disabled), False)
        how()
        equal((page.text('name'), page.js(disabled)), ('all', True))


@test
def invalid_regex(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    for regex in ('(', '[', '*a', 'a{2,1}', '\\'):
        holds('nvalid' in page.search(regex), 'no message for ' + regex)
        equal(page.js("return document.querySelectorAll('#frames .m').length"), 0)
    holds(page.search('work').startswith('Matched'), 'does not recover')
    page.quiet()


@test
def ignore_case(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    equal(page.search('^DEFLATE$'), 'Matched 0.00 %')
    page.push('.bar .case')
    equal(page.text('found'), 'Matched ' + profiles.matched(profiles.plain(), '(?i)^DEFLATE$'))


@test
def keyboard(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    seen = []
    for key in ('Up', 'Up', 'Up', 'Right', 'Left', 'Up', 'Up', 'Down', 'Down', 'Enter'):
        page.press(key)
        seen.append(page.text('name'))
    equal(seen, ['all', 'main', 'work', 'work', 'serve', 'read', 'vfs_read', 'read', 'serve', 'serve'])
    holds(abs(page.frame('serve')[2] - page.width()) < 2, 'Enter does not zoom')
    equal(page.js("const t = document.getElementById('described'); return [t.getAttribute('role'),"
                  "t.getAttribute('aria-level'), t.getAttribute('aria-expanded'),"
                  "t.getAttribute('aria-label').startsWith('serve')]"), ['treeitem', '3', 'true', True])
    page.press('/', *'f1')
    holds(page.text('found').startswith('Matched'), '/ does not lead to the search')
    page.press('Escape')
    equal(page.text('found'), '', 'Esc in the search')
    page.press('Escape')
    page.press('f', control=True)
    page.press(*'parse')
    equal(page.text('found'), 'Matched ' + profiles.matched(profiles.plain(), 'parse'))
    page.quiet()


@test
def labels_stay_inside(browser):
    names = ['i' * 50, 'W' * 50, '\u65e5\u672c\u8a9e' * 20, 'std::vector<std::pair<int, int>>::at']
    text = ''.join('main;%s_%d %d\n' % (n, i, i) for n in names for i in range(1, 40))
    page = Page(browser, draw('labels', text))
    wrong = page.js(
        "return [...document.querySelectorAll('#frames text')].filter((t) =>"
        "t.getBoundingClientRect().right > t.previousElementSibling.getBoundingClientRect().right"
        ").map((t) => t.textContent)")
    equal(wrong, [], 'labels')


@test
def deep_stack(browser):
    page = Page(browser, draw('deep', profiles.deep()))
    scroller = "const s = document.querySelector('.scroller'); "
    holds(page.js(scroller + 'return s.scrollTop') > 80000, 'a flame graph opens at its root')
    holds(page.live() < 1000, 'too many elements')
    page.frame('level_3')
    page.js(scroller + 's.scrollTop = 0')
    browser.settle()
    page.frame('level_4999')
    equal(page.search('level_4999'), 'Matched 90.00 %')
    page.click('level_4990')
    equal(page.text('name'), 'level_4990')
    page.press('Escape', 'Escape', 'b')
    equal(page.text('name'), 'all')
    page.frame('level_4999')
    page.press('b', 'K')
    equal(page.js('return flametap.actions.now.tree.n'), 5002)
    page.quiet()


@test
def window_width(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    for width in (1280, 600, 1000):
        browser.size(width, 800)
        browser.settle()
        holds(abs(page.frame('all')[2] - page.width()) < 2, 'at %d px' % width)
        holds(page.js('return document.documentElement.scrollWidth') <= width, 'wider than window')
        box = page.js("return document.querySelector('.legend').getBoundingClientRect().bottom")
        row = page.js("return Math.min(...[...document.querySelectorAll('#frames rect')]"
                      ".map((r) => r.getBoundingClientRect().top))")
        holds(box <= row, 'legend and frames overlap')
    browser.size(1280, 900)


@test
def hostile_names(browser):
    title = '</title><script>window.pwned=1</script>'
    page = Page(browser, draw('hostile', profiles.hostile(), '--title', title, '--subtitle', title))
    for x in range(20, 1260, 40):
        browser.point(x, page.frame('main')[1] - 17)
    for regex in ('script', 'onload', '.'):
        page.search(regex)
    page.search('')
    equal(page.js("return [typeof window.pwned, document.querySelectorAll('script').length]"),
          ['undefined', 1])
    equal(page.text('title'), title)
    equal(page.search(r'^bad \\xff\\xfe bytes$'), 'Matched 7.69 %')
    equal(page.search(r'^\\x01\\x1b\[31m$'), 'Matched 7.69 %')
    equal(page.search(r'^right \\xe2\\x80\\xaeto left$'), 'Matched 7.69 %')
    page.search('')
    for action in ('h', 'x', 'o', 'k', 'f', 'r', 's'):
        page.js("location.hash = ''")
        browser.settle()
        page.at('</script><script>window.pwned=1</script>')
        page.press(action)
        page.press('t', 't')
        equal(page.js('return typeof window.pwned'), 'undefined', action)
    page.quiet()


@test
def a_hundred_thousand_hostile_names(browser):
    r = random.Random(3)
    scraps = [b'<script>window.pwned=1</script>', b']]>', b'<![CDATA[', b'"', b"'", b'&', b'<', b'>', b'</svg>',
              b' onload=window.pwned=1 ', b'javascript:', b'\xff', b'\xe2\x80\xae', b'\xed\xa0\x80', b'\\x',
              b'__proto__', b'\xef\xbf\xbf', b'${', b'\t', b'\x00', b'\x1b', b'\xf4\x90\x80\x80', b'\xc2\x85']

    def name():
        return b''.join(r.choice(scraps) if r.random() < 0.3 else
                        bytes(c for c in r.randbytes(r.randrange(1, 5)) if c not in b'\n\r;')
                        for _ in range(r.randrange(1, 6)))

    lines = [b';'.join([b'main', name(), name()]) + b' %d\n' % r.randrange(1, 50) for _ in range(65000)]
    title = (b''.join(scraps)).replace(b'\0', b'')
    url = draw('fuzz', b''.join(lines), '--title', title, '--subtitle', title, '--notes', title)
    equal(subprocess.run(['xmllint', '--noout', '--huge', file_of('fuzz.svg')], stderr=subprocess.STDOUT,
                         stdout=subprocess.PIPE, check=False).stdout[:300], b'', 'xmllint')
    page = Page(browser, url)
    holds(page.js('return flametap.data.frames.name.length') > 90000, 'too few names')
    for key in ('t', 'w', 'b'):
        page.press(key)
    page.search('script')
    page.press('Escape')
    for x in range(20, 800, 60):
        browser.point(x, 400, click=x % 180 == 20)
    equal(page.js('return typeof window.pwned'), 'undefined')
    page.quiet()


@test
def large_weights(browser):
    page = Page(browser, draw('weights', 'main;a 9223372036854775807\nmain;b 3074457345618258602\n'))
    equal(page.search('^a$'), 'Matched 75.00 %')
    holds('multiples of' in page.text('account'), 'not said')


@test
def policy(browser):
    draw('plain', profiles.plain())
    page = Page(browser, BASE + 'plain.svg')
    page.click('work')
    equal(page.text('name'), 'work')
    equal(page.js("return getComputedStyle(document.querySelector('.bar')).fontSize"), '12px')
    page.hover('deflate')
    equal(page.text('name', '.tip'), 'deflate')
    page.press('m')
    equal(page.js("return document.querySelector('.menu').style.left !== ''"), True)
    page.quiet()


@test
def no_samples(browser):
    browser.load(draw('nothing', '', status=1))
    holds('no samples' in browser.js('return document.documentElement.textContent'), 'not said')


@test
def same_bytes(_):
    def read(name):
        with open(file_of(name + '.svg'), 'rb') as f:
            return f.read()

    draw('one', profiles.plain())
    draw('two', ''.join(reversed(profiles.plain().splitlines(True))))
    holds(read('one') == read('two'), 'order of lines changes the file')


@test
def script_is_the_same_in_every_file(_):
    def parts(name):
        with open(file_of(name + '.svg'), encoding='utf-8') as f:
            text = f.read()
        return [text[text.index('<%s>' % tag):text.index('</%s>' % tag)] for tag in ('script', 'style')]

    draw('one', profiles.plain())
    draw('two', profiles.hostile(), '--inverted', '--title', '<script>')
    holds(parts('one') == parts('two'), 'script or style differ')
    size = sum(len(part) for part in parts('one'))
    print('# script and style: %d bytes of %d' % (size, os.path.getsize(file_of('one.svg'))))
