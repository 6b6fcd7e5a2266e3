# SPDX-License-Identifier: GPL-2.0-or-later
"""Colours, phones, paper, pages without scripts. SHOTS=DIRECTORY keeps pictures."""
import os
import struct
import time
import zlib

import colour
import diffs
import profiles
from basics import BASE
from page import Page, draw, equal, file_of, holds, test
from webdriver import Browser

PLAIN = profiles.plain()
LIGHT, DARK = [], ['--blink-settings=preferredColorScheme=0']
COLOURS = '''
    const layer = document.querySelector('#frames'), found = {};
    const colour = (name, style, to) => {
        const e = document.createElementNS('http://www.w3.org/2000/svg', name);
        e.setAttribute('class', style);
        to.append(e);
        const fill = getComputedStyle(e).fill;
        e.remove();
        return fill;
    };
    const words = document.getElementsByTagNameNS('urn:flametap:profile', 'profile')[0].getAttribute('kinds').split(' ');
    found.kinds = words.filter((letter, i) => i % 2 === 0 && letter !== 'n');
    for (const kind of found.kinds)
        found[kind] = [...'012345'].map((shade) => colour('rect', kind + shade, layer));
    found.r = [colour('rect', 'r0', layer)];
    found.n = ['h0', 'h1'].map((style) => colour('rect', style, document.documentElement));
    for (const rank of '0123456789')
        found['q' + rank] = [colour('rect', 'q' + rank, layer)];
    for (const state of '012345678')
        found['st' + state] = [colour('rect', 'st' + state, layer)];
    for (const step of '1234567')
        found['d' + step] = [colour('rect', 'd' + step, layer)];
    for (const side of ['gone', 'new'])
        found[side] = ['0', '1'].map((n) => colour('rect', side + n, document.documentElement));
    found.stroke = (() => {
        const e = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        e.setAttribute('class', 'm');
        layer.append(e);
        const stroke = getComputedStyle(e).stroke;
        e.remove();
        return stroke;
    })();
    found.text = colour('text', '', layer);
    found.paper = getComputedStyle(document.querySelector('.app')).backgroundColor;
    for (const part of ['ink', 'soft', 'wrong', 'accent'])
        found[part] = probe(`var(--${part})`);
    for (const part of ['panel', 'fill', 'hover', 'tint'])
        found[part] = probe(`var(--${part})`);
    function probe(value) {
        const e = document.querySelector('.bar .title');
        e.style.color = value;
        const found = getComputedStyle(e).color;
        e.style.color = '';
        return found;
    }
    return found;'''


def check_colours(driver, name, flags, dark):
    with Browser(driver, os.environ['CHROMIUM'], flags=flags) as browser:
        page = Page(browser, draw('plain', PLAIN))
        found = browser.js(COLOURS)
        text, stroke, paper = (found.pop(key) for key in ('text', 'stroke', 'paper'))
        kinds = found.pop('kinds')
        words = {key: found.pop(key) for key in ('ink', 'soft', 'wrong', 'accent')}
        grounds = {key: found.pop(key) for key in ('panel', 'fill', 'hover', 'tint')}
        equal(sum(colour.linear(paper)) < 0.2, dark, 'paper is dark')
        for family, fills in found.items():
            for fill in fills:
                ratio = colour.contrast(fill, text)
                holds(ratio >= 4.5, '%s: %s has a contrast of %.2f' % (family, fill, ratio))
        for family in kinds:
            for fill in found[family]:
                ratio = colour.contrast(fill, stroke)
                holds(ratio >= 3, 'the line around matches: %s on %s has a contrast of %.2f' % (stroke, family, ratio))
        for ground in [paper, *grounds.values()]:
            for word, ink in words.items():
                ratio = colour.contrast(ground, ink)
                holds(ratio >= 4.5, '%s on %s has a contrast of %.2f' % (word, ground, ratio))
        distance = colour.closest({k: v for k, v in found.items() if k in kinds})
        print('# %s: closest families %s' % (name, distance))
        holds(distance[0] >= 0.02, 'families too close: %s' % (distance,))
        distance = colour.closest({k: v for k, v in found.items() if k[0] == 'q'})
        print('# %s: closest categories %s' % (name, distance))
        holds(distance[0] >= 0.02, 'categories too close: %s' % (distance,))
        distance = colour.closest({k: found[k] for k in ('st0', 'st1', 'st2', 'st4', 'st5', 'st8')})
        print('# %s: closest states %s' % (name, distance))
        holds(distance[0] >= 0.02, 'states too close: %s' % (distance,))
        for step in 'd1', 'd2', 'd3', 'd5', 'd6', 'd7':
            ratio = colour.contrast(found[step][0], found['d4'][0])
            holds(ratio >= 1.3, '%s and what is the same have a contrast of %.2f' % (step, ratio))
        for steps in ({'d1': found['d1'], 'd4': found['d4'], 'd7': found['d7']},
                      {'less': found['d2'], 'more': found['d6']}):
            distance = colour.closest(steps)
            holds(distance[0] >= 0.04, 'steps of a difference too close: %s' % (distance,))
        page.quiet()


@test
def colours_light(driver):
    check_colours(driver, 'light', LIGHT, False)


@test
def colours_dark(driver):
    check_colours(driver, 'dark', DARK, True)


@test
def without_scripts(driver):
    draw('plain', PLAIN)
    with Browser(driver, os.environ['CHROMIUM'], size=(500, 400),
                 flags=['--blink-settings=scriptEnabled=false']) as browser:
        for page in 'plain.svg', 'plain.img.html':
            browser.load(BASE + page)
            holds(colour_count(browser.screenshot()) > 15, page + ' is blank')


@test
def inside_a_page(browser):
    draw('plain', PLAIN)
    browser.load(BASE + 'plain.object.html')
    for _ in range(600):
        size = browser.js("const o = document.querySelector('object');"
                          "return o.contentDocument && o.contentDocument.querySelector('.scroller')"
                          "? [o.offsetWidth, o.offsetHeight] : null")
        if size:
            break
        time.sleep(0.1)
    holds(size and size[1] > 200, 'the graph has no height: %s' % size)
    equal(browser.errors(), [])


@test
def on_paper(browser):
    """The print shows the whole graph on light paper, whatever part of it the window shows."""
    page = Page(browser, draw('deep', profiles.deep(300)))
    page.press('d')
    shown = page.live()
    page.js("dispatchEvent(new Event('beforeprint'))")
    labels = set(page.texts('#frames text'))
    holds(all('level_%d' % level in labels for level in range(300)), 'levels are missing')
    box = page.js("return document.documentElement.getAttribute('viewBox')").split()
    inside = page.js("const m = document.querySelector('.graph'); return [m.clientWidth,"
                     "document.querySelector('.bar').clientHeight + m.clientHeight]")
    holds(int(box[2]) >= inside[0] and int(box[3]) >= inside[1], 'it is cut: %s %s' % (box, inside))
    page.js("dispatchEvent(new Event('afterprint'))")
    equal((page.live(), page.js("return document.documentElement.getAttribute('viewBox')")), (shown, None))
    holds(browser.print().startswith(b'%PDF'), 'no PDF')
    equal((page.live(), page.js("return document.documentElement.classList.contains('printing')")), (shown, False))
    page.js('localStorage.clear()')
    page.quiet()


@test
def phone(driver):
    url = draw('plain', PLAIN, '--title', 'a long title that must wrap on a phone ' * 3)
    with Browser(driver, os.environ['CHROMIUM'], mobile=(390, 800)) as browser:
        page = Page(browser, url)
        equal(page.js('return [innerWidth, document.documentElement.scrollWidth]'), [390, 390])
        holds(abs(page.frame('main')[2] - 370) < 2, 'width')
        small = page.js("return [...document.querySelectorAll('.app button, .app input')].filter((e) => {"
                        "const r = e.getBoundingClientRect(); return r.width && (r.height < 40 || r.width < 40);"
                        "}).map((e) => e.textContent)")
        equal(small, [], 'too small for fingers')
        x, y, _ = page.frame('deflate')
        browser.tap(x, y)
        equal((page.text('name'), page.text('name', '.tip'), page.hash()), ('deflate', 'deflate', ''), 'a tap tells')
        browser.tap(x, y, times=2)
        holds(page.hash().startswith('#zoom='), 'a double tap does not zoom')
        equal(page.text('name'), 'deflate')
        page.push('.bar .reset')
        x, y, _ = page.frame('work')
        browser.tap(x, y)
        page.push('.bar .touch button', 'Zoom')
        holds(abs(page.frame('work')[2] - 370) < 2, 'the button does not zoom')
        x, y, _ = page.frame('deflate')
        browser.tap(x, y, hold=800)
        equal(page.text('name', '.menu'), 'deflate', 'a long press opens the menu')
        holds(not page.hash().count('zoom=') > 1, 'a long press zooms')
        page.push('.menu button', 'Hide its frames')
        equal(page.chips(), ['without framesdeflate'])
        page.push('.chip button')
        equal(page.chips(), [])
        page.quiet()


@test
def origin_at_the_foot(browser):
    """The heading and the foot tell what was recorded, also in a picture of that picture; a title replaces the heading."""
    metas = ('title CPU\\x20time', 'target web\\x20<7>', 'host there', 'engine bpf', 'cpus 2', 'seconds 1.5', 'started 2026-11-22T14:03:11Z')
    lines = profiles.recording([('web', 7, 'main@/bin/web', 3)]).splitlines()
    lines[1:2] = ['meta ' + meta for meta in metas]
    lines[-1] = 'end %d' % (len(lines) - 1)
    foot = 'web <7> \u00b7 there \u00b7 2026-11-22 14:03:11 UTC \u00b7 1.5 s \u00b7 2 CPUs \u00b7 bpf'
    page = Page(browser, draw('origin', '\n'.join(lines) + '\n'))
    equal((page.text('title'), page.texts('.foot > span')), ('CPU time: web <7>', [foot]))
    with open(file_of('origin.svg'), 'rb') as f:
        picture = f.read()
    page = Page(browser, draw('again', picture))
    equal((page.text('title'), page.texts('.foot > span')), ('CPU time: web <7>', [foot]))
    page = Page(browser, draw('titled', picture, '--title', 'mine'))
    equal((page.text('title'), page.texts('.foot > span')), ('mine', [foot]))
    page = Page(browser, draw('plain', PLAIN))
    equal(page.js("return document.querySelector('.foot').hidden"), True)
    page.quiet()


@test
def numbers_on_a_phone(driver):
    """The numbers of a difference, which are long, are shown as a whole, and what is below them does not move."""
    with Browser(driver, os.environ['CHROMIUM'], mobile=(420, 800)) as browser:
        page = Page(browser, diffs.draw_diff('diff'))
        tops = set()
        for name in 'all', 'parse', 'longest_match':
            page.js("const { tree } = flametap.actions.now; let i = 0; while (tree.name(i) !== arguments[0]) i++; flametap.bar.tell(i)", name)
            cut = page.js("const n = document.querySelector('.bar .numbers'); return n.scrollWidth > n.clientWidth || n.getBoundingClientRect().right > innerWidth")
            equal(cut, False, 'the numbers of %s are cut' % name)
            tops.add(page.js("return document.querySelector('.scroller').getBoundingClientRect().top"))
        equal(len(tops), 1, 'the graph moves')
        page.quiet()


@test
def narrow(driver):
    """Every switch is inside of a window of 320 to 1000 px, and the table's names stay when it is scrolled."""
    plain, compared = draw('plain', PLAIN), diffs.draw_diff('diff')
    for size, url in (400, plain), (320, plain), (800, compared), (1000, compared):
        with Browser(driver, os.environ['CHROMIUM'], mobile=(size, 800)) as browser:
            page = Page(browser, url + '#table=1')
            outside = page.js("return [...document.querySelectorAll('.bar button, .bar input')].filter((e) => {"
                              "const r = e.getBoundingClientRect(); return r.width && (r.left < 0 || r.right > innerWidth);"
                              "}).map((e) => e.textContent)")
            equal(outside, [], 'out of reach at %d px' % size)
            if url == compared:
                continue
            page.js("document.querySelector('.app .table').scrollLeft = 300")
            left = page.js("return document.querySelector('.table tbody th').getBoundingClientRect().left")
            holds(0 <= left < 20, 'the names are scrolled away: %s' % left)
            page.quiet()


def colour_count(png):
    """Returns the number of different colours in every fourth pixel of a picture."""
    at, data, width, step = 8, b'', 0, 4
    while at < len(png):
        size, kind = struct.unpack('>I4s', png[at:at + 8])
        if kind == b'IHDR':
            width, _, _, form = struct.unpack('>IIBB', png[at + 8:at + 18])
            step = 4 if form == 6 else 3
        elif kind == b'IDAT':
            data += png[at + 8:at + 8 + size]
        at += size + 12
    raw, stride = zlib.decompress(data), width * step
    before, colours = bytes(stride), set()
    for row in range(0, len(raw), stride + 1):
        before = unfilter(raw[row], bytearray(raw[row + 1:row + 1 + stride]), before, step)
        colours.update(bytes(before[i:i + 3]) for i in range(0, stride, step * 4))
    return len(colours)


def unfilter(kind, line, before, step):
    for i in range(len(line) if kind else 0):
        left = line[i - step] if i >= step else 0
        up, corner = before[i], before[i - step] if i >= step else 0
        guess = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
        line[i] = line[i] + (0, left, up, (left + up) // 2, guess)[kind] & 255
    return line
