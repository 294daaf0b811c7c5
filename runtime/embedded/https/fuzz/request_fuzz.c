/*
 * Fuzzes the request parser. For all inputs, parsing ends, the head stays within its limit, and the same bytes give the
 * same events in pieces of any length. The first byte chooses the lengths.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../request.h"

enum { HEAD_LIMIT = 512, TRACE_MAX = 1 << 16 };

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

static void note_head(struct trace *t, const struct request_parser *parser) {
  const char *at = parser->message.head;
  if (parser->message.head_length > HEAD_LIMIT) fail("the head is longer than its limit");
  note_text(t, request_method(parser));
  note(t, parser->message.head, parser->message.head_length);
  note_text(t, parser->message.keep_alive ? "keep" : "close");
  for (unsigned i = 0; i < 2 * parser->message.headers + 1; i++) at += strlen(at) + 1;
  if (at != parser->message.head + parser->message.head_length) fail("the pieces of the head do not add up");
}

/* Takes one piece to its end. False: nothing more can be parsed. */
static bool feed(struct request_parser *parser, struct trace *t, const uint8_t *data, size_t length) {
  const size_t most = 4 * length + 8;
  for (size_t turns = 0;; turns++) {
    if (turns > most) fail("no progress");
    size_t used;
    switch (request_next(parser, data, length, &used)) {
      case MESSAGE_MORE:
        if (used != length) fail("bytes were left");
        return true;
      case MESSAGE_HEAD:
        note_text(t, "<head>");
        note_head(t, parser);
        if (!parser->has_body) request_forget(parser);
        break;
      case MESSAGE_BODY:
        if (parser->message.body < data || parser->message.body + parser->message.body_length > data + length)
          fail("a body outside of the bytes");
        note(t, parser->message.body, parser->message.body_length);
        break;
      case MESSAGE_END:
        note_text(t, "<end>");
        request_forget(parser);
        break;
      case MESSAGE_ERROR:
        if (!parser->message.code) fail("an error without a code");
        note_text(t, "<error>"); /* which of two is found first may depend on the pieces */
        return false;
    }
    if (used > length) fail("more bytes taken than there were");
    data += used;
    length -= used;
  }
}

static void run(struct trace *t, const uint8_t *data, size_t length, size_t piece) {
  struct request_parser parser;
  bool going = true;
  request_init(&parser, HEAD_LIMIT);
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
  if (going && request_finish(&parser) == MESSAGE_ERROR) note_text(t, "<cut>");
  request_free(&parser);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char whole_text[TRACE_MAX], cut_text[TRACE_MAX];
  struct trace whole = {whole_text, 0}, cut = {cut_text, 0};
  if (size < 2 || size > 4096) return 0;
  run(&whole, data + 1, size - 1, size);
  run(&cut, data + 1, size - 1, (size_t)data[0] % 16 + 1);
  if (whole.length != cut.length || memcmp(whole.text, cut.text, whole.length)) fail("the pieces make a difference");
  return 0;
}
