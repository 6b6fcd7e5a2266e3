#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# own-scripts: a user's own script is used only if nobody but the user and root can change it.
set -eu
. "$TOP/tests/hostile/lib.sh"

others_enter own-scripts || exit 0

chmod 755 "$T_top" "$T"
config=$T/config own=$T/config/flametap/stap
mkdir -p "$own"
cat >"$own/mine.stp" <<'END'
// flametap: event mine
// flametap: title My own
// flametap: unit hits
// flametap: clock monotonic
// flametap: option least N 1..9 default 3: Omit fewer
END
chmod -R u=rwX,go=rX "$config"
chown -R nobody "$config"

as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups env XDG_CONFIG_HOME="$config" "$BIN" "$@" >"$T/out" 2>"$T/err" && status=0 || status=$?
}

# used NAME, refused NAME REASON: what becomes of the script
used() {
	as_nobody --script mine --help
	check_eq "$1: exit code" 0 "$status"
	check "$1: its option" grep -q -- '--least=N' "$T/out"
	as_nobody --scripts
	check "$1: it is listed" grep -q "^mine  *My own  *$own/mine.stp\$" "$T/out"
}

refused() {
	as_nobody --script mine --help
	check_eq "$1: exit code" 2 "$status"
	check "$1: why" grep -q "$2" "$T/err"
	as_nobody --scripts
	check_eq "$1: it is not listed" 1 "$status"
	check "$1: but the others" grep -q '^on-cpu ' "$T/out"
}

used 'of the user'
chown root "$own/mine.stp"
used 'of root'
chown daemon "$own/mine.stp"
refused 'of another user' "'$own/mine.stp' belongs to user [0-9]*, who could run any code"
chown nobody "$own/mine.stp"
for wrong in "$own/mine.stp" "$own" "$config"; do
	chmod g+w "$wrong"
	refused "the group can write to ${wrong#"$T"}" "other users can write to '$wrong'.*chmod go-w"
	chmod g-w "$wrong"
done
mv "$own/mine.stp" "$T/elsewhere"
ln -s "$T/elsewhere" "$own/mine.stp"
as_nobody --script mine --help
check_eq 'a link to a safe place' 0 "$status"
chmod o+w "$T/elsewhere"
refused 'a link to a place that is not' "other users can write to '$T/elsewhere'"
rm "$own/mine.stp"
as_nobody --script mine --help
check_eq 'none: exit code' 2 "$status"
check 'none: where it was looked for' grep -q "cannot find the script 'mine.stp', .*'$own' or '/etc/flametap/stap'" "$T/err"
HOME=$T
XDG_CONFIG_HOME=$config
export HOME XDG_CONFIG_HOME
mv "$T/elsewhere" "$own/mine.stp"
chmod o-w "$own/mine.stp"
check 'root does not use the folders of others' sh -c "! '$BIN' --script mine --help 2>/dev/null"
