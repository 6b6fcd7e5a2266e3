#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 25-targets: processes by what they descend from, what they are called, and the cgroup, container or unit that they are in; also those
# that come while it records, and none other.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/bpf/lib.sh"

# names that nothing else on this machine has
mine=tg$$a
other=tg$$b
late=tg$$c
cp "$(command -v sh)" "$T/$mine"
cp "$T/$mine" "$T/$other"
cp "$T/$mine" "$T/$late"
busy='while :; do :; done'
# a while in user and in kernel mode; and that in a cgroup
echo 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); : </proc/self/stat; done' >"$T/calls"
printf 'sleep 0.3\necho $$ >"$1/cgroup.procs"\nexec "$2" "$3"\n' >"$T/join"
id=$(printf '%064x' $$)
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

# burn PROGRAM: it runs in the background as $pid
burn() {
	nice -n -10 setpriv --pdeathsig TERM "$T/$1" -c "$busy" &
	pid=$!
	started="$started $pid"
	until_true 60 grep -qs "^$1\$" "/proc/$pid/comm" || :
}

# make_cgroup FOLDER: false, it cannot be made
make_cgroup() {
	mkdir "$1" 2>/dev/null || return 1
	made="$1 $made"
}

# expect_only NAME COMM LEAST: the recording NAME has so many samples of COMM, and none of others
expect_only() {
	check "$1: samples of $2" test "$(weight "$T/$1.comm" "^$2;")" -ge "$3"
	check_eq "$1: of others" 0 "$(grep -cv "^$2;" "$T/$1.comm" || :)"
}

# record_only NAME ARG…: likewise, with the name of the process as root frame
record_only() {
	only=$1
	shift
	record_for "$only" 1 -u --by comm "$@"
	check_eq "$only: exit code" 0 "$status"
	cp "$T/$only.folded" "$T/$only.comm"
	expect_only "$only" "$mine" 50
}

burn "$mine"
one=$pid
burn "$other"

# by name
record_only comm --comm "$mine"
record_only comm-prefix --comm "tg$$a*"
record comm-off-cpu --script off-cpu -u --by comm --state all --comm "$mine" -t 1
check_eq 'comm-off-cpu: of others' 0 "$(grep -cv "^$mine;" "$T/comm-off-cpu.folded" || :)"
expect_record comm-none 2 --comm "tg$$x" -t 1
check 'comm-none: says so in a line' sh -c "[ \$(grep -c . '$T/comm-none.err') = 1 ] && grep -q 'no process or thread has the name' '$T/comm-none.err'"

# those that start while a command runs
record comm-command -u --by comm --comm "$late" -- "$T/$late" -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
cp "$T/comm-command.folded" "$T/comm-command.comm"
expect_only comm-command "$late" 20

# children that run already, theirs, and later ones, but not the master's neighbours
mkfifo "$T/more"
nice -n -10 "$T/$other" -c "\"$T/$mine\" -c '$busy' & c=\$!; \"$T/$other\" -c '\"$T/$mine\" -c \"\$1\" & echo \$! >>\"\$2\"; wait' x '$busy' \"$T/pids\" & d=\$!
	echo \$c \$d >>'$T/pids'; read -r line <'$T/more'; \"$T/$late\" -c '$busy' & echo \$! >>'$T/pids'; wait" &
master=$!
started="$started $master"
count_pids() {
	started="$started $(tr '\n' ' ' <"$T/pids")"
	[ "$(wc -l <"$T/pids")" -ge "$1" ]
}
: >"$T/pids"
until_true 60 count_pids 2 || not_ok children 'they do not start'
begin_record children -u -p "$master" --children
echo >"$T/more"
until_true 60 count_pids 3 || not_ok children 'no later one'
sleep 3
kill "$master" 2>/dev/null || :
end_record
check 'children: that ran already' test "$(weight "$T/children.folded" "^$mine;")" -gt 50
check 'children: that start later' test "$(weight "$T/children.folded" "^$late;")" -gt 20
"${BIN%/*}/bt-collapse" --threads "$T/children.rec" 2>/dev/null | sed -n "s|^$mine/\([0-9]*\);.*|\1|p" | sort -u >"$T/children.tids"
check_eq 'children: children and grandchildren, no others' 2 "$(wc -l <"$T/children.tids")"
check_eq 'children: not the neighbour' 0 "$(grep -cx "$one" "$T/children.tids" || :)"
for pid in $(cat "$T/pids"); do
	kill "$pid" 2>/dev/null || :
done
wait "$master" 2>/dev/null || :

# by cgroup; v1's have no IDs in the kernel's v2 tree
by_cgroup() {
	if [ -z "$2" ] || ! make_cgroup "$2/$mine"; then
		skip "$1" 'no such cgroup can be made here'
		return 0
	fi
	make_cgroup "$2/$mine/docker-$id.scope"
	make_cgroup "$2/$mine/docker-$id.scope/$mine.service"
	folder=$2/$mine/docker-$id.scope/$mine.service
	echo "$one" >"$folder/cgroup.procs"
	record_only "$1-cgroup" --cgroup "/$mine"
	record_only "$1-path" --cgroup "$2/$mine/docker-$id.scope"
	record_only "$1-container" --container "$id"
	record_only "$1-unit" --unit "$mine"
	expect_record "$1-none" 2 --unit "$mine.scope" -t 1
	check "$1-none: says so in a line" sh -c "[ \$(grep -c . '$T/$1-none.err') = 1 ] && grep -q \"no cgroup of a unit '$mine.scope'\" '$T/$1-none.err'"
	# of everything: what the cgroup says, as labels, of processes that ran before and that come
	labels "$1-labels" -u
	labels "$1-labels-kernel" -k
	# one that is made while a command runs, and a process that moves into it
	record "$1-later" -u --by comm --cgroup "$2/$other" -- sh -c "sleep 0.3; mkdir '$2/$other'; echo $one >'$2/$other/cgroup.procs'
		i=0; while [ \$i -lt 50 ]; do i=\$((i + 1)); sleep 0.1; done"
	made="$2/$other $made"
	cp "$T/$1-later.folded" "$T/$1-later.comm"
	expect_only "$1-later" "$mine" 20
	echo "$one" >"$2/cgroup.procs"
	for folder in $made; do
		rmdir "$folder" 2>/dev/null || :
	done
}
# labels NAME STACKS: $one and a process that it is too late to ask when the recording ends
labels() {
	record "$1" "$2" -a -- sh "$T/join" "$folder" "$T/$late" "$T/calls"
	for key in container unit cgroup; do
		"${BIN%/*}/bt-collapse" --comm --by $key "$T/$1.rec" >"$T/$1.$key" 2>"$T/$1.$key.err" || note "$T/$1.$key.err"
	done
	short=$(printf %.12s "$id")
	[ "$2" = -k ] || check "$1: container of one that ran" test "$(weight "$T/$1.container" "^$short;$mine;")" -gt 20
	check "$1: container of one that came and went" test "$(weight "$T/$1.container" "^$short;$late;")" -gt 5
	check "$1: unit" test "$(weight "$T/$1.unit" "^$mine.service;$late;")" -gt 5
	check "$1: cgroup" test "$(weight "$T/$1.cgroup" "^/[^;]*$mine/docker-$id.scope/$mine.service;$late;")" -gt 5
	check_eq "$1: of others" 0 "$(grep -vE "^[^;]*;($mine|$late|sh);" "$T/$1.container" | grep -c "^$short;" || :)"
}

by_cgroup v2 "$unified"
by_cgroup v1 "$v1"
