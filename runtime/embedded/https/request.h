/*
 * An incremental parser of HTTP/1.0 and HTTP/1.1 requests (RFC 9112), strict (wire/message.h). No sockets, no
 * JavaScript.
 *
 * The head begins with the URL. It is bounded by the limit, and freed between requests.
 */
#ifndef MINNOW_HTTPS_REQUEST_H
#define MINNOW_HTTPS_REQUEST_H

#include "../wire/message.h"

struct request_parser {
  struct message_parser message;
  size_t head_limit;
  size_t extra_length; /* of bytes that are neither head nor content */
  bool upgrade;        /* the head offers another protocol */
  bool has_body;       /* the head announces a body (it may still be empty) */
};

/* `head_limit`: the most bytes in URL, names and values, each counted with its NUL; one more: HPE_HEADER_OVERFLOW. */
void request_init(struct request_parser *parser, size_t head_limit);
void request_free(struct request_parser *parser);

/* See message_next. After MESSAGE_HEAD without a body the request is complete; with a body MESSAGE_END follows. */
enum message_event request_next(struct request_parser *parser, const uint8_t *data, size_t length, size_t *used);

/* The connection ended: MESSAGE_ERROR in the middle of a request, else MESSAGE_MORE. */
enum message_event request_finish(struct request_parser *parser);

/* Forgets the head, after MESSAGE_HEAD without a body or MESSAGE_END, when the request was answered. */
void request_forget(struct request_parser *parser);

/* "GET", "M-SEARCH", …; valid from MESSAGE_HEAD on. */
const char *request_method(const struct request_parser *parser);

#endif
