/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "other_formats.h"
#include "lib/util.h"
#include "text_reader.h"

#include <stdbool.h>
#include <string.h>

#define GO_TEXT "it is a profile of Go as text: fetch it without debug=1"

#define ART_TRACE                                                                                  \
	"it is a trace of Android's methods, which Android Studio shows: record samples with "     \
	"simpleperf, whose report_sample.py writes them as perf script does"

enum { LINES_SEEN = 24 };

/* Formats that are recognised by their first bytes. */
static const struct {
	const char *begins, *why;
} heads[] = {
	{"\x1f\x8b", "it is compressed twice: run gunzip on it first"},
	{"\x28\xb5\x2f\xfd", "it is compressed twice: run unzstd on it first"},
	{"\xfd"
	 "7zXZ",
		"it is compressed: run unxz on it first"},
	{"BZh", "it is compressed: run bunzip2 on it first"},
	{"PK\x03\x04", "it is a zip archive: unpack it first"},
	{"\xff\xfe", "it is UTF-16: convert it with iconv -f UTF-16 -t UTF-8 first"},
	{"\xfe\xff", "it is UTF-16: convert it with iconv -f UTF-16 -t UTF-8 first"},
	{"\x17\x08\x44"
	 "tracing",
		"it is trace-cmd's own format: run trace-cmd report on it first"},
	{"2ELIFREP", "it was recorded on a big-endian machine: run perf script there"},
	{"PERFFILE", "it is of perf before Linux 2.6.34: run perf script on it first"},
	{"DTiJ", "it is a jitdump, which has names but no stacks: perf inject --jit reads it"},
	{"JiTD", "it is a jitdump, which has names but no stacks: perf inject --jit reads it"},
	{"FLR", "it is a recording of Java's JFR: convert it with async-profiler's jfrconv first"},
	{"JAVA PROFILE 1.", "it is a heap dump of Java, which has no stacks to add up"},
	{"MOJ", "it is Austin's binary format: run mojo2austin on it first"},
	{"*version\n", ART_TRACE},
	{"SLOW", ART_TRACE},
	{"Nettrace", "it is a trace of .NET: run dotnet-trace convert --format Speedscope first"},
	{"gmon", "it is gprof's data, which has no stacks"},
	{"\x7f"
	 "ELF",
		"it is a program, not a profile"},
};

/*
 * Formats that are recognised by one of their first lines, which begins with the text "begins",
 * after blanks, and contains the text "contains".
 */
static const struct {
	const char *begins, *contains, *why;
} lines[] = {
	{"# callgrind format", "", "it is callgrind's format: callgrind_annotate reads it"},
	{"creator: ", "callgrind", "it is callgrind's format: callgrind_annotate reads it"},
	{"events: ", "", "it is callgrind's format: callgrind_annotate reads it"},
	{"", "Time and Allocation Profiling Report",
		"it is a report of GHC: run the program with +RTS -pj, and let speedscope import "
		"and export its JSON"},
	{"Analysis of sampling ", "",
		"it is the report of macOS's sample: fold it with FlameGraph's "
		"stackcollapse-sample.awk first"},
	{"heap profile: ", " @ heap/", GO_TEXT},
	{"heap profile: ", " @ heap", "it is a heap profile as text: run pprof -proto on it first"},
	{"goroutine profile: total ", "", GO_TEXT},
	{"threadcreate profile: total ", "", GO_TEXT},
	{"--- contention:", "", GO_TEXT},
	{"--- mutex:", "", GO_TEXT},
	{"# To display the perf.data header info, ", "",
		"it is the output of perf report: use that of perf script"},
	{"Flat profile:", "", "it is the report of gprof, which has no stacks"},
	{"<!DOCTYPE html", "", "it is a web page: let its program write folded stacks"},
	{"<html", "", "it is a web page: let its program write folded stacks"},
};

static bool is_binary(const char *bytes, size_t n)
{
	size_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];

		odd += c < 9 || (c > 13 && c < 32 && c != 27);
	}
	return odd > n / 20;
}

static const char *why_of_line(const char *line, size_t len)
{
	text_trim(&line, &len);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (begins_with(line, len, lines[i].begins) &&
			memmem(line, len, lines[i].contains, strlen(lines[i].contains)))
			/* A line with a semicolon is a folded stack. */
			return memchr(line, ';', len) ? NULL : lines[i].why;
	return NULL;
}

static const char *why_of_lines(const char *s, const char *end)
{
	const char *why = NULL;

	for (int i = 0; i < LINES_SEEN && s < end && !why; i++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		why = why_of_line(s, (size_t)((nl ? nl : end) - s));
		s = nl ? nl + 1 : end;
	}
	return why;
}

const char *other_format_why(const char *bytes, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (begins_with(bytes, n, heads[i].begins))
			return heads[i].why;
	if (is_binary(bytes, n))
		return "it is binary: neither a recording nor stacks";
	return why_of_lines(bytes, bytes + n);
}
