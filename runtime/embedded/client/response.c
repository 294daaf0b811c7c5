#include "response.h"

#include <string.h>

/* The message is the first member. */
static struct response_parser *parser_of(llhttp_t *http) {
  return http->data;
}

static int fail(struct response_parser *parser, const char *code, const char *reason) {
  return message_fail(&parser->message, code, reason);
}

/* The reason phrase, the fields, and what follows the head besides the body: each has the limit. */
static int count(struct response_parser *parser, size_t length) {
  parser->counted += length;
  if (parser->counted < parser->limits.head) return 0;
  return fail(parser, "UND_ERR_HEADERS_OVERFLOW", "Headers Overflow Error");
}

static int on_field_or_value(llhttp_t *http, const char *at, size_t length) {
  struct response_parser *parser = parser_of(http);
  int error = count(parser, length);
  return error || parser->message.trailing ? error : message_append(&parser->message, at, length);
}

static int on_field_complete(llhttp_t *http) {
  struct message_parser *message = http->data;
  return message->trailing ? 0 : message_append(message, "", 1);
}

static int on_value_complete(llhttp_t *http) {
  struct message_parser *message = http->data;
  if (message->trailing) return 0;
  message_trim_value(message);
  return message_append(message, "", 1);
}

static int on_reason_or_extension(llhttp_t *http, const char *at, size_t length) {
  (void)at;
  return count(parser_of(http), length);
}

static int on_status_complete(llhttp_t *http) {
  parser_of(http)->counted = 0;
  return 0;
}

static int on_interim(struct response_parser *parser) {
  if (parser->status < 100) return fail(parser, "HPE_INVALID_STATUS", "Invalid status code");
  if (parser->status == 100) return fail(parser, "UND_ERR_SOCKET", "bad response");
  if (parser->status == 101) return fail(parser, "UND_ERR_SOCKET", "bad upgrade");
  if (++parser->interim > parser->limits.interim) {
    return fail(parser, "UND_ERR_HEADERS_OVERFLOW", "Too many interim responses");
  }
  return 0;
}

static int on_headers_complete(llhttp_t *http) {
  struct response_parser *parser = parser_of(http);
  parser->status = http->status_code;
  if (parser->to_head || parser->status < 200) http->flags |= F_SKIPBODY;
  if (parser->status < 200) return on_interim(parser);
  http->upgrade = 0; /* an offer to upgrade, which is not taken (RFC 9110, 7.8) */
  parser->has_length = (http->flags & F_CONTENT_LENGTH) != 0;
  parser->message.keep_alive = llhttp_should_keep_alive(http) != 0;
  parser->message.trailing = true;
  parser->counted = 0;
  return message_tell(&parser->message, MESSAGE_HEAD);
}

static int on_body(llhttp_t *http, const char *at, size_t length) {
  struct response_parser *parser = parser_of(http);
  if (parser->limits.body >= 0 && (uint64_t)parser->received + length > (uint64_t)parser->limits.body) {
    return fail(parser, "UND_ERR_RES_EXCEEDED_MAX_SIZE", "Response content exceeded max size");
  }
  parser->received += (int64_t)length;
  return message_tell_body(&parser->message, at, length);
}

static int on_message_complete(llhttp_t *http) {
  struct response_parser *parser = parser_of(http);
  if (parser->status >= 200) return message_tell(&parser->message, MESSAGE_END);
  message_forget(&parser->message);
  parser->counted = 0;
  return 0;
}

static const llhttp_settings_t settings = {.on_message_begin = message_begin,
                                           .on_status = on_reason_or_extension,
                                           .on_status_complete = on_status_complete,
                                           .on_header_field = on_field_or_value,
                                           .on_header_field_complete = on_field_complete,
                                           .on_header_value = on_field_or_value,
                                           .on_header_value_complete = on_value_complete,
                                           .on_headers_complete = on_headers_complete,
                                           .on_body = on_body,
                                           .on_chunk_extension_name = on_reason_or_extension,
                                           .on_chunk_extension_value = on_reason_or_extension,
                                           .on_message_complete = on_message_complete};

void response_init(struct response_parser *parser, const struct response_limits *limits, bool to_head) {
  memset(parser, 0, sizeof *parser);
  message_init(&parser->message, HTTP_RESPONSE, &settings);
  parser->limits = *limits;
  parser->to_head = to_head;
}

void response_free(struct response_parser *parser) {
  message_forget(&parser->message);
}

enum message_event response_next(struct response_parser *parser, const uint8_t *data, size_t length, size_t *used) {
  return message_next(&parser->message, data, length, used);
}

enum message_event response_finish(struct response_parser *parser) {
  struct message_parser *message = &parser->message;
  if (message->failed) return MESSAGE_ERROR;
  message->event = MESSAGE_MORE;
  bool until_close = message->trailing && !message->keep_alive;
  if (until_close && llhttp_finish(&message->http) == HPE_PAUSED && message->event == MESSAGE_END) return MESSAGE_END;
  message->failed = true;
  if (until_close && parser->has_length) {
    fail(parser, "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "Response body length does not match content-length header");
  } else {
    fail(parser, "UND_ERR_SOCKET", "other side closed");
  }
  return MESSAGE_ERROR;
}
