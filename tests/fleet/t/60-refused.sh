#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# HTTPS, certificates, passwords and rights, with a real server: what is refused is one line, and windows are kept.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/clickhouse.sh"

bin=$TOP/bin
export HOME="$T" TZ=UTC
unset FLAMETAP_USER FLAMETAP_PASSWORD FLAMETAP_CACERT FLAMETAP_NETRC
ports=184 tls=$T/tls
has_clickhouse || exit 0
command -v openssl >/dev/null || { skip 'HTTPS' 'no openssl'; exit 0; }

# certificate NAME HOST DAYS: makes a certificate for HOST that vouches for itself, and its key
certificate() {
	mkdir -p "$T/$1"
	openssl req -x509 -newkey rsa:2048 -nodes -days "$3" -keyout "$T/$1/key.pem" -out "$T/$1/cert.pem" -subj "/CN=$2" \
		-addext "subjectAltName=DNS:$2,IP:127.0.0.1" 2>/dev/null
}
certificate tls localhost 10
certificate other localhost 10
start_server 1
url=clickhouse+https://localhost:${ports}21/fleet
local=clickhouse://localhost:${ports}11/fleet

mkdir -m 700 "$T/spool"
window() { zstd -qf <"$TOP/tests/fleet/window.rec" >"$T/spool/20261128T140300Z-on-cpu-21.rec.zst"; }
send() { "$bin/bt-fleet" send "$1" "$T/spool" >"$T/out" 2>"$T/err" && status=0 || status=$?; }
left() { find "$T/spool" -name '*.rec.zst' | wc -l; }

# refused NAME URL PATTERN: nothing is stored, the window is kept, and one line tells it
refused() {
	send "$2"
	note "$T/err"
	check_eq "$1: fails, the window is kept, one line" '2 1 1' "$status $(left) $(grep -c . "$T/err")"
	check "$1: says why" grep -qiE "^bt-fleet: https?://localhost:${ports}[12]1/: .*$3" "$T/err"
}

export FLAMETAP_CACERT="$T/tls/cert.pem"
check 'HTTPS, with the authority that signed it' "$bin/bt-fleet" init "$url"
window
send "$url"
check_eq 'HTTPS: sent' '0 0' "$status $(left)"
check_eq 'HTTPS: a view' 19 "$("$bin/bt-collapse" "$url" 2>/dev/null | awk '{ n += $NF } END { print n }')"
window
export FLAMETAP_CACERT="$T/other/cert.pem"
refused 'another authority' "$url" 'certificate.*FLAMETAP_CACERT'
unset FLAMETAP_CACERT
refused 'the authorities of the system' "$url" 'certificate.*FLAMETAP_CACERT'
export FLAMETAP_CACERT="$T/none.pem"
refused 'no such file' "$url" 'none.pem'
unset FLAMETAP_CACERT
refused 'HTTPS at a port that speaks HTTP' "clickhouse+https://localhost:${ports}11/fleet" '(SSL|TLS)'
export FLAMETAP_USER=default FLAMETAP_PASSWORD=wrong
refused 'a wrong password' "$local" 'HTTP [45].*FLAMETAP_PASSWORD$'
export FLAMETAP_USER=nobody
refused 'an unknown user' "$local" 'HTTP [45].*user nobody.*FLAMETAP_PASSWORD$'
export FLAMETAP_USER=reader FLAMETAP_PASSWORD=secret
refused 'a user who may only read' "$local" 'HTTP 500: Code: 164.*readonly.*need INSERT'
check_eq 'who can ask' 19 "$("$bin/bt-collapse" "$local" 2>/dev/null | awk '{ n += $NF } END { print n }')"
unset FLAMETAP_USER FLAMETAP_PASSWORD
refused 'a database that does not exist' "clickhouse://localhost:${ports}11/none" 'HTTP [45].*none.*bt-fleet init'
send "$local"
check_eq 'in the end it is sent, once' '0 0 19' "$status $(left) $(query 1 'SELECT sum(count) FROM samples')"

# views of what is refused
export FLAMETAP_PASSWORD=wrong FLAMETAP_USER=default
"$bin/bt-flame" "$local" -o "$T/a.svg" 2>"$T/err" && status=0 || status=$?
check_eq 'a view: fails, one line, no picture' '2 1 no' "$status $(grep -c . "$T/err") $([ -e "$T/a.svg" ] && echo yes || echo no)"
stop_server 1
