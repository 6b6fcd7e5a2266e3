# SPDX-License-Identifier: GPL-2.0-or-later
"""Contrast of colours, and the distance between colours, also for colour-blind eyes."""
import itertools
import math
import re

# Machado, Oliveira and Fernandes 2009, full strength, on linear RGB
EYES = {
    'normal': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
}


def linear(css):
    """Returns "rgb(1, 2, 3)" as linear RGB."""
    values = [int(v) / 255 for v in re.findall(r'\d+', css)[:3]]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def contrast(css, other):
    """Returns the contrast as WCAG 2 defines it."""
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b
                         for r, g, b in (linear(css), linear(other)))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb):
    r, g, b = rgb
    l = max(0, 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = max(0, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = max(0, 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)


def seen(css, eye):
    rgb = linear(css)
    return oklab([max(0, sum(a * b for a, b in zip(row, rgb))) for row in EYES[eye]])


def closest(families):
    """Returns (distance, eye, family, family) of the two families that are the hardest to tell apart."""
    return min((min(math.dist(seen(x, eye), seen(y, eye)) for x in families[a] for y in families[b]),
                eye, a, b)
               for eye in EYES for a, b in itertools.combinations(sorted(families), 2))
