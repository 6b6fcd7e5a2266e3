# SPDX-License-Identifier: GPL-2.0-or-later
"""Started by t/flame.sh. One test is one function of the files below; those that take a driver open browsers of their own."""
import os
import sys
import time

import access
import basics
import views
import diffs
import panels
import look
import speed
import timeline
import times
from page import TESTS, Skip
from webdriver import Browser, Driver

PARTS = (basics, views, diffs, panels, look, access, times, timeline, speed)


def run(tests, argument):
    failed = 0
    for function in tests:
        name = function.__name__.replace('_', ' ')
        start = time.time()
        try:
            function(argument)
            print('ok ' + name)
        except Skip as why:
            print('skip %s: %s' % (name, why))
        except Exception as e:  # pylint: disable=broad-except
            print('not ok %s: %s' % (name, ' '.join(str(e).split()) or type(e).__name__))
            failed = 1
        print('# %.1f s' % (time.time() - start))
        sys.stdout.flush()
    return failed


def main():
    driver = Driver(os.environ['CHROMEDRIVER'])
    wanted = [t for t in TESTS if len(sys.argv) < 2 or t.__name__ in sys.argv[1:]]
    own = [t for t in wanted if t.__code__.co_varnames[:1] == ('driver',)]
    try:
        with Browser(driver, os.environ['CHROMIUM']) as browser:
            failed = run([t for t in wanted if t not in own], browser)
        return run(own, driver) or failed
    finally:
        driver.stop()


if __name__ == '__main__':
    sys.exit(main())
