# SPDX-License-Identifier: GPL-2.0-or-later
# What is recorded: the whole system, processes by name and by cgroup; and progress on a terminal.
set -eu

. "$TOP/tests/live/lib.sh"

# on a terminal, where progress is shown until the command starts to use it
python3 "$TOP/tests/terminal.py" "$BIN" -u --min-quality 1 -o c.rec -- sh -c 'echo its first line; sleep 2' >terminal 2>&1 || :
check 'terminal: progress before the command' grep -q 'preparing the probes' terminal
check 'terminal: the first line of the command is its own' sh -c "tr '\\r' '\\n' <terminal | sed 's/.\\[K//g' | grep -qx 'its first line'"
check_eq 'terminal: no progress from then on' '' "$(sed '1,/its first line/d' terminal | grep -a 'recording, ')"
# the whole system: unwind information is prepared for the files of busy processes, which is reported
nice -n -10 sh -c 'while :; do :; done' 2>/dev/null &
busy=$!
await_start $busy
sees_busy() {
	"$BIN" -v -a -u -d >stdout 2>stderr
	grep -q "^unwind rules for the files of process $busy\$" stderr
}
# other processes may be as busy
until_true sees_busy || :
kill $busy
check 'all: rules for the busiest' grep -q "^unwind rules for the files of process $busy\$" stderr
check 'all: its files' sh -c "head -n 1 stdout | grep -q -- '-d $(realpath /bin/sh) .* u all'"

# by name: the script gets the processes that match at this moment, and their cgroups become labels
name=tg$$
cp "$(command -v sleep)" "$name"
./$name 1000 &
named=$!
await_start $named
sample good 0 --comm $name -u -t 0.3 --min-quality 1 -o n.rec
check 'comm: that process' grep -q "^task 0 $named $named " n.rec
check 'comm: later ones are missing' grep -q 'what was selected at the beginning: processes that started later are missing$' stderr
sample good 2 --comm ${name}x -u -t 0.3
check 'comm: one line says that there is none' sh -c "[ \$(grep -c . stderr) = 1 ] && grep -q \"no process or thread has the name '${name}x'\" stderr"
sample good 2 --comm ${name}x -u -- sleep 0
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$cgroups" ] && mkdir "$cgroups/$name" 2>/dev/null && echo $named >"$cgroups/$name/cgroup.procs"; then
	sample good 0 --cgroup "/$name" -u -t 0.3 --min-quality 1 -o n.rec
	check 'cgroup: that process' grep -q "^task 0 $named $named " n.rec
	check 'cgroup: it is a label' grep -qx "label 0 cgroup /$name" n.rec
	check 'cgroup: of its rows' grep -q '^row 0 0 0 0 30 30$' n.rec
else
	skip cgroup 'no cgroup can be made here'
fi
kill $named
wait $named 2>/dev/null || :
named=''
[ -z "$cgroups" ] || rmdir "$cgroups/$name" 2>/dev/null || :
