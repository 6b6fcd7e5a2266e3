#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 25-targets: selects processes by their ancestors, by their names, and by the cgroup, container or unit that they are in; processes that
# start during the recording are included, and no other process is.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# names that no other process of this machine has
mine=tg$$a
other=tg$$b
late=tg$$c
cp "$(command -v perl)" "$T/$mine"
cp "$T/$mine" "$T/$other"
cp "$T/$mine" "$T/$late"
# works for a short time, again and again
busy='while (1) { $i++ for 1 .. 100000; select undef, undef, undef, 0.04 }'
# works in user mode and in kernel mode for a while; join does it in a cgroup
echo 'for (1 .. 30000) { open my $file, "<", "/proc/self/stat"; <$file> }' >"$T/calls"
printf 'sleep 0.3\necho $$ >"$1/cgroup.procs"\nexec "$2" "$3"\n' >"$T/join"
id=$(printf '%064x' $$)
short=$(printf %.12s "$id")
unified=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
v1=$(awk '$3 == "cgroup" && $4 ~ /name=systemd|memory/ { print $2; exit }' /proc/mounts)
made=''
started=''

leave() {
	for pid in $started; do
		kill "$pid" 2>/dev/null || :
	done
	wait 2>/dev/null || :
	for folder in $made; do
		rmdir "$folder" 2>/dev/null || :
	done
	test_end
}
trap leave EXIT

# burn PROGRAM: starts PROGRAM in the background as $pid
burn() {
	nice -n -10 setpriv --pdeathsig TERM "$T/$1" -e "$busy" &
	pid=$!
	started="$started $pid"
	until_true grep -qs "^$1\$" "/proc/$pid/comm" || :
}

# make_cgroup FOLDER: fails if the cgroup cannot be made
make_cgroup() {
	mkdir "$1" 2>/dev/null || return 1
	made="$1 $made"
}

# record_only NAME COMM ARG…: checks that there are samples of COMM and of no other process; the root frame is the name of the process
record_only() {
	only_name=$1
	only_comm=$2
	shift 2
	record_until_seen "$only_name" "^$only_comm;" -u --by comm "$@"
	check_eq "$only_name: exit code" 0 "$status"
	check_eq "$only_name: of others" 0 "$(grep -cv "^$only_comm;" "$T/$only_name.folded" || :)"
}

burn "$mine"
one=$pid
burn "$other"

# by title: it tells the children of a master apart, also if they change it after they were started
perl -e 'for my $n ("alpha", "beta") { fork or do { select undef, undef, undef, 0.5; $0 = "worker: $n"; '"$busy"' } } $0 = "master"; sleep' &
master=$!
until_true sh -c "[ \$(pgrep -c -P $master) = 2 ]" || :
started="$started $master $(pgrep -P "$master" | tr '\n' ' ')"
record_until_seen 'title: one child' '^worker: alpha;' -p "$master" --children -u --by title
record_until_seen 'title: the other' '^worker: beta;' -p "$master" --children -u --where 'title=worker: b*' --by title
record 'title: not asked for' -p "$master" --children -u -t 0.2
check_eq 'title: not recorded unless it is asked for' '' "$(grep '^label [0-9]* title ' "$T/title: not asked for.rec" || :)"
check_eq 'title: only the child that is asked for' 0 "$(grep -cv '^worker: beta;' "$T/title: the other.folded" || :)"

# by name
record_only comm "$mine" --comm "$mine"
record_only comm-prefix "$mine" --comm "tg$$a*"
record comm-off-cpu --script off-cpu -u --by comm --state all --comm "$mine" -t 1
check_eq 'comm-off-cpu: of others' 0 "$(grep -cv "^$mine;" "$T/comm-off-cpu.folded" || :)"
expect_record comm-none 2 --comm "tg$$x" -t 1
check 'comm-none: says so in a line' sh -c "[ \$(grep -c . '$T/comm-none.err') = 1 ] && grep -q 'no process or thread has the name' '$T/comm-none.err'"

# processes that start while a command runs
decided_seconds=''
record_only comm-command "$late" --comm "$late" -- "$T/$late" -e '$i++ for 1 .. 3e6'
decided_seconds=0.5

# children that run already, their children, and later ones, but not the other children of the master's parent
mkfifo "$T/more"
nice -n -10 sh -c "\"$T/$mine\" -e '$busy' & c=\$!; sh -c '\"$T/$mine\" -e \"\$1\" & echo \$! >>\"\$2\"; wait' x '$busy' \"$T/pids\" & d=\$!
	echo \$c \$d >>'$T/pids'; read -r line <'$T/more'; \"$T/$late\" -e '$busy' & echo \$! >>'$T/pids'; wait" &
master=$!
started="$started $master"
count_pids() {
	started="$started $(tr '\n' ' ' <"$T/pids")"
	[ "$(wc -l <"$T/pids")" -ge "$1" ]
}
: >"$T/pids"
# worked PID: prints the CPU time of PID in 1/100 s
worked() {
	sed 's/.*) //' "/proc/$1/stat" | { read -r _ _ _ _ _ _ _ _ _ _ _ user kernel _; echo $((user + kernel)); }
}
# have_worked: checks that each child has worked 0.2 s since $before, and the later one 0.2 s in all
have_worked() {
	for pid in $(cat "$T/pids"); do
		case $(cat "/proc/$pid/comm") in
		"$mine") [ "$(worked "$pid")" -ge $((before + 20)) ] || return 1 ;;
		"$late") [ "$(worked "$pid")" -ge 20 ] || return 1 ;;
		esac
	done
}
until_true count_pids 2 || not_ok children 'they do not start'
"$BIN" --engine bpf -p "$master" --at syscall.sethostname -t 0.1 >"$T/out" 2>"$T/err" || :
check 'children: said if they are left out and nothing else happens' \
	grep -q 'no samples: the target hit no probe point; --children also records its 3 child processes$' "$T/err"
begin_record children -u -p "$master" --children
before=$(for pid in $(cat "$T/pids"); do worked "$pid"; done | sort -n | tail -n 1)
echo >"$T/more"
until_true count_pids 3 || not_ok children 'no later one'
until_true have_worked || not_ok children 'they do not work'
kill "$master" 2>/dev/null || :
end_record
check 'children: that ran already' grep -q "^$mine;" "$T/children.folded"
check 'children: that start later' grep -q "^$late;" "$T/children.folded"
"${BIN%/*}/bt-collapse" --threads "$T/children.rec" 2>/dev/null | sed -n "s|^$mine/\([0-9]*\);.*|\1|p" | sort -u >"$T/children.tids"
check_eq 'children: children and grandchildren, no others' 2 "$(wc -l <"$T/children.tids")"
check_eq 'children: not the neighbour' 0 "$(grep -cx "$one" "$T/children.tids" || :)"
for pid in $(cat "$T/pids"); do
	kill "$pid" 2>/dev/null || :
done
wait "$master" 2>/dev/null || :

# by cgroup; cgroups of v1 have no IDs in the kernel's v2 tree
by_cgroup() {
	if [ -z "$2" ] || ! make_cgroup "$2/$mine"; then
		skip "$1" 'no such cgroup can be made here'
		return 0
	fi
	make_cgroup "$2/$mine/docker-$id.scope"
	make_cgroup "$2/$mine/docker-$id.scope/$mine.service"
	folder=$2/$mine/docker-$id.scope/$mine.service
	echo "$one" >"$folder/cgroup.procs"
	record_only "$1-cgroup" "$mine" --cgroup "/$mine"
	record_only "$1-path" "$mine" --cgroup "$2/$mine/docker-$id.scope"
	record_only "$1-container" "$mine" --container "$id"
	record_only "$1-unit" "$mine" --unit "$mine"
	expect_record "$1-none" 2 --unit "$mine.scope" -t 1
	check "$1-none: says so in a line" sh -c "[ \$(grep -c . '$T/$1-none.err') = 1 ] && grep -q \"no cgroup of a unit '$mine.scope'\" '$T/$1-none.err'"
	# records all processes, with the cgroup as label: processes that ran before and processes that start
	labels "$1-labels" -u
	labels "$1-labels-kernel" -k
	# a cgroup that is made while a command runs, and a process that moves into it
	decided_seconds=''
	made="$2/$other $made"
	record_only "$1-later" "$mine" --cgroup "$2/$other" -- sh -c "sleep 0.3; mkdir -p '$2/$other'; echo $one >'$2/$other/cgroup.procs'
		i=0; while [ \$i -lt 20 ]; do i=\$((i + 1)); sleep 0.1; done"
	decided_seconds=0.5
	echo "$one" >"$2/cgroup.procs"
	for folder in $made; do
		rmdir "$folder" 2>/dev/null || :
	done
}
# labels NAME STACKS: checks the labels of $one and of a process that has already ended when the recording ends
labels() {
	label_name=$1
	label_stacks=$2
	until_true labels_seen || :
	[ "$2" = -k ] || check "$1: container of one that ran" sees_label container "$short;$mine"
	check "$1: container of one that came and went" sees_label container "$short;$late"
	check "$1: unit" sees_label unit "$mine.service;$late"
	check "$1: cgroup" sees_label cgroup "/[^;]*$mine/docker-$id.scope/$mine.service;$late"
	check_eq "$1: of others" 0 "$(grep -vE "^[^;]*;($mine|$late|sh);" "$T/$1.container" | grep -c "^$short;" || :)"
}

labels_seen() {
	record "$label_name" "$label_stacks" -a -- sh "$T/join" "$folder" "$T/$late" "$T/calls"
	for key in container unit cgroup; do
		"${BIN%/*}/bt-collapse" --by comm,$key "$T/$label_name.rec" >"$T/$label_name.$key" 2>"$T/$label_name.err"
	done
	sees_label container "$short;$late" && { [ "$label_stacks" = -k ] || sees_label container "$short;$mine"; }
}

# sees_label KEY ERE: labels and the names of processes are the root frames
sees_label() {
	grep -qE "^$2;" "$T/$label_name.$1"
}

by_cgroup v2 "$unified"
[ -z "${CHECK_ALL-}" ] || by_cgroup v1 "$v1"
