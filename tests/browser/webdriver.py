# SPDX-License-Identifier: GPL-2.0-or-later
"""A browser driven through chromedriver: the few W3C WebDriver commands that the tests need."""
import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile

KEYS = {'Escape': '\ue00c', 'Enter': '\ue007', 'Left': '\ue012', 'Up': '\ue013',
        'Right': '\ue014', 'Down': '\ue015', 'Control': '\ue009', 'Shift': '\ue008', 'Home': '\ue011', 'Tab': '\ue004',
        'Backspace': '\ue003'}
ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'


class Driver:
    """A chromedriver process."""

    def __init__(self, path):
        self.process = subprocess.Popen([path, '--port=0'], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = None
        for line in self.process.stdout:
            found = re.search(r'successfully on port (\d+)', line)
            if found:
                self.port = int(found.group(1))
                break
        if not self.port:
            raise RuntimeError('chromedriver does not start')

    def command(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=600)
        try:
            connection.request(method, path, None if body is None else json.dumps(body),
                               {'Content-Type': 'application/json'})
            value = json.loads(connection.getresponse().read())['value']
        finally:
            connection.close()
        if isinstance(value, dict) and 'error' in value:
            raise RuntimeError('%s: %s' % (value['error'], value['message'].split('\n')[0]))
        return value

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


class Browser:
    """A Chromium with a fresh profile. mobile=(width, height) makes it a phone."""

    def __init__(self, driver, binary, size=(1280, 900), flags=(), mobile=None):
        self.driver = driver
        self.home = tempfile.mkdtemp(prefix='flametap-browser.')
        args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
                '--disable-background-networking', '--disable-component-update', '--disable-sync',
                '--disable-dev-shm-usage', '--hide-scrollbars',
                '--user-data-dir=' + os.path.join(self.home, 'data'),
                '--window-size=%d,%d' % size] + list(flags)
        options = {'binary': binary, 'args': args}
        if mobile:
            options['mobileEmulation'] = {'deviceMetrics': {
                'width': mobile[0], 'height': mobile[1], 'pixelRatio': 2, 'touch': True}}
        answer = driver.command('POST', '/session', {'capabilities': {'alwaysMatch': {
            'browserName': 'chrome', 'goog:chromeOptions': options,
            'timeouts': {'script': 300000, 'pageLoad': 600000},
            'goog:loggingPrefs': {'browser': 'ALL'}}}})
        self.path = '/session/' + answer['sessionId']

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        try:
            self.driver.command('DELETE', self.path)
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    def post(self, path, body=None):
        return self.driver.command('POST', self.path + path, body or {})

    def get(self, path):
        return self.driver.command('GET', self.path + path)

    def load(self, url):
        """Loads URL anew, even if only the fragment differs."""
        self.post('/url', {'url': 'about:blank'})
        self.post('/url', {'url': url})

    def js(self, code, *args):
        return self.post('/execute/sync', {'script': code, 'args': list(args)})

    def js_async(self, code, *args):
        """CODE calls its last argument, arguments[arguments.length - 1], with the result."""
        return self.post('/execute/async', {'script': code, 'args': list(args)})

    def settle(self):
        """Waits until the last change is on the screen."""
        self.js_async('const done = arguments[0];'
                      'requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));')

    def press(self, *keys, control=False):
        actions = [{'type': 'keyDown', 'value': KEYS['Control']}] if control else []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{'type': 'keyDown', 'value': value}, {'type': 'keyUp', 'value': value}]
        if control:
            actions.append({'type': 'keyUp', 'value': KEYS['Control']})
        self.post('/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})
        self.settle()

    def point(self, x, y, click=False, button=0):
        actions = [{'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)}]
        if click:
            actions += [{'type': 'pointerDown', 'button': button}, {'type': 'pointerUp', 'button': button}]
        self.post('/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': actions}]})
        self.settle()

    def tap(self, x, y, times=1, hold=0):
        """Touches with a finger that stays for HOLD milliseconds."""
        actions = [{'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)}]
        for _ in range(times):
            actions += [{'type': 'pointerDown', 'button': 0}, {'type': 'pause', 'duration': hold},
                        {'type': 'pointerUp', 'button': 0}, {'type': 'pause', 'duration': 20}]
        self.post('/actions', {'actions': [{'type': 'pointer', 'id': 'finger', 'actions': actions,
                                            'parameters': {'pointerType': 'touch'}}]})
        self.settle()

    def size(self, width, height):
        self.post('/window/rect', {'width': width, 'height': height})
        self.settle()

    def back(self):
        self.post('/back')
        self.settle()

    def forward(self):
        self.post('/forward')
        self.settle()

    def print(self):
        """Returns the page as PDF."""
        return base64.b64decode(self.post('/print', {'background': True}))

    def screenshot(self, path=None):
        png = base64.b64decode(self.get('/screenshot'))
        if path:
            with open(path, 'wb') as f:
                f.write(png)
        return png

    def errors(self):
        """Returns the errors on the console since the last call."""
        return [entry['message'] for entry in self.post('/se/log', {'type': 'browser'})
                if entry['level'] == 'SEVERE' and 'favicon' not in entry['message']]
