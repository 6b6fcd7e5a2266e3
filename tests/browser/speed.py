# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints times for a large profile. They are never asserted, because they depend on the machine."""
import os
import subprocess
import time

import profiles
from page import Page, draw, equal, file_of, holds, test
from webdriver import Browser

TIMED = ("const done = arguments[arguments.length - 1], t = performance.now();"
         "(new Function(arguments[0]))(); requestAnimationFrame(() => {"
         "const c = new MessageChannel(); c.port1.onmessage = () => done(performance.now() - t);"
         "c.port2.postMessage(0); });")
CLICK = ("const r = [...document.querySelectorAll('#frames rect')].filter((e) =>"
         "e.getBoundingClientRect().width < innerWidth * 0.6).sort((a, b) =>"
         "b.getBoundingClientRect().width - a.getBoundingClientRect().width)[0];"
         "const q = r.getBoundingClientRect(); r.dispatchEvent(new MouseEvent('click',"
         "{ bubbles: true, clientX: q.x + q.width / 2, clientY: q.y + 5 }));")
FIND = ("const i = document.querySelector('.bar input'); i.value = 'function_[12]';"
        "i.dispatchEvent(new Event('input'));")


def press(key):
    return "window.dispatchEvent(new KeyboardEvent('keydown', { key: '%s' }));" % key


def change(how, name='function_7'):
    return "flametap.go({ changes: [{ how: '%s', what: '%s' }] }, { moved: true });" % (how, name)


ACTIONS = [
    ('zoom', CLICK), ('search', FIND), ('reset', press('0')), ('next match', press('n')), ('end of search', press('Escape')),
    ('callers', press('b')), ('zoom in callers', CLICK), ('reset', press('0')), ('back to callees', press('b')),
    ('by weight', press('w')), ('by name', press('w')), ('icicle', press('i')), ('table', press('t')),
    ('no table', press('t')), ('hide', change('hide')), ('remove', change('remove')), ('only', change('only')),
    ('focus', change('focus')), ('collapse', change('collapse')), ('collapse all', change('collapseall')),
    ('all again', "flametap.go({ changes: [] }, { moved: true });"),
]


def memory_of(browser):
    """Returns the memory of the largest renderer in MB."""
    found = subprocess.run(['ps', '-eo', 'rss,args'], stdout=subprocess.PIPE, text=True, check=True).stdout
    return max(int(line.split()[0]) for line in found.splitlines()
               if '--type=renderer' in line and browser.home in line) / 1024


def loading(page):
    return page.js("return performance.getEntriesByType('navigation')[0].loadEventEnd")


@test
def speed_large(driver):
    text = profiles.large()
    start = time.time()
    url = draw('large', text)
    took = time.time() - start
    with Browser(driver, os.environ['CHROMIUM']) as browser:
        page = Page(browser, url)
        nodes = page.js('return flametap.data.tree.n - 1')
        holds(nodes >= 331743, 'not large: %d nodes' % nodes)
        print('# %d nodes: folded %.1f MB to SVG %.2f MB in %.2f s; load %.0f ms, %.0f MB' % (
            nodes, len(text) / 1e6, os.path.getsize(file_of('large.svg')) / 1e6, took, loading(page),
            memory_of(browser)))
        times = []
        for name, code in ACTIONS:
            times.append('%s %.0f' % (name, browser.js_async(TIMED, code)))
            holds(page.live() <= 10000, 'too many elements after ' + name)
            if name == 'search':
                equal(page.text('found').split(' (')[0], 'Matched ' + profiles.matched(text, 'function_[12]'))
        print('# ms: ' + ', '.join(times))
        page.quiet()


@test
def speed_small(browser):
    page = Page(browser, draw('plain', profiles.plain()))
    times = ['%s %.0f' % (name, browser.js_async(TIMED, code)) for name, code in ACTIONS[:3]]
    print('# %d nodes: load %.0f ms, %s' % (
        page.js('return flametap.data.tree.n - 1'), loading(page), ', '.join(times)))
    page.quiet()


@test
def speed_of_flamegraph_pl(driver):
    """Measures FlameGraph's picture of the same data, if FLAMEGRAPH_DIR has its script."""
    directory = os.environ.get('FLAMEGRAPH_DIR')
    if not directory:
        print('# FLAMEGRAPH_DIR is not set: no comparison with flamegraph.pl')
        return
    path = file_of('peer.svg')
    start = time.time()
    with open(path, 'wb') as out:
        subprocess.run([os.path.join(directory, 'flamegraph.pl')], input=profiles.large().encode(),
                       stdout=out, stderr=subprocess.DEVNULL, check=True)
    took = time.time() - start
    with Browser(driver, os.environ['CHROMIUM']) as browser:
        browser.load('file://' + path)
        browser.settle()
        click = ("const r = [...document.querySelectorAll('#frames rect')].map((e) => [e, e.getBBox().width])"
                 ".filter(([, w]) => w < 700).sort((a, b) => b[1] - a[1])[0][0];"
                 "r.dispatchEvent(new MouseEvent('click', { bubbles: true }));")
        times = [browser.js_async(TIMED, code) for code in (click, "search('function_[12]')", 'unzoom()')]
        print('# flamegraph.pl: SVG %.2f MB in %.1f s; load %.0f ms, zoom %.0f ms, search %.0f ms, reset %.0f ms, %.0f MB' % (
            os.path.getsize(path) / 1e6, took,
            browser.js("return performance.getEntriesByType('navigation')[0].loadEventEnd"), *times,
            memory_of(browser)))
