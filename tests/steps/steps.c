/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps [OPTION…] COMMAND…: runs a program instruction by instruction, from its first one to its
 * end. Walks its stack with the recorder's tables and steps wherever an instruction is new, or its
 * function has another caller. Each frame must equal the frame of shadow.h, and the walk must end
 * at the outermost one. When nothing new happens the program gets SIGTERM.
 *
 *	-f FUNCTIONS	it must be seen in these
 *	-e FUNCTIONS	where walks may end early: callers are not known
 *	-w FUNCTIONS	where walks may take a wrong turn: the code has no rules
 *	-m		it replaces its own stack at times: there is none then
 *	-g		its functions continue on another stack, as Go's do
 *	-u		the tables lack the rules that the analysis of code finds
 *	-d		begins with the dynamic linker
 *	-b FUNCTION	begins there; its callers keep frame pointers, other threads stop
 *	-l		lazily: calls bind the functions of libraries
 *	-i STEPS	without anything new before it gets the signal (3000)
 *	-n LOOPS	that it leaves before that (0)
 *
 * FUNCTIONS are words: NAME, NAME+0xOFFSET, or * for all functions that -f does not name; a file's
 * name where the function has none, "[memory]" where there is no file. Errors are noted; the last
 * line counts. Exit: 0, 1 there were errors, 2 it cannot be run, 64 usage.
 */
#include "../right/tables_walk.h"
#include "stepped.h"

#include "symbol/elf/symtab.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

enum {
	STEPS_MAX = 3000000,
	LOOPS = 64,       /* left after the signal */
	NOTES_MAX = 30,   /* lines */
	STARTS_MAX = 200, /* of the program */
};

static struct {
	const char *functions, *ends, *turns, *begin;
	bool moves, goes_on, from_linker, is_lazy;
	unsigned long idle;
	unsigned loops;
} option = {.functions = "", .ends = "", .turns = "", .idle = 3000};

static struct tables tables;
static struct symtab **symtabs; /* by object of the tables */
static size_t nr_symtabs;
static struct stepped stepped;
static struct table walked;              /* pc and return address */
static struct strbuf seen = STRBUF_INIT; /* "NAME " of each function */
static uint64_t preempted;               /* where Go's scheduler interrupts a goroutine, or 0 */
static unsigned starts, walks, right, ended, turned, moving, faults;

static struct symtab *symtab_of(size_t object)
{
	if (object >= nr_symtabs) {
		symtabs = xrealloc(symtabs, object + 1, sizeof(*symtabs));
		while (nr_symtabs <= object)
			symtabs[nr_symtabs++] = NULL;
	}
	if (!symtabs[object])
		symtabs[object] = symtab_new(tables.ps.objects[object].elf, NULL, NULL);
	return symtabs[object];
}

/* Returns PC as NAME+0xOFFSET. The caller frees it. */
static char *place(uint64_t pc)
{
	const struct mapping *m = tables_map(&tables, pc);
	const struct object *o = m ? &tables.ps.objects[m->object] : NULL;
	struct symtab_hit hit;
	uint64_t at;

	if (!o)
		return pc ? xasprintf("[unmapped]+0x%" PRIx64, pc) : xstrdup("nowhere+0x0");
	if (!o->elf || !elffile_mapped(o->elf, m->offset, m->end - m->start, &at))
		return xasprintf("[memory]+0x%" PRIx64, pc - m->start);
	at += pc - m->start;
	if (symtab_find(symtab_of(m->object), at, &hit))
		return xasprintf("%.*s+0x%" PRIx64, (int)hit.name_len, hit.name, at - hit.start);
	return xasprintf("%s+0x%" PRIx64, file_name(o->path), at);
}

/* Whether the LEN bytes at NAME are one of WORDS. */
static bool is_word(const char *words, const char *name, size_t len)
{
	for (const char *at = words; (at = strstr(at, name)); at++)
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/* Whether PLACE is one of FUNCTIONS. */
static bool is_among(const char *functions, const char *at)
{
	char *name = xstrndup(at, (size_t)(strrchr(at, '+') - at));
	bool found = is_word(functions, at, strlen(at)) || is_word(functions, name, strlen(name)) ||
		     (is_word(functions, "*", 1) && !is_word(option.functions, name, strlen(name)));

	free(name);
	return found;
}

/* Where a walk left the truth: it was right up to the frame AT, or AT is 0 if it was right. */
struct turn {
	uint64_t at, claim, truth;
};

/* Notes that the current function was seen with a correct stack. */
static void add_seen(void)
{
	char *name = place(stepped.regs.rip);

	*strrchr(name, '+') = '\0';
	if (!is_word(seen.buf, name, strlen(name)))
		strbuf_addf(&seen, "%s ", name);
	free(name);
}

/* Counts an error in *COUNT if it is allowed: in FUNCTIONS, or while there is no stack. */
static void judge_turn(
	const char *what, const struct turn *turn, unsigned *count, const char *functions)
{
	char *leaf = place(stepped.regs.rip), *at = place(turn->at);
	char *claim = place(turn->claim), *truth = place(turn->truth);

	if (option.moves && (stepped.shadow.is_moving || !shadow_is_intact(&stepped.shadow)))
		moving++;
	else if (is_among(functions, at) && ++*count)
		add_seen();
	else if (faults++ < NOTES_MAX)
		printf("# at %s: from %s %s %s, not %s\n", leaf, at, what, claim, truth);
	free(leaf);
	free(at);
	free(claim);
	free(truth);
}

/* Sets the caller above the frame NEXT of the shadow, which is counted down. Returns false if there
 * is none. */
static bool true_caller(size_t *next, uint64_t *pc, bool *call)
{
	const struct shadow *s = &stepped.shadow;
	const struct shadow_frame *f;

	while (*next && s->goes_on && s->list[*next - 1].kind == SHADOW_STACK)
		--*next;
	f = *next ? &s->list[*next - 1] : NULL;
	if (!f || f->kind == SHADOW_STACK)
		return false;
	--*next;
	*pc = f->pc;
	*call = f->kind == SHADOW_CALL;
	return true;
}

/* Walks the stack and compares it with the truth, frame by frame. */
static void judge_walk(void)
{
	struct turn turn = {.truth = stepped.regs.rip};
	size_t next = stepped.shadow.nr;
	bool call = false, has_caller;
	const struct mapping *m;
	struct walk w;
	int end;

	walk_begin(&w, &stepped.regs);
	tables.scanned = false;
	walks++;
	for (w.nr = 0;; w.nr++) {
		turn.at = turn.truth;
		turn.truth = 0;
		has_caller = true_caller(&next, &turn.truth, &call);
		end = w.nr < WALK_DEPTH ? tables_step(&tables, &w, &m) : WALK_DEEP;
		turn.claim = end == WALK_ON ? w.reg[REG_PC] : 0;
		if (!has_caller || turn.claim != turn.truth || w.call != call)
			break;
	}
	/* the beginning of a stack that the program allocated itself cannot be recognised */
	if (!has_caller && (end == WALK_ROOT || next) && ++right)
		add_seen();
	else if (end == WALK_ON || end == WALK_ROOT)
		judge_turn("to", &turn, &turned, option.turns);
	else
		judge_turn("the end:", &turn, &ended, option.ends);
}

/* Returns the address of FUNCTION of the program itself, or 0 if there is none. */
static uint64_t address_of(const char *function)
{
	const struct mapping *m = tables_map(&tables, stepped.regs.rip);
	struct symtab_hit hit;
	uint64_t first, at;

	if (!m || !elffile_mapped(
			  tables.ps.objects[m->object].elf, m->offset, m->end - m->start, &first))
		return 0;
	for (at = first; at < first + m->end - m->start; at++)
		if (symtab_find(symtab_of(m->object), at, &hit) && hit.start == at &&
			hit.name_len == strlen(function) &&
			!memcmp(hit.name, function, hit.name_len))
			return m->start + at - first;
	return 0;
}

/* Starts ARGV and goes to where the walks begin. */
static bool begin(char **argv)
{
	if (!stepped_start(&stepped, argv, option.from_linker, option.is_lazy))
		return false;
	stepped.shadow.goes_on = option.goes_on;
	if (option.begin && !stepped_run_to_function(&stepped, address_of(option.begin)))
		return false;
	if (option.goes_on)
		preempted = address_of("runtime.gopreempt_m");
	return true;
}

/* Starts ARGV once more. Returns false if that has been done too often. */
static bool begin_again(char **argv)
{
	if (++starts > STARTS_MAX)
		return false;
	stepped_end(&stepped);
	return begin(argv);
}

static bool is_new_place(void)
{
	const struct shadow_frame *top = shadow_top(&stepped.shadow);
	bool is_new;

	table_put(&walked, stepped.regs.rip, top ? top->pc : 0, &is_new);
	return is_new;
}

/* Steps to the end of the program. Returns false where Go's scheduler wants to run another
 * goroutine, whose thread is stopped: it does so if the program had run for some time before. */
static bool walk_to_end(void)
{
	unsigned long since = 0;
	unsigned loops = option.loops;
	bool told = false;

	do {
		if (stepped.regs.rip == preempted)
			return false;
		if (is_new_place()) {
			judge_walk();
			since = stepped.steps;
		}
		if (stepped.steps - since < option.idle)
			continue;
		since = stepped.steps;
		if (loops && stepped_leave_loop(&stepped)) {
			loops--;
			continue;
		}
		if (told)
			break;
		told = true;
		loops = LOOPS;
		stepped.signal = SIGTERM;
	} while (stepped_step(&stepped) && stepped.steps < STEPS_MAX);
	return true;
}

/* Notes the functions of -f that were not seen. */
static void judge_functions(void)
{
	char *words = xstrdup(option.functions), *rest = words, *word;

	while ((word = strsep(&rest, " ")))
		if (*word && !is_word(seen.buf, word, strlen(word))) {
			printf("# not seen: %s\n", word);
			faults++;
		}
	free(words);
}

static int usage(void)
{
	fputs("usage: steps [-mgudl] [-b FUNCTION] [-f FUNCTIONS] [-e FUNCTIONS] [-w FUNCTIONS] "
	      "[-i "
	      "STEPS] "
	      "[-n LOOPS] COMMAND...\n",
		stderr);
	return EXIT_USAGE_ERROR;
}

static bool parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+b:f:e:w:mgudli:n:")) != -1)
		if (c == 'b')
			option.begin = optarg;
		else if (c == 'f')
			option.functions = optarg;
		else if (c == 'e')
			option.ends = optarg;
		else if (c == 'w')
			option.turns = optarg;
		else if (c == 'm')
			option.moves = true;
		else if (c == 'g')
			option.goes_on = true;
		else if (c == 'u')
			tables.is_unanalysed = true;
		else if (c == 'd')
			option.from_linker = true;
		else if (c == 'l')
			option.is_lazy = true;
		else if (c == 'i')
			option.idle = (unsigned long)atol(optarg);
		else if (c == 'n')
			option.loops = (unsigned)atoi(optarg);
		else
			return false;
	return optind < argc;
}

static void release(void)
{
	stepped_end(&stepped);
	table_release(&walked);
	strbuf_release(&seen);
	for (size_t i = 0; i < nr_symtabs; i++)
		if (symtabs[i])
			symtab_free(symtabs[i]);
	free(symtabs);
	tables_release(&tables);
}

int main(int argc, char **argv)
{
	bool started;

	tables_init(&tables, 0);
	table_init(&walked);
	if (!parse_options(argc, argv))
		return usage();
	started = begin(argv + optind);
	while (started && !walk_to_end())
		started = begin_again(argv + optind);
	if (!started)
		fprintf(stderr, "steps: cannot run %s\n", argv[optind]);
	judge_functions();
	printf("# %lu steps, %u walks: %u right, %u end early, %u turn, %u without a stack, %u "
	       "faults\n",
		stepped.steps, walks, right, ended, turned, moving, faults);
	release();
	if (!started)
		return EXIT_FAILED;
	return faults ? EXIT_PARTIAL : EXIT_OK;
}
