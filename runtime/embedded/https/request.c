#include "request.h"

#include <string.h>

/* The message is the first member. */
static struct request_parser *parser_of(llhttp_t *http) {
  return http->data;
}

static int append(struct request_parser *parser, const char *text, size_t length) {
  if (parser->message.head_length + length <= parser->head_limit) return message_append(&parser->message, text, length);
  return message_fail(&parser->message, "HPE_HEADER_OVERFLOW", "Header overflow");
}

static int on_url(llhttp_t *http, const char *at, size_t length) {
  return append(parser_of(http), at, length);
}

static int on_url_complete(llhttp_t *http) {
  return append(parser_of(http), "", 1);
}

/* Trailer fields and chunk extensions of one request have, all together, the head's limit. */
static int count_extra(struct request_parser *parser, size_t length, const char *code, const char *reason) {
  parser->extra_length += length;
  return parser->extra_length > parser->head_limit ? message_fail(&parser->message, code, reason) : 0;
}

/* Trailer fields (RFC 9110, 6.5) are checked and counted, and not kept: nothing here has a use for them. */
static int on_field_or_value(llhttp_t *http, const char *at, size_t length) {
  struct request_parser *parser = parser_of(http);
  if (!parser->message.trailing) return append(parser, at, length);
  return count_extra(parser, length, "HPE_HEADER_OVERFLOW", "Trailer overflow");
}

/* Likewise extensions of chunks (RFC 9112, 7.1.1). */
static int on_chunk_extension(llhttp_t *http, const char *at, size_t length) {
  (void)at;
  return count_extra(parser_of(http), length, "HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow");
}

static int on_field_complete(llhttp_t *http) {
  return on_field_or_value(http, "", 1);
}

static int on_value_complete(llhttp_t *http) {
  struct request_parser *parser = parser_of(http);
  if (parser->message.trailing) return on_field_or_value(http, "", 1);
  message_trim_value(&parser->message);
  return append(parser, "", 1);
}

static int on_headers_complete(llhttp_t *http) {
  struct request_parser *parser = parser_of(http);
  struct message_parser *message = &parser->message;
  if (http->http_major != 1 || http->http_minor > 1) {
    return message_fail(message, "HPE_INVALID_VERSION", "Invalid HTTP version");
  }
  /* An Upgrade that is not supported is an ordinary request (RFC 9110, 7.8); a CONNECT is for proxies. */
  if (http->method == HTTP_CONNECT) return message_fail(message, "HPE_INVALID_METHOD", "CONNECT is not supported");
  parser->upgrade = http->upgrade;
  http->upgrade = 0;
  message->keep_alive = llhttp_should_keep_alive(http) != 0;
  message->trailing = true;
  parser->has_body = (http->flags & F_CHUNKED) != 0 || http->content_length > 0;
  return parser->has_body ? message_tell(message, MESSAGE_HEAD) : 0;
}

static int on_body(llhttp_t *http, const char *at, size_t length) {
  return message_tell_body(http->data, at, length);
}

static int on_message_complete(llhttp_t *http) {
  return message_tell(http->data, parser_of(http)->has_body ? MESSAGE_END : MESSAGE_HEAD);
}

static const llhttp_settings_t settings = {.on_message_begin = message_begin,
                                           .on_url = on_url,
                                           .on_url_complete = on_url_complete,
                                           .on_header_field = on_field_or_value,
                                           .on_header_field_complete = on_field_complete,
                                           .on_header_value = on_field_or_value,
                                           .on_header_value_complete = on_value_complete,
                                           .on_headers_complete = on_headers_complete,
                                           .on_body = on_body,
                                           .on_chunk_extension_name = on_chunk_extension,
                                           .on_chunk_extension_value = on_chunk_extension,
                                           .on_message_complete = on_message_complete};

void request_init(struct request_parser *parser, size_t head_limit) {
  memset(parser, 0, sizeof *parser);
  message_init(&parser->message, HTTP_REQUEST, &settings);
  parser->head_limit = head_limit;
}

void request_forget(struct request_parser *parser) {
  message_forget(&parser->message);
  parser->extra_length = 0;
  parser->has_body = false;
}

void request_free(struct request_parser *parser) {
  request_forget(parser);
}

enum message_event request_next(struct request_parser *parser, const uint8_t *data, size_t length, size_t *used) {
  return message_next(&parser->message, data, length, used);
}

enum message_event request_finish(struct request_parser *parser) {
  struct message_parser *message = &parser->message;
  if (message->failed) return MESSAGE_ERROR;
  if (!message->begun) return MESSAGE_MORE;
  message->event = MESSAGE_MORE;
  llhttp_errno_t error = llhttp_finish(&message->http);
  return error == HPE_OK ? MESSAGE_MORE : message_failed(message, error);
}

const char *request_method(const struct request_parser *parser) {
  return llhttp_method_name((llhttp_method_t)parser->message.http.method);
}
