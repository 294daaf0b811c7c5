/*
 * Fuzzes the look at a ClientHello. Whatever the bytes are: no byte beyond them is read, and what the first of them say
 * holds when more arrive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../client_hello.h"

enum { SUITE = 0x1301 };

static bool offers(const uint8_t *data, size_t length) {
  uint8_t *copy = malloc(length); /* of its exact size, so that reading beyond it is seen */
  if (length && !copy) abort();
  if (length) memcpy(copy, data, length);
  bool found = client_hello_offers(copy, length, SUITE);
  free(copy);
  return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool before = false;
  for (size_t length = 0; length <= size; length++) {
    bool now = offers(data, length);
    if (before && !now) {
      fprintf(stderr, "what was offered is offered no more\n");
      abort();
    }
    before = now;
  }
  return 0;
}
