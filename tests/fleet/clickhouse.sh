# SPDX-License-Identifier: GPL-2.0-or-later
# clickhouse.sh: servers of ClickHouse for the tests of this level. A test sets $ports, the first three digits of its servers' ports, which
# no other test has. The users are default, who may do all, and reader, who may only read.

# has_clickhouse: skips the test if there is no server
has_clickhouse() {
	command -v clickhouse-server >/dev/null && return 0
	skip 'a server of ClickHouse' 'no clickhouse-server, which Debian 12 has'
	return 1
}

# configure N: writes the settings of server N in $T/N; its HTTP port is ${ports}1N, its HTTPS port, with $tls, a folder with a key and a
# certificate, ${ports}2N. The servers 1 and 2 are the shards of the cluster "two".
configure() {
	mkdir -p "$T/$1/data" "$T/$1/tmp"
	cat >"$T/$1/config.xml" <<-END
		<yandex><logger><level>warning</level><log>$T/$1/log</log><errorlog>$T/$1/err</errorlog></logger>
		<http_port>${ports}1$1</http_port><tcp_port>${ports}3$1</tcp_port><listen_host>127.0.0.1</listen_host>
		${tls:+<https_port>${ports}2$1</https_port><openSSL><server><certificateFile>$tls/cert.pem</certificateFile>
		<privateKeyFile>$tls/key.pem</privateKeyFile><verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile>
		<cacheSessions>true</cacheSessions></server></openSSL>}
		<path>$T/$1/data/</path><tmp_path>$T/$1/tmp/</tmp_path><mark_cache_size>50000000</mark_cache_size>
		<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
		<remote_servers><two><shard><replica><host>127.0.0.1</host><port>${ports}31</port></replica></shard>
		<shard><replica><host>127.0.0.1</host><port>${ports}32</port></replica></shard></two></remote_servers></yandex>
	END
	cat >"$T/$1/users.xml" <<-END
		<yandex><profiles><default></default><readonly><readonly>1</readonly></readonly></profiles>
		<users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default>
		<reader><password>secret</password><networks><ip>::/0</ip></networks><profile>readonly</profile><quota>default</quota></reader></users>
		<quotas><default></default></quotas></yandex>
	END
}

# start_server N: starts server N, whose process is then in $T/N/pid
start_server() {
	[ -e "$T/$1/config.xml" ] || configure "$1"
	setpriv --pdeathsig KILL clickhouse-server --config-file="$T/$1/config.xml" >"$T/$1/out" 2>&1 &
	echo $! >"$T/$1/pid"
	until_true curl -sf -o "$T/$1/ping" "http://127.0.0.1:${ports}1$1/ping"
}

# stop_server N: ends it at once
stop_server() {
	kill -9 "$(cat "$T/$1/pid")"
	wait "$(cat "$T/$1/pid")" 2>/dev/null || :
}

# query N SQL: asks server N
query() { curl -sS "http://127.0.0.1:${ports}1$1/?database=fleet" --data-binary "$2"; }
