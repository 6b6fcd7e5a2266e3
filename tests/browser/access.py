# SPDX-License-Identifier: GPL-2.0-or-later
"""Accessibility by axe-core: WCAG 2.2, levels A and AA, in both themes. tests/browser/setup fetches it."""
import os

import diffs
import profiles
import timeline
import times
from look import DARK, LIGHT
from page import Page, Skip, draw, equal, holds, test
from webdriver import Browser

AXE = os.path.join(os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'),
                   'flametap/axe-core-4.10.3/node_modules/axe-core/axe.min.js')
# what is pressed, and so shown, before axe looks
STATES = (['Home'], ['t'], ['t', 'l'], ['m'], ['?'])
RUN = '''
    const done = arguments[arguments.length - 1];
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    axe.run(document, { runOnly: { type: 'tag', values: tags } }).then(
        (found) => done({
            wrong: found.violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 120)).join(' ')}`),
            contrasts: found.passes.filter((rule) => rule.id === 'color-contrast').flatMap((rule) => rule.nodes).length,
        }),
        (error) => done({ wrong: [String(error)], contrasts: 0 }));'''


def page_of(address):
    """Returns the address of a page that contains the picture at ADDRESS: axe-core measures contrast only in pages."""
    path = address[len('file://'):]
    with open(path, encoding='utf-8') as file:
        svg = file.read()
    with open(path + '.xhtml', 'w', encoding='utf-8') as file:
        file.write('<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>Graph</title><style>body { margin: 0; }</style></head>'
                   '<body>%s</body></html>' % svg[svg.index('<svg'):])
    return address + '.xhtml'


def judge(driver, address, states):
    """Lets axe look at the picture at ADDRESS after the keys of each of STATES, in both themes."""
    if not os.path.exists(AXE):
        raise Skip('axe-core could not be fetched with npm')
    address, _, part = address.partition('#')
    with open(AXE, encoding='utf-8') as file:
        source = file.read()
    for theme in LIGHT, DARK:
        for keys in states:
            with Browser(driver, os.environ['CHROMIUM'], flags=theme) as browser:
                page = Page(browser, page_of(address) + '#' + part)
                page.press(*keys)
                page.js(source + '; window.axe = axe;')
                found = browser.js_async(RUN)
                equal(found['wrong'], [], 'after %s' % keys)
                holds(found['contrasts'] > 0, 'no contrast was measured')


@test
def accessible(driver):
    judge(driver, draw('axe', profiles.plain()), STATES)


@test
def accessible_comparison(driver):
    """Of two profiles, and of two parts of the time of one."""
    judge(driver, diffs.draw_diff('axe'), (['Home'], ['b', 'm']))
    judge(driver, draw('axe', times.recording(times.parts(('web', 'db')))) + '#time=0-0.5&compare=0.5-1', (['Home'], ['t', 'l']))


@test
def accessible_timeline(driver):
    judge(driver, timeline.draw_requests()[0], (['Down', 'Enter'], ['w', 'Down', 'Down']))
