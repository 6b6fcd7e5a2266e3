# SPDX-License-Identifier: GPL-2.0-or-later
# judge_latency.py NAME FOLDER WORKER: compares the output of ngx-latency (FOLDER/{all,static,slow,hosts,one}.json, see t/56-latency.sh)
# with nginx's log and with the clients. Exit: 0, 1 after a `not ok`, 2 if it cannot be decided.
#
# nginx's clock is the time at which the worker began to process a batch of events. $request_time is therefore too short by the time between
# that and each end of a request. The times by nginx's clock are also in the column log_ms, which must be the same as in the log.
import collections, fnmatch, json, math, sys, traceback

name, folder, worker = sys.argv[1], sys.argv[2], int(sys.argv[3])
failed = False


def is_so(what, so, *why):
    global failed
    failed |= not so
    print(f"ok {name}: {what}" if so else f"not ok {name}: {what}: {' '.join(str(w) for w in why)[:600]}")


def judge():
    read = lambda what: json.load(open(f"{folder}/{what}.json"))
    fields = "uri time status pid sent peer connect header response method host msec".split()
    log = [dict(zip(fields, line.rstrip("\n").split("|"))) for line in open(folder + "/log")]
    by_uri = {l["uri"]: l for l in log}
    everything = read("all")
    rows = everything["slowest"]
    uri = lambda r: r.get("uri", "-")
    is_so("requests, as many as in the log", everything["total"][0]["count"] == len(log), everything["total"], len(log))
    is_so("each of them", sorted(uri(r) for r in rows) == sorted(l["uri"] for l in log), [r for r in rows if uri(r) not in by_uri])
    is_so("names differ", len(by_uri) == len(log))

    wrong = []
    for r in rows:
        l = by_uri[uri(r)]
        is_equal = [r["log_ms"] == round(float(l["time"]) * 1000)]
        is_equal += [str(r[k]) == l[of] for k, of in (("status", "status"), ("worker", "pid"), ("sent", "sent"))]
        is_equal += [r.get(k, "-") == l[k] for k in ("method", "host", "peer", "connect", "header", "response")]
        if not all(is_equal):
            wrong.append((r, l))
    is_so("each: nginx's time, status, worker, bytes, upstreams and their times", not wrong, wrong[:1])
    statuses = {uri(r): r["status"] for r in rows}
    is_so("closed by clients: 499", all(statuses[f"/back/20000/aborted{i}"] == 499 for i in range(6)))
    is_so("heads that do not end: 400 and 408", (statuses["/static/closed"], statuses["/static/unfinished"]) == (400, 408))
    is_so("upstreams that are late: 504", all(statuses[f"/late/400/l{i}"] == 504 for i in range(3)))
    is_so("some asked two upstreams", any(r["connect"].count(", ") == 1 for r in rows if uri(r).startswith("/two/")))
    is_so("some were redirected between two", all(r["connect"].count(" : ") == 1 for r in rows if uri(r).startswith("/again/")))

    wrong, clients = [], 0
    times = {uri(r): r["time_ms"] for r in rows}
    for line in open(folder + "/clients"):
        path, waited, least = line.split()
        clients += 1
        if not float(least) - 0.01 <= times[path] <= float(waited):
            wrong.append((path, least, times[path], waited))
    is_so("no shorter than the upstream took, no longer than the client waited", clients >= 80 and not wrong, clients, wrong)
    ends = [sorted(r["time_ms"] for r in rows)[max(0, math.ceil(len(rows) * p) - 1)] for p in (0.5, 0.9, 0.99, 0.999)]
    total = everything["total"][0]
    found = [total[k] for k in ("p50_ms", "p90_ms", "p99_ms", "p99.9_ms")]
    is_so("percentiles", all(abs(f - e) <= e / 16 + 0.001 for f, e in zip(found, ends)), found, ends)
    is_so("lowest, highest, mean", all(abs(a - b) <= 0.002 for a, b in (
        (total["min_ms"], min(times.values())), (total["max_ms"], max(times.values())), (total["mean_ms"], sum(times.values()) / len(times)))), total)
    is_so("the slowest first", [r["time_ms"] for r in rows] == sorted((r["time_ms"] for r in rows), reverse=True))
    is_so("histogram: all of them", sum(o["count"] for o in everything["histogram"]) == len(log))
    is_so("histogram: each where it belongs", all(o["count"] == sum(o["from_ms"] - 0.0005 <= t < o["to_ms"] - 0.0005 for t in times.values())
        for o in everything["histogram"] if o["from_ms"] > 1), everything["histogram"])

    of_location = collections.Counter(r.get("location", "-") for r in rows)
    is_so("locations", {b.get("location", "-"): b["count"] for b in everything["by"]} == of_location and of_location["/back/"] >= 30, everything["by"])

    phases = [[0] + [r[k] for k in ("head_ms", "content_ms", "answer_ms") if k in r] + [r["time_ms"]] for r in rows]
    is_so("phases follow one another", all(p == sorted(p) for p in phases), [p for p in phases if p != sorted(p)])
    is_so("phases of all whose head was complete", all(len(p) == 5 for p, r in zip(phases, rows) if uri(r).startswith(("/back/20/", "/gz/"))))
    is_so("the worker's work is part of it", all(0 < r["busy_ms"] <= r["time_ms"] for r in rows), [r for r in rows if not 0 < r["busy_ms"] <= r["time_ms"]])
    is_so("the answer comes after the upstream's", all(r["answer_ms"] >= 20 for r in rows if uri(r).startswith("/back/20/")))

    static = read("static")
    expected = collections.Counter(int(l["status"]) for l in log if fnmatch.fnmatch(l["uri"], "/static/*"))
    is_so("--where with --by: counts", {b["status"]: b["count"] for b in map(dict, static["by"])} == {str(k): v for k, v in expected.items()}, static["by"], expected)
    is_so("--where: the total", static["total"][0]["count"] == sum(expected.values()), static["total"])
    is_so("--where: only these", len(static["slowest"]) == 5 and all(uri(r).startswith("/static/") for r in static["slowest"]), static["slowest"])
    is_so("--where: the slowest of these", uri(static["slowest"][0]) == "/static/unfinished", static["slowest"])
    hosts = read("hosts")
    expected = collections.Counter(l["host"] for l in log if l["status"][0] in "45")
    is_so("--where a number: counts", {b.get("host", "-"): b["count"] for b in hosts["by"]} == {k: v for k, v in expected.items()}, hosts["by"], expected)
    slow = read("slow")
    is_so("--by worker: counts", {b["worker"]: b["count"] for b in slow["by"]} == collections.Counter(l["pid"] for l in log), slow["by"])
    listed = {uri(r) for r in slow["slowest"]}
    is_so("--min: those that took so long", all(r["time_ms"] >= 100 for r in slow["slowest"]) and not {u for u, t in times.items() if t >= 101} - listed, listed)
    one = read("one")
    expected = collections.Counter(l["uri"] for l in log if int(l["pid"]) == worker)
    is_so("a worker: its own, by URI", {b.get("uri", "-"): b["count"] for b in one["by"]} == expected, len(one["by"]), len(expected))


try:
    judge()
except Exception:
    traceback.print_exc()
    sys.exit(2)
sys.exit(failed)
