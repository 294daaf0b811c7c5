/*
 * The bundle as bytecode. The program file has it compressed, as an .lzma file that `compile.c` wrote when the program
 * was built: a third of its size.
 */
#ifndef MINNOW_BYTECODE_H
#define MINNOW_BYTECODE_H

#include <stddef.h>
#include <stdint.h>

struct bytecode {
  uint8_t *data;
  size_t length;
};

/* Decompresses the bytecode that the build has linked in. 0 or -ENOMEM. */
int bytecode_open(struct bytecode *bytecode);

/* Releases the memory, and the pages of the program file that it was read from. */
void bytecode_close(struct bytecode *bytecode);

#endif
