#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tier: all
# A real collector of OpenTelemetry takes windows and passes them on: what arrives is what was recorded. It is the program otelcol, or
# $OTELCOL, with the receiver otlp and the exporter otlp_http; tests/fleet/otelcol.go says how one is built from Debian's packages.
set -eu
. "$TOP/tests/lib.sh"
. "$TOP/tests/fleet/serve.sh"

bin=$TOP/bin
unset FLAMETAP_USER FLAMETAP_PASSWORD
export HOME="$T" TZ=UTC
otelcol=${OTELCOL:-otelcol} from=185
command -v "$otelcol" >/dev/null || { skip 'a collector' 'no otelcol; set OTELCOL'; exit 0; }

serve
cat >"$T/collector.yaml" <<-END
	receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:${from}18"}}}}
	exporters: {otlp_http: {endpoint: "http://127.0.0.1:$port", compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}}
	service:
	  telemetry: {metrics: {level: none}}
	  pipelines: {profiles: {receivers: [otlp], exporters: [otlp_http]}}
END
setpriv --pdeathsig TERM "$otelcol" --config="$T/collector.yaml" --feature-gates=+service.profilesSupport >"$T/collector.log" 2>&1 &
collector=$!
runs() { ! kill -0 "$collector" 2>/dev/null || curl -s -o "$T/answer" "http://127.0.0.1:${from}18/"; }
until_true runs
check 'the collector runs' kill -0 "$collector" || note "$T/collector.log"

mkdir -m 700 "$T/spool"
zstd -q <"$TOP/tests/fleet/window.rec" >"$T/spool/20261128T140300Z-on-cpu-21.rec.zst"
if [ "$(id -u)" = 0 ]; then
	"$BIN" --quiet --engine bpf -t 600 -o "$T/a.rec" -- perl -e 'for ($i = 0; $i < 2e6; $i++) {}'
	zstd -q <"$T/a.rec" >"$T/spool/20261128T140400Z-on-cpu-1.rec.zst"
fi
cp -r "$T/spool" "$T/sent"
"$bin/bt-fleet" send "otlp+http://127.0.0.1:${from}18" "$T/spool" 2>"$T/err" && status=0 || status=$?
check_eq 'the collector takes all' '0 0' "$status $(find "$T/spool" -name '*.zst' | wc -l)"
note "$T/err"

# functions FILE: the functions of the stacks by thread, with their samples
functions() { "$bin/bt-collapse" --by comm "$1" 2>/dev/null | "$bin/bt-report" --csv 2>/dev/null | cut -d, -f1,3,5; }
units() { "$bin/bt-report" --csv --by unit "$1" 2>/dev/null; }
n=0
for window in "$T"/sent/*.zst; do
	arrived=$T/server/$((n += 1))
	check_eq "window $n: each stack arrives with its samples" "$("$bin/bt-collapse" --by comm "$window" 2>/dev/null)" \
		"$("$bin/bt-collapse" --by comm "$arrived" 2>/dev/null)"
	check_eq "window $n: each function" "$(functions "$window")" "$(functions "$arrived")"
	check_eq "window $n: labels" "$(units "$window")" "$(units "$arrived")"
done
check "windows were compared" test "$n" -gt 0

# what no collector takes
printf junk >"$T/junk"
check_eq 'junk is refused with a 4xx, not taken' 400 \
	"$(curl -s -o "$T/answer" -w '%{http_code}' -H 'Content-Type: application/x-protobuf' --data-binary "@$T/junk" "http://127.0.0.1:${from}18/v1development/profiles")"

# the server behind the collector fails: the collector says so, and the window is kept
printf error >"$T/server/fault"
: >"$T/server/poison"
cp "$T"/sent/*.zst "$T/spool/"
"$bin/bt-fleet" send "otlp+http://127.0.0.1:${from}18" "$T/spool" 2>"$T/err" && status=0 || status=$?
note "$T/err"
check_eq 'it cannot pass them on: they are kept' "2 $n" "$status $(find "$T/spool" -name '*.zst' | wc -l)"
rm "$T/server/poison"
check 'afterwards they are sent' "$bin/bt-fleet" send "otlp+http://127.0.0.1:${from}18" "$T/spool"
kill "$collector"
