# SPDX-License-Identifier: GPL-2.0-or-later
"""Started by run: flame.py DIRECTORY-OF-WEB-FILES WORK-DIRECTORY. One test is one function below."""
import base64
import hashlib
import http.server
import os
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib

import colour
import profiles
from webdriver import Browser, Driver

WEB, WORK = sys.argv[1:3]
TESTS = []
FIND = ("const wanted = arguments[0]; return [...document.querySelectorAll('#frames text')]"
        ".filter((t) => t.textContent === wanted).map((t) => {"
        "const r = t.previousElementSibling.getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2, r.width]; })")
LIGHT, DARK = [], ['--blink-settings=preferredColorScheme=0']


def test(function):
    TESTS.append(function)
    return function


def equal(actual, expected, what=''):
    if actual != expected:
        raise AssertionError('%s: got %r, expected %r' % (what, actual, expected))


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def draw(name, text, *options, status=0):
    """NAME.svg with the graph of folded TEXT; its address."""
    path = os.path.join(WORK, name + '.svg')
    data = text if isinstance(text, bytes) else text.encode()
    with open(path, 'wb') as out:
        done = subprocess.run([os.environ['BT_FLAME']] + list(options), input=data, stdout=out,
                              check=False)
    equal(done.returncode, status, 'exit status')
    return 'file://' + path


class Page:
    """An open flame graph."""

    def __init__(self, browser, url):
        self.browser, self.js, self.press = browser, browser.js, browser.press
        browser.load(url)
        browser.settle()

    def text(self, part):
        return self.js("return document.querySelector('.bar .' + arguments[0]).textContent", part)

    def frame(self, name):
        """Middle and width of the lowest drawn frame with this label."""
        found = self.js(FIND, name)
        holds(found, 'no frame is labelled ' + name)
        return max(found, key=lambda f: f[2])

    def width(self):
        return self.js('return document.documentElement.clientWidth') - 20

    def click(self, name):
        x, y, _ = self.frame(name)
        self.browser.point(x, y, click=True)

    def search(self, regex):
        self.js("const i = document.querySelector('.bar input'); i.value = arguments[0];"
                "i.dispatchEvent(new Event('input'));", regex)
        return self.text('found')

    def hash(self):
        return self.js('return location.hash')

    def quiet(self):
        equal(self.browser.errors(), [], 'console')


class Handler(http.server.BaseHTTPRequestHandler):
    """Files of the work directory under the strictest policy; *.html shows the SVG in <img>."""
    policy = ''

    def do_GET(self):
        name = os.path.basename(urllib.parse.urlparse(self.path).path)
        if name.endswith('.html'):
            body, kind = b'<!doctype html><img src="%s.svg">' % name[:-5].encode(), 'text/html'
        elif os.path.exists(os.path.join(WORK, name)):
            with open(os.path.join(WORK, name), 'rb') as f:
                body, kind = f.read(), 'image/svg+xml'
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(body)))
        if kind != 'text/html':
            self.send_header('Content-Security-Policy', self.policy)
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, *arguments):
        pass


def serve():
    def digest(*names):
        data = b''
        for name in names:
            with open(os.path.join(WEB, name), 'rb') as f:
                data += f.read()
        return base64.b64encode(hashlib.sha256(data).digest()).decode()

    Handler.policy = "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'" % (
        digest('tree.js', 'flame.js'), digest('flame.css'))
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return 'http://127.0.0.1:%d/' % server.server_port


# ---- tests that share one browser

@test
def load(browser):
    page = Page(browser, draw('plain', profiles.plain(), '--title', 'A & B', '--subtitle', 'two'))
    total = sum(weight for _, weight in profiles.stacks_of(profiles.plain()))
    equal(page.text('title'), 'A & B')
    equal(page.text('subtitle'), 'two')
    equal(page.text('name'), 'all')
    equal(page.text('numbers'), '{:,} samples (100.00 %), self 0 (0.00 %)'.format(total))
    equal(page.js('return document.title'), 'A & B')
    holds(abs(page.frame('main')[2] - page.width()) < 2, 'main is not as wide as the window')
    page.quiet()


@test
def every_search_is_exact(browser):
    text = profiles.plain()
    page = Page(browser, draw('plain', text))
    regexes = sorted({'^%s$' % n.replace('.', r'\.') for names, _ in profiles.stacks_of(text)
                      for n in names})
    for regex in regexes + ['f1', 'deflate', 'f[0-9]|copy', '.', 'nothing at all', 'main|work']:
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
    page.js("document.querySelector('.bar input[type=checkbox]').click()")
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
          ('all', 'The frame of this link is not in this profile'))
    page.quiet()


@test
def reset(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    disabled = "return document.querySelector('.bar button').disabled"
    equal(page.js(disabled), True)
    page.click('work')
    equal(page.js(disabled), False)
    page.js("document.querySelector('.bar button').click()")
    equal((page.text('name'), page.js(disabled)), ('all', True), 'button')
    page.click('work')
    page.press('Escape')
    equal(page.text('name'), 'all', 'Esc')


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
    page.js("document.querySelector('.bar input[type=checkbox]').click()")
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
def pointer_tells_numbers(browser):
    text = profiles.plain()
    page = Page(browser, draw('plain', text))
    x, y, _ = page.frame('longest_match')
    browser.point(x, y)
    total = sum(w for _, w in profiles.stacks_of(text))
    equal(page.text('name'), 'longest_match')
    equal(page.text('numbers'), '5,700 samples (%s), self 5,000 (%s)' % (
        profiles.percent(5700, total), profiles.percent(5000, total)))
    equal(page.js("return document.querySelector('#frames title').textContent"),
          'longest_match (5,700 samples, %s)' % profiles.percent(5700, total))


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
    live = "return document.querySelectorAll('#frames *').length"
    holds(page.js('return scrollY') > 80000, 'a flame graph opens at its root')
    holds(page.js(live) < 1000, 'too many elements')
    page.frame('level_3')
    page.js('scrollTo(0, 0)')
    browser.settle()
    page.frame('level_4999')
    equal(page.search('level_4999'), 'Matched 90.00 %')
    page.click('level_4990')
    equal(page.text('name'), 'level_4990')
    page.press('Escape')
    page.quiet()


@test
def icicle(browser):
    for options, downward in ((), False), (('--inverted',), True):
        page = Page(browser, draw('icicle', profiles.plain(), *options))
        equal(page.frame('main')[1] < page.frame('work')[1], downward, str(options))
        holds(page.frame('all')[1] < 300 or not downward, 'root on top')
    page.press('Down', 'Down')
    equal(page.text('name'), 'main')


@test
def window_width(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    for width in (1280, 600, 1000):
        browser.size(width, 800)
        browser.settle()
        holds(abs(page.frame('all')[2] - page.width()) < 2, 'at %d px' % width)
        holds(page.js('return document.documentElement.scrollWidth') <= width, 'wider than window')
        box = page.js("return document.querySelector('.bar').getBoundingClientRect().bottom")
        row = page.js("return Math.min(...[...document.querySelectorAll('#frames rect')]"
                      ".map((r) => r.getBoundingClientRect().top))")
        holds(box <= row, 'bar and frames overlap')
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
    page.quiet()


@test
def no_samples(browser):
    browser.load(draw('nothing', '', status=1))
    holds('no samples' in browser.js('return document.documentElement.textContent'), 'not said')


@test
def same_bytes(_):
    def read(name):
        with open(os.path.join(WORK, name + '.svg'), 'rb') as f:
            return f.read()

    draw('one', profiles.plain())
    draw('two', ''.join(reversed(profiles.plain().splitlines(True))))
    holds(read('one') == read('two'), 'order of lines changes the file')


@test
def speed(browser):
    """Never fails: figures depend on the machine."""
    timed = ("const done = arguments[arguments.length - 1], t = performance.now();"
             "(new Function(arguments[0]))(); requestAnimationFrame(() => {"
             "const c = new MessageChannel(); c.port1.onmessage = () => done(performance.now() - t);"
             "c.port2.postMessage(0); });")
    click = ("const r = [...document.querySelectorAll('#frames rect')].filter((e) =>"
             "e.getBoundingClientRect().width < innerWidth * 0.6).sort((a, b) =>"
             "b.getBoundingClientRect().width - a.getBoundingClientRect().width)[0];"
             "const q = r.getBoundingClientRect(); r.dispatchEvent(new MouseEvent('click',"
             "{ bubbles: true, clientX: q.x + q.width / 2, clientY: q.y + 5 }));")
    find = ("const i = document.querySelector('.bar input'); i.value = 'function_[12]';"
            "i.dispatchEvent(new Event('input'));")
    text = profiles.large()
    start = time.time()
    url = draw('large', text)
    took = time.time() - start
    page = Page(browser, url)
    nav = page.js("return performance.getEntriesByType('navigation')[0].loadEventEnd")
    times = [browser.js_async(timed, code) for code in
             (click, find, "document.querySelector('.bar button').click()")]
    size = os.path.getsize(os.path.join(WORK, 'large.svg'))
    nodes = page.js("return document.getElementsByTagNameNS('urn:flametap:profile', 'profile')[0]"
                    ".getAttribute('nodes')")
    print('# %s nodes: folded %.1f MB to SVG %.2f MB in %.2f s; load %.0f ms, zoom %.0f ms, '
          'search %.0f ms, reset %.0f ms, %d live elements' % (
              nodes, len(text) / 1e6, size / 1e6, took, nav, *times,
              page.js("return document.querySelectorAll('#frames *').length")))
    equal(page.text('found'), 'Matched ' + profiles.matched(text, 'function_[12]'))
    page.quiet()


# ---- tests with browsers of their own

def colours_of(browser):
    return browser.js('''
        const layer = document.querySelector('#frames'), found = {};
        const colour = (name, style, to) => {
            const e = document.createElementNS('http://www.w3.org/2000/svg', name);
            e.setAttribute('class', style);
            to.append(e);
            const fill = getComputedStyle(e).fill;
            e.remove();
            return fill;
        };
        for (const kind of 'ukijwplt')
            found[kind] = [...'012345'].map((shade) => colour('rect', kind + shade, layer));
        found.r = [colour('rect', 'r0', layer)];
        found.n = ['h0', 'h1'].map((style) => colour('rect', style, document.documentElement));
        found.m = [colour('rect', 'm', layer)];
        found.text = colour('text', '', layer);
        found.marked = colour('text', 'm', layer);
        found.paper = getComputedStyle(document.querySelector('rect.paper')).fill;
        return found;''')


def check_colours(driver, name, flags, dark):
    with Browser(driver, os.environ['CHROMIUM'], flags=flags) as browser:
        page = Page(browser, draw('plain', profiles.plain()))
        found = colours_of(browser)
        text, marked, paper = (found.pop(key) for key in ('text', 'marked', 'paper'))
        equal(sum(colour.linear(paper)) < 0.2, dark, 'paper is dark')
        for family, fills in found.items():
            for fill in fills:
                ratio = colour.contrast(fill, marked if family == 'm' else text)
                holds(ratio >= 4.5, '%s: %s has a contrast of %.2f' % (family, fill, ratio))
        distance = colour.closest({k: v for k, v in found.items() if k in 'ukijwplt'})
        print('# %s: closest families %s' % (name, distance))
        holds(distance[0] >= 0.02, 'families too close: %s' % (distance,))
        page.quiet()


@test
def colours_light(driver):
    check_colours(driver, 'light', LIGHT, False)


@test
def colours_dark(driver):
    check_colours(driver, 'dark', DARK, True)


@test
def without_scripts(driver):
    draw('plain', profiles.plain())
    with Browser(driver, os.environ['CHROMIUM'],
                 flags=['--blink-settings=scriptEnabled=false']) as browser:
        for page in 'plain.svg', 'plain.html':
            browser.load(BASE + page)
            holds(colour_count(browser.screenshot()) > 15, page + ' is blank')


@test
def phone(driver):
    url = draw('plain', profiles.plain(), '--title', 'a long title that must wrap on a phone ' * 3)
    with Browser(driver, os.environ['CHROMIUM'], mobile=(390, 800)) as browser:
        page = Page(browser, url)
        equal(page.js('return [innerWidth, document.documentElement.scrollWidth]'), [390, 390])
        holds(abs(page.frame('main')[2] - 370) < 2, 'width')
        page.quiet()


def colour_count(png):
    """Different colours in a picture, of which every fourth pixel is looked at."""
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


def run(tests, argument):
    failed = 0
    for function in tests:
        name = 'browser ' + function.__name__.replace('_', ' ')
        try:
            function(argument)
            print('ok ' + name)
        except Exception as e:  # pylint: disable=broad-except
            print('not ok %s: %s' % (name, ' '.join(str(e).split()) or type(e).__name__))
            failed = 1
        sys.stdout.flush()
    return failed


BASE = serve()


def main():
    driver = Driver(os.environ['CHROMEDRIVER'])
    own = [t for t in TESTS if t.__code__.co_varnames[:1] == ('driver',)]
    try:
        with Browser(driver, os.environ['CHROMIUM']) as browser:
            failed = run([t for t in TESTS if t not in own], browser)
        return run(own, driver) or failed
    finally:
        driver.stop()


if __name__ == '__main__':
    sys.exit(main())
