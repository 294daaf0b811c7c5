#include "heap.h"

#pragma GCC optimize("O2") /* the rest of the program is optimised for size; a request calls this a thousand times */

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "slab.h"

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

static size_t usable_size(const void *data) {
  const size_t size = slab_size(data);
  return size ? size : malloc_usable_size((void *)(uintptr_t)data);
}

/* The bytes that a piece takes, with malloc's own. */
static size_t cost(const void *data) {
  const size_t size = slab_size(data);
  return size ? size : malloc_usable_size((void *)(uintptr_t)data) + BOOKKEEPING;
}

static void *take(JSMallocState *s, size_t size) {
  void *data;
  if (!has_room(s, size, 0)) return NULL;
  s->malloc_count++;
  if (size > 0 && size <= SLAB_LARGEST && (data = slab_take(size))) {
    s->malloc_size += slab_round(size);
    return data;
  }
  data = malloc(size);
  if (data) s->malloc_size += cost(data);
  else s->malloc_count--;
  return data;
}

static void give_back(JSMallocState *s, void *data) {
  if (!data) return;
  const size_t held = slab_size(data);
  s->malloc_count--;
  s->malloc_size -= held ? held : cost(data);
  if (held) slab_give_back(data);
  else free(data);
}

/* From or to the slab, which cannot make a piece larger in place. */
static void *move(JSMallocState *s, void *data, size_t size, size_t before) {
  void *moved = take(s, size);
  if (!moved) return NULL;
  memcpy(moved, data, size < before ? size : before);
  give_back(s, data);
  return moved;
}

static void *resize(JSMallocState *s, void *data, size_t size) {
  if (!data) return size > 0 ? take(s, size) : NULL;
  if (size == 0) {
    give_back(s, data);
    return NULL;
  }
  const size_t before = cost(data), held = slab_size(data);
  if (!has_room(s, size, before)) return NULL;
  if (held && size <= held && size > held / 2) return data;
  if (held || size <= SLAB_LARGEST) return move(s, data, size, usable_size(data));
  void *moved = realloc(data, size);
  if (!moved) return NULL;
  s->malloc_size += cost(moved) - before;
  return moved;
}

const JSMallocFunctions heap_functions = {take, give_back, resize, usable_size};
