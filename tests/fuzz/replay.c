/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay FILE…: passes each file once to the fuzzer that is linked with this, for compilers without
 * libFuzzer. */
#include "fuzz.h"
#include "lib/util.h"

#include <stdlib.h>

static int replay(const char *path)
{
	size_t size = 0, alloc = 0;
	uint8_t *data = NULL;
	FILE *in = fopen(path, "r");
	int c;

	if (!in) {
		fprintf(stderr, "replay: cannot open '%s'\n", path);
		return -1;
	}
	while ((c = getc(in)) != EOF) {
		ALLOC_GROW(data, size, alloc);
		data[size++] = (uint8_t)c;
	}
	fclose(in);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data ? data : (const uint8_t *)"", size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int status = EXIT_OK;

	for (int i = 1; i < argc; i++)
		if (replay(argv[i]) < 0)
			status = EXIT_FAILED;
	return status;
}
