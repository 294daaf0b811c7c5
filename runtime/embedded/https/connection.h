/* One connection of a server. Inside of the core: https.h is the way in. */
#ifndef MINNOW_HTTPS_CONNECTION_H
#define MINNOW_HTTPS_CONNECTION_H

#include "held.h"
#include "https.h"

/* What the connection waits for from its peer; each has its time. */
typedef enum { WAIT_NOTHING, WAIT_HANDSHAKE, WAIT_HEAD, WAIT_BODY, WAIT_REQUEST, WAIT_CLOSE } connection_wait;

typedef struct connection {
  uv_tcp_t tcp;
  uv_write_t write;
  uv_shutdown_t shutdown;
  https_server *server;
  struct connection *next_ready;
  https_id id;
  tls_session tls;
  request_parser parser;
  held_bytes ciphertext; /* received and not decrypted, while parsing is at rest */
  held_bytes plaintext;  /* decrypted and not parsed, likewise */
  held_bytes sending;    /* records that the kernel did not take at once */
  held_bytes unsent;     /* an answer's bytes for which there was no room in the outbox */
  connection_wait wait;
  uint64_t begun_at, deadline, write_deadline; /* on the loop's clock; 0: none */
  size_t lingered;  /* bytes thrown away after we closed our side */
  bool encrypted;   /* there is a TLS session: bytes have arrived */
  bool secured;     /* the handshake is done */
  bool reading;     /* between uv_read_start and uv_read_stop */
  bool writing;     /* a uv_write is under way; TLS rests as long, so records keep their order */
  bool open;        /* a request was delivered and is not over */
  bool complete;    /* it has arrived as a whole */
  bool answered;    /* the application gave the last byte of its answer */
  bool streaming;   /* parts of its answer were written, and more will follow */
  bool needs_drain; /* the application was told that bytes wait */
  bool paused;      /* by the application */
  bool unfinished;  /* the parser was stopped and may have something to tell without another byte */
  bool feeding;     /* connection_feed is on the stack */
  bool yielding;    /* one request is over: it is another connection's turn */
  bool ready;       /* in the server's list of those that can go on */
  bool last;        /* no further request after this one */
  bool ending;      /* closes when everything has left */
  bool shut;        /* we closed our side */
  bool ended;       /* the peer closed its side */
  bool closing;     /* uv_close was called */
} connection;

/* Accepts a connection from the listener. -ENOMEM, or libuv's error. */
int connection_accept(https_server *server);

/* Goes on with what is held, at most to the end of one request. */
void connection_feed(connection *c);

/* See https_write, https_end, https_destroy and https_resume. */
long connection_write(connection *c, const uint8_t *data, size_t length, bool last);
int connection_end(connection *c, const uint8_t *data, size_t length);
void connection_destroy(connection *c);
void connection_resume(connection *c);

/* Whether it is between two requests, or before the first. */
bool connection_is_idle(const connection *c);

/* Looks at the times. */
void connection_check(connection *c, uint64_t now);

/* Between the two halves of a connection: receiving (connection.c) and sending (sending.c). */

/* Hands the outbox to the kernel, before control may go to another connection. */
void connection_flush(connection *c);

/* What follows when everything has left: the request may be over, or the connection. */
void connection_settle(connection *c);

/* Reads when nothing is held, and takes a turn when what is held can go on. */
void connection_arrange(connection *c);

/* Whether bytes of an answer wait. */
static inline bool connection_is_sending(const connection *c) {
  return c->writing || c->unsent.data;
}

/* How many bytes of an answer wait. */
static inline long connection_waiting(const connection *c) {
  return (long)(held_length(&c->unsent) + held_length(&c->sending));
}

/* Waits for something from the peer, for the time configured. */
void connection_wait_for(connection *c, connection_wait what);

#endif
