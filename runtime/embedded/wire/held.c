#include "held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void release(struct held_bytes *held) {
  if (held->data) explicit_bzero(held->data, held->end);
  free(held->data);
  *held = (struct held_bytes){0};
}

int held_reserve(struct held_bytes *held, size_t length) {
  size_t present = held_length(held);
  if (held->capacity - held->end >= length) return 0;
  size_t capacity = present ? 2 * (present + length) : length;
  uint8_t *grown = malloc(capacity);
  if (!grown) return -ENOMEM;
  if (present) memcpy(grown, held->data + held->begin, present);
  release(held);
  *held = (struct held_bytes){.data = grown, .end = present, .capacity = capacity};
  return 0;
}

int held_add(struct held_bytes *held, const uint8_t *data, size_t length) {
  if (length == 0) return 0;
  if (held_reserve(held, length)) return -ENOMEM;
  memcpy(held->data + held->end, data, length);
  held->end += length;
  return 0;
}

void held_take(struct held_bytes *held, size_t length) {
  held->begin += length;
  if (held->begin == held->end) release(held);
}
