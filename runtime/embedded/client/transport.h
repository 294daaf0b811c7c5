/*
 * One connection of a client: TCP and TLS, bytes in and bytes out. Inside of the core: client.h is the way in for HTTPS,
 * stream_binding.c for other protocols.
 *
 * It reports to its owner through a table of events. Either side may call the other at any time; after transport_close
 * and transport_end there are no more calls, and the memory is freed when the loop has released it.
 */
#ifndef MINNOW_CLIENT_TRANSPORT_H
#define MINNOW_CLIENT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "tls.h"

struct transport;

struct transport_events {
  /* The handshake is done; or, without TLS so far, the connection is there. */
  void (*secured)(void *context);
  void (*writable)(void *context);
  /* Bytes arrived. Returns how many were taken; the rest is held when the owner has paused, else it is lost. */
  size_t (*data)(void *context, const uint8_t *data, size_t length);
  /*
   * The connection has failed; the owner closes it. `code` is NULL when the server closed it cleanly; `refused`: TCP
   * did not connect; another address may work.
   */
  void (*lost)(void *context, const char *code, const char *reason, bool refused);
};

/* Begins to connect; without `tls` for plain bytes. `events` must outlive the transport. A negative errno: it cannot. */
int transport_open(struct transport **out, uv_loop_t *loop, struct tls_client *tls,
                   const struct sockaddr_storage *address, const struct transport_events *events, void *context);
void transport_close(struct transport *c);

/*
 * Begins TLS on a connection that had plain bytes so far; `secured` follows, or `lost`. All that the server sent before has
 * been given to `data`. -ENOMEM, -EALREADY.
 */
int transport_secure(struct transport *c, struct tls_client *tls);

/*
 * Ends its own side, and closes once the server has closed too, at most some seconds later. Closing at once, with bytes
 * of the server's that was not read, would take from it what it has not read (RFC 1122, 4.2.2.13).
 */
void transport_end(struct transport *c);

/* Sends what the socket accepts of `data`. Returns its length; 0: wait for `writable` or `lost`; -EPROTO. */
long transport_send(struct transport *c, const uint8_t *data, size_t length);

/* Whether the kernel has all that was sent. */
bool transport_is_flushed(const struct transport *c);

/* Stops reading. */
void transport_pause(struct transport *c);

/* Continues with held bytes, and then with reading. Not from inside `data`. */
void transport_resume(struct transport *c);

/* Whether the connection keeps the process alive. */
void transport_keeps_process(struct transport *c, bool whether);

#endif
