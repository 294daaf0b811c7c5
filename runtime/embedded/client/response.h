/*
 * An incremental parser of HTTP/1.0 and HTTP/1.1 responses (RFC 9112), strict (wire/message.h). No sockets, no
 * JavaScript.
 *
 * Interim responses (RFC 9110, 15.2) are taken and forgotten, up to a number of them; an unsolicited one (100,
 * 101) is an error. Trailer fields and extensions of chunks are counted and forgotten. Everything is bounded by the
 * limits. Codes of errors are llhttp's, or undici's ("UND_ERR_HEADERS_OVERFLOW" and the like).
 */
#ifndef MINNOW_CLIENT_RESPONSE_H
#define MINNOW_CLIENT_RESPONSE_H

#include "../wire/message.h"

struct response_limits {
  size_t head;  /* names and values of a head have fewer bytes than this */
  int64_t body; /* bytes of a body, without its framing; -1: any number */
  unsigned interim;
};

struct response_parser {
  struct message_parser message;
  struct response_limits limits;
  unsigned status;
  bool to_head;    /* an answer to HEAD has no body */
  bool has_length; /* there is a Content-Length */
  unsigned interim;
  size_t counted;   /* of limits.head, in this message */
  int64_t received; /* of limits.body */
};

/* Before each response. `to_head`: the request was a HEAD. */
void response_init(struct response_parser *parser, const struct response_limits *limits, bool to_head);
void response_free(struct response_parser *parser);

/* See message_next. */
enum message_event response_next(struct response_parser *parser, const uint8_t *data, size_t length, size_t *used);

/* The server closed: MESSAGE_END where that is the end of the body, else MESSAGE_ERROR. */
enum message_event response_finish(struct response_parser *parser);

#endif
