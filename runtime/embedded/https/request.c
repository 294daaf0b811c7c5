#include "request.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_HEAD_CAPACITY = 1024 };

static request_parser *parser_of(llhttp_t *http) {
  return http->data;
}

static int fail(request_parser *parser, const char *code, const char *reason) {
  parser->code = code;
  parser->reason = reason;
  return HPE_USER;
}

static int append(request_parser *parser, const char *text, size_t length) {
  size_t needed = parser->head_length + length;
  if (needed > parser->head_limit) return fail(parser, "HPE_HEADER_OVERFLOW", "Header overflow");
  if (needed > parser->head_capacity) {
    size_t capacity = parser->head_capacity ? parser->head_capacity : FIRST_HEAD_CAPACITY;
    while (capacity < needed) capacity *= 2;
    char *head = realloc(parser->head, capacity);
    if (!head) return fail(parser, "ENOMEM", "Out of memory");
    parser->head = head;
    parser->head_capacity = capacity;
  }
  memcpy(parser->head + parser->head_length, text, length);
  parser->head_length = needed;
  return 0;
}

static int on_message_begin(llhttp_t *http) {
  parser_of(http)->begun = true;
  return 0;
}

static int on_url(llhttp_t *http, const char *at, size_t length) {
  return append(parser_of(http), at, length);
}

static int on_url_complete(llhttp_t *http) {
  return append(parser_of(http), "", 1);
}

/* What is neither head nor content has the head's limit, all together in one request. */
static int count_extra(request_parser *parser, size_t length, const char *code, const char *reason) {
  parser->extra_length += length;
  return parser->extra_length > parser->head_limit ? fail(parser, code, reason) : 0;
}

/* Trailer fields (RFC 9110, 6.5) are checked and counted, and not kept: nothing here has a use for them. */
static int on_field_or_value(llhttp_t *http, const char *at, size_t length) {
  request_parser *parser = parser_of(http);
  if (!parser->trailing) return append(parser, at, length);
  return count_extra(parser, length, "HPE_HEADER_OVERFLOW", "Trailer overflow");
}

/* Likewise extensions of chunks (RFC 9112, 7.1.1). */
static int on_chunk_extension(llhttp_t *http, const char *at, size_t length) {
  (void)at;
  return count_extra(parser_of(http), length, "HPE_CHUNK_EXTENSIONS_OVERFLOW", "Chunk extensions overflow");
}

static int on_field_complete(llhttp_t *http) {
  request_parser *parser = parser_of(http);
  return parser->trailing ? on_field_or_value(http, "", 1) : append(parser, "", 1);
}

static int on_value_complete(llhttp_t *http) {
  request_parser *parser = parser_of(http);
  if (parser->trailing) return on_field_or_value(http, "", 1);
  while (parser->head[parser->head_length - 1] == ' ' || parser->head[parser->head_length - 1] == '\t') {
    parser->head_length--;
  }
  parser->headers++;
  return append(parser, "", 1);
}

static int on_headers_complete(llhttp_t *http) {
  request_parser *parser = parser_of(http);
  if (http->http_major != 1 || http->http_minor > 1) {
    return fail(parser, "HPE_INVALID_VERSION", "Invalid HTTP version");
  }
  /* An Upgrade that nobody takes is an ordinary request (RFC 9110, 7.8); a CONNECT is for proxies. */
  if (http->method == HTTP_CONNECT) return fail(parser, "HPE_INVALID_METHOD", "CONNECT is not supported");
  http->upgrade = 0;
  parser->keep_alive = llhttp_should_keep_alive(http) != 0;
  parser->has_body = (http->flags & F_CHUNKED) != 0 || http->content_length > 0;
  parser->trailing = true;
  if (!parser->has_body) return 0;
  parser->event = REQUEST_HEAD;
  return HPE_PAUSED;
}

static int on_body(llhttp_t *http, const char *at, size_t length) {
  request_parser *parser = parser_of(http);
  if (length == 0) return 0; /* llhttp was asked to go on without a byte, in the middle of a body */
  parser->body = (const uint8_t *)at;
  parser->body_length = length;
  parser->event = REQUEST_BODY;
  return HPE_PAUSED;
}

static int on_message_complete(llhttp_t *http) {
  request_parser *parser = parser_of(http);
  parser->event = parser->has_body ? REQUEST_END : REQUEST_HEAD;
  return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
  .on_message_begin = on_message_begin,
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
  .on_message_complete = on_message_complete
};

void request_init(request_parser *parser, size_t head_limit) {
  memset(parser, 0, sizeof *parser);
  llhttp_init(&parser->http, HTTP_REQUEST, &settings);
  parser->http.data = parser;
  parser->head_limit = head_limit;
}

void request_forget(request_parser *parser) {
  if (parser->head) explicit_bzero(parser->head, parser->head_length); /* it held credentials */
  free(parser->head);
  parser->head = NULL;
  parser->head_length = parser->head_capacity = parser->extra_length = 0;
  parser->headers = 0;
  parser->begun = parser->has_body = parser->trailing = false;
}

void request_free(request_parser *parser) {
  request_forget(parser);
}

static request_event failed(request_parser *parser, llhttp_errno_t error) {
  parser->failed = true;
  if (!parser->code || error != HPE_USER) {
    parser->code = llhttp_errno_name(error);
    parser->reason = llhttp_get_error_reason(&parser->http);
  }
  return REQUEST_ERROR;
}

request_event request_next(request_parser *parser, const uint8_t *data, size_t length, size_t *used) {
  *used = 0;
  if (parser->failed) return REQUEST_ERROR;
  parser->event = REQUEST_MORE;
  llhttp_errno_t error = llhttp_execute(&parser->http, (const char *)data, length);
  *used = length;
  if (error == HPE_OK) return REQUEST_MORE;
  const char *stop = llhttp_get_error_pos(&parser->http);
  *used = stop ? (size_t)((const uint8_t *)stop - data) : length;
  if (error != HPE_PAUSED || parser->event == REQUEST_MORE) return failed(parser, error);
  llhttp_resume(&parser->http);
  return parser->event;
}

request_event request_finish(request_parser *parser) {
  if (parser->failed) return REQUEST_ERROR;
  if (!parser->begun) return REQUEST_MORE;
  parser->event = REQUEST_MORE;
  llhttp_errno_t error = llhttp_finish(&parser->http);
  return error == HPE_OK ? REQUEST_MORE : failed(parser, error);
}

const char *request_method(const request_parser *parser) {
  return llhttp_method_name((llhttp_method_t)parser->http.method);
}
