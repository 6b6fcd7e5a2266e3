#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program that sends windows is started again when it has ended.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/serve.sh"

export HOME="$T"
for url in nonsense otlp://u:secret@h clickhouse:///d; do
	"$BIN" --engine bpf -a --every 1s --spool "$T/spool" --push "$url" 2>"$T/err" && status=0 || status=$?
	check_eq "refused: --push $url" "64 1 sample-bt: --push '$url': " "$status $(grep -c . "$T/err") $(grep -o "^sample-bt: --push '.*': " "$T/err")"
done
[ "$(id -u)" = 0 ] || { skip 'a recording' 'needs root'; exit 0; }

serve
server=$!
"$BIN" --quiet --engine bpf --at syscall.getpriority --every 1s --spool "$T/spool" --push "otlp+http://127.0.0.1:$port" -- \
	perl -e 'for ($n = 0; !-e $ARGV[0]; $n++) { getpriority(0, 0); select(undef, undef, undef, 0.001) } open F, ">", $ARGV[1]; print F $n' \
	"$T/stop" "$T/calls" 2>"$T/said" &
recorder=$!
# sender: prints the process of bt-fleet
sender() { pgrep -P "$recorder" -x bt-fleet; }
sent() { wc -l <"$T/server/log"; }
has_sent() { [ "$(sent)" -gt "$1" ]; }
runs_other() { [ "$(sender)" ] && [ "$(sender)" != "$first" ]; }

until_true has_sent 0
first=$(sender)
kill -9 "$first"
until_true grep -q 'killed by signal 9' "$T/said"
check_eq 'what happened is said' "sample-bt: bt-fleet was killed by signal 9 (Killed): it is started again; windows wait in '$T/spool'" \
	"$(sed 's/again .*;/again;/' "$T/said")"
until_true runs_other
before=$(sent)
check 'it is started again, and sends windows' until_true has_sent "$before"
first=$(sender)
kill -9 "$first"
said_twice() { [ "$(grep -c 'killed by signal 9' "$T/said")" = 2 ]; }
check 'also if it ends again' until_true said_twice
: >"$T/stop"
wait "$recorder" && status=0 || status=$?
check_eq 'at the end all is sent' '0 0' "$status $(find "$T/spool" -name '*.zst' | wc -l)"
# a collector gets a window twice if the program was killed before the answer
check_eq 'each call is in a window' "$(cat "$T/calls")" \
	"$(cksum "$T"/server/[0-9]* | sort -k 1,2 | awk '!seen[$1]++ { print $3 }' | while read -r file; do "$TOP/bin/bt-collapse" "$file" 2>/dev/null; done | awk '{ n += $NF } END { print n }')"
kill "$server"
