/* Bytes that wait to be sent or parsed. They may be secrets: memory is zeroised. */
#ifndef MINNOW_WIRE_HELD_H
#define MINNOW_WIRE_HELD_H

#include <stddef.h>
#include <stdint.h>

struct held_bytes {
  uint8_t *data; /* NULL when nothing is held */
  size_t begin, end, capacity;
};

static inline size_t held_length(const struct held_bytes *held) {
  return held->end - held->begin;
}

/* Never NULL, so that lengths of zero need no care. */
static inline const uint8_t *held_data(const struct held_bytes *held) {
  return held->data ? held->data + held->begin : (const uint8_t *)"";
}

/*
 * Makes room for `length` more bytes at data + end, of which held_add's caller may as well write some itself. -ENOMEM.
 */
int held_reserve(struct held_bytes *held, size_t length);

/* Adds a copy of `data`, which is not inside of `held`. -ENOMEM. */
int held_add(struct held_bytes *held, const uint8_t *data, size_t length);

/* Takes `length` bytes off the front; frees the memory with the last one. */
void held_take(struct held_bytes *held, size_t length);

#endif
