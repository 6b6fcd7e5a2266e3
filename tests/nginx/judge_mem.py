# SPDX-License-Identifier: GPL-2.0-or-later
# judge_mem.py JSON LOG: compares the pools that ngx-mem lists (see t/54-mem.sh) with nginx's debug log of what it has allocated and freed.
# Exit: 0, or 1 after a `not ok`.
import json, re, sys

read, live, failed = json.load(open(sys.argv[1])), {}, False


def is_so(name, so, *why):
    global failed
    failed |= not so
    print(f"ok {name}" if so else f"not ok {name}: {' '.join(str(w) for w in why)}")


# the allocations of connections: log lines with their numbers, and the pools of 512 bytes that they begin with
pools = read["pools"]
worker = f" {pools[0]['worker']}#"
for line in open(sys.argv[2], errors="replace"):
    if worker not in line:
        continue
    got = re.search(r" (?:\*\d+ (?:malloc|posix_memalign)|posix_memalign): ([0-9A-F]+):(\d+)", line)
    if got and (" *" in line or got[2] == "512"):
        live[got[1]] = int(got[2])
    gone = re.search(r" free: ([0-9A-F]+)", line)
    if gone:
        live.pop(gone[1], None)
of_connections = [p for p in pools if p["pools"] != "cycle"]
counts = {(p["pools"], p.get("location")): p["count"] for p in pools}
is_so("requests by location", {k[1]: v for k, v in counts.items() if k[0] == "requests"}.items() >= {"/slow/": 3, "/back/": 5, "/auth/": 1}.items(), counts)
is_so("connections", counts["upstream connections", None] == 6 and counts["connections", None] >= 12, counts)
is_so("one cycle", counts["cycle", None] == 1, counts)
is_so("a server", all(p["server"] == "front.test" for p in pools if p["pools"] == "requests"), pools)
is_so("used and unused are blocks", all(p["used"] + p["unused"] == p["block_bytes"] for p in pools), pools)
is_so("blocks and large ones are all", all(p["block_bytes"] + p["large_bytes"] == p["bytes"] for p in pools), pools)
if live:
    found, expected = sum(p["bytes"] for p in of_connections), sum(live.values())
    number, large = sum(p["blocks"] + p["large"] for p in of_connections), sum(p["large"] for p in of_connections)
    is_so("allocations, as in the debug log", number == len(live), number, len(live), of_connections)
    # malloc rounds up to 16 bytes
    is_so("bytes, as in the debug log", expected <= found <= expected + 24 * large, expected, found, large)
else:
    print("skip bytes, as in the debug log: nginx was built without it")
sys.exit(failed)
