/*
 * The head of an answer (RFC 9112, 4), written piece by piece into a buffer. No sockets, no JavaScript.
 *
 * Headers that the application leaves out are added as Node.js does it: Date, Connection, Keep-Alive, and the length of
 * the body.
 */
#ifndef MINNOW_HTTPS_RESPONSE_HEAD_H
#define MINNOW_HTTPS_RESPONSE_HEAD_H

#include <stdbool.h>

#include "../wire/held.h"

struct response_head {
  struct held_bytes bytes;
  unsigned status;
  bool has_date, has_connection, has_length, has_encoding;
  bool close; /* it has the header Connection: close */
};

/* The framing of the body that follows the head. */
enum response_body { RESPONSE_NO_BODY, RESPONSE_LENGTH, RESPONSE_CHUNKED, RESPONSE_UNTIL_CLOSE };

/* The status line. -EINVAL: not a status from 200 to 599; -ENOMEM. The caller frees `bytes` with held_take. */
int response_head_begin(struct response_head *head, unsigned status);

/* A header. -EINVAL: a byte that does not belong into a name or a value (RFC 9110, 5.1 and 5.5); -ENOMEM. */
int response_head_add(struct response_head *head, const char *name, size_t name_length, const char *value,
                      size_t value_length);

/*
 * Adds the missing headers and the empty line. `keep_alive`: the connection stays open, for `seconds` if not 0. A
 * length is written for RESPONSE_LENGTH, and chunked for RESPONSE_CHUNKED, unless the application did. -ENOMEM.
 */
int response_head_finish(struct response_head *head, bool keep_alive, unsigned seconds, enum response_body body,
                         size_t length);

enum { RESPONSE_DATE_LENGTH = sizeof "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n" - 1 };

/* The present date as a header, with its end of line: RESPONSE_DATE_LENGTH bytes (RFC 9110, 6.6.1). */
const char *response_date_line(void);

/* Whether answers of this status never have a body (RFC 9110, 6.4.1). */
bool response_is_empty(unsigned status);

#endif
