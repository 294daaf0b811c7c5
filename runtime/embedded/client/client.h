/*
 * An HTTPS client: HTTP/1.1 (RFC 9112) over TLS 1.2 and 1.3, on a libuv loop. Plain C, one thread, no JavaScript.
 *
 * A client is one server and at most one connection to it, which is made when a request needs it, kept alive between
 * requests, and made again when it is gone. There is one request at a time; who has more keeps the queue. Redirections
 * are responses like others.
 *
 * The application gives a table of events. Texts and bytes in events are valid during the event only, what is given to
 * a function is copied; an event may call any function but client_free. Times are milliseconds, 0: for ever. Functions
 * give 0 or a negative errno. The process has to ignore SIGPIPE.
 */
#ifndef MINNOW_CLIENT_CLIENT_H
#define MINNOW_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "../wire/held.h"
#include "response.h"
#include "tls.h"

struct client;

struct client_options {
  const char *host; /* a name or a numeric address, where to connect */
  int port;
  unsigned connect_timeout;    /* from the wish for a connection to the end of the handshake */
  unsigned keep_alive_timeout; /* that a connection is kept without a request */
  struct response_limits limits;
  struct tls_client_settings tls;
};

struct client_request_options {
  unsigned headers_timeout; /* from sending the request to the end of the response's head */
  unsigned body_timeout;    /* between two parts of its body */
  bool is_head;             /* it is a HEAD */
  bool last;                /* the connection is closed afterwards */
  bool one_way;             /* nothing is answered: it ends when it is sent, and the connection stays */
};

/*
 * A failure: a code as of undici (UND_ERR_…), of Node.js (ECONNREFUSED, ENOTFOUND, CERT_HAS_EXPIRED, …) or of
 * llhttp (HPE_…), and words. `connecting`: there was no connection yet, and nothing was sent.
 */
struct client_error {
  const char *code, *reason;
  bool connecting;
};

struct client_events {
  /* The head of the response (response.h says how it is kept). */
  void (*head)(void *context, const struct response_parser *parser);
  void (*body)(void *context, const uint8_t *data, size_t length);
  /* The response is complete, and the next request may be given. */
  void (*end)(void *context);
  /* Instead of all that would have followed. The next request may be given. */
  void (*error)(void *context, const struct client_error *error);
};

/* -ENOMEM; -EINVAL, -EKEYREJECTED: see tls_client_new. */
int client_new(struct client **out, uv_loop_t *loop, const struct client_options *options,
               const struct client_events *events, void *context);

/* Drops the connection, sends no more events, and frees the client once the loop has released it. Not in an event. */
void client_free(struct client *c);

/* Sends a request, head and body, which the client takes over. -EBUSY: another one is under way; -ENOMEM. */
int client_request(struct client *c, struct held_bytes *request, const struct client_request_options *options);

/* Whether there is a connection that is kept alive. */
bool client_is_connected(const struct client *c);

/* How long the connection stays open after the present response, instead of the option's time; 0: it closes. */
void client_keep(struct client *c, unsigned timeout);

/* Stops and resumes the delivery of the body, and its time. */
void client_pause(struct client *c);
void client_resume(struct client *c);

/* Drops the connection, and with it the request under way, without further calls. */
void client_drop(struct client *c);

/* Closes the connection after the last request: the server has received everything. */
void client_end(struct client *c);

#endif
