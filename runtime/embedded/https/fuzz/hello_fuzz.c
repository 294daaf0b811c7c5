/*
 * Fuzzes the parser of ClientHello. For all inputs, no byte beyond the end is read, and the result for the first bytes
 * holds when more arrive.
 */
#include <errno.h>
#include <stddef.h>
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

/* A name in the first `length` bytes: its length and position. */
struct finding {
  int length;
  ptrdiff_t at;
};

static struct finding name_of(const uint8_t *data, size_t length) {
  uint8_t *copy = malloc(length);
  if (length && !copy) abort();
  if (length) memcpy(copy, data, length);
  const char *name = NULL;
  struct finding found = {client_hello_name(copy, length, &name), 0};
  if (found.length > 0) found.at = (const uint8_t *)name - copy;
  free(copy);
  return found;
}

static int offers_protocol(const uint8_t *data, size_t length) {
  uint8_t *copy = malloc(length);
  if (length && !copy) abort();
  if (length) memcpy(copy, data, length);
  int found = client_hello_offers_protocol(copy, length, "h2");
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
  struct finding last = {-EAGAIN, 0};
  for (size_t length = 0; length <= size; length++) {
    struct finding now = name_of(data, length);
    if (last.length != -EAGAIN && (now.length != last.length || now.at != last.at)) {
      fprintf(stderr, "another name, or none any more\n");
      abort();
    }
    if (now.length > 0 && (size_t)now.at + (size_t)now.length > length) abort();
    last = now;
  }
  int protocol = -EAGAIN;
  for (size_t length = 0; length <= size; length++) {
    int now = offers_protocol(data, length);
    if (protocol != -EAGAIN && now != protocol) {
      fprintf(stderr, "another answer about the protocol\n");
      abort();
    }
    protocol = now;
  }
  return 0;
}
