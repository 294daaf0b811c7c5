/*
 * An HTTPS server: HTTP/1.1 (RFC 9112) over TLS 1.2 and 1.3, on a libuv loop. Plain C, one thread, no JavaScript.
 *
 * The application gives a table of events and answers with bytes: it writes heads and bodies itself. Requests of one
 * connection arrive one at a time, in order; the next one is parsed when the answer to the last has left, and after
 * other connections had their turn. Handshakes have as much time as all of that together, and some connections are
 * accepted in each round of the loop. Time in which the process stood still counts against no connection.
 *
 * An answer may be written in parts for as long as the application likes (a stream): no time runs out then but that of
 * a peer that takes nothing, and a peer that closes its side ends the connection.
 *
 * Connections have numbers (https_id), which are never reused. The number of an ended connection is harmless: every
 * function then gives -ENOTCONN. Texts and bytes in events are valid during the event only; what is given to a function
 * is copied if it must outlive the call. Times are milliseconds. Functions give 0 or more, or a negative errno. The
 * process has to ignore SIGPIPE.
 */
#ifndef MINNOW_HTTPS_HTTPS_H
#define MINNOW_HTTPS_HTTPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "request.h"
#include "tls.h"

struct https_server;
typedef uint64_t https_id;

/* Every time may be 0: for ever. */
struct https_options {
  size_t max_head;             /* bytes of a request's head */
  unsigned max_connections;    /* those above it are accepted and closed at once */
  unsigned handshake_timeout;  /* from accepting a connection to the end of the handshake */
  unsigned headers_timeout;    /* from its first byte (or the end of the handshake) to the end of the head */
  unsigned request_timeout;    /* from the same to the end of the body */
  unsigned keep_alive_timeout; /* between an answer and the next request */
  unsigned write_timeout;      /* without the peer taking a byte of an answer */
  size_t max_repeats;          /* bytes of answers that are kept for https_repeatable; 0: none */
  unsigned linger_timeout;     /* for the peer to close, after we did */
  bool names;                  /* the application has identities by the names that clients ask for */
  bool request_certificate;    /* of clients; optional for them, and not verified here (tls.h) */
  struct tls_settings tls;
};

struct https_events {
  /*
   * The head of a request (stored as in request.h); without a body (has_body) that is all of it. With one, the
   * connection is paused: https_resume asks for it, and the last byte of an answer makes it be thrown away.
   */
  void (*request)(void *context, https_id id, const struct request_parser *parser);
  void (*body)(void *context, https_id id, const uint8_t *data, size_t length);
  void (*end)(void *context, https_id id);
  /* All that was written has left for the kernel, after https_write had given a number above zero. */
  void (*drain)(void *context, https_id id);
  /*
   * Something that is no request (`code` is llhttp's, HPE_…; `data` is the piece in which it was found), or one that is
   * too slow (ERR_HTTP_REQUEST_TIMEOUT). The application finishes with https_end or https_destroy; otherwise the
   * connection lingers and ends.
   */
  void (*client_error)(void *context, https_id id, const char *code, const char *reason, const uint8_t *data,
                       size_t length);
  void (*connection)(void *context, https_id id);
  /* The name that a client asks for (server_name): its handshake waits until https_identify is called. */
  void (*name)(void *context, https_id id, const char *name, size_t length);
  void (*secure)(void *context, https_id id);
  /*
   * Its client is known by credentials that came with an answer to which https_repeatable applied, before a request of
   * this connection was an event. Such a request may have none.
   */
  void (*recognized)(void *context, https_id id);
  /* A request was answered by a repeated answer, on a connection without accepted credentials. */
  void (*repeated)(void *context, https_id id);
  /* The handshake failed; `error` is Mbed TLS's, or -ECONNRESET: it went away, -ETIMEDOUT, -EPROTO: this is no TLS. */
  void (*tls_error)(void *context, https_id id, int error);
  /* The connection has ended. Exactly once for each `connection`. */
  void (*close)(void *context, https_id id);
  /* After https_close: listening has stopped and the last connection has ended. The last event. */
  void (*closed)(void *context);
};

/* -EINVAL: key or certificate; -EKEYREJECTED: they do not belong together; -ENOMEM. */
int https_new(struct https_server **out, uv_loop_t *loop, const struct https_options *options,
              const struct https_events *events, void *context, const char *key, size_t key_length,
              const char *certificate, size_t certificate_length);

/* After `closed`, or in it. */
void https_free(struct https_server *server);

/*
 * A numeric IPv4 or IPv6 address, port 0 for a free one; called again, it listens there as well. -EADDRINUSE,
 * -EADDRNOTAVAIL, -EACCES, -EINVAL, -ENOMEM, -EMFILE, …; -EBADF after https_close.
 */
int https_listen(struct https_server *server, const char *address, int port);

/* Stops listening at one place; its connections stay. -ENOENT: it does not listen there. */
int https_unlisten(struct https_server *server, const char *address, int port);

/* The address that it listens on, of several the last one. -EBADF: it does not. */
int https_address(const struct https_server *server, struct sockaddr_storage *address);

/* For new connections. -EINVAL, -EKEYREJECTED, -ENOMEM: the old ones stay. */
int https_set_credentials(struct https_server *server, const char *key, size_t key_length, const char *certificate,
                          size_t certificate_length);

/*
 * Sets the certificate, DER, for clients that ask for that of a challenge (see TLS_CHALLENGE); their connection ends after
 * the handshake. A key of length 0 removes it. Errors are those of https_set_credentials.
 */
int https_set_challenge(struct https_server *server, const char *key, size_t key_length, const char *certificate,
                        size_t certificate_length);

/* Answers `name`, in the event or later: with an identity, which is kept, or NULL for that of the server. -ENOTCONN. */
int https_identify(struct https_server *server, https_id id, struct tls_identity *identity);

/* Any number may be changed at any time; https_forget then has to be called. */
struct https_options *https_settings(struct https_server *server);

/* Stops listening, closes idle connections, waits for answers, and then sends `closed`. */
void https_close(struct https_server *server);
void https_close_idle(struct https_server *server);
void https_close_all(struct https_server *server);
unsigned https_connections(const struct https_server *server);

/*
 * Writes a part of the answer to the present request; `last`: its end. Everything given at once leaves in one write.
 * How many bytes wait for the peer, 0: none; -ENOTCONN; -ENOMEM; -EPROTO when no request waits for an answer.
 */
long https_write(struct https_server *server, https_id id, const uint8_t *data, size_t length, bool last);

/* Texts of any bytes. */
struct https_repetition {
  unsigned time;
  const uint8_t *caller, *subject;
  size_t caller_length, subject_length;
  double *session;
  const int32_t *moments; /* pairs of what moves with the time: a place in the body, and what: see repeats.h */
  size_t moments_length;
};

/*
 * The answer to the present request, which https_write is about to give in one piece, is also that to requests with the
 * same first line, at the same address of this machine, on any connection, from the same `caller` and with the same
 * headers but for credentials and names of programs and requests. The credentials of the present request identify the
 * caller for `time`, as long as https_forget_callers is not called, and the answer stays until https_drop is called
 * with its `subject`. Such requests have no event. Each one is noted at `session` (uv_hrtime in milliseconds), which
 * outlives the server, or is NULL. At `moments` it has the time of each request. Only for requests whose own headers
 * have credentials that are right. Without credentials, `caller` is empty, and the answer is that to requests with the
 * same headers. -ENOTCONN.
 */
int https_repeatable(struct https_server *server, https_id id, const struct https_repetition *repeatable);

/* The credentials on this connection are wrong: further requests go to the application until it accepts them. */
int https_unauthenticated(struct https_server *server, https_id id);

/*
 * After a change: forgets the results of https_repeatable: all of them, all callers, or the answers with this subject.
 */
void https_forget(struct https_server *server);
void https_forget_callers(struct https_server *server);
void https_drop(struct https_server *server, const uint8_t *subject, size_t length);

/* How many bytes of answers wait for the peer; -ENOTCONN. */
long https_waiting(struct https_server *server, https_id id);

/* After the present answer the connection is closed. */
int https_close_after(struct https_server *server, https_id id);

/* Whether another request may follow the present one, for the Connection header of the answer. */
bool https_keeps_alive(struct https_server *server, https_id id);

/* Writes `data`, which may be of no length, and closes the connection when it has left. */
int https_end(struct https_server *server, https_id id, const uint8_t *data, size_t length);

/* Drops the connection. */
int https_destroy(struct https_server *server, https_id id);

/* Stops and resumes the delivery of the request's body. */
int https_pause(struct https_server *server, https_id id);
int https_resume(struct https_server *server, https_id id);

/* Gives the request whose body arrives this number of milliseconds from now on, instead of the time of all requests. */
int https_allow(struct https_server *server, https_id id, unsigned time);

/*
 * At a request without a body: all later bytes arrive in `body`, unparsed, once https_write has started the answer;
 * neither is HTTP any more, and the connection ends with the answer. No time runs out but that of https_write. A peer
 * that talks before there is an answer loses the connection. -EPROTO: the request is not complete, or is answered.
 */
int https_tunnel(struct https_server *server, https_id id);

int https_peer(struct https_server *server, https_id id, struct sockaddr_storage *address);
/* Where the peer connected to. */
int https_local(struct https_server *server, https_id id, struct sockaddr_storage *address);

/* "TLSv1.3", and the name of the cipher suite. NULL: no such connection. */
const char *https_protocol(struct https_server *server, https_id id);
const char *https_cipher(struct https_server *server, https_id id);

/*
 * The client's certificate as DER. NULL: no such connection or no certificate. Valid until the next turn of the loop.
 */
const uint8_t *https_certificate(struct https_server *server, https_id id, size_t *length);

#endif
