/*
 * Small pieces of memory for one thread, in pages of pieces of the same size: a fraction of the instructions of malloc,
 * and no bookkeeping beside each piece. Static, for the one source that includes it to have all of it inline.
 */
#ifndef MINNOW_SLAB_H
#define MINNOW_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* In sanitizer builds there is no slab: each piece shall be malloc's to watch. */
#ifdef __SANITIZE_ADDRESS__
enum { SLAB_LARGEST = 0 };
#else
enum { SLAB_LARGEST = 512 }; /* bytes */
#endif
/* Bytes of address space that are taken at once when needed, and become memory page by page. */
enum { STRETCH = 32 << 20 };
#if UINTPTR_MAX > UINT32_MAX
#define SPAN ((size_t)4 << 30) /* the heap of a fleet */
typedef uint32_t page_number;
#else
#define SPAN ((size_t)STRETCH)
typedef uint16_t page_number;
#endif
enum { PAGE = 4096, STEP = 16, SIZES = SLAB_LARGEST / STEP + 1, SPARES_MAX = 128 };
#define PAGES (SPAN / PAGE + 1)

struct piece {
  struct piece *next;
};

struct page {
  struct piece *free;
  page_number next, before; /* in the list of its size, if some is free; in that of spare pages, if all of it is */
  uint16_t used;            /* pieces */
  uint16_t size;            /* of a piece, in steps */
};

static uint8_t *span;
static struct page pages[PAGES]; /* page 0 is unused: it ends the lists */
static unsigned begun;
static page_number partial[SIZES], spare;
static unsigned spares; /* the first spare pages, this many, have memory; the kernel has that of the others */

static unsigned page_of(const void *piece) {
  const uintptr_t offset = (uintptr_t)piece - (uintptr_t)span;
  return offset < SPAN ? (unsigned)(offset / PAGE) + 1 : 0;
}

static uint8_t *start_of(unsigned page) {
  return span + (size_t)(page - 1) * PAGE;
}

static void link_page(page_number *list, unsigned page) {
  pages[page].next = *list;
  pages[page].before = 0;
  pages[*list].before = (page_number)page;
  *list = (page_number)page;
}

static void unlink_page(page_number *list, unsigned page) {
  const struct page *p = pages + page;
  if (p->before) pages[p->before].next = p->next;
  else *list = p->next;
  pages[p->next].before = p->before;
}

/* A page of which nothing is used, or 0. */
static unsigned empty_page(void) {
  const unsigned page = spare;
  if (page) {
    unlink_page(&spare, page);
    if (spares) spares--;
    return page;
  }
  if (!span) {
    void *reserved = mmap(NULL, SPAN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return 0;
    span = reserved;
  }
  if (begun == PAGES - 1) return 0;
  if (begun % (STRETCH / PAGE) == 0 && mprotect(start_of(begun + 1), STRETCH, PROT_READ | PROT_WRITE)) return 0;
  return ++begun;
}

/* Puts a page of free pieces into the list of their size. False when there is no room for one. */
static bool add_page(size_t size) {
  const unsigned page = empty_page();
  struct piece *first = NULL;
  if (!page) return false;
  for (size_t at = PAGE / (size * STEP); at-- > 0;) {
    struct piece *piece = (struct piece *)(void *)(start_of(page) + at * size * STEP);
    piece->next = first;
    first = piece;
  }
  pages[page] = (struct page){.free = first, .size = (uint16_t)size};
  link_page(&partial[size], page);
  return true;
}

/* Half of the spare pages are kept, those that were in use last. */
static void give_back_spares(void) {
  unsigned page = spare;
  for (spares = 0; spares < SPARES_MAX / 2; spares++) page = pages[page].next;
  for (unsigned n = spares; n < SPARES_MAX; n++, page = pages[page].next) madvise(start_of(page), PAGE, MADV_DONTNEED);
}

/* Bytes of the piece that slab_take() gives for `size`. */
static size_t slab_round(size_t size) {
  return (size + STEP - 1) / STEP * STEP;
}

/* A piece of `size` bytes, 1 to SLAB_LARGEST, aligned to 16. NULL when there is no room for another page. */
static inline void *slab_take(size_t size) {
  page_number *list = &partial[slab_round(size) / STEP];
  if (!*list && !add_page(slab_round(size) / STEP)) return NULL;
  struct page *page = pages + *list;
  struct piece *piece = page->free;
  page->free = piece->next;
  page->used++;
  if (!page->free) unlink_page(list, *list);
  return piece;
}

/* Bytes of a piece that slab_take() gave; 0 for anything else. */
static inline size_t slab_size(const void *piece) {
  return (size_t)pages[page_of(piece)].size * STEP;
}

/* Frees a block of slab_take(). The kernel gets the memory of pages that stay empty. */
static inline void slab_give_back(void *data) {
  const unsigned number = page_of(data);
  struct page *page = pages + number;
  struct piece *piece = data;
  if (!page->free) link_page(&partial[page->size], number);
  piece->next = page->free;
  page->free = piece;
  if (--page->used > 0) return;
  unlink_page(&partial[page->size], number);
  link_page(&spare, number);
  if (++spares == SPARES_MAX) give_back_spares();
}

#endif
