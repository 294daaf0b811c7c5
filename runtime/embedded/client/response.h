/*
 * An incremental parser of HTTP/1.0 and HTTP/1.1 responses (RFC 9112), strict, over llhttp. No sockets, no JavaScript.
 *
 * It is asked for one step at a time: response_parser_next takes bytes and stops at the first thing worth telling, so
 * the caller decides when to go on. Interim responses (RFC 9110, 15.2) are taken and forgotten, up to a number of them;
 * one that nobody asked for (100, 101) is an error. Trailer fields and extensions of chunks are counted and forgotten.
 *
 * The head is kept as one text of NUL-terminated pieces: name, value, name, value, … (no piece contains a NUL: the
 * parser refuses those). Everything is bounded by the limits.
 */
#ifndef MINNOW_CLIENT_RESPONSE_H
#define MINNOW_CLIENT_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llhttp.h>

typedef enum {
  RESPONSE_MORE,  /* all bytes taken, nothing to tell */
  RESPONSE_HEAD,  /* status and head are complete */
  RESPONSE_BODY,  /* body[0 … body_length-1], inside the caller's bytes */
  RESPONSE_END,   /* the response is complete */
  RESPONSE_ERROR  /* code and reason say which; nothing more can be parsed */
} response_event;

typedef struct {
  size_t head;   /* names and values of a head have fewer bytes than this */
  int64_t body;  /* bytes of a body, without its framing; -1: any number */
  unsigned interim;
} response_limits;

typedef struct {
  llhttp_t http;
  response_limits limits;
  char *head;
  size_t head_length, head_capacity;
  unsigned headers;      /* how many name and value pairs the head has */
  unsigned status;
  bool keep_alive;       /* the server wishes, and the framing allows, another request */
  bool to_head;          /* it answers HEAD: there is no body whatever the head says */
  bool failed, begun, trailing, chunked, has_length;
  unsigned interim;
  size_t counted;        /* of limits.head, in this message */
  int64_t received;      /* of limits.body */
  response_event event;
  const uint8_t *body;
  size_t body_length;
  const char *code;      /* "UND_ERR_HEADERS_OVERFLOW", "HPE_INVALID_CONSTANT" and the like */
  const char *reason;
} response_parser;

/* Before each response. `to_head`: the request was a HEAD. */
void response_parser_init(response_parser *parser, const response_limits *limits, bool to_head);
void response_parser_free(response_parser *parser);

/* Takes some of `data`, sets `used`, and gives what was found. May be called with no bytes. */
response_event response_parser_next(response_parser *parser, const uint8_t *data, size_t length, size_t *used);

/* The server closed: RESPONSE_END where that is the end of the body, else RESPONSE_ERROR. */
response_event response_parser_finish(response_parser *parser);

#endif
