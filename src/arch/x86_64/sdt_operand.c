/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sdt_operand.h"
#include "lib/util.h"

#include <asm/ptrace.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(name) offsetof(struct pt_regs, name)

/* The names of the registers with 64, 32, 16 and 8 bits. r8 to r15 have the suffixes d, w, b. */
static const struct sdt_register {
	const char *names[4];
	uint16_t at;
} registers[] = {
	{{"rax", "eax", "ax", "al"}, AT(rax)},
	{{"rbx", "ebx", "bx", "bl"}, AT(rbx)},
	{{"rcx", "ecx", "cx", "cl"}, AT(rcx)},
	{{"rdx", "edx", "dx", "dl"}, AT(rdx)},
	{{"rsi", "esi", "si", "sil"}, AT(rsi)},
	{{"rdi", "edi", "di", "dil"}, AT(rdi)},
	{{"rbp", "ebp", "bp", "bpl"}, AT(rbp)},
	{{"rsp", "esp", "sp", "spl"}, AT(rsp)},
	{{"r8", "r8d", "r8w", "r8b"}, AT(r8)},
	{{"r9", "r9d", "r9w", "r9b"}, AT(r9)},
	{{"r10", "r10d", "r10w", "r10b"}, AT(r10)},
	{{"r11", "r11d", "r11w", "r11b"}, AT(r11)},
	{{"r12", "r12d", "r12w", "r12b"}, AT(r12)},
	{{"r13", "r13d", "r13w", "r13b"}, AT(r13)},
	{{"r14", "r14d", "r14w", "r14b"}, AT(r14)},
	{{"r15", "r15d", "r15w", "r15b"}, AT(r15)},
	{{"rip", "eip", "", ""}, AT(rip)},
	{{"", "", "", "ah"}, AT(rax) + 1},
	{{"", "", "", "bh"}, AT(rbx) + 1},
	{{"", "", "", "ch"}, AT(rcx) + 1},
	{{"", "", "", "dh"}, AT(rdx) + 1},
};

static bool is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* Takes "%NAME" at *AT. */
static bool take_register(const char **at, uint16_t *offset)
{
	const char *name = *at + 1;
	size_t len = 0;

	if (**at != '%')
		return false;
	while (isalnum((unsigned char)name[len]))
		len++;
	for (size_t i = 0; len && i < ARRAY_LEN(registers); i++)
		for (size_t k = 0; k < ARRAY_LEN(registers[i].names); k++)
			if (strlen(registers[i].names[k]) == len &&
				!memcmp(registers[i].names[k], name, len)) {
				*offset = registers[i].at;
				*at = name + len;
				return true;
			}
	return false;
}

/* Takes a number or symbol at *AT, which is added, or subtracted if NEGATIVE. */
static bool take_term(const char **at, bool negative, struct sdt_operand *o)
{
	char *end;

	if (isdigit((unsigned char)**at)) {
		errno = 0;
		uint64_t number = strtoull(*at, &end, 0);

		if (errno)
			return false;
		o->number = (int64_t)(negative ? (uint64_t)o->number - number
					       : (uint64_t)o->number + number);
		*at = end;
		return true;
	}
	if (negative || o->symbol || !is_symbol_char(**at))
		return false;
	o->symbol = *at;
	while (is_symbol_char(**at))
		(*at)++;
	o->symbol_len = (size_t)(*at - o->symbol);
	return true;
}

/* Takes a sum such as -24, sym, 8+sym or sym-4 at *AT, which may be empty. */
static bool take_sum(const char **at, struct sdt_operand *o)
{
	while (**at && **at != '(' && **at != ' ') {
		bool negative = **at == '-';

		*at += negative || **at == '+';
		if (!take_term(at, negative, o))
			return false;
	}
	return true;
}

/* Takes "(BASE,INDEX,SCALE)" at *AT, each of which may be missing. */
static bool take_address(const char **at, struct sdt_operand *o)
{
	o->scale = 1;
	(*at)++;
	if (**at == '%' && !take_register(at, &o->base))
		return false;
	if (**at == ',') {
		(*at)++;
		if (!take_register(at, &o->index))
			return false;
	}
	if (**at == ',') {
		char scale = *++*at;

		if (!scale || !strchr("1248", scale))
			return false;
		o->scale = (uint8_t)(scale - '0');
		(*at)++;
	}
	o->is_relative = o->base == AT(rip) && o->symbol;
	return *(*at)++ == ')';
}

/* Takes "SIZE@" at *AT. Without it, all 64 bits count. */
static const char *take_size(const char **at, struct sdt_operand *o)
{
	const char *s = *at;

	o->size = sizeof(uint64_t);
	o->is_signed = true;
	if (*s != '-' && !isdigit((unsigned char)*s))
		return NULL;
	o->is_signed = *s == '-';
	s += o->is_signed;
	if (!*s || !strchr("1248", *s) || (s[1] != '@' && s[1] != 'f'))
		return "its size is not known";
	if (s[1] == 'f')
		return "it is a floating-point number";
	o->size = (uint8_t)(*s - '0');
	*at = s + 2;
	return NULL;
}

static bool take_operand(const char **at, struct sdt_operand *o)
{
	if (**at == '$') {
		(*at)++;
		o->kind = SDT_CONSTANT;
		return **at && take_sum(at, o);
	}
	if (**at == '%') {
		o->kind = SDT_REGISTER;
		return take_register(at, &o->base);
	}
	o->kind = SDT_MEMORY;
	return **at && take_sum(at, o) && (**at != '(' || take_address(at, o));
}

const char *sdt_operand_parse(struct sdt_operand *operand, const char *arguments, unsigned number)
{
	const char *at = arguments, *why;

	*operand = (struct sdt_operand){.base = SDT_NO_REGISTER, .index = SDT_NO_REGISTER};
	for (at += strspn(at, " "); --number && *at; at += strspn(at, " "))
		at += strcspn(at, " ");
	if (!*at)
		return "the mark has no such argument";
	why = take_size(&at, operand);
	if (why)
		return why;
	return take_operand(&at, operand) && (!*at || *at == ' ')
		       ? NULL
		       : "its place is in a form that is not known";
}
