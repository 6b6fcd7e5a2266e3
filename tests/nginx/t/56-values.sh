# SPDX-License-Identifier: GPL-2.0-or-later
# 56-values: the values that scripts with tapsets/nginx get, of the nginx of Debian's releases: each worker is there, and what its program
# has is where its mappings are. What scripts do with them is tested in tests/vm.
set -u
. "$TOP/tests/nginx/lib.sh"

# variable NAME: of what was written
variable() {
	tr ' ' '\n' <"$T/values" | sed -n "s/^nginx_$1=//p"
}

# numbers NAME N: the list as lines of N numbers
numbers() {
	variable "$1" | tr '.' '\n' | paste -d' ' $(yes - | head -n "$2")
}

# in_code ADDRESS…: all are in executable mappings of the first worker
in_code() {
	python3 - "/proc/${workers%% *}/maps" "$@" <<'END'
import sys
areas = [[int(x, 16) for x in line.split()[0].split("-")] for line in open(sys.argv[1]) if line.split()[1][2] == "x"]
for address in sys.argv[2:]:
    assert any(a <= int(address, 16) < b for a, b in areas), address
END
}

# all_listed: both workers are ready, which takes a moment after they have been started
all_listed() {
	"$bin/ngx-values" -p "$master" >"$T/values" 2>/dev/null
	[ "$(numbers processes 6 | wc -l)" = 2 ]
}

read_values() {
	"$bin/ngx-values" -p "$master" >"$T/values" 2>"$T/said"
	check_eq "$1: exit" 0 $?
	check_eq "$1: nothing is said" '' "$(cat "$T/said")"
	check "$1: options of stap alone" sh -c "! tr ' ' '\n' <'$T/values' | grep -vE '^(-D[A-Z_]+=[0-9]+|-G|nginx_[a-z]+=[0-9a-f.]+)\$'"
	check_eq "$1: all workers" "$(pgrep -P "$master" | sort -n)" \
		"$(numbers processes 6 | while read -r pid _; do echo $((0x$pid)); done | sort -n)"
	check_eq "$1: they run one program" 1 "$(numbers processes 6 | cut -d' ' -f2 | sort -u)"
	# shellcheck disable=SC2046 # words
	check "$1: files have their code where it is mapped" in_code $(numbers files 4 | cut -d' ' -f2)
	check "$1: nginx and its libraries" test "$(numbers files 4 | wc -l)" -ge 4
	check "$1: the event loop is in its code" in_code "$(variable programs | cut -d. -f1)"
	check "$1: phases" sh -c "echo '$(variable phases)' | grep -qE '^0*1+2+3+4+5+6+7+8*9+\$'"
	"$bin/ngx-values" -p "$master" --staprun >"$T/staprun"
	check_eq "$1: for staprun, the variables alone" "$(tr ' ' '\n' <"$T/values" | grep nginx_ | tr '\n' ' ' | sed 's/ $//')" "$(cat "$T/staprun")"
}

for suite in $nginxes; do
	use_release "$suite" || { skip "$suite" "$no_root"; continue; }
	make_html
	WORKERS=2
	if start_nginx "$here/truth.conf"; then
		until_true 30 all_listed
		read_values "$suite"
		stop_nginx
	fi
	leave_release
done
"$bin/ngx-values" -p $$ >"$T/out" 2>"$T/said"
check_eq 'no nginx: exit' 2 $?
check_eq 'no nginx: nothing on stdout' '' "$(cat "$T/out")"
check_eq 'no nginx: said' "ngx-values: no worker of nginx in process $$ or its children: give the PID of nginx's master or of a worker" "$(cat "$T/said")"
