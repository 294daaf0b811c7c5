#include "repeats.h"

#include <inttypes.h>
#include <sodium/crypto_shorthash_siphash24.h>
#include <sodium/randombytes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "response_head.h"

static const char date_name[] = "\r\nDate: ", tag_name[] = "\r\nETag: ";

/* "2026-11-26T12:00:00.000", and the digits of a tag that are the time. */
enum { TIME_LENGTH = 23, TAG_LENGTH = 11 };

void repeats_init(struct repeats *repeats, size_t capacity, size_t set_count) {
  repeats->capacity = capacity;
  repeats->set_count = set_count;
  randombytes_buf(repeats->key, sizeof repeats->key);
}

void repeats_hash(const struct repeats *repeats, const void *data, size_t length, uint8_t hash[REPEAT_HASH]) {
  crypto_shorthash_siphashx24(hash, data, length, repeats->key);
}

void repeats_join(uint8_t hash[REPEAT_HASH], const uint8_t other[REPEAT_HASH]) {
  for (int i = 0; i < REPEAT_HASH; i++) hash[i] ^= other[i];
}

static bool is_equal(const uint8_t a[REPEAT_HASH], const uint8_t b[REPEAT_HASH]) {
  return memcmp(a, b, REPEAT_HASH) == 0;
}

const struct repeat_caller *repeats_caller(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], uint64_t now) {
  if (!repeats->callers) return NULL;
  struct repeat_caller *set = repeats->callers[hash[0] % REPEAT_CALLER_SETS];
  for (int way = 0; way < REPEAT_CALLER_WAYS; way++) {
    struct repeat_caller *caller = &set[way];
    if (now >= caller->until || !is_equal(caller->hash, hash)) continue;
    caller->used = ++repeats->uses;
    return caller;
  }
  return NULL;
}

void repeats_add_caller(struct repeats *repeats, const struct repeat_caller *caller) {
  if (!repeats->callers) repeats->callers = calloc(REPEAT_CALLER_SETS, sizeof *repeats->callers);
  if (!repeats->callers) return;
  struct repeat_caller *set = repeats->callers[caller->hash[0] % REPEAT_CALLER_SETS], *place = set;
  for (int way = 0; way < REPEAT_CALLER_WAYS; way++) {
    struct repeat_caller *each = &set[way];
    if (each->until > 0 && is_equal(each->hash, caller->hash)) {
      place = each;
      break;
    }
    if (each->used < place->used) place = each;
  }
  *place = *caller;
  place->used = ++repeats->uses;
}

void repeats_forget_callers(struct repeats *repeats) {
  free(repeats->callers);
  repeats->callers = NULL;
}

static struct repeat *set_of(const struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  return repeats->sets[hash[0] % repeats->set_count];
}

static void drop(struct repeats *repeats, struct repeat *repeat) {
  repeats->bytes -= repeat->length + repeat->moments * sizeof(struct repeat_moment);
  free(repeat->data);
  *repeat = (struct repeat){0};
}

static struct repeat *look_up(const struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  if (!repeats->sets) return NULL;
  struct repeat *set = set_of(repeats, hash);
  for (int way = 0; way < REPEAT_WAYS; way++) {
    if (set[way].data && is_equal(set[way].hash, hash)) return &set[way];
  }
  return NULL;
}

const struct repeat *repeats_find(struct repeats *repeats, const uint8_t hash[REPEAT_HASH]) {
  struct repeat *found = look_up(repeats, hash);
  if (!found) return NULL;
  found->used = ++repeats->uses;
  memcpy(found->data + found->date, response_date_line(), RESPONSE_DATE_LENGTH);
  if (found->moments > 0) {
    struct repeat_moment moments[REPEAT_MOMENTS + 1];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    memcpy(moments, found->data + found->length, found->moments * sizeof *moments);
    repeats_set_time(found->data, moments, found->moments, (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
  }
  return found;
}

static size_t length_of(const struct repeat_moment *moment) {
  return moment->minutes == REPEAT_TAG ? TAG_LENGTH : TIME_LENGTH;
}

void repeats_set_time(uint8_t *answer, const struct repeat_moment *moments, size_t count, int64_t milliseconds) {
  for (size_t i = 0; i < count; i++) {
    char text[64];
    int length;
    if (moments[i].minutes == REPEAT_TAG) {
      length = snprintf(text, sizeof text, "%011" PRIx64, (uint64_t)milliseconds);
    } else {
      int64_t local = milliseconds + (int64_t)moments[i].minutes * 60000;
      time_t seconds = (time_t)(local / 1000);
      struct tm at;
      gmtime_r(&seconds, &at);
      length = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03d", at.tm_year + 1900, at.tm_mon + 1,
                        at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec, (int)(local % 1000));
    }
    if (length == (int)length_of(&moments[i])) memcpy(answer + moments[i].at, text, (size_t)length);
  }
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

/* The moments of a body by their places in the whole, with that of the tag in its head. 0: they cannot be right. */
static size_t place(const uint8_t *answer, size_t length, const struct repeat_moment *moments, size_t count,
                    struct repeat_moment placed[REPEAT_MOMENTS + 1]) {
  const uint8_t *end = memmem(answer, length, "\r\n\r\n", 4);
  const uint8_t *line = end ? memmem(answer, (size_t)(end - answer), tag_name, sizeof tag_name - 1) : NULL;
  const uint8_t *last = line ? memchr(line + 2, '\r', (size_t)(end - line)) : NULL;
  if (!last || last - line < (long)sizeof tag_name + TAG_LENGTH || count > REPEAT_MOMENTS) return 0;
  size_t body = (size_t)(end - answer) + 4;
  placed[0] = (struct repeat_moment){.at = (uint32_t)(last - answer - 1 - TAG_LENGTH), .minutes = REPEAT_TAG};
  for (size_t i = 0; i < count; i++) {
    if (moments[i].at > length - body || length_of(&moments[i]) > length - body - moments[i].at) return 0;
    placed[i + 1] = (struct repeat_moment){.at = (uint32_t)body + moments[i].at, .minutes = moments[i].minutes};
  }
  return count + 1;
}

void repeats_add(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], const uint8_t subject[REPEAT_HASH],
                 const uint8_t *answer, size_t length, const struct repeat_moment *moments, size_t count) {
  struct repeat_moment placed[REPEAT_MOMENTS + 1];
  size_t date = date_in(answer, length), places = count > 0 ? place(answer, length, moments, count, placed) : 0;
  if (date == 0 || length > repeats->capacity / 4 || (count > 0 && places == 0)) return;
  const size_t size = length + places * sizeof *placed;
  if (!repeats->sets) repeats->sets = calloc(repeats->set_count, sizeof *repeats->sets);
  if (!repeats->sets) return;
  struct repeat *before = look_up(repeats, hash);
  if (before) drop(repeats, before);
  while (repeats->bytes + size > repeats->capacity) {
    drop(repeats, oldest_of(repeats->sets[0], repeats->set_count * REPEAT_WAYS));
  }
  uint8_t *copy = malloc(size);
  if (!copy) return;
  memcpy(copy, answer, length);
  memcpy(copy + length, placed, places * sizeof *placed);
  struct repeat *place = place_for(repeats, hash);
  *place = (struct repeat){.data = copy, .length = length, .date = date, .moments = places, .used = ++repeats->uses};
  memcpy(place->hash, hash, REPEAT_HASH);
  memcpy(place->subject, subject, REPEAT_HASH);
  repeats->bytes += size;
}

void repeats_drop(struct repeats *repeats, const uint8_t subject[REPEAT_HASH]) {
  if (!repeats->sets) return;
  struct repeat *all = repeats->sets[0];
  for (size_t i = 0; i < repeats->set_count * REPEAT_WAYS; i++) {
    if (all[i].data && is_equal(all[i].subject, subject)) drop(repeats, &all[i]);
  }
}

void repeats_clear(struct repeats *repeats) {
  repeats_forget_callers(repeats);
  if (!repeats->sets) return;
  struct repeat *all = repeats->sets[0];
  for (size_t i = 0; i < repeats->set_count * REPEAT_WAYS; i++) free(all[i].data);
  free(repeats->sets);
  repeats->sets = NULL;
  repeats->bytes = 0;
}
