/*
 * Fuzzes the response parser. For all inputs, parsing ends, head and body stay within their limits, and the same bytes
 * give the same events in pieces of any length. The first byte chooses the lengths, and whether the request was a HEAD.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../response.h"

enum { HEAD_LIMIT = 400, BODY_LIMIT = 300, INTERIM_LIMIT = 2, TRACE_MAX = 1 << 16 };

/* The parser's callbacks, as text: two traces must be equal. */
struct trace {
  char *text;
  size_t length;
};

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void note(struct trace *t, const void *data, size_t length) {
  if (t->length + length > TRACE_MAX) fail("more events than bytes");
  if (length) memcpy(t->text + t->length, data, length);
  t->length += length;
}

static void note_text(struct trace *t, const char *text) {
  note(t, text, strlen(text));
}

static void note_head(struct trace *t, const struct response_parser *parser) {
  const char *at = parser->message.head;
  size_t written = 0;
  for (unsigned i = 0; i < 2 * parser->message.headers; i++) {
    written += strlen(at);
    at += strlen(at) + 1;
  }
  if (written >= HEAD_LIMIT) fail("the head is longer than its limit");
  if (parser->message.headers && at != parser->message.head + parser->message.head_length)
    fail("the pieces of the head do not add up");
  if (parser->status < 200 || parser->status > 999) fail("an invalid status");
  note(t, &parser->status, sizeof parser->status);
  if (parser->message.head_length) note(t, parser->message.head, parser->message.head_length);
  note_text(t, parser->message.keep_alive ? "keep" : "close");
}

/* Takes one piece to its end. False: nothing more is to be parsed. */
static bool feed(struct response_parser *parser, struct trace *t, const uint8_t *data, size_t length) {
  const size_t most = 4 * length + 8;
  for (size_t turns = 0;; turns++) {
    if (turns > most) fail("no progress");
    size_t used;
    enum message_event event = response_next(parser, data, length, &used);
    if (used > length) fail("more bytes taken than there were");
    if (event == MESSAGE_MORE) {
      if (used != length) fail("bytes were left");
      return true;
    }
    if (event == MESSAGE_HEAD) {
      note_text(t, "<head>");
      note_head(t, parser);
    } else if (event == MESSAGE_BODY) {
      if (parser->message.body < data || parser->message.body + parser->message.body_length > data + length)
        fail("a body outside of the bytes");
      if (parser->received > BODY_LIMIT) fail("the body is longer than its limit");
      if (parser->to_head) fail("a body after HEAD");
      note(t, parser->message.body, parser->message.body_length);
    } else if (event == MESSAGE_END) {
      note_text(t, "<end>");
      return false;
    } else {
      if (!parser->message.code) fail("an error without a code");
      note_text(t, "<error>"); /* which of two is found first may depend on the pieces */
      return false;
    }
    data += used;
    length -= used;
  }
}

static void run(struct trace *t, const uint8_t *data, size_t length, size_t piece, bool to_head) {
  const struct response_limits limits = {.head = HEAD_LIMIT, .body = BODY_LIMIT, .interim = INTERIM_LIMIT};
  struct response_parser parser;
  bool going = true;
  response_init(&parser, &limits, to_head);
  while (going && length > 0) {
    size_t now = length < piece ? length : piece;
    uint8_t *copy = malloc(now); /* of its exact size, so that reading beyond it is seen */
    if (!copy) fail("no memory");
    memcpy(copy, data, now);
    going = feed(&parser, t, copy, now);
    free(copy);
    data += now;
    length -= now;
  }
  if (going) note_text(t, response_finish(&parser) == MESSAGE_END ? "<closed>" : "<cut>");
  response_free(&parser);
}

/* How much of a body arrives before it exceeds its limit depends on the pieces. */
static size_t comparable(const struct trace *t) {
  static const char error[] = "<error>";
  const size_t size = sizeof error - 1;
  return t->length >= size && memcmp(t->text + t->length - size, error, size) == 0 ? 0 : t->length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char whole_text[TRACE_MAX], cut_text[TRACE_MAX];
  struct trace whole = {whole_text, 0}, cut = {cut_text, 0};
  if (size < 2 || size > 4096) return 0;
  bool to_head = data[0] & 0x80;
  run(&whole, data + 1, size - 1, size, to_head);
  run(&cut, data + 1, size - 1, (size_t)data[0] % 16 + 1, to_head);
  if (comparable(&whole) != comparable(&cut)) fail("the pieces make a difference");
  if (memcmp(whole.text, cut.text, comparable(&whole))) fail("the pieces make a difference");
  return 0;
}
