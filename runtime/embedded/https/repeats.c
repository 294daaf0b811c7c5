#include "repeats.h"

#include <sodium/crypto_shorthash_siphash24.h>
#include <sodium/randombytes.h>
#include <stdlib.h>
#include <string.h>

#include "response_head.h"

static const char date_name[] = "\r\nDate: ";

void repeats_init(struct repeats *repeats, size_t capacity) {
  repeats->capacity = capacity;
  randombytes_buf(repeats->key, sizeof repeats->key);
}

void repeats_hash(const struct repeats *repeats, const uint8_t *request, size_t length, uint8_t hash[REPEAT_HASH]) {
  crypto_shorthash_siphashx24(hash, request, length, repeats->key);
}

static struct repeat *set_of(const struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  return repeats->sets[hash[0] % REPEAT_SETS];
}

static void drop(struct repeats *repeats, struct repeat *repeat) {
  repeats->bytes -= repeat->length;
  free(repeat->data);
  *repeat = (struct repeat){0};
}

static struct repeat *look_up(const struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  if (!repeats->sets) return NULL;
  struct repeat *set = set_of(repeats, hash);
  for (int way = 0; way < REPEAT_WAYS; way++) {
    if (set[way].data && memcmp(set[way].hash, hash, REPEAT_HASH) == 0) return &set[way];
  }
  return NULL;
}

const struct repeat *repeats_find(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], uint64_t now) {
  struct repeat *found = look_up(repeats, hash);
  if (!found) return NULL;
  if (now >= found->until) {
    drop(repeats, found);
    return NULL;
  }
  found->used = ++repeats->uses;
  memcpy(found->data + found->date, response_date_line(), RESPONSE_DATE_LENGTH);
  return found;
}

static struct repeat *oldest_of(struct repeat *from, size_t count) {
  struct repeat *oldest = NULL;
  for (size_t i = 0; i < count; i++) {
    if (from[i].data && (!oldest || from[i].used < oldest->used)) oldest = &from[i];
  }
  return oldest;
}

/* A free place in the set of this hash. */
static struct repeat *place_for(struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  struct repeat *set = set_of(repeats, hash);
  for (int way = 0; way < REPEAT_WAYS; way++) {
    if (!set[way].data) return &set[way];
  }
  struct repeat *oldest = oldest_of(set, REPEAT_WAYS);
  drop(repeats, oldest);
  return oldest;
}

/* Where the line of the date begins in a head. 0: nowhere. */
static size_t date_in(const uint8_t *answer, size_t length) {
  const uint8_t *end = memmem(answer, length, "\r\n\r\n", 4);
  const uint8_t *line = end ? memmem(answer, (size_t)(end - answer), date_name, sizeof date_name - 1) : NULL;
  if (!line || line + 2 + RESPONSE_DATE_LENGTH > end + 2) return 0;
  return (size_t)(line - answer) + 2;
}

void repeats_add(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], const uint8_t *answer, size_t length,
                 uint64_t until, double *session) {
  size_t date = date_in(answer, length);
  if (date == 0 || length > repeats->capacity / 4) return;
  if (!repeats->sets) repeats->sets = calloc(REPEAT_SETS, sizeof *repeats->sets);
  if (!repeats->sets) return;
  struct repeat *before = look_up(repeats, hash);
  if (before) drop(repeats, before);
  while (repeats->bytes + length > repeats->capacity) {
    drop(repeats, oldest_of(repeats->sets[0], REPEAT_SETS * REPEAT_WAYS));
  }
  uint8_t *copy = malloc(length);
  if (!copy) return;
  memcpy(copy, answer, length);
  struct repeat *place = place_for(repeats, hash);
  *place = (struct repeat){.data = copy, .length = length, .date = date, .until = until, .session = session};
  place->used = ++repeats->uses;
  memcpy(place->hash, hash, REPEAT_HASH);
  repeats->bytes += length;
}

void repeats_clear(struct repeats *repeats) {
  if (!repeats->sets) return;
  for (int i = 0; i < REPEAT_SETS * REPEAT_WAYS; i++) free(repeats->sets[i / REPEAT_WAYS][i % REPEAT_WAYS].data);
  free(repeats->sets);
  repeats->sets = NULL;
  repeats->bytes = 0;
}
