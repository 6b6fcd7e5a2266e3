# SPDX-License-Identifier: GPL-2.0-or-later
# The functions that judge recordings, and the awk programs of documentation and build, with each awk.
set -eu

. "$TOP/tests/shell/lib.sh"
. "$TOP/tests/record.sh"
cd "$TOP"

cat >"$T/a.folded" <<'END'
_start;__libc_start_main;main;plain+0x12;leaf 995
start_thread;clone3;work \x2b;leaf 4
[unknown] 1
END
echo 'sample-bt: 1000 samples kept, 12 lost (skipped 5, table-full 7); 0.5 of 2 CPUs for 1.1 s; stacks 99.9 % whole, 0.1 % broken; frames 98.5 % named' \
	>"$T/a.err"

# judgements: prints the results of the functions for made-up recordings
judgements() {
	for counts in '298 0' '299 0' '0 5' '0 6' '1000 50' '1000 8'; do
		# shellcheck disable=SC2086 # two words
		echo "$counts: $(sequential $counts)"
	done
	for what in kept lost skipped whole named; do
		echo "$what $(account $what a)"
	done
	# in subshells, so that their failures are not counted as this test's
	(few 'few' 8 1000; few 'many' 50 1000; few 'none of a few' 0 100)
	(expect_stack "$T/a.folded" 'main;plain\+0x12;leaf' 99 'a stack'; expect_stack "$T/a.folded" 'main;leaf' 1 'no such stack')
	(expect_share 'a share' "$T/a.folded" leaf 99.9; expect_share 'not that share' "$T/a.folded" leaf 50)
	weight "$T/a.folded" 'work .x2b;leaf$'
	rootless "$T/a.folded"
}

cat >"$T/expected" <<'END'
298 0: more
299 0: good
0 5: more
0 6: bad
1000 50: bad
1000 8: good
kept 1000
lost 12
skipped 5
whole 99.9
named 98.5
ok - few
not ok - many: bad: 50 of 1000
not ok - none of a few: more: 0 of 100
ok - a stack
not ok - no such stack: 0.00 % of the samples have the stack ^(_start|_*clone3?|thread_start)(;(_*libc_start[^;]*|_start_c|start_thread|\[[^];]*\]|[^;]*\+0x[0-9a-f]*)){0,4};main;leaf$, not 1 %
# 995 _start;__libc_start_main;main;plain+0x12;leaf
# 4 start_thread;clone3;work \x2b;leaf
# 1 [unknown]
ok - a share
not ok - not that share: 99.90 % of 1000, expected 50
4
1
END

# programs_of_awk: prints output that must be equal with each awk
programs_of_awk() {
	find src -name '*.[ch]' | LC_ALL=C sort | xargs awk -f tests/docs/structure.awk tests/docs/includes
	"$BIN" --help >"$T/help"
	for shell in bash zsh fish; do
		awk -v shell=$shell -v program=sample-bt -f completion/completion.awk "$T/help"
	done
}

for name in $awks; do
	if ! with_awk $name; then
		skip "$name" 'not installed'
		continue
	fi
	(
		T_top=$T/$name.apart # these results are counted apart
		mkdir "$T_top"
		judgements
	) >"$T/$name" 2>&1
	check_eq "$name: judgements" "$(cat "$T/expected")" "$(cat "$T/$name")"
	programs_of_awk >"$T/$name.programs" 2>&1
	: "${first:=$T/$name.programs}"
	check "$name: structure and completions" cmp "$T/$name.programs" "$first"
done
