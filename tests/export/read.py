# SPDX-License-Identifier: GPL-2.0-or-later
"""read.py WHAT FILE: prints a profile as programs that we did not write read it.

pprof, speedscope, firefox, report (bt-report --json): a line "NAME<tab>SELF<tab>INCLUSIVE" for each function name, sorted, with control characters
in it as \\xHH; the last line is the sum of all weights. top (of go tool pprof): the same without the sum.
places: each location of a pprof file with its address, file and build-id. stacks: each sample of a pprof file with what is known of its
frames, root first. firefox-threads: each thread with its samples (time, stack, weight) and markers. speedscope-threads: each profile with
its stacks (time, weight, functions).
valid: prints nothing; fails if the speedscope file does not fit the schema in $SCHEMA.
The classes of profile.proto are in profile_pb2, which protoc makes.
"""

import gzip
import json
import os
import re
import sys


def shown(name):
    """Returns TEXT as bt-export --pprof writes characters that a terminal would obey."""

    def escaped(match):
        return "".join(f"\\x{byte:02x}" for byte in match.group().encode())

    return re.sub("[\0-\x1f\x7f-\x9f]", escaped, name)


class Functions:
    def __init__(self):
        self.own, self.inclusive, self.total = {}, {}, 0

    def add(self, name, own, inclusive):
        self.own[name] = self.own.get(name, 0) + own
        self.inclusive[name] = self.inclusive.get(name, 0) + inclusive

    def add_stack(self, names, weight):
        """Names: leaf first."""
        self.total += weight
        for name in set(names):
            self.add(name, weight if name == names[0] else 0, weight)

    def print(self, with_total=True):
        for name in sorted(self.inclusive, key=shown):
            print(shown(name), self.own[name], self.inclusive[name], sep="\t")
        if with_total:
            print(self.total)


def read_pprof(path):
    import profile_pb2

    profile = profile_pb2.Profile()
    with gzip.open(path) as file:
        profile.ParseFromString(file.read())
    check_pprof(profile)
    return profile


def check_ids(messages):
    ids = {message.id: message for message in messages}
    assert 0 not in ids and len(ids) == len(messages), "ids are no numbers of their own"
    return ids


def check_pprof(profile):
    """Checks the rules that profile.proto states in words."""
    assert profile.string_table[0] == ""
    assert len(set(profile.string_table)) == len(profile.string_table)
    assert 1 <= len(profile.sample_type) <= 2
    functions, locations, mappings = map(check_ids, (profile.function, profile.location, profile.mapping))
    used_locations = {id for sample in profile.sample for id in sample.location_id}
    assert used_locations <= set(locations)
    used_functions = {line.function_id for location in profile.location for line in location.line}
    assert used_functions <= set(functions)
    assert {location.mapping_id for location in profile.location} <= set(mappings) | {0}
    assert all(location.line for location in profile.location)
    assert all(len(sample.value) == len(profile.sample_type) and sample.value[0] > 0 for sample in profile.sample)
    if len(profile.sample_type) > 1:
        assert all(sample.value[1] == sample.value[0] * profile.period for sample in profile.sample)


def pprof_functions(path):
    profile = read_pprof(path)
    name_of = {function.id: profile.string_table[function.name] for function in profile.function}
    names_of = {location.id: [name_of[line.function_id] for line in location.line] for location in profile.location}
    result = Functions()
    for sample in profile.sample:
        result.add_stack([name for id in sample.location_id for name in names_of[id]], sample.value[0])
    return result


def sampled_stacks(profile):
    for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
        assert 0 < weight <= 1 << 53
        yield None, weight, stack
    assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])


def evented_stacks(profile):
    """Checks the rules that the schema states in words: events in order, functions closed in the reverse order."""
    stack, now = [], profile["startValue"]
    for event in profile["events"]:
        assert now <= event["at"] <= profile["endValue"] <= 1 << 53
        if stack and event["at"] > now:
            yield now, event["at"] - now, stack
        now = event["at"]
        if event["type"] == "O":
            stack = stack + [event["frame"]]
        else:
            assert event["type"] == "C" and stack[-1] == event["frame"]
            stack = stack[:-1]
    assert not stack


def speedscope_stacks(profile):
    """Returns the time, or None, the weight and the indexes of the frames, root first, of each stack."""
    return evented_stacks(profile) if profile["type"] == "evented" else sampled_stacks(profile)


def read_speedscope(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    assert document.get("activeProfileIndex", 0) < len(document["profiles"])
    for profile in document["profiles"]:
        yield profile, ((time, weight, [names[frame] for frame in stack]) for time, weight, stack in speedscope_stacks(profile))


def speedscope_functions(path):
    result = Functions()
    for _, stacks in read_speedscope(path):
        for _, weight, names in stacks:
            result.add_stack(names[::-1], weight)
    return result


def print_speedscope_threads(path):
    for profile, stacks in read_speedscope(path):
        print(profile["name"], profile["unit"], profile["startValue"], profile["endValue"])
        for time, weight, names in stacks:
            print(" ", time, weight, ";".join(names))


def column_lengths(table):
    return {len(column) for column in table.values() if isinstance(column, list)} | {table["length"]}


def read_firefox(path):
    """Checks the rules of the profiler's types and of its table of stacks."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    shared = document["shared"]
    assert document["meta"]["preprocessedProfileVersion"] == 70
    for table in list(shared.values()) + [thread[name] for thread in document["threads"] for name in ("samples", "markers")]:
        assert isinstance(table, list) or len(column_lengths(table)) == 1
    assert all(0 <= offset <= stack for stack, offset in enumerate(shared["stackTable"]["prefixOffset"]))
    assert all(0 <= frame < shared["frameTable"]["length"] for frame in shared["stackTable"]["frame"])
    assert all(0 <= func < shared["funcTable"]["length"] for func in shared["frameTable"]["func"])
    assert all(category < len(document["meta"]["categories"]) for category in shared["frameTable"]["category"])
    for thread in document["threads"]:
        assert thread["samples"]["time"] == sorted(thread["samples"]["time"])
    return document


def firefox_weights(samples):
    """Our weights in time are microseconds."""
    return [round(weight * 1000) if samples["weightType"] == "tracing-ms" else weight for weight in samples["weight"]]


def firefox_functions(path):
    document = read_firefox(path)
    shared = document["shared"]
    funcs, offsets = shared["frameTable"]["func"], shared["stackTable"]["prefixOffset"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    result = Functions()
    for thread in document["threads"]:
        for stack, weight in zip(thread["samples"]["stack"], firefox_weights(thread["samples"]), strict=True):
            if stack is None:
                result.total += weight
                continue
            frames = [stack]
            while offsets[frames[-1]]:
                frames.append(frames[-1] - offsets[frames[-1]])
            result.add_stack([names[funcs[shared["stackTable"]["frame"][frame]]] for frame in frames], weight)
    return result


def print_threads(path):
    document = read_firefox(path)
    for thread in document["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        print(thread["processName"], thread["pid"], thread["name"], thread["tid"], "main" if thread["isMainThread"] else "-")
        for time, stack, weight in zip(samples["time"], samples["stack"], samples["weight"], strict=True):
            print(" ", time, "-" if stack is None else stack, weight)
        for begin, end, name, data in zip(markers["startTime"], markers["endTime"], markers["name"], markers["data"], strict=True):
            print(" ", begin, end, document["shared"]["stringArray"][name], data["time"])


def report_functions(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    result = Functions()
    for function in report["functions"]:
        result.add(function["function"], function["self"], function["inclusive"])
    result.total = report["total"]
    return result


def top_functions(path):
    """The table: flat, flat%, sum%, cum, cum%, name."""
    result = Functions()
    number = re.compile(r"\s*(\d+)\w*\s+\S+%\s+\S+%\s+(\d+)\w*\s+\S+%  (.*)\n")
    with open(path, encoding="utf-8", newline="\n") as file:
        for match in map(number.fullmatch, file):
            if match:
                name = re.sub(r" \((partial-)?inline\)$", "", match[3])
                result.add(name, int(match[1]), int(match[2]))
    return result


def print_stacks(path):
    profile = read_pprof(path)
    text = profile.string_table
    functions = {function.id: function for function in profile.function}
    files = {mapping.id: text[mapping.filename] for mapping in profile.mapping}
    locations = {location.id: location for location in profile.location}

    def line_text(line):
        function = functions[line.function_id]
        return text[function.name] + (f" {text[function.filename]}:{line.line}" if function.filename else "")

    def location_text(location):
        lines = " > ".join(line_text(line) for line in reversed(location.line))
        return f"{lines} [{files[location.mapping_id]}]" if location.mapping_id else lines

    for sample in profile.sample:
        labels = "".join(f" {text[label.key]}={text[label.str]}" for label in sample.label)
        stack = "; ".join(location_text(locations[id]) for id in reversed(sample.location_id))
        print(f"{stack} {sample.value[0]}{labels}")
    kinds = ",".join(f"{text[kind.type]}/{text[kind.unit]}" for kind in profile.sample_type)
    print(f"{kinds} {text[profile.period_type.type]}/{text[profile.period_type.unit]}"
          f" period {profile.period} time {profile.time_nanos} duration {profile.duration_nanos}")
    for comment in profile.comment:
        print(text[comment])
    for mapping in profile.mapping:
        has = [name for name in ("functions", "filenames", "line_numbers", "inline_frames") if getattr(mapping, "has_" + name)]
        print(text[mapping.filename], *has)


def print_places(path):
    profile = read_pprof(path)
    text = profile.string_table
    names = {function.id: text[function.name] for function in profile.function}
    mappings = {mapping.id: mapping for mapping in profile.mapping}
    print("default", text[profile.default_sample_type])
    for location in profile.location:
        mapping = mappings[location.mapping_id]
        assert mapping.memory_start == mapping.memory_limit == mapping.file_offset == 0
        lines = " ".join(names[line.function_id] for line in location.line)
        print(f"{lines}: {location.address:x} in {text[mapping.filename]} {text[mapping.build_id]}"
              f"{' functions' * mapping.has_functions}")


def check_schema(path):
    import jsonschema

    with open(os.environ["SCHEMA"], encoding="utf-8") as file:
        schema = json.load(file)
    with open(path, encoding="utf-8") as file:
        jsonschema.validate(json.load(file), schema)


def main():
    what, path = sys.argv[1:]
    if what == "stacks":
        print_stacks(path)
    elif what == "places":
        print_places(path)
    elif what == "valid":
        check_schema(path)
    elif what == "firefox-threads":
        print_threads(path)
    elif what == "speedscope-threads":
        print_speedscope_threads(path)
    elif what == "top":
        top_functions(path).print(with_total=False)
    else:
        {"pprof": pprof_functions, "speedscope": speedscope_functions, "firefox": firefox_functions, "report": report_functions}[what](path).print()


main()
