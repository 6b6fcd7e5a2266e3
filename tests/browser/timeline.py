# SPDX-License-Identifier: GPL-2.0-or-later
"""The timeline of ngx-latency, of made-up requests (requests.c): rows, the selection of a time, the address, keys."""
import os
import re
import subprocess
import xml.etree.ElementTree as tree

from page import Page, equal, file_of, holds, test

SVG = '{http://www.w3.org/2000/svg}'
PROGRAM = os.path.join(os.environ['MADE'], 'requests')
COLUMNS = 200
SHOWN = ("return [...document.querySelectorAll('.rows li')].map((row) => [row.querySelector('.name').textContent,"
         "row.querySelector('.length').textContent])")
# the parts of the first row as [begin, end], as shares of the width
PARTS = ("const [row] = document.querySelectorAll('.rows li'), all = row.querySelector('.bars').getBoundingClientRect();"
         "return [...row.querySelectorAll('rect')].map((bar) => bar.getBoundingClientRect())"
         ".map((r) => [(r.left - all.left) / all.width, (r.right - all.left) / all.width])")


def draw_requests():
    """Writes requests.svg and returns its address, and the requests as (name, begin, end) in ms, by their begin."""
    with open(file_of('requests.svg'), 'wb') as out:
        subprocess.run([PROGRAM], stdout=out, check=True)
    rows = tree.parse(file_of('requests.svg')).getroot().iter(SVG + 'g')
    found = [(row.get('data-name'), *map(float, row.get('data-time').split())) for row in rows if row.get('class') == 'row']
    holds(len(found) > 10 and found == sorted(found, key=lambda r: r[1]), found)
    return 'file://' + file_of('requests.svg'), found


def length(request):
    return '%.1f ms' % (request[2] - request[1])


def expected(requests, first=0, end=COLUMNS):
    """Returns what is shown of the columns from FIRST to END."""
    column = max(r[2] for r in requests) / COLUMNS
    return [[r[0], length(r)] for r in requests if r[1] < end * column and r[2] > first * column]


def drag(page, first, last):
    x, y, width, _ = page.js("const r = document.querySelector('.strip .axis').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    actions = []
    for column, kind in ((first, 'pointerDown'), (last, 'pointerUp')):
        actions += [{'type': 'pointerMove', 'duration': 0, 'x': int(x + (column + 0.5) * width / COLUMNS), 'y': int(y + 20)},
                    {'type': kind, 'button': 0}]
    page.browser.post('/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': actions}]})
    page.browser.settle()


@test
def timeline_shows_all_requests(browser):
    address, requests = draw_requests()
    page = Page(browser, address)
    equal(page.js(SHOWN), expected(requests))
    equal(page.text('account'), '%d requests' % len(requests))
    parts, end = page.js(PARTS), max(r[2] for r in requests)
    equal(round(parts[0][0] * end), round(requests[0][1]), 'begin of the first request')
    holds(abs(max(right for _, right in parts) * end - requests[0][2]) < 2, 'end of the first request')
    page.quiet()


@test
def timeline_selected_by_dragging(browser):
    address, requests = draw_requests()
    page = Page(browser, address)
    for first, last in ((20, 50), (150, 120), (199, 199)):
        drag(page, first, last)
        equal(page.js(SHOWN), expected(requests, min(first, last), max(first, last) + 1), 'columns %d to %d' % (first, last))
    shown = expected(requests, 199, 200)
    equal(page.text('account'), '%d of %d requests' % (len(shown), len(requests)))
    holds(all(left < 0.01 and right > 0.99 for left, right in page.js(PARTS)), 'the last request fills the last column')
    page.press('Escape')
    equal(page.js(SHOWN), expected(requests), 'after Escape')
    holds(page.text('range', '.strip').endswith('s; drag to select'), page.text('range', '.strip'))
    page.quiet()


@test
def timeline_in_the_address(browser):
    address, requests = draw_requests()
    page = Page(browser, address)
    drag(page, 20, 50)
    page.press('w')
    found = page.js(SHOWN)
    equal(sorted(found), sorted(expected(requests, 20, 51)))
    equal([t for _, t in found], sorted((t for _, t in found), key=lambda t: -float(t.split()[0])), 'slowest first')
    holds(re.fullmatch(r'#time=[\d.]+-[\d.]+&order=length', page.hash()), page.hash())
    again = Page(browser, address + page.hash())
    equal(again.js(SHOWN), found, 'by its address')
    browser.js('history.back()')
    browser.settle()


@test
def timeline_by_keys(browser):
    address, requests = draw_requests()
    page = Page(browser, address)
    page.js("document.querySelector('.strip .axis').focus()")
    page.press('Right', 'Right', 'Right')
    equal(page.js(SHOWN), expected(requests, 2, 3))
    page.press('Escape')
    page.js("document.activeElement.blur()")
    page.press('Down', 'Down', 'Enter')
    detail = page.js("return [...document.querySelectorAll('.rows .detail:not([hidden]) div')].map((line) => line.textContent)")
    holds(detail and detail[0].startswith(length(requests[1])[:-5]) and ', status 200, ' in detail[0], detail)
    holds(detail[1].startswith(requests[1][0] + ' shop.example'), detail)
    page.push('.rows .detail:not([hidden]) button')
    holds(requests[1][0] in [name for name, _ in page.js(SHOWN)] and page.hash().startswith('#time='), page.hash())
    before = page.js("return getComputedStyle(document.querySelector('.app')).backgroundColor")
    page.press('d')
    holds(before != page.js("return getComputedStyle(document.querySelector('.app')).backgroundColor"), 'theme')
    page.press('d')
    page.quiet()
