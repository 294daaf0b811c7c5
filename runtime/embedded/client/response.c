#include "response.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_HEAD_CAPACITY = 1024 };

static response_parser *parser_of(llhttp_t *http) {
  return http->data;
}

static int fail(response_parser *parser, const char *code, const char *reason) {
  parser->code = code;
  parser->reason = reason;
  return HPE_USER;
}

/* The reason phrase, the fields, and what follows the head besides the body: each has the limit. */
static int count(response_parser *parser, size_t length) {
  parser->counted += length;
  if (parser->counted < parser->limits.head) return 0;
  return fail(parser, "UND_ERR_HEADERS_OVERFLOW", "Headers Overflow Error");
}

static int append(response_parser *parser, const char *text, size_t length) {
  size_t needed = parser->head_length + length;
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

static void forget_head(response_parser *parser) {
  if (parser->head) explicit_bzero(parser->head, parser->head_length); /* it may hold cookies and tokens */
  free(parser->head);
  parser->head = NULL;
  parser->head_length = parser->head_capacity = parser->counted = 0;
  parser->headers = 0;
}

static int on_message_begin(llhttp_t *http) {
  parser_of(http)->begun = true;
  return 0;
}

static int on_field_or_value(llhttp_t *http, const char *at, size_t length) {
  response_parser *parser = parser_of(http);
  int error = count(parser, length);
  return error || parser->trailing ? error : append(parser, at, length);
}

static int on_field_complete(llhttp_t *http) {
  response_parser *parser = parser_of(http);
  return parser->trailing ? 0 : append(parser, "", 1);
}

static int on_value_complete(llhttp_t *http) {
  response_parser *parser = parser_of(http);
  if (parser->trailing) return 0;
  while (parser->head[parser->head_length - 1] == ' ' || parser->head[parser->head_length - 1] == '\t') {
    parser->head_length--;
  }
  parser->headers++;
  return append(parser, "", 1);
}

static int on_reason_or_extension(llhttp_t *http, const char *at, size_t length) {
  (void)at;
  return count(parser_of(http), length);
}

static int on_status_complete(llhttp_t *http) {
  parser_of(http)->counted = 0;
  return 0;
}

static int on_interim(response_parser *parser) {
  if (parser->status < 100) return fail(parser, "HPE_INVALID_STATUS", "Invalid status code");
  if (parser->status == 100) return fail(parser, "UND_ERR_SOCKET", "bad response");
  if (parser->status == 101) return fail(parser, "UND_ERR_SOCKET", "bad upgrade");
  if (++parser->interim > parser->limits.interim) {
    return fail(parser, "UND_ERR_HEADERS_OVERFLOW", "Too many interim responses");
  }
  return 0;
}

static int on_headers_complete(llhttp_t *http) {
  response_parser *parser = parser_of(http);
  parser->status = http->status_code;
  if (parser->to_head || parser->status < 200) http->flags |= F_SKIPBODY;
  if (parser->status < 200) return on_interim(parser);
  http->upgrade = 0; /* an offer to upgrade, which is not taken (RFC 9110, 7.8) */
  parser->chunked = (http->flags & F_CHUNKED) != 0;
  parser->has_length = (http->flags & F_CONTENT_LENGTH) != 0;
  parser->keep_alive = llhttp_should_keep_alive(http) != 0;
  parser->trailing = true;
  parser->counted = 0;
  parser->event = RESPONSE_HEAD;
  return HPE_PAUSED;
}

static int on_body(llhttp_t *http, const char *at, size_t length) {
  response_parser *parser = parser_of(http);
  if (length == 0) return 0;
  if (parser->limits.body >= 0 && (uint64_t)parser->received + length > (uint64_t)parser->limits.body) {
    return fail(parser, "UND_ERR_RES_EXCEEDED_MAX_SIZE", "Response content exceeded max size");
  }
  parser->received += (int64_t)length;
  parser->body = (const uint8_t *)at;
  parser->body_length = length;
  parser->event = RESPONSE_BODY;
  return HPE_PAUSED;
}

static int on_message_complete(llhttp_t *http) {
  response_parser *parser = parser_of(http);
  if (parser->status < 200) {
    forget_head(parser);
    return 0;
  }
  parser->event = RESPONSE_END;
  return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
  .on_message_begin = on_message_begin,
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
  .on_message_complete = on_message_complete
};

void response_parser_init(response_parser *parser, const response_limits *limits, bool to_head) {
  memset(parser, 0, sizeof *parser);
  llhttp_init(&parser->http, HTTP_RESPONSE, &settings);
  parser->http.data = parser;
  parser->limits = *limits;
  parser->to_head = to_head;
}

void response_parser_free(response_parser *parser) {
  forget_head(parser);
}

static response_event failed(response_parser *parser, llhttp_errno_t error) {
  parser->failed = true;
  if (!parser->code) {
    parser->code = llhttp_errno_name(error);
    parser->reason = llhttp_get_error_reason(&parser->http);
  }
  return RESPONSE_ERROR;
}

response_event response_parser_next(response_parser *parser, const uint8_t *data, size_t length, size_t *used) {
  *used = 0;
  if (parser->failed) return RESPONSE_ERROR;
  parser->event = RESPONSE_MORE;
  llhttp_errno_t error = llhttp_execute(&parser->http, (const char *)data, length);
  *used = length;
  if (error == HPE_OK) return RESPONSE_MORE;
  const char *stop = llhttp_get_error_pos(&parser->http);
  *used = stop ? (size_t)((const uint8_t *)stop - data) : length;
  if (error != HPE_PAUSED || parser->event == RESPONSE_MORE) return failed(parser, error);
  llhttp_resume(&parser->http);
  return parser->event;
}

response_event response_parser_finish(response_parser *parser) {
  if (parser->failed) return RESPONSE_ERROR;
  parser->event = RESPONSE_MORE;
  bool until_close = parser->trailing && !parser->keep_alive;
  if (until_close && llhttp_finish(&parser->http) == HPE_PAUSED && parser->event == RESPONSE_END) return RESPONSE_END;
  parser->failed = true;
  if (until_close && parser->has_length) {
    fail(parser, "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "Response body length does not match content-length header");
  } else {
    fail(parser, "UND_ERR_SOCKET", "other side closed");
  }
  return RESPONSE_ERROR;
}
