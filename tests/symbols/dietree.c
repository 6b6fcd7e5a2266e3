/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every entry of debug information, in every form, equals what libdw reads. */
#include "symbol/dwarf/dietree.h"
#include "../unit/symbol_test.h"

#include <dwarf.h>

static const char source[] =
	"#include <string>\n"
	"#include <vector>\n"
	"namespace space {\n"
	"template <int N> struct holder {\n"
	"	std::vector<std::string> list;\n"
	"	int add(const char *text) { list.emplace_back(text); return (int)list.size() + N; "
	"}\n"
	"};\n"
	"enum class colour { red = -1, green = 1302 };\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	space::holder<3> three;\n"
	"	space::holder<70000> many;\n"
	"	auto both = [&](const char *text) { return three.add(text) + many.add(text); };\n"
	"	for (int i = 0; i < argc; i++)\n"
	"		if (both(argv[i]) == (int)space::colour::green) return 1;\n"
	"	return 0;\n"
	"}\n";

static size_t nr_ranges, nr_origins, nr_entries;

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute mem;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &mem) && !dwarf_formudata(&mem, &value) ? value : 0;
}

static void compare_code(const struct die *ours, Dwarf_Die *die)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = dwarf_ranges(die, 0, &base, &from, &to);

	if (ours->code == DIE_NO_CODE)
		assert_true(at <= 0);
	if (ours->code != DIE_RANGE)
		return;
	assert_true(at > 0);
	assert_int_equal(ours->from, from);
	assert_int_equal(ours->to, to);
	assert_int_equal(dwarf_ranges(die, at, &base, &from, &to), 0);
	nr_ranges++;
}

static void compare_entry(const struct dietree *tree, const struct die *ours, Dwarf_Die *die)
{
	Dwarf_Attribute mem;
	Dwarf_Die origin;

	nr_entries++;
	assert_int_equal(ours->tag, dwarf_tag(die));
	assert_int_equal(ours->has_children, dwarf_haschildren(die));
	assert_int_equal(ours->has_name, dwarf_hasattr(die, DW_AT_name) ||
						 dwarf_hasattr(die, DW_AT_linkage_name) ||
						 dwarf_hasattr(die, DW_AT_MIPS_linkage_name));
	assert_int_equal(ours->call_file, number_of(die, DW_AT_call_file));
	assert_int_equal(ours->call_line, number_of(die, DW_AT_call_line));
	if (ours->at != tree->root.addr) /* else it may be its skeleton's code */
		compare_code(ours, die);
	if (dwarf_attr(die, DW_AT_abstract_origin, &mem) && dwarf_whatform(&mem) == DW_FORM_ref4) {
		assert_non_null(dwarf_formref_die(&mem, &origin));
		assert_ptr_equal(ours->origin, origin.addr);
		assert_ptr_equal(dietree_die(tree, ours->origin).cu, origin.cu);
		nr_origins++;
	}
}

/* Compares the list of siblings from AT on, where DIE is; returns its end. */
static const unsigned char *compare_siblings(
	struct dietree *tree, const unsigned char *at, Dwarf_Die die)
{
	int status = 0;

	while (!status) {
		Dwarf_Die child, next;
		struct die ours;

		assert_ptr_equal(at, die.addr);
		assert_true(dietree_read(tree, at, &ours));
		compare_entry(tree, &ours, &die);
		at = ours.end;
		if (ours.has_children) {
			assert_ptr_equal(dietree_skip(tree, ours.end),
				dwarf_child(&die, &child)
					? ours.end + 1
					: compare_siblings(tree, ours.end, child));
			at = ours.sibling ? ours.sibling : dietree_skip(tree, ours.end);
		}
		status = dwarf_siblingof(&die, &next);
		die = next;
	}
	assert_int_equal(status, 1);
	if (at == tree->end) /* the topmost entry has no end mark */
		return at;
	assert_int_equal(*at, 0);
	return at + 1;
}

static struct bytes abbreviations_of(Dwarf *dwarf)
{
	static const char *const names[] = {".debug_abbrev", ".debug_abbrev.dwo"};
	Elf *elf = dwarf_getelf(dwarf);
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		Elf_Scn *scn = elffile_section(elf, names[i], &shdr);
		Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

		if (data && data->d_size)
			return (struct bytes){.at = data->d_buf,
				.end = (unsigned char *)data->d_buf + data->d_size};
	}
	fail_msg("no abbreviations");
	return (struct bytes){0};
}

static void compare_unit(Dwarf_Die root)
{
	struct bytes abbreviations = abbreviations_of(dwarf_cu_getdwarf(root.cu));
	struct dietree tree;

	assert_true(dietree_init(&tree, &root, &abbreviations));
	assert_true(compare_siblings(&tree, root.addr, root) <= tree.end); /* zeros may follow */
	assert_in_range(dietree_abbreviations_size(&tree), 1,
		(uint64_t)(abbreviations.end - abbreviations.at));
	dietree_release(&tree);
}

/* Compares up to MAX units of the file PATH. */
static void compare_file(const char *path, size_t max)
{
	struct elffile *elf = elffile_open(path, NULL);
	Dwarf_Die root, split;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	assert_non_null(elf);
	Dwarf *dwarf = dwarf_begin_elf(elffile_elf(elf), DWARF_C_READ, NULL);

	assert_non_null(dwarf);
	nr_ranges = nr_origins = nr_entries = 0;
	while (max-- && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &root, &split)) {
		compare_unit(root);
		if (split.addr)
			compare_unit(split);
	}
	print_message("# %s: %zu entries, %zu ranges, %zu origins\n", path, nr_entries, nr_ranges,
		nr_origins);
	dwarf_end(dwarf);
	elffile_close(elf);
}

static void forms(void **state)
{
	static const char *const flags[] = {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5",
		"-gdwarf-5 -gdwarf64", "-gdwarf-5 -gz=zlib", "-gdwarf-4 -gsplit-dwarf",
		"-gdwarf-5 -gsplit-dwarf", "-gdwarf-5 -fdebug-types-section", "-gdwarf-5 -m32 -c"};
	static const char *const compilers[] = {"c++", "clang++"};
	char *text = in_dir("program.cc"), *program = in_dir("program");

	(void)state;
	write_file(text, source, strlen(source));
	for (size_t c = 0; c < ARRAY_LEN(compilers); c++)
		for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
			char *command = xasprintf("cd '%s' && %s -O2 -std=c++17 %s -o program "
						  "program.cc >log 2>&1",
				dir, compilers[c], flags[i]);

			if (system(command)) { /* an unsupported combination does not matter here */
				print_message("# not possible here: %s\n", command);
			} else {
				compare_file(program, SIZE_MAX);
				assert_true(nr_entries > 1000);
			}
			free(command);
		}
	free(text);
	free(program);
}

static void own_program(void **state)
{
	(void)state;
	compare_file(self, SIZE_MAX);
	assert_true(nr_origins > 100 && nr_ranges > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(own_program),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
