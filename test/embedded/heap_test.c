/* The engine's memory, used at random: each piece keeps what is written to it until it is given back. */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/embedded/heap.h"

/* It keeps what is given back, to notice who still uses it. */
#ifdef __SANITIZE_ADDRESS__
enum { AddressSanitizer = 1 };
#else
enum { AddressSanitizer = 0 };
#endif
enum { PIECES = 20000, ROUNDS = 200000, LARGEST_PIECE = 700, SMALL_LIMIT = 1 << 20 };

static unsigned char *pieces[PIECES];
static size_t sizes[PIECES];
static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static void ok(bool holds, const char *what) {
  if (!holds) {
    printf("not ok - %s\n", what);
    exit(1);
  }
}

static void fill(size_t n) {
  memset(pieces[n], (int)(n & 0xff), sizes[n]);
}

static void check(size_t n, size_t size) {
  for (size_t i = 0; i < size; i++) ok(pieces[n][i] == (n & 0xff), "a piece keeps its bytes");
}

static size_t resident(void) {
  size_t total, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  ok(file && fscanf(file, "%zu %zu", &total, &pages) == 2, "the system says how much memory is there");
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void use_at_random(JSMallocState *s) {
  const JSMallocFunctions *heap = &heap_functions;
  for (int round = 0; round < ROUNDS; round++) {
    const size_t n = next() % PIECES, size = 1 + next() % LARGEST_PIECE;
    if (pieces[n]) check(n, sizes[n]);
    if (pieces[n] && next() % 2) {
      heap->js_free(s, pieces[n]);
      pieces[n] = NULL;
      continue;
    }
    const size_t kept = pieces[n] && sizes[n] < size ? sizes[n] : pieces[n] ? size : 0;
    pieces[n] = pieces[n] ? heap->js_realloc(s, pieces[n], size) : heap->js_malloc(s, size);
    ok(pieces[n] && (uintptr_t)pieces[n] % (2 * sizeof(void *)) == 0, "a piece is aligned");
    check(n, kept);
    sizes[n] = heap->js_malloc_usable_size(pieces[n]);
    ok(sizes[n] >= size, "a piece is as large as was asked for");
    fill(n);
  }
}

static void give_all_back(JSMallocState *s) {
  for (size_t n = 0; n < PIECES; n++) {
    if (pieces[n]) check(n, sizes[n]);
    heap_functions.js_free(s, pieces[n]);
    pieces[n] = NULL;
  }
}

static void give_back_to_the_system(JSMallocState *s) {
  const size_t before = resident();
  for (size_t n = 0; n < PIECES; n++) {
    pieces[n] = heap_functions.js_malloc(s, sizes[n] = 256);
    fill(n);
  }
  const size_t full = resident();
  give_all_back(s);
  malloc_trim(0);
  ok(full > before + PIECES * 128, "the memory was there");
  ok(resident() < before + (1 << 20), "the memory is gone");
  puts("ok - the system gets back the memory of what was given back");
}

static void use_much(JSMallocState *s) {
  enum { MANY = 100000, EACH = 512 }; /* more than what is used of the address space at first */
  static void *many[MANY];
  for (size_t n = 0; n < MANY; n++) {
    many[n] = heap_functions.js_malloc(s, EACH);
    ok(many[n], "there is room");
    memset(many[n], 1, EACH);
  }
  const struct mallinfo2 of_malloc = mallinfo2();
  ok(of_malloc.uordblks + of_malloc.hblkhd < MANY * EACH / 20, "none of them is malloc's");
  for (size_t n = 0; n < MANY; n++) heap_functions.js_free(s, many[n]);
  puts("ok - any number of small pieces is in pages");
}

int main(void) {
  JSMallocState s = {.malloc_limit = SIZE_MAX};
  for (int times = 0; times < 3; times++) {
    use_at_random(&s);
    give_all_back(&s);
    ok(s.malloc_count == 0 && s.malloc_size == 0, "all that is given back counts as free");
  }
  puts("ok - pieces of all sizes keep what is written to them, and their number and size are known");

  if (!AddressSanitizer) give_back_to_the_system(&s);
  if (!AddressSanitizer) use_much(&s);

  s.malloc_limit = SMALL_LIMIT;
  size_t count = 0;
  while (count < PIECES && (pieces[count] = heap_functions.js_malloc(&s, 100))) count++;
  ok(count > SMALL_LIMIT / 200 && count < SMALL_LIMIT / 100, "the limit holds for small pieces");
  ok(s.malloc_size <= SMALL_LIMIT && heap_shortage() == HEAP_EXHAUSTED, "the heap says that it is exhausted");
  puts("ok - the limit of the heap holds for small pieces");
  return 0;
}
