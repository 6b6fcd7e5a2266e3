#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 35-lines: source lines of each language's functions, from the files that the process has executed: a program knows its busy line, and
# recordings know the contents of its file.
set -u
. "$TOP/tests/python/lib.sh"
cd "$T" || exit 1

# Each busy function has two lines that take time; only one of them has the word busy.
cat >busy.pl <<'END'
sub work { my $n = 0;
	for my $i (1 .. 100_000) { $n += $i % 7 } # busy
	return $n }
work() while 1;
END
cat >busy.py <<'END'
def work():
    n = 0
    for i in range(100_000): n += i % 7 # busy
    return n
while True: work()
END
cat >busy.lua <<'END'
local function work()
	local n = 0
	for i = 1, 1000000 do n = n + i % 7 end -- busy
	return n
end
while true do work() end
END
cat >busy.php <<'END'
<?php
class Shop { function work() { $n = 0;
	for ($i = 0; $i < 1000000; $i++) { $n += $i % 7; } # busy
	return $n; } }
while (true) { (new Shop)->work(); }
END
cat >busy.rb <<'END'
class Shop
  def work
    n = 0; i = 0
    while i < 1_000_000; n += i % 7; i += 1; end # busy
    n
  end
end
loop { Shop.new.work }
END

blob() {
	python3 -c 'import hashlib, sys
text = open(sys.argv[1], "rb").read()
print(hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest())' "$1"
}

# busy_line NAME ARG…: prints the self and total weight of the busy line, if it has both
busy_line() {
	busy_name=$1
	shift
	"$bin/bt-annotate" "$@" "$busy_name.rec" 2>"$busy_name.said" >"$busy_name.lines"
	awk '/busy$/ && $1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ { print "has samples" }' "$busy_name.lines"
}

# sees NAME PID ARG…: records NAME.rec, and looks for samples of the busy line
sees() {
	"$bin/sample-bt" --engine bpf --vm auto -p "$2" -t 0.5 -o "$1.rec" >"$1.out" 2>"$1.err"
	[ "$(busy_line "$1" --file "$3")" ]
}

# known PROGRAM FILE FUNCTION: runs it, and checks the lines of its function and its file
known() {
	[ -x "$(command -v "$1")" ] || { skip "$2" "$1 is not installed"; return 0; }
	"$1" "$2" &
	busy=$!
	at_end "kill $busy 2>/dev/null"
	until_true sees "$2" $busy "$2" || :
	check_eq "$2: the busy line of the file" 'has samples' "$(busy_line "$2" --file "$2")"
	check_eq "$2: the busy line of its function" 'has samples' "$(busy_line "$2" --function "$3")"
	check_eq "$2: by default" 'has samples' "$(busy_line "$2")"
	check_eq "$2: the contents are recorded" "$(blob "$2") -" "$(sed -n "s|^source [^ ]*$2 ||p" "$2.rec")"
	sed -i 's/busy$/lazy/' "$2" # the same size
	touch -d '2019-12-01' "$2"
	check_eq "$2: another text is refused" '' "$(busy_line "$2" --file "$2")"
	check "$2: says so" grep -q "$2' is not what was recorded" "$2.lines"
	kill $busy
	at_end :
}

known /usr/bin/perl busy.pl main::work
known /usr/bin/python3 busy.py '*work'
lua=$(command -v lua5.4 || command -v luajit || echo none)
known "$lua" busy.lua '*work'
known php busy.php Shop::work
known "$(ls /usr/bin/ruby[1-9]* 2>/dev/null | tail -n 1)" busy.rb 'Shop#work'

# a program that has another file at the path, as in a container
if ! unshare -m true 2>/dev/null; then
	skip 'a container' 'unshare does not work here'
	exit 0
fi
mkdir app image
printf 'print("not this one")\n# busy\n' >app/run.py
printf 'def work():\n    return sum(i %% 7 for i in range(100_000))\nwhile True:\n    work() # busy\n' >image/run.py
touch -d '2019-12-01' app/run.py
unshare -m --propagation private sh -c "mount --bind '$T/image' '$T/app' && exec /usr/bin/python3 '$T/app/run.py'" &
inside=$!
at_end "kill $inside 2>/dev/null"
sees_inside() {
	"$bin/sample-bt" --engine bpf --vm auto -p $inside -t 0.5 -o inside.rec >inside.out 2>inside.err
	"$bin/bt-annotate" --file app/run.py inside.rec >inside.lines 2>inside.said && grep -q 'work() # busy' inside.lines
}
until_true sees_inside || :
check 'a container: the text of its file' grep -qE '[0-9] +4 +work\(\) # busy$' inside.lines
check_eq 'a container: its contents are recorded' "$(blob image/run.py) -" "$(sed -n 's|^source [^ ]*app/run.py ||p' inside.rec)"
kill $inside
wait $inside 2>/dev/null
at_end :
"$bin/bt-annotate" --file app/run.py inside.rec >inside.lines 2>inside.said
check_eq 'a container that has ended: no line of another file' 0 "$(grep -c 'not this one' inside.lines)"
check 'a container that has ended: says so' grep -q "app/run.py' is not what was recorded" inside.lines
check 'a container that has ended: the numbers of lines' grep -qE '^ *[0-9.]+ .* 4$' inside.lines
mkdir -p "root$T/app" && cp image/run.py "root$T/app"
"$bin/bt-annotate" --root root --file app/run.py inside.rec >inside.lines 2>inside.said
check 'a container that has ended: --root' grep -q 'work() # busy' inside.lines
