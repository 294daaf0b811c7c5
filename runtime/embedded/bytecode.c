#include "bytecode.h"

#include <errno.h>
#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>

/* An .lzma file has the length of its content after the parameters, little-endian. */
enum { LENGTH_AT = 5, LENGTH_BYTES = 8 };

static size_t unpacked_length(const uint8_t *packed) {
  uint64_t length = 0;
  for (int i = LENGTH_BYTES - 1; i >= 0; i--) length = length << 8 | packed[LENGTH_AT + i];
  return (size_t)length;
}

int bytecode_open(struct bytecode *bytecode, const struct bytecode_module *module) {
  lzma_stream stream = LZMA_STREAM_INIT;
  const size_t length = unpacked_length(module->packed);
  void *data = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return -ENOMEM;
  *bytecode = (struct bytecode){data, length};
  stream.next_in = module->packed;
  stream.avail_in = (size_t)(module->packed_end - module->packed);
  stream.next_out = data;
  stream.avail_out = length;
  lzma_ret result = lzma_alone_decoder(&stream, UINT64_MAX);
  if (result == LZMA_OK) result = lzma_code(&stream, LZMA_FINISH);
  lzma_end(&stream);
  if (result == LZMA_STREAM_END) return 0;
  bytecode_close(bytecode);
  return -ENOMEM;
}

/*
 * The engine has copied the bytecode, and nothing reads these pages of the file again. The kernel also maps pages around
 * those that are read: of modules that may never be.
 */
static void forget_packed(void) {
  const struct bytecode_module *last = bytecode_modules;
  while (last[1].name) last++;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = ((uintptr_t)bytecode_modules->packed + page - 1) / page * page;
  const uintptr_t end = (uintptr_t)last->packed_end / page * page;
  if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void bytecode_close(struct bytecode *bytecode) {
  munmap(bytecode->data, bytecode->length);
  forget_packed();
}
