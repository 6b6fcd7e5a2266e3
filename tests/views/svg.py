# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the call tree in a flame graph's file, by the description in src/input/picture.h alone."""
import xml.etree.ElementTree as ElementTree

DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%()*+,-./:;=?@[]^_`{|}~'
LAST, MORE = 52, 36
SPACE = '{urn:flametap:profile}'


class Frame:
    """Has kind, name as it is shown, module, and the ranks of its category: own, and passed on to callees (None)."""

    def __init__(self, line, modules):
        head, name = line.split(' ', 1)
        self.name = name.replace('\t', ' ')
        module, own, *passed = head[2:].split(',')
        self.kind = head[0]
        self.module = modules[int(module) - 1] if module else ''
        self.own = int(own)
        self.passed = int(passed[0]) if passed else None


class Node:
    """Has a frame below its parent (both are None for the root), its depth, self weight and total."""

    def __init__(self, frame, parent, own):
        self.frame, self.parent, self.self, self.total = frame, parent, own, own
        self.depth = parent.depth + 1 if parent else 0


def numbers(text):
    value, place = 0, 1
    for c in text:
        digit = DIGITS.index(c)
        value += digit * place
        if digit < LAST:
            yield value
            value, place = 0, 1
        else:
            place *= MORE


class Svg:
    """Has nodes in pre-order, the root first; categories by rank; unit; total."""

    def __init__(self, path):
        profile = ElementTree.parse(path).getroot().find('.//%sprofile' % SPACE)

        def lines(name):
            return (profile.find(SPACE + name).text or '').split('\n')[:-1]

        self.unit, self.total = profile.get('unit'), int(profile.get('total'))
        self.scale = int(profile.get('scale'))
        self.categories = lines('categories')
        modules = lines('modules')
        self.frames = [Frame(line, modules) for line in lines('frames')]
        text = ''.join(part.text or '' for part in profile.find(SPACE + 'tree'))
        self.nodes = [Node(None, None, int(profile.get('self', '0')))]
        self.read(numbers(text))
        if len(self.nodes) != int(profile.get('nodes')) + 1:
            raise ValueError('nodes are missing')

    def read(self, values):
        before = self.nodes[0]
        for frame in values:
            code = next(values)
            parent = before
            for _ in range(code >> 1):
                parent = parent.parent
            before = Node(self.frames[frame], parent, next(values) + 1 if code & 1 else 0)
            self.nodes.append(before)
        for node in reversed(self.nodes[1:]):
            node.parent.total += node.total

    def ranks(self):
        """Returns the rank of every node except the root, in order."""
        passed = [len(self.categories)]  # by depth
        for node in self.nodes[1:]:
            del passed[node.depth:]
            frame = node.frame
            own = passed[-1] if frame.passed is None else min(passed[-1], frame.passed)
            yield min(passed[-1], frame.own)
            passed.append(own)

    def sums(self, key_of):
        """Returns {key: [self, inclusive]}, where a stack counts once for each key; key_of(frame, category)."""
        sums, path = {}, []
        for node, rank in zip(self.nodes[1:], self.ranks()):
            del path[node.depth - 1:]
            key = key_of(node.frame, self.categories[rank])
            entry = sums.setdefault(key, [0, 0])
            entry[0] += node.self
            if key not in path:
                entry[1] += node.total
            path.append(key)
        return sums
