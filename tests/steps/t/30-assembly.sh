#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 30-assembly: functions that were not compiled: the CFA depends on other registers or on memory; code without rules.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/steps/lib.sh"

walk 'cfa in rbx' 'asm cfa_rbx' 'main next cfa_rbx spin'
walk 'cfa in memory' 'asm cfa_deref' 'main next cfa_deref spin'
walk 'leaf: cfa in rax' 'asm leaf_rax' 'main next leaf_rax'
walk 'leaf: cfa in r10' 'asm leaf_r10' 'main next leaf_r10'
walk 'cfa in rax over a call' 'asm leaf_kept' 'main next leaf_kept keeps_rax'
# r12 belongs to the callee there
walk 'cfa in r12, which the callee saves' 'asm leaf_saved' 'main next leaf_saved keeps_rax' -e leaf_saved
walk 'cfa everywhere' 'asm cfa_rbx cfa_deref cfa_rbx cfa_rbx cfa_deref leaf_r10' 'main next cfa_rbx cfa_deref leaf_r10'

walk 'frame pointer alone' 'asm no_cfi_fp' 'main next no_cfi_fp spin'
walk 'frame pointer between others' 'asm cfa_deref no_cfi_fp cfa_rbx no_cfi_fp leaf_rax' 'next cfa_deref no_cfi_fp cfa_rbx leaf_rax'
# other code that the linker adds to a program has no unwind information either
added='_init _fini __do_global_dtors_aux'
for how in no_cfi no_cfi_stale; do
	walk $how "asm $how" "main next $how spin"
	# until the code is analysed the caller cannot be known
	walk "$how, not analysed" "asm $how" "main next" -u -e "$how $added" -w "$added"
done
walk leaf_no_cfi 'asm leaf_no_cfi' 'main next leaf_no_cfi'
walk 'leaf_no_cfi, not analysed' 'asm leaf_no_cfi' 'main next' -u -e "leaf_no_cfi $added" -w "$added"

# a check of the judge itself: it finds a false rule
walk 'right rules' 'returns plain' 'main over_and_over plain'
"$MADE/steps" "$CASES/returns" 600 lies >"$T/said" && status=0 || status=$?
check_eq 'false rules: exit code' 1 "$status"
check 'false rules: where' grep -q '^# at lies+0x[0-9a-f]*: from lies+0x[0-9a-f]* to .*, not over_and_over+0x' "$T/said"
