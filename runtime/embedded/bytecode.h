/*
 * The modules of the bundle as bytecode. The program file has them compressed, as .lzma files that `compile.c` wrote when
 * the program was built: a third of their size.
 */
#ifndef MINNOW_BYTECODE_H
#define MINNOW_BYTECODE_H

#include <stddef.h>
#include <stdint.h>

struct bytecode_module {
  const char *name;
  const uint8_t *packed, *packed_end;
  /* How many functions the modules before it have: stack traces number them all. */
  uint32_t functions_before;
};

/* Those of the build, the main module first, one after another in memory. The last one has no name. */
extern const struct bytecode_module bytecode_modules[];

struct bytecode {
  uint8_t *data;
  size_t length;
};

/* Decompresses a module. 0 or -ENOMEM. */
int bytecode_open(struct bytecode *bytecode, const struct bytecode_module *module);

/* Releases the memory, and the pages of the program file that it was read from. */
void bytecode_close(struct bytecode *bytecode);

#endif
