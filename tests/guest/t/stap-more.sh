#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# stap-more: other recordings by real SystemTap: waits, Perl, LuaJIT, Python, the labels of nginx's requests; and three ways in which a recording
# ends.
set -eu
. /lab/guest.sh
. /lab/record.sh

decided_seconds=2
programs=/lab/made/stap-more/programs
BIN=sample-bt BURN=$programs/ladder RECORD='-u --module /lab/made/stap-more/user.ko' TERMINAL=''
TMPDIR=$T
export TMPDIR
. /lab/endings.sh

start_perl() {
	lab_start perl -e 'sub deep { my $n = shift; return deep($n - 1) + 1 if $n; my $x = 0; $x++ for 1 .. 50_000_000; $x } deep(5) while 1'
}

start_lua() {
	echo 'loadstring "local function deep(n) if n > 0 then return deep(n - 1) + 1 end
			local x = 0 for i = 1, 2^40 do x = x + i % 3 end return x end deep(5)"()' | tr -s '\n\t' ' ' >"$T/loads.lua"
	lab_start luajit "$T/loads.lua"
}

start_python() {
	printf 'def deep(n):\n  if n: return deep(n - 1) + 1\n  for _ in range(2 ** 40): pass\ndeep(5)\n' >"$T/loops.py"
	lab_start python3 "$T/loops.py"
}

# Starts nginx with one worker, and a client that requests two locations in turn.
start_nginx() {
	mkdir -p "$T/html/one" "$T/html/two"
	chmod -R a+rX "$T_top"
	seq 30000 >"$T/html/one/text.html"
	cp "$T/html/one/text.html" "$T/html/two"
	cat >"$T/nginx.conf" <<-END
		daemon off; master_process off; user root; pid $T/pid; error_log $T/errors;
		events {}
		http {
			access_log off; gzip on; gzip_comp_level 9;
			client_body_temp_path $T/b; proxy_temp_path $T/p; fastcgi_temp_path $T/f; uwsgi_temp_path $T/u; scgi_temp_path $T/s;
			server { listen 127.0.0.1:8080; root $T/html; default_type text/html; location /one/ {} location /two/ {} }
		}
	END
	lab_start nginx -e "$T/errors" -p "$T" -c "$T/nginx.conf"
}

ask_nginx() {
	perl -MIO::Socket::INET -e 'my $n = 0;
		while (1) {
			my $s = IO::Socket::INET->new("127.0.0.1:8080") or select(undef, undef, undef, 0.1), next;
			print $s "GET /" . (++$n % 2 ? "one" : "two") . "/text.html HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n";
			1 while sysread $s, my $answer, 65536;
			print "answered\n" if $n == 1;
			$| = 1;
		}' >"$T/asked" &
	asking=$!
	until_true grep -q answered "$T/asked" || not_ok nginx 'it does not answer'
}

prepare() {
	sh /lab/programs/build "$programs"
	lab_start "$programs/ladder" 600
	lab_module user -F 200 -u -p "$target"
	lab_finish
	lab_start "$programs/waits" 600
	lab_module waits --script off-cpu --stap-arg $lab_lock_wait -p "$target"
	lab_finish
	start_perl
	lab_module perl -F 200 --perl -p "$target"
	lab_finish
	start_lua
	lab_module lua -F 200 --lua -p "$target"
	lab_finish
	start_python
	lab_module python -F 200 --mixed --python -p "$target"
	lab_finish
	start_nginx
	lab_module nginx -F 499 --nginx -u -p "$target"
	lab_finish
}

recorder() {
	lab_module "$record_name" --min-quality 1 "$@"
}

# longest_stay US REC: prints in how many slices of US a thread that never ran has waited all the time
longest_stay() {
	awk -v us="$1" '$1 == "label" && $3 == "ran" { never = $2 }
		/^row/ { is_never = "," $5 "," ~ "," never "," }
		/^series/ && is_never {
			stay = 0
			for (i = 2; i <= NF; i++) {
				split($i, part, "[*/+]")
				if (part[2] == 0 && part[3] == us)
					stay += part[4] + 1
			}
			if (stay > longest)
				longest = stay
		}
		END { print longest + 0 }' "$2"
}

waits() {
	lab_start "$programs/waits" 600
	expect_record waits 0 --script off-cpu -p "$target" -t 2 --slice 400ms --asleep
	lab_finish
	check 'waits: where turns are awaited' grep -qE ';work_in_turns;await_turn;.*;futex_wait_\[k\];.* [0-9]+$' "$T/waits.folded"
	check 'waits: nothing is lost' grep -q ' kept, 0 lost' "$T/waits.err"
	check 'waits: one that lasts takes the whole of slices' test "$(longest_stay 400000 "$T/waits.rec")" -ge 3
	slices_add_up waits
}

languages() {
	start_perl
	record_until_decided perl '^main(;main::deep){6}' --perl -p "$target"
	lab_finish
	start_lua
	loaded='\[string "local function deep\(n\) [^;]*"\]'
	record_until_decided lua "^(.*;)?loads:main chunk;$loaded:main chunk(;$loaded:deep(_\[j\])?){6}" --lua -p "$target"
	lab_finish
	start_python
	record_until_decided python '^_start;.*;loops:<module>(;loops:deep){6}(;[^;:]+)*' --mixed --python -p "$target"
	lab_finish
}

labels() {
	start_nginx
	ask_nginx
	expect_record nginx 0 --nginx -u -p "$target" -t 3
	kill "$asking"
	lab_finish
	bt-report --by location "$T/nginx.rec" >"$T/locations" 2>/dev/null || :
	note "$T/locations"
	check_eq 'nginx: the locations' '/one/ /two/' "$(sed -n 's,^\(/.*\)\(\,[^\,]*\)\{2\}$,\1,p' "$T/locations" | sort | paste -sd ' ')"
}

endings() {
	target "$BURN" 120
	driver -t 1
	recorded 0
	ended 'time is over' 0 4 some

	target "$BURN" 120
	driver
	recorded 1
	kill -INT "$driver"
	ended 'ctrl-c' 0 5 some

	target "$BURN" 6
	driver -t 120
	recorded 0
	ended 'target ends' 0 9 some
	endings_show
}

in_guest() {
	waits
	languages
	labels
	endings
	lab_keep "$T"/*.folded "$T"/*.err
}

guest_main "$@"
