# SPDX-License-Identifier: GPL-2.0-or-later
# 56-values: the values that scripts with tapsets/nginx get, for the nginx of Debian's releases: each worker is listed, and the program's
# addresses are in its mappings. The use of the values in scripts is tested in tests/guest.
set -u
. "$TOP/tests/nginx/lib.sh"

# variable NAME: prints a variable of the last output
variable() {
	tr ' ' '\n' <"$T/values" | sed -n "s/^nginx_$1=//p"
}

# numbers NAME N: prints the list as lines of N numbers
numbers() {
	variable "$1" | tr '.' '\n' | paste -d' ' $(yes - | head -n "$2")
}

# in_code ADDRESS…: checks that all addresses are in executable mappings of the first worker
in_code() {
	python3 - "/proc/${workers%% *}/maps" "$@" <<'END'
import sys
areas = [[int(x, 16) for x in line.split()[0].split("-")] for line in open(sys.argv[1]) if line.split()[1][2] == "x"]
for address in sys.argv[2:]:
    assert any(a <= int(address, 16) < b for a, b in areas), address
END
}

# modules_agree: checks for each phase handler in the list of ngx-modules that names, handlers and code give the same module
modules_agree() {
	"$bin/ngx-modules" -p "$master" --text >"$T/modules" && python3 - "$T/values" "$T/modules" "/proc/$master" <<'END'
import os, sys
values = dict(word.split("=", 1) for word in open(sys.argv[1]).read().split() if word.startswith("nginx_"))
names = [n[1:] if n[0] == "-" else f"ngx_http_{n}_module" for n in values["nginx_names"].split(".")] + ["?"] * 256
handlers = bytes.fromhex(values["nginx_handlers"])
numbers = [int(x, 16) for x in values["nginx_code"].split("-")]
program = os.path.realpath(sys.argv[3] + "/exe")
base = min(int(line.split("-")[0], 16) for line in open(sys.argv[3] + "/maps") if line.rstrip().endswith(program))

def module_at(address):
    at, name = 0, "?"
    for delta, number in zip(numbers[::2], numbers[1::2]):
        at += delta
        if at > address:
            break
        name = names[number]
    return name

rows = [line.split() for line in open(sys.argv[2]).read().splitlines()[1:]]
phases = [row for row in rows if not row[0].endswith("_filter")]
assert len(handlers) == len(phases), (len(handlers), len(phases))
for number, row in zip(handlers, phases):
    assert names[number] in (row[1], "?") and (number != 255 or row[1] == "ngx_http_core_module"), (number, row)
checked = 0
for row in phases:
    file, _, offset = row[2].partition("+")
    if file == os.path.basename(program) and row[1] != "ngx_http_core_module":
        assert module_at(base + int(offset, 16)) == row[1], row
        checked += 1
assert checked >= 12, checked
END
}

# all_listed: checks that both workers are ready, which takes a moment after their start
all_listed() {
	"$bin/ngx-values" -p "$master" >"$T/values" 2>/dev/null
	[ "$(numbers processes 6 | wc -l)" = 2 ]
}

read_values() {
	"$bin/ngx-values" -p "$master" >"$T/values" 2>"$T/said"
	check_eq "$1: exit" 0 $?
	check_eq "$1: nothing is said" '' "$(cat "$T/said")"
	check "$1: options of stap alone" sh -c "! tr ' ' '\n' <'$T/values' | grep -vE '^(-D[A-Z_]+=[0-9]+|-G|nginx_[a-z]+=[0-9a-z_.-]+)\$'"
	check_eq "$1: all workers" "$(pgrep -P "$master" | sort -n)" \
		"$(numbers processes 6 | while read -r pid _; do echo $((0x$pid)); done | sort -n)"
	check_eq "$1: they run one program" 1 "$(numbers processes 6 | cut -d' ' -f2 | sort -u)"
	# shellcheck disable=SC2046 # words
	check "$1: files have their code where it is mapped" in_code $(numbers files 4 | cut -d' ' -f2)
	check "$1: nginx and its libraries" test "$(numbers files 4 | wc -l)" -ge 4
	check "$1: the event loop is in its code" in_code "$(variable programs | cut -d. -f1)"
	check "$1: phases" sh -c "echo '$(variable phases)' | grep -qE '^0*1+2+3+4+5+6+7+8*9+\$'"
	check "$1: modules, as ngx-modules lists them" modules_agree
	"$bin/ngx-values" -p "$master" --staprun >"$T/staprun"
	check_eq "$1: for staprun, the variables alone" "$(tr ' ' '\n' <"$T/values" | grep nginx_ | tr '\n' ' ' | sed 's/ $//')" "$(cat "$T/staprun")"
}

for suite in $nginxes; do
	use_release "$suite" || { skip "$suite" "$no_root"; continue; }
	make_html
	WORKERS=2
	if start_nginx "$here/truth.conf"; then
		until_true all_listed
		read_values "$suite"
		stop_nginx
	fi
	leave_release
done
"$bin/ngx-values" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check_eq 'no nginx: nothing on stdout' '' "$(cat "$T/out")"
check_eq 'no nginx: said' "ngx-values: no worker of nginx in process $$ or its children: give the PID of nginx's master or of a worker" "$(cat "$T/said")"
