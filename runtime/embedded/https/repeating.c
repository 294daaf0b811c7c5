#include "repeating.h"

#include <string.h>
#include <strings.h>

#include "sending.h"

/*
 * As many clients may leave an answer unread that the application does not know of; the next one's is the
 * application's. The maximum bytes of the headers of a head that can matter.
 */
enum { UNREAD_MAX = 8, REST_MAX = 2048 };

/* Sets of answers to callers and to the others, whose part of the memory is one of so many. */
enum { SETS = 128, ANONYMOUS_SETS = 4, ANONYMOUS_PART = 8 };

/* Headers that make no difference: names of programs and of single requests. Credentials identify the caller. */
static const char *const ignored[] = {"user-agent", "x-request-id", "x-correlation-id", "traceparent", "tracestate"};
static const char *const credentials[] = {"authorization", "x-auth-token"};

/* Certificates may identify a user as well; the application checks them. */
static bool may_repeat(const struct connection *c) {
  const struct connection_group *group = c->group;
  size_t length;
  return group->repeats.capacity > 0 && !group->closing && c->link == LINK_SECURE && c->exchange <= EXCHANGE_IDLE &&
         !c->parser.message.begun && !c->last && !c->ended && !tls_certificate(&c->tls, &length);
}

#ifdef COMPARE_REPEATS
#include <stdio.h>
#include <stdlib.h>

#include "response_head.h"

/* One for all connections: a repeated answer is sent in the same turn of the loop as its request. */
static struct {
  https_id id;
  struct held_bytes answer;
  size_t date;
  struct repeat_moment moments[REPEAT_MOMENTS + 1];
  size_t moments_length;
  unsigned long compared;
} expected;

static void report(void) {
  fprintf(stderr, "%lu answers compared\n", expected.compared);
}

static void expect_none(void) {
  held_take(&expected.answer, held_length(&expected.answer));
}

static bool give(struct connection *c, const struct repeat *found, double *session) {
  (void)session;
  expect_none();
  if (held_add(&expected.answer, found->data, found->length)) abort();
  expected.id = c->id;
  expected.date = found->date;
  expected.moments_length = found->moments;
  memcpy(expected.moments, found->data + found->length, found->moments * sizeof *expected.moments);
  return false;
}

static void compare(const struct connection *c, const uint8_t *data, size_t length) {
  const uint8_t *before = held_data(&expected.answer);
  size_t date = expected.date, after = date + RESPONSE_DATE_LENGTH;
  struct held_bytes now = {0};
  if (!expected.answer.data || expected.id != c->id) return;
  if (held_add(&now, data, length)) abort();
  if (length == held_length(&expected.answer)) {
    repeats_set_time((uint8_t *)held_data(&now), expected.moments, expected.moments_length, 0);
    repeats_set_time((uint8_t *)before, expected.moments, expected.moments_length, 0);
    data = held_data(&now);
  }
  if (length != held_length(&expected.answer) || memcmp(data, before, date) ||
      memcmp(data + after, before + after, length - after)) {
    fprintf(stderr, "kept:\n%.*s\nbut now:\n%.*s\n", (int)held_length(&expected.answer), (const char *)before,
            (int)length, (const char *)data);
    abort();
  }
  expected.compared++;
  held_take(&now, held_length(&now));
  expect_none();
}
#else
static bool give(struct connection *c, const struct repeat *found, double *session) {
  if (session) *session = (double)uv_hrtime() / 1e6;
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

/* The same request at another address of this machine may be for another controller. */
static bool find_place(struct connection *c) {
  if (c->placed) return true;
  struct sockaddr_storage name = {0};
  int length = sizeof name;
  if (uv_tcp_getsockname(&c->tcp, (struct sockaddr *)&name, &length)) return false;
  repeats_hash(&c->group->repeats, &name, (size_t)length, c->place);
  c->placed = true;
  return true;
}

/*
 * The length of a first line with a valid end. 0: no such line, and the bytes after it may have another meaning: with
 * another end a header would be taken for a part of the line.
 */
static size_t first_line(const uint8_t *data, size_t length) {
  const uint8_t *end = memchr(data, '\r', length);
  if (!end || end == data || end + 1 == data + length || end[1] != '\n' || memchr(data, '\n', (size_t)(end - data)))
    return 0;
  return (size_t)(end - data) + 2;
}

static bool is_ignored(const uint8_t *line, size_t length) {
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
    size_t name = strlen(ignored[i]);
    if (length > name && line[name] == ':' && !strncasecmp((const char *)line, ignored[i], name)) return true;
  }
  return false;
}

/* The hash of the lines that matter. False: they are too long. */
static bool hash_rest(struct connection *c, const uint8_t *data, size_t length) {
  uint8_t rest[REST_MAX];
  size_t used = 0;
  for (const uint8_t *end = data + length; data < end;) {
    size_t line = first_line(data, (size_t)(end - data));
    bool counts = !is_ignored(data, line);
    if (line == 0) line = (size_t)(end - data); /* the empty line, or what is the parser's to refuse */
    if (counts && line > sizeof rest - used) return false;
    if (counts) memcpy(rest + used, data, line);
    if (counts) used += line;
    data += line;
  }
  repeats_hash(&c->group->repeats, rest, used, c->rest);
  repeats_join(c->rest, c->place);
  return true;
}

void repeating_begin(struct connection_group *group) {
  repeats_init(&group->repeats, 0, SETS);
  repeats_init(&group->anonymous, 0, ANONYMOUS_SETS);
  repeating_forget(group);
}

bool repeating_answer(struct connection *c, const uint8_t *data, size_t length) {
  struct connection_group *group = c->group;
  uint8_t hash[REPEAT_HASH];
  size_t line = first_line(data, length);
  c->repeat_time = 0;
  c->whole = line > 0 && may_repeat(c) && find_place(c) && hash_rest(c, data + line, length - line);
  if (!c->whole) return false;
  repeats_hash(&group->repeats, data, line, c->line);
  if (group->unread >= UNREAD_MAX) return false;
  const struct repeat_caller *caller = repeats_caller(&group->repeats, c->rest, uv_now(group->loop));
  double *session = caller ? caller->session : NULL;
  memcpy(hash, c->line, REPEAT_HASH);
  repeats_join(hash, caller ? caller->audience : c->rest);
  if (caller && !c->authenticated) group->events.recognized(group->context, c->id);
  if (caller) c->authenticated = true;
  struct repeats *repeats = caller ? &group->repeats : &group->anonymous;
  const struct repeat *found = may_repeat(c) ? repeats_find(repeats, hash) : NULL;
  if (!found || !give(c, found, session)) return false;
  if (!c->authenticated) group->events.repeated(group->context, c->id);
  return true;
}

static bool matters(const char *name) {
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
    if (!strcasecmp(name, ignored[i])) return false;
  }
  return strcasecmp(name, credentials[0]) != 0 && strcasecmp(name, credentials[1]) != 0;
}

/* The hash of all that an answer may depend on but the first line: caller, headers, where the request was sent to. */
static int hash_audience(struct connection *c, const uint8_t *caller, size_t length) {
  const struct message_parser *message = &c->parser.message;
  const char *at = message->head + strlen(message->head) + 1;
  struct held_bytes text = {0};
  int error = held_add(&text, caller, length);
  if (!error) error = held_add(&text, (const uint8_t *)"", 1);
  for (uint32_t i = 0; i < message->headers && !error; i++) {
    size_t name = strlen(at) + 1, both = name + strlen(at + name) + 1;
    if (matters(at)) error = held_add(&text, (const uint8_t *)at, both);
    at += both;
  }
  if (!error) repeats_hash(&c->group->repeats, held_data(&text), held_length(&text), c->audience);
  repeats_join(c->audience, c->place);
  held_take(&text, held_length(&text));
  return error;
}

void repeating_allow(struct connection *c, const struct https_repetition *repeatable) {
  c->anonymous = repeatable->caller_length == 0;
  if (!c->whole || repeatable->moments_length > REPEAT_MOMENTS) return;
  if (c->anonymous) memcpy(c->audience, c->rest, REPEAT_HASH);
  else if (hash_audience(c, repeatable->caller, repeatable->caller_length)) return;
  repeats_hash(&c->group->repeats, repeatable->subject, repeatable->subject_length, c->subject);
  c->repeat_time = repeatable->time;
  c->session = repeatable->session;
  c->moments_length = repeatable->moments_length;
  for (size_t i = 0; i < c->moments_length; i++) {
    const int32_t *pair = repeatable->moments + 2 * i;
    c->moments[i] = (struct repeat_moment){.at = (uint32_t)pair[0], .minutes = pair[1]};
  }
}

void repeating_keep(struct connection *c, const uint8_t *data, size_t length) {
  struct repeats *repeats = c->anonymous ? &c->group->anonymous : &c->group->repeats;
  compare(c, data, length);
  if (c->repeat_time == 0 || !c->whole || c->last || c->exchange != EXCHANGE_RECEIVED) return;
  struct repeat_caller caller = {.until = uv_now(c->group->loop) + c->repeat_time, .session = c->session};
  memcpy(caller.hash, c->rest, REPEAT_HASH);
  memcpy(caller.audience, c->audience, REPEAT_HASH);
  if (!c->anonymous) repeats_add_caller(repeats, &caller);
  repeats_join(c->line, c->audience);
  repeats_add(repeats, c->line, c->subject, data, length, c->moments, c->moments_length);
  c->repeat_time = 0;
}

void repeating_forget_callers(struct connection_group *group) {
  expect_none();
  repeats_forget_callers(&group->repeats);
}

void repeating_drop(struct connection_group *group, const uint8_t *subject, size_t length) {
  uint8_t hash[REPEAT_HASH];
  expect_none();
  repeats_hash(&group->repeats, subject, length, hash);
  repeats_drop(&group->repeats, hash);
  repeats_drop(&group->anonymous, hash);
}

void repeating_forget(struct connection_group *group) {
  expect_none();
  repeats_clear(&group->repeats);
  repeats_clear(&group->anonymous);
  group->anonymous.capacity = group->options.max_repeats / ANONYMOUS_PART;
  group->repeats.capacity = group->options.max_repeats - group->anonymous.capacity;
}

void repeating_end(struct connection_group *group) {
  repeating_forget(group);
  report();
}
