#include "heap.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* From here on a piece is large: more than the engine needs at once for its own tables, jobs and errors. */
enum { LARGE = 64 * 1024, BOOKKEEPING = 8 };

static enum heap_shortage shortage;

enum heap_shortage heap_shortage(void) {
  const enum heap_shortage seen = shortage;
  shortage = HEAP_ENOUGH;
  return seen;
}

/* Whether `size` bytes fit in the place of `freed`. */
static bool has_room(const JSMallocState *s, size_t size, size_t freed) {
  const bool large = size >= LARGE;
  const size_t limit = large && s->malloc_limit != SIZE_MAX ? s->malloc_limit / 4 * 3 : s->malloc_limit;
  const size_t used = s->malloc_size - freed;
  if (used <= limit && size <= limit - used) return true;
  if (shortage != HEAP_EXHAUSTED) shortage = large ? HEAP_NO_ROOM_FOR_LARGE : HEAP_EXHAUSTED;
  return false;
}

static size_t cost(const void *data) {
  return malloc_usable_size((void *)(uintptr_t)data) + BOOKKEEPING;
}

static void *take(JSMallocState *s, size_t size) {
  void *data = has_room(s, size, 0) ? malloc(size) : NULL;
  if (!data) return NULL;
  s->malloc_count++;
  s->malloc_size += cost(data);
  return data;
}

static void give_back(JSMallocState *s, void *data) {
  if (!data) return;
  s->malloc_count--;
  s->malloc_size -= cost(data);
  free(data);
}

static void *resize(JSMallocState *s, void *data, size_t size) {
  if (!data) return size > 0 ? take(s, size) : NULL;
  if (size == 0) {
    give_back(s, data);
    return NULL;
  }
  const size_t before = cost(data);
  void *moved = has_room(s, size, before) ? realloc(data, size) : NULL;
  if (!moved) return NULL;
  s->malloc_size += cost(moved) - before;
  return moved;
}

static size_t usable_size(const void *data) {
  return malloc_usable_size((void *)(uintptr_t)data);
}

const JSMallocFunctions heap_functions = {take, give_back, resize, usable_size};
