#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# clock: in a time namespace the recorder's clock differs from the clock of the kernel's events. A recording with a limit of a day that is
# interrupted is whole. It is not tested that changes of the wall clock have no influence, because all programs of the machine would see
# them: see Time in flametap-security(7).
set -eu
. "$TOP/tests/hostile/lib.sh"

cat >"$T/library.c" <<'C'
void spin(void);
__attribute__((noinline)) static void in_library(void) { for (volatile int i = 0; i < 1000000; i++) ; }
void spin(void) { for (;;) in_library(); }
C
fresh_program "$T/library.so" "$T/library.c" -shared -fPIC

record_loaded() {
	record_longer "$offset" -u -- "$CASES/loaded" "$T/library.so" 500
	kill "$(sed -n "s/.* continues: .* is process //p" "$T/$offset.err")" 2>/dev/null || :
}

# the library is loaded during the recording: the order of events and samples matters
decided_seconds=1
for offset in 1000000 -100; do
	if ! unshare --time --monotonic $offset --boottime $offset --fork true 2>"$T/err"; then
		skip "clock/$offset" "$(cat "$T/err")"
		continue
	fi
	recorder() {
		unshare --time --monotonic $offset --boottime $offset --fork --kill-child \
			timeout -s KILL 300 "$BIN" --engine bpf --min-quality 0 "$@"
	}
	until_decided "$offset: whole stacks" "$T/$offset.folded" 'main(;spin;in_library|;.*)?' record_loaded
	check_eq "$offset: exit code" 0 "$status"
	check "$offset: the library's" grep -q ';spin;in_library ' "$T/$offset.folded"
done

recorder() {
	"$BIN" --engine bpf --min-quality 0 "$@"
}
"$CASES/loaded" "$T/library.so" >"$T/out" &
target=$!
at_end 'kill $target 2>/dev/null'
until_true grep -q spinning "$T/out" || note "$T/out"
begin_record day -u -p $target -t 86400
sleep 2
kill -INT "$(pgrep -P "$recording" sample-bt)"
end_record
note "$T/day.err"
check_eq 'day: exit code' 0 "$status"
check 'day: the recording is whole' grep -q '^end ' "$T/day.rec"
expect_samples day
check 'day: how long it was' test "$(sed -n 's/^meta seconds \([0-9]*\).*/\1/p' "$T/day.rec")" -lt 86400
