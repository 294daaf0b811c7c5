/*
 * A message of HTTP/1.0 or HTTP/1.1 (RFC 9112) on its way in, strict, over llhttp: what requests and responses share.
 * No sockets, no JavaScript.
 *
 * Parsing advances in steps: message_next takes bytes and stops at the first result. So the caller decides when to go
 * on, which is all there is to back-pressure and to answering pipelined requests in order.
 *
 * The head is kept as one text of NUL-terminated pieces: name, value, name, value, … (no piece contains a NUL: the
 * parser refuses those), after what the kind of message puts before them. It is wiped when it is forgotten: it may hold
 * credentials.
 */
#ifndef MINNOW_WIRE_MESSAGE_H
#define MINNOW_WIRE_MESSAGE_H

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum message_event {
  MESSAGE_MORE, /* all bytes taken, no result */
  MESSAGE_HEAD, /* the head is complete */
  MESSAGE_BODY, /* body[0 … body_length-1], inside the caller's bytes */
  MESSAGE_END,  /* the message is complete */
  MESSAGE_ERROR /* with code and reason; nothing more can be parsed */
};

struct message_parser {
  llhttp_t http;
  char *head;
  size_t head_length, head_capacity;
  unsigned headers; /* how many name and value pairs the head has */
  bool begun;       /* bytes of a message have arrived */
  bool trailing;    /* the head is complete: what looks like it is a trailer */
  bool keep_alive;  /* the peer wishes, and the framing allows, another message */
  bool failed;
  enum message_event event;
  const uint8_t *body;
  size_t body_length;
  const char *code; /* "HPE_INVALID_METHOD" and the like */
  const char *reason;
};

/* All of it is zeroed first. `settings` call the functions below; http.data is the message. */
void message_init(struct message_parser *message, llhttp_type_t type, const llhttp_settings_t *settings);

/* Forgets the head; the next message may begin. */
void message_forget(struct message_parser *message);

/* Takes some of `data`, sets `used`, and returns the result. May be called without bytes. */
enum message_event message_next(struct message_parser *message, const uint8_t *data, size_t length, size_t *used);

/* Nothing more can be parsed, because of llhttp's `error` or of message_fail. MESSAGE_ERROR. */
enum message_event message_failed(struct message_parser *message, llhttp_errno_t error);

/* For callbacks of llhttp, which return what these give: 0, or that it has to stop. */

/* Ends the parsing with a code and words of our own. */
int message_fail(struct message_parser *message, const char *code, const char *reason);

/* Stops here with this result. */
int message_tell(struct message_parser *message, enum message_event event);

/* Stops at a part of the body, if there is one. */
int message_tell_body(struct message_parser *message, const char *at, size_t length);

/* Adds to the head. */
int message_append(struct message_parser *message, const char *text, size_t length);

/* A value of the head is complete but for its NUL. */
void message_trim_value(struct message_parser *message);

/* on_message_begin itself. */
int message_begin(llhttp_t *http);

#endif
