/*
 * An incremental parser of HTTP/1.0 and HTTP/1.1 requests (RFC 9112), strict, over llhttp. No sockets, no JavaScript.
 *
 * It is asked for one step at a time: request_next takes bytes and stops at the first thing worth telling. So the
 * caller decides when to go on, which is all there is to back-pressure and to answering pipelined requests in order.
 *
 * The head is kept as one text of NUL-terminated pieces: URL, name, value, name, value, … (no piece contains a NUL:
 * the parser refuses those). It is bounded by the limit, and freed between requests.
 */
#ifndef MINNOW_HTTPS_REQUEST_H
#define MINNOW_HTTPS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llhttp.h>

typedef enum {
  REQUEST_MORE,  /* all bytes taken, nothing to tell */
  REQUEST_HEAD,  /* the head is complete; without a body the request is complete as well */
  REQUEST_BODY,  /* body[0 … body_length-1], inside the caller's bytes */
  REQUEST_END,   /* the body is complete */
  REQUEST_ERROR  /* code and reason say which; nothing more can be parsed */
} request_event;

typedef struct {
  llhttp_t http;
  char *head;
  size_t head_length, head_capacity, head_limit;
  unsigned headers;       /* how many name and value pairs the head has */
  bool begun;             /* bytes of a request have arrived */
  bool has_body;          /* the head announces a body (it may still be empty) */
  bool keep_alive;        /* the client wishes, and the framing allows, another request */
  bool failed, trailing;
  request_event event;
  const uint8_t *body;
  size_t body_length, extra_length;
  const char *code;       /* "HPE_INVALID_METHOD" and the like */
  const char *reason;
} request_parser;

/* `head_limit`: the most bytes in URL, names and values, each counted with its NUL; one more: HPE_HEADER_OVERFLOW. */
void request_init(request_parser *parser, size_t head_limit);
void request_free(request_parser *parser);

/* Takes some of `data`, sets `used`, and gives what was found. May be called with no bytes. */
request_event request_next(request_parser *parser, const uint8_t *data, size_t length, size_t *used);

/* The connection ended: REQUEST_ERROR in the middle of a request, else REQUEST_MORE. */
request_event request_finish(request_parser *parser);

/* Forgets the head, after REQUEST_HEAD without a body or REQUEST_END, when the request was answered. */
void request_forget(request_parser *parser);

/* "GET", "M-SEARCH", …; valid from REQUEST_HEAD on. */
const char *request_method(const request_parser *parser);

#endif
