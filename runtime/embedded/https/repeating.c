#include "repeating.h"

#include <time.h>

#include "sending.h"

/* As many clients may leave an answer unread that the application does not know of; the next one's is the application's. */
enum { UNREAD_MAX = 8 };

/* Certificates may stand for a user as well: what they say is the application's to judge. */
static bool may_repeat(const struct connection *c) {
  const struct connection_group *group = c->group;
  size_t length;
  return group->repeats.capacity > 0 && !group->closing && c->link == LINK_SECURE && c->exchange <= EXCHANGE_IDLE &&
         !c->parser.message.begun && !c->last && !c->ended && !tls_certificate(&c->tls, &length);
}

#ifdef COMPARE_REPEATS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "response_head.h"

/* One for all connections: an answer that may be given again comes in the turn of the loop in which it was asked for. */
static struct {
  https_id id;
  struct held_bytes answer;
  size_t date;
  unsigned long compared;
} expected;

static void report(void) {
  fprintf(stderr, "%lu answers compared\n", expected.compared);
}

static void expect_none(void) {
  held_take(&expected.answer, held_length(&expected.answer));
}

static bool give(struct connection *c, const struct repeat *found) {
  expect_none();
  if (held_add(&expected.answer, found->data, found->length)) abort();
  expected.id = c->id;
  expected.date = found->date;
  return false;
}

static void compare(const struct connection *c, const uint8_t *data, size_t length) {
  const uint8_t *before = held_data(&expected.answer);
  size_t date = expected.date, after = date + RESPONSE_DATE_LENGTH;
  if (!expected.answer.data || expected.id != c->id) return;
  if (length != held_length(&expected.answer) || memcmp(data, before, date) ||
      memcmp(data + after, before + after, length - after)) {
    fprintf(stderr, "kept:\n%.*s\nbut now:\n%.*s\n", (int)held_length(&expected.answer), (const char *)before,
            (int)length, (const char *)data);
    abort();
  }
  expected.compared++;
  expect_none();
}
#else
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec * 1e3 + (double)(time.tv_nsec / 1000000);
}

static bool give(struct connection *c, const struct repeat *found) {
  if (found->session) *found->session = now();
  c->exchange = EXCHANGE_RECEIVED;
  connection_await(c, 0, 0); /* the client has done its part */
  c->unread = true;
  c->group->unread++;
  if (sending_write(c, found->data, found->length, true) <= 0) connection_taken(c);
  return true;
}

static void compare(const struct connection *c, const uint8_t *data, size_t length) {
  (void)c, (void)data, (void)length;
}

static void expect_none(void) {
}

static void report(void) {
}
#endif

/* The very same request at another address of this machine may be one to somebody else. */
static bool find_place(struct connection *c) {
  if (c->placed) return true;
  struct sockaddr_storage name = {0};
  int length = sizeof name;
  if (uv_tcp_getsockname(&c->tcp, (struct sockaddr *)&name, &length)) return false;
  repeats_hash(&c->group->repeats, (const uint8_t *)&name, (size_t)length, c->place);
  c->placed = true;
  return true;
}

bool repeating_answer(struct connection *c, const uint8_t *data, size_t length) {
  struct connection_group *group = c->group;
  c->repeat_time = 0;
  c->whole = may_repeat(c) && find_place(c);
  if (!c->whole) return false;
  repeats_hash(&group->repeats, data, length, c->hash);
  for (int i = 0; i < REPEAT_HASH; i++) c->hash[i] ^= c->place[i];
  if (!c->authenticated || group->unread >= UNREAD_MAX) return false;
  const struct repeat *found = repeats_find(&group->repeats, c->hash, uv_now(group->loop));
  return found && give(c, found);
}

void repeating_keep(struct connection *c, const uint8_t *data, size_t length) {
  struct connection_group *group = c->group;
  compare(c, data, length);
  if (c->repeat_time == 0 || !c->whole || c->last || c->exchange != EXCHANGE_RECEIVED) return;
  repeats_add(&group->repeats, c->hash, data, length, uv_now(group->loop) + c->repeat_time, c->session);
  c->repeat_time = 0;
}

void repeating_forget(struct connection_group *group) {
  expect_none();
  repeats_clear(&group->repeats);
  group->repeats.capacity = group->options.max_repeats;
}

void repeating_end(struct connection_group *group) {
  repeating_forget(group);
  report();
}
