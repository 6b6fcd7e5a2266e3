#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# take.sh NAME SUITE: takes the case tests/replay/nginx/NAME from the nginx of a Debian suite. Needs root, curl, and
# build/tests/replay/take.
# nginx processes one request at a time and tells through its own variables which one: by tell.lua if it has Lua, otherwise by plain.conf.
set -eu

TOP=$(cd "$(dirname "$0")/../../.." && pwd)
. "$TOP/tests/roots.sh"
here=$TOP/tests/replay/nginx
nginx_root "$2" || { echo "take.sh: $no_root" >&2; exit 75; }
folder=/tmp/flametap-replay
work=$root$folder
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work/html/ssi" "$work/html/part" "$work/html/gzip" "$work/html/auth"
echo '<!--# include virtual="/part/first" --> <!--# include virtual="/part/second" -->' >"$work/html/ssi/page"
for file in part/first part/second part/captured auth/page; do echo text >"$work/html/$file"; done
head -c 20000 /dev/zero | tr '\0' x >"$work/html/gzip/page"
chmod -R a+rX "$work"
port=${PORT:-8089}
libz=$(basename "$(readlink -f "$root"/usr/lib/*/libz.so.1)")
cp "$here/tell.lua" "$work"
paths='ssi/page part/first'
conf=plain.conf
[ "$2" != "$nginx_with_lua" ] || {
	paths='phases/plain?a=b exec/page error/page auth/page capture/page ssi/page'
	conf=nginx.conf
}
sed -e "s,@ROOT@,$folder,g" -e "s,@PORT@,$port,g" -e "s,libz\.so\.\*,$libz," "$here/$conf" >"$work/nginx.conf"
cat >"$work/run" <<END
ask() { curl -s --retry 50 --retry-connrefused --retry-delay 1 -H 'Host: front.test' "\$@" >/dev/null || :; }
{
	for path in $paths; do ask "http://127.0.0.1:$port/\$path"; done
	ask -d body http://127.0.0.1:$port/phases/posted
	ask http://127.0.0.1:$port/phases/first http://127.0.0.1:$port/phases/second
	ask --compressed http://127.0.0.1:$port/gzip/page
	kill -QUIT \$(cat "$work/pid")
} &
exec chroot "$root" /usr/sbin/nginx -p $folder -c $folder/nginx.conf
END
"$TOP/build/tests/replay/take" -n 1000 "$here/$1" sh "$work/run"
