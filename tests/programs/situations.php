<?php
// SPDX-License-Identifier: GPL-2.0-or-later
// situations.php FILE [MS]: a program that goes through situations. In each it tells its stack, as debug_backtrace() reports it, and then keeps
// a processor busy in these very frames for about MS (150) milliseconds. situations-judge --php judges its recordings. It runs on PHP from 7.0
// on; newer versions have more situations.
//
// It prints "ready PID" and goes on when FILE.go exists.
// FILE gets a line for each situation, with fields separated by tabs:
//	NAME PID TID LEAF FRAME…
// as situations.pl writes them. FRAMEs are "function file:line", innermost first; LEAF has the functions in C that may be called on top of them,
// separated by commas, or "-". The place of a function in C is ":0".
// With REPLAY=1 in the environment each situation is also a message for tests/replay/take.
//
// Rules for situations: a situation's work is in one line, which calls no function of PHP but tells() and busy(), and no function in C but
// those that are listed as LEAF.

$out = fopen($argv[1], 'a');
$ms = $argv[2] ?? 150;
$replay = getenv('REPLAY') ? fopen('/dev/null', 'w') : null;

// ---- the current stack

function escaped($text) {
	return preg_replace_callback('/[\x00-\x20\\\\\x7f]/', function ($c) { return sprintf('\x%02x', ord($c[0])); }, $text);
}

// returns the name of the function of ENTRY, whose code is in FILE, as flametap shows it
function name_of($entry, $file) {
	if (preg_match('/^(?:include|require)(?:_once)?$/', $entry['function']))
		return $entry['function'] . ' ' . basename($file);
	$class = explode("\0", $entry['class'] ?? '')[0];
	return ($class === '' ? '' : "$class::") . $entry['function'];
}

// returns the frames of the caller's caller, innermost first
function frames() {
	$frames = [];
	$file = $line = null;
	foreach (array_slice(debug_backtrace(0), 1) as $i => $entry) {
		if ($i) $frames[] = escaped(name_of($entry, $file)) . ' ' . escaped("$file:$line");
		$file = $entry['file'] ?? '';
		$line = $entry['line'] ?? 0;
	}
	if ($file !== '') $frames[] = '{main} ' . escaped("$file:$line"); // a shutdown function has no caller
	return $frames;
}

function plain_of_c($frame) {
	return preg_replace('/ :0$/', '', $frame);
}

// tells NAME LEAF: tells the caller's situation
function tells($name, $leaf = '-') {
	global $out, $replay, $end, $ms;
	$frames = frames();
	fwrite($out, implode("\t", array_merge([$name, getmypid(), getmypid(), $leaf], $frames)) . "\n");
	$end = microtime(true) + $ms / 1000;
	if ($replay && $leaf === '-')
		fwrite($replay, implode("\t", array_merge(["replay: moment $name", '-'], array_map('plain_of_c', $frames))));
}

function busy() {
	global $end;
	return microtime(true) < $end;
}

// ---- situations

function plain() {
	tells('a function'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
}

function in_c() {
	tells('a function in C', 'md5'); do { for ($i = 0; $i < 999; $i++) $s = md5('a text that is long enough to take a while'); } while (busy());
}

function deep($n) {
	if ($n) { deep($n - 1); return; }
	tells('recursion'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
}

trait Shared {
	function shared() { tells('a method of a trait in ' . self::class); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
}

class Base {
	use Shared;
	static function fixed() { tells('a static method of ' . static::class); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	function inherited() { tells('an inherited method'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	function maps() { return array_map(function ($x) { tells('a closure that array_map() calls'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }, [1]); }
}

class Magic extends Base implements IteratorAggregate, ArrayAccess, Countable {
	use Shared;
	function __construct($tell = null) { if ($tell) { tells($tell); do { for ($i = 0; $i < 9999; $i++); } while (busy()); } }
	function __call($name, $arguments) { tells('__call'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	static function __callStatic($name, $arguments) { tells('__callStatic'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	function __get($name) { tells('__get'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	function __toString(): string { tells('__toString'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return ''; }
	function __invoke() { tells('__invoke'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	function __destruct() { tells('a destructor'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	#[ReturnTypeWillChange]
	function getIterator() { tells('an iterator'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return new ArrayIterator([]); }
	#[ReturnTypeWillChange]
	function offsetGet($at) { tells('an array access'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
	#[ReturnTypeWillChange]
	function offsetSet($at, $value) { }
	#[ReturnTypeWillChange]
	function offsetExists($at) { }
	#[ReturnTypeWillChange]
	function offsetUnset($at) { }
	#[ReturnTypeWillChange]
	function count() { tells('count()'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return 0; }
}

function generates() {
	yield 1;
	tells('a generator'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
	yield 2;
}

function innermost() {
	tells('generators that delegate'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
	yield 1;
	tells('generators that delegate, resumed'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
}

function delegates($n) {
	yield from $n ? delegates($n - 1) : innermost();
}

function consumes($generator) {
	foreach ($generator as $value);
}

function throws() {
	throw new Exception('none');
}

function catches() {
	try { throws(); } catch (Exception $e) { tells('an exception that was caught'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
}

function finishes() {
	try { throws(); } finally { tells('finally'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); }
}

function leaves() {
	$magic = new Magic;
	throws();
}

function swallows($f) {
	try { $f(); } catch (Exception $e) { }
}

function evaluates() {
	eval("tells('an eval'); do { for (\$i = 0; \$i < 9999; \$i++); } while (busy());");
	eval('function evaluated() { tells("a function of an eval"); do { for ($i = 0; $i < 9999; $i++); } while (busy()); } evaluated();');
}

function includes($how) {
	$file = __DIR__ . "/situations-$how.php";
	file_put_contents($file, "<?php\n\ntells('$how'); do { for (\$i = 0; \$i < 9999; \$i++); } while (busy());\n");
	switch ($how) {
	case 'include': include $file; break;
	case 'include_once': include_once $file; break;
	case 'require': require $file; break;
	case 'require_once': require_once $file; break;
	}
	unlink($file);
}

function handles() {
	set_error_handler(function () { tells('an error handler'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return true; });
	echo $undefined;
	restore_error_handler();
}

function loads() {
	spl_autoload_register($f = function ($class) { tells('autoload'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); });
	call_user_func('class_exists', 'Missing'); // a direct call has no frame since 8.4
	spl_autoload_unregister($f);
}

function buffers() {
	ob_start(function ($text) { tells('an output callback'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return ''; });
	ob_end_flush();
}

function compares() {
	$list = [2, 1];
	usort($list, function ($a, $b) { tells('usort()'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return 0; });
	preg_replace_callback('/b/', function ($m) { tells('preg_replace_callback()'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return ''; }, 'abc');
	call_user_func_array('call_user_func', ['call_user_func', 'plain']);
	array_map(Closure::fromCallable('plain'), [1, 2]);
	(new ReflectionFunction('plain'))->invoke();
}

function anonymous() {
	(new class { function method() { tells('an anonymous class'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); } })->method();
}

function in_fiber() {
	tells('a fiber'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
	Fiber::suspend();
	tells('a fiber, resumed'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
	$inner = new Fiber(function () { consumes(delegates(1)); tells('a fiber in a fiber'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); });
	$inner->start();
}

function fibers() {
	$fiber = new Fiber('in_fiber');
	$fiber->start();
	$fiber->resume();
}

function hooks() {
	eval('class Hooked { public $p { get { tells("a property hook"); do { for ($i = 0; $i < 9999; $i++); } while (busy()); return 1; } } }');
	return (new Hooked)->p;
}

function objects() {
	$magic = new Magic('a constructor');
	$magic->missing();
	Magic::missing();
	$magic->missing;
	"$magic";
	$magic();
	foreach ($magic as $value);
	$magic[1];
	count($magic);
	$magic->shared();
	$magic->inherited();
	$magic->maps();
	(new Base)->shared();
	(new Base)->maps();
	Magic::fixed();
	$magic = null;
}

function goes() {
	plain();
	in_c();
	deep(40);
	objects();
	consumes(generates());
	consumes(delegates(0));
	consumes(delegates(12));
	catches();
	swallows('finishes');
	swallows('leaves');
	evaluates();
	array_map('includes', ['include', 'include_once', 'require', 'require_once']);
	handles();
	loads();
	buffers();
	compares();
	anonymous();
	if (class_exists('Fiber')) fibers();
	if (PHP_VERSION_ID >= 80400) hooks();
}

register_shutdown_function(function () { tells('a shutdown function'); do { for ($i = 0; $i < 9999; $i++); } while (busy()); });
echo 'ready ', getmypid(), "\n";
while (!file_exists("$argv[1].go")) usleep(10000);
clearstatcache();
if ($replay) fwrite($replay, 'replay: found PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION);
goes();
tells('the script'); do { for ($i = 0; $i < 9999; $i++); } while (busy());
