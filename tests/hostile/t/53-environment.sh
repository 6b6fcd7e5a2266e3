#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# environment: root's recorder writes to no folder that the environment names, and runs no program that it names to find packages.
set -eu
. "$TOP/tests/lib.sh"

mkdir "$T/home" "$T/xdg" "$T/run" "$T/bin"
cat >"$T/bin/dpkg-query" <<'SH'
#!/bin/sh
env >"$(dirname "$0")/seen"
SH
chmod 755 "$T/bin/dpkg-query"
HOME=$T/home XDG_CACHE_HOME=$T/xdg XDG_RUNTIME_DIR=$T/run PATH=$T/bin:$PATH LD_FLAMETAP=1 \
	"$BIN" --engine bpf --min-quality 100 -u -o "$T/a.rec" -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' 2>"$T/err" || :
check 'it records' grep -q '^end ' "$T/a.rec"
check_eq 'nothing is written below HOME' '' "$(find "$T/home" -mindepth 1)"
check_eq 'nothing below XDG_CACHE_HOME' '' "$(find "$T/xdg" -mindepth 1)"
check_eq 'nothing below XDG_RUNTIME_DIR' '' "$(find "$T/run" -mindepth 1)"

# the folder for downloads is made before the server, which does not answer, is asked
HOME=$T/home XDG_CACHE_HOME=$T/xdg DEBUGINFOD_URLS=http://127.0.0.1:1/ "${BIN%/*}/bt-resolve" --debuginfod always "$T/a.rec" >"$T/out" 2>"$T/err" || :
note "$T/err"
check 'a server is asked' grep -q 127.0.0.1 "$T/err"
check_eq 'debuginfod: nothing is written below HOME' '' "$(find "$T/home" "$T/xdg" -mindepth 1)"

[ -e /etc/debian_version ] || exit 0
HOME=$T/home PATH=$T/bin:$PATH LD_FLAMETAP=1 "${BIN%/*}/bt-resolve" --missing "$T/a.rec" >"$T/out" 2>&1 || :
check 'the package of a file is named' grep -q 'apt install' "$T/out"
check 'no program is run for it' test ! -e "$T/bin/seen"
