<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// operators.php: keeps PHP in one opcode after the other, and tells each of them to tests/replay/take. The opcodes are those that phpdbg and
// opcache.opt_debug_level show for these lines.

$replay = fopen('/dev/null', 'w');
$long = str_repeat('x', 10000000);
$equal = str_repeat('x', 9999999) . 'x';
$some = range(1, 20000);

// tells NAME OP LEAF: what the caller does next, and the function in C that it calls for that, if any
function tells($name, $op, $leaf = '') {
	global $replay;
	$frames = $leaf === '' ? [] : [$leaf];
	$trace = debug_backtrace(0);
	foreach ($trace as $i => $entry)
		$frames[] = ($trace[$i + 1]['function'] ?? '{main}') . " $entry[file]:$entry[line]";
	fwrite($replay, "replay: moment $name\t-\top=$op\t" . implode("\t", $frames));
}

function compares($a, $b) { tells('compares', 'IS_IDENTICAL'); return $a === $b; }
function joins($a, $b) { tells('joins', 'CONCAT'); return $a . $b; }
function unites($a, $b) { tells('adds', 'ADD'); return $a + $b; }
function calls($a) { tells('calls', 'DO_ICALL', 'md5'); return md5($a); }
function sorts($a) { tells('sorts', 'DO_ICALL', 'sort'); sort($a); return $a; }
function copies($a) { tells('copies', 'ASSIGN_DIM'); $a[0] = 1; return $a; }

compares($long, $equal);
joins($long, $equal);
unites($some, [30000 => 1]);
calls($long);
sorts($some);
copies($some);
fwrite($replay, 'replay: found PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION);
