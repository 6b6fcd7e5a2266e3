# SPDX-License-Identifier: GPL-2.0-or-later
"""The common part of the tests: their list, graphs, an open page, and a server that applies the graphs' own policy."""
import http.server
import os
import subprocess
import threading
import urllib.parse

WORK = os.environ['TMPDIR']
TESTS = []
FRAMES = ("const wanted = arguments[0]; return [...document.querySelectorAll('#frames text')]"
          ".filter((t) => t.textContent === wanted).map((t) => {"
          "const r = t.previousElementSibling.getBoundingClientRect();"
          "return [r.x + r.width / 2, r.y + r.height / 2, r.width]; })")
# all nodes of the drawn tree, or the nodes that are wide enough, as [names from the root on, weight]
TREE = '''
    const { tree } = flametap.actions.now, paths = [[]], found = [];
    for (let i = 0; i < tree.n; i++) {
        if (i)
            paths[i] = [...paths[tree.parent[i]], tree.name(i)];
        if (tree.total(i) >= arguments[0])
            found.push([paths[i].join(';'), tree.total(i)]);
    }
    return found;'''


def test(function):
    TESTS.append(function)
    return function


class Skip(Exception):
    """Says why a test cannot run here."""


def equal(actual, expected, what=''):
    if actual != expected:
        raise AssertionError('%s: got %.600r, expected %.600r' % (what, actual, expected))


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def file_of(name):
    return os.path.join(WORK, name)


def run(program, *arguments, data=b'', out=None, status=0):
    """Runs PROGRAM, one of ours; its output is written to the file OUT."""
    path = os.path.join(os.path.dirname(os.environ['BT_FLAME']), program)
    with open(file_of(out), 'wb') as f:
        done = subprocess.run([path] + list(arguments), input=data, stdout=f, check=False)
    equal(done.returncode, status, 'exit status of ' + program)


def draw(name, text, *options, status=0):
    """Writes NAME.svg with the graph of folded TEXT and returns its address."""
    run('bt-flame', *options, out=name + '.svg', status=status,
        data=text if isinstance(text, bytes) else text.encode())
    return 'file://' + file_of(name + '.svg')


class Page:
    """An open flame graph."""

    def __init__(self, browser, url):
        self.browser, self.js, self.press = browser, browser.js, browser.press
        browser.load(url)
        browser.point(1, 1)

    def text(self, part, inside='.bar'):
        return self.js("const e = document.querySelector(arguments[0]);"
                       "return e && !e.closest('[hidden]') ? e.textContent : null", inside + ' .' + part)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])]"
                       ".map((e) => e.textContent)", selector)

    def chips(self):
        return [text.rstrip('\u00d7') for text in self.texts('.bar .chip')]

    def frame(self, name):
        """Returns the middle and the width of the widest frame with this label."""
        found = self.js(FRAMES, name)
        holds(found, 'no frame is labelled ' + name)
        return max(found, key=lambda f: f[2])

    def width(self):
        return self.js("return document.querySelector('.scroller').clientWidth") - 20

    def click(self, name, **how):
        x, y, _ = self.frame(name)
        self.browser.point(x, y, click=True, **how)

    def hover(self, name):
        x, y, _ = self.frame(name)
        self.browser.point(x, y)

    def push(self, selector, text=None):
        """Clicks on a control as a user does; its text tells which one if there are several."""
        box = self.js("const b = [...document.querySelectorAll(arguments[0])].find((e) =>"
                      "!e.closest('[hidden]') && (arguments[1] === null ||"
                      "e.textContent === arguments[1] || e.firstChild.textContent === arguments[1]));"
                      "if (!b) return null; const r = b.getBoundingClientRect();"
                      "return [r.x + r.width / 2, r.y + r.height / 2]", selector, text)
        holds(box, 'no control %s %s' % (selector, text))
        self.browser.point(*box, click=True)

    def pressed(self, label):
        return self.js("return [...document.querySelectorAll('.bar .tools button')].find((b) =>"
                       "b.textContent === arguments[0]).getAttribute('aria-pressed')", label) == 'true'

    def at(self, name):
        """Sets the keyboard focus to the first frame with this name."""
        self.js("const { tree } = flametap.actions.now; let i = 0; while (tree.name(i) !== arguments[0]) i++;"
                "flametap.focusOn(i)", name)

    def search(self, regex):
        self.js("const i = document.querySelector('.bar input'); i.value = arguments[0];"
                "i.dispatchEvent(new Event('input'));", regex)
        return self.text('found')

    def tree(self, least=0):
        found = self.js(TREE, least)
        equal(len({path for path, _ in found}), len(found), 'siblings with one name')
        return dict(found)

    def hash(self):
        return self.js('return location.hash')

    def live(self):
        return self.js("return document.querySelectorAll('#frames *').length")

    def quiet(self):
        equal(self.browser.errors(), [], 'console')


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the files of the work directory under the graphs' policy; NAME.img.html shows one in <img>, NAME.object.html in <object>."""
    policy = ''

    def do_GET(self):
        name = os.path.basename(urllib.parse.urlparse(self.path).path)
        part = name.split('.')
        if part[-1] == 'html':
            tag = '<img src="%s.svg">' if part[1] == 'img' else '<object data="%s.svg"></object>'
            body, kind = ('<!doctype html><body>' + tag % part[0]).encode(), 'text/html'
        elif os.path.exists(file_of(name)):
            with open(file_of(name), 'rb') as f:
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
    run('bt-flame', '--csp', out='policy')
    with open(file_of('policy'), encoding='ascii') as f:
        Handler.policy = f.read().strip()
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return 'http://127.0.0.1:%d/' % server.server_port
