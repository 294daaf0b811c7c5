/* Tests runtime/embedded/https/repeats.c: one line for each that passed; ends at the first that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/embedded/https/repeats.h"
#include "runtime/embedded/https/response_head.h"

enum { CAPACITY = 8000, SETS = 128, NOW = 1000, LATER = 2000 };

static const uint8_t rack[REPEAT_HASH] = {1}, fan[REPEAT_HASH] = {2};

static void passes(bool good, const char *what) {
  if (!good) {
    printf("not ok - %s\n", what);
    exit(1);
  }
  printf("ok - %s\n", what);
}

static void hash_of(const struct repeats *repeats, unsigned number, uint8_t hash[REPEAT_HASH]) {
  char request[64];
  int length = snprintf(request, sizeof request, "GET /%u HTTP/1.1\r\n\r\n", number);
  repeats_hash(repeats, (uint8_t *)request, (size_t)length, hash);
}

/* An answer of so many bytes, made long ago. */
static uint8_t *answer_of(size_t length) {
  static const char head[] = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: keep-alive\r\n\r\n";
  uint8_t *answer = malloc(length);
  memset(answer, 'x', length);
  memcpy(answer, head, sizeof head - 1);
  return answer;
}

static void add_about(struct repeats *repeats, unsigned number, const uint8_t subject[REPEAT_HASH], size_t length) {
  uint8_t hash[REPEAT_HASH], *answer = answer_of(length);
  hash_of(repeats, number, hash);
  repeats_add(repeats, hash, subject, answer, length, NULL, 0);
  free(answer);
}

static void add(struct repeats *repeats, unsigned number, size_t length) {
  add_about(repeats, number, rack, length);
}

static const struct repeat *find(struct repeats *repeats, unsigned number) {
  uint8_t hash[REPEAT_HASH];
  hash_of(repeats, number, hash);
  return repeats_find(repeats, hash);
}

static void add_caller(struct repeats *repeats, unsigned number, uint8_t audience) {
  struct repeat_caller caller = {.audience = {audience}, .until = LATER};
  hash_of(repeats, number, caller.hash);
  repeats_add_caller(repeats, &caller);
}

static const struct repeat_caller *find_caller(struct repeats *repeats, unsigned number, uint64_t now) {
  uint8_t hash[REPEAT_HASH];
  hash_of(repeats, number, hash);
  return repeats_caller(repeats, hash, now);
}

/* Hashes that begin with the same byte. */
static void add_caller_of_one_set(struct repeats *repeats, uint8_t number) {
  struct repeat_caller caller = {.hash = {3, number}, .audience = {9}, .until = LATER};
  repeats_add_caller(repeats, &caller);
}

static bool find_caller_of_one_set(struct repeats *repeats, uint8_t number) {
  return repeats_caller(repeats, (uint8_t[REPEAT_HASH]){3, number}, NOW) != NULL;
}

static void test_sets(void) {
  struct repeats repeats = {0};
  unsigned known = 0;
  repeats_init(&repeats, CAPACITY, 1);
  for (unsigned i = 0; i <= REPEAT_WAYS; i++) add(&repeats, i, 200);
  for (unsigned i = 0; i <= REPEAT_WAYS; i++) known += find(&repeats, i) ? 1 : 0;
  passes(known == REPEAT_WAYS && !find(&repeats, 0), "a table of one set has as many answers as a set has ways");
  repeats_clear(&repeats);
}

static void test_callers(void) {
  struct repeats repeats = {0};
  repeats_init(&repeats, CAPACITY, SETS);
  memset(repeats.key, 0, sizeof repeats.key); /* the sets are the same in each run */
  passes(!find_caller(&repeats, 1, NOW), "no caller is known at first");
  add_caller(&repeats, 1, 7);
  const struct repeat_caller *found = find_caller(&repeats, 1, NOW);
  passes(found && found->audience[0] == 7 && !find_caller(&repeats, 2, NOW), "a caller is known by its head alone");
  passes(!find_caller(&repeats, 1, LATER), "and for its time");
  add_caller(&repeats, 1, 8);
  found = find_caller(&repeats, 1, NOW);
  passes(found && found->audience[0] == 8, "a head leads to the audience that was added last");
  for (uint8_t i = 1; i <= REPEAT_CALLER_WAYS; i++) add_caller_of_one_set(&repeats, i);
  passes(find_caller_of_one_set(&repeats, 2) && find_caller_of_one_set(&repeats, 1),
         "a set has as many as it has ways");
  add_caller_of_one_set(&repeats, REPEAT_CALLER_WAYS + 1);
  passes(find_caller_of_one_set(&repeats, 1) && find_caller_of_one_set(&repeats, 2) &&
             find_caller_of_one_set(&repeats, REPEAT_CALLER_WAYS + 1) && !find_caller_of_one_set(&repeats, 3),
         "then the one who asked longest ago makes room");
  repeats_forget_callers(&repeats);
  unsigned known = 0;
  for (unsigned i = 0; i < 70; i++) add_caller(&repeats, i, 9);
  for (unsigned i = 0; i < 70; i++) known += find_caller(&repeats, i, NOW) ? 1 : 0;
  passes(known >= 65, "of 70 callers nearly all are known");
  add_caller(&repeats, 1, 8);
  add(&repeats, 1, 500);
  repeats_forget_callers(&repeats);
  passes(!find_caller(&repeats, 1, NOW) && find(&repeats, 1), "callers are forgotten, and answers are not");
  repeats_clear(&repeats);
}

static void test_moments(void) {
  static const char format[] =
      "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: W/\"0%s\"\r\n\r\n0%s %s %s";
  static const char old_tag[] = "0019ac021dc00", old_time[] = "1994-11-06T08:49:37.000";
  char answer[300];
  uint8_t hash[REPEAT_HASH];
  const size_t length = (size_t)snprintf(answer, sizeof answer, format, old_tag + 2, old_tag + 2, old_time, old_time);
  const struct repeat_moment moments[] = {{1, REPEAT_TAG}, {13, 0}, {37, 330}};
  struct repeats repeats = {0};
  repeats_init(&repeats, CAPACITY, SETS);
  hash_of(&repeats, 1, hash);
  repeats_add(&repeats, hash, rack, (uint8_t *)answer, length, moments, 3);
  const struct repeat *found = repeats_find(&repeats, hash);
  passes(found && found->length == length && memcmp(found->data + length - 23, old_time, 23) > 0,
         "an answer shows the present time");
  struct repeat_moment placed[REPEAT_MOMENTS + 1];
  memcpy(placed, found->data + length, found->moments * sizeof *placed);
  repeats_set_time(found->data, placed, found->moments, 951782400123);
  char *etag = strstr((char *)found->data, "ETag: "), *body = strstr((char *)found->data, "\r\n\r\n") + 4;
  passes(!memcmp(etag + 6, "W/\"00dd9aa6e07b\"", 16), "its tag in the head moves, too");
  passes(!memcmp(body + 13, "2000-02-29T00:00:00.123 2000-02-29T05:30:00.123", 47), "on each clock that it shows");
  passes(!memcmp(body + 1, etag + 10, 11) && body[0] == '0', "the tags in head and body are the same");
  const struct repeat_moment outside[] = {{(uint32_t)(length - (size_t)(body - (char *)found->data)) - 22, 0}};
  repeats_add(&repeats, hash, rack, (uint8_t *)answer, length, outside, 1);
  passes(repeats.bytes == length + 4 * sizeof *moments, "an answer with a moment outside of its body is not kept");
  repeats_clear(&repeats);
}

int main(void) {
  struct repeats repeats = {0}, other = {0};
  repeats_init(&repeats, CAPACITY, SETS);
  repeats_init(&other, CAPACITY, SETS);
  passes(!find(&repeats, 1), "nothing is found before something is kept");

  add(&repeats, 1, 500);
  const struct repeat *found = find(&repeats, 1);
  const char *date = found ? strstr((char *)found->data, "Date: ") : NULL;
  passes(found && found->length == 500 && found->data[499] == 'x', "an answer is found by its request");
  passes(date && !memcmp(date, response_date_line(), RESPONSE_DATE_LENGTH), "it has the present date");
  passes(!memcmp(date + RESPONSE_DATE_LENGTH, "Connection: keep-alive\r\n\r\nx", 27), "and is otherwise as it was");
  passes(!find(&repeats, 2), "another request finds nothing");

  uint8_t one[REPEAT_HASH], two[REPEAT_HASH];
  hash_of(&repeats, 1, one);
  hash_of(&other, 1, two);
  passes(memcmp(one, two, sizeof one) != 0, "hashes of the same request differ from server to server");

  add(&repeats, 1, 600);
  found = find(&repeats, 1);
  passes(found && found->length == 600 && repeats.bytes == 600, "a newer answer takes the place of an older one");
  add_about(&repeats, 2, fan, 500);
  repeats_drop(&repeats, rack);
  passes(!find(&repeats, 1) && find(&repeats, 2) && repeats.bytes == 500, "answers about one thing are dropped");

  add(&repeats, 1, CAPACITY / 4 + 1);
  passes(!find(&repeats, 1), "an answer of more than a quarter of the room is not kept");
  hash_of(&repeats, 1, one);
  repeats_add(&repeats, one, rack, (const uint8_t *)"HTTP/1.1 200 OK\r\n\r\nDate: ", 25, NULL, 0);
  passes(!find(&repeats, 1), "nor is one without a date in its head");

  for (unsigned i = 0; i < 8; i++) add(&repeats, i, 1000);
  find(&repeats, 0);
  add(&repeats, 8, 1000);
  passes(find(&repeats, 0) && !find(&repeats, 1) && find(&repeats, 8), "what was used longest ago makes room");
  for (unsigned i = 0; i < 100000; i++) add(&repeats, i, 100 + i % 300);
  passes(repeats.bytes <= CAPACITY, "there are never more bytes than there is room");

  add_caller(&repeats, 1, 7);
  repeats_clear(&repeats);
  passes(!find_caller(&repeats, 1, NOW), "no caller is known after everything was forgotten");
  passes(repeats.bytes == 0 && !find(&repeats, 99999), "nothing is found after everything was forgotten");
  test_sets();
  test_callers();
  test_moments();
  return 0;
}
