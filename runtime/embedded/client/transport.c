#include "transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../wire/held.h"

/* Bytes that may wait for a server that does not read, besides the one request. */
enum { UNSENT_MAX = 4 * TLS_LINK_OUTBOX, RECEIVED = 16384, TEXT_ROOM = 128 };

/* Milliseconds that a server has to close, once this side has ended. */
enum { END_MAX = 5000 };

/* The state of the connection, which only advances. */
enum transport_link { LINK_CONNECTING, LINK_PLAIN, LINK_HANDSHAKE, LINK_SECURE, LINK_CLOSED };

struct transport {
  uv_tcp_t tcp;
  uv_connect_t connect;
  uv_write_t write;
  uv_shutdown_t shutdown;
  uv_timer_t timer; /* runs once this side has ended */
  unsigned handles; /* that the loop still has */
  const struct transport_events *events;
  void *context;
  struct tls_link tls;
  struct held_bytes ciphertext; /* received and not decrypted, while the owner rests */
  struct held_bytes plaintext;  /* decrypted and not taken, likewise */
  struct held_bytes unsent;     /* records for which there is no room in the kernel */
  struct held_bytes sending;    /* those that libuv has */
  enum transport_link link;
  int error;   /* of reading; UV_EOF: the server closed */
  bool broken; /* the server takes no more bytes */
  bool paused; /* by the owner */
};

/* All connections are on one thread, and none of these buffers outlives a call. */
static uint8_t received[RECEIVED], plaintext[TLS_RECORD_MAX], outbox[TLS_LINK_OUTBOX];

static void flush(struct transport *c);
static void lose(struct transport *c, int error, const char *what);

static void on_written(uv_write_t *write, int status) {
  struct transport *c = write->data;
  held_take(&c->sending, held_length(&c->sending));
  if (c->link == LINK_CLOSED) return;
  if (status < 0) { /* the reason, and the last bytes of the server, can still be read */
    c->broken = true;
    held_take(&c->unsent, held_length(&c->unsent));
    return;
  }
  flush(c);
  if (c->link == LINK_SECURE && !c->sending.data) c->events->writable(c->context);
}

/* Hands the outbox to the kernel, before control may go to another connection. */
static void flush(struct transport *c) {
  size_t sent = 0;
  if (c->broken) c->tls.out.length = 0;
  if (c->tls.out.length && !c->sending.data && !c->unsent.data) {
    uv_buf_t now = uv_buf_init((char *)outbox, (unsigned)c->tls.out.length);
    int result = uv_try_write((uv_stream_t *)&c->tcp, &now, 1);
    if (result > 0) sent = (size_t)result;
  }
  int error = held_add(&c->unsent, outbox + sent, c->tls.out.length - sent);
  c->tls.out.length = 0;
  if (held_length(&c->unsent) > UNSENT_MAX) error = -ENOBUFS;
  if (!error && c->unsent.data && !c->sending.data) {
    c->sending = c->unsent;
    c->unsent = (struct held_bytes){0};
    uv_buf_t all = uv_buf_init((char *)(uintptr_t)held_data(&c->sending), (unsigned)held_length(&c->sending));
    c->write.data = c;
    error = uv_write(&c->write, (uv_stream_t *)&c->tcp, &all, 1, on_written);
    if (error) held_take(&c->sending, held_length(&c->sending));
  }
  if (error) lose(c, error, "write");
}

static void lose(struct transport *c, int error, const char *what) {
  char text[TEXT_ROOM], name[TEXT_ROOM];
  snprintf(text, sizeof text, "%s %s", what, uv_err_name_r(error, name, sizeof name));
  c->events->lost(c->context, name, text, c->link == LINK_CONNECTING);
}

/* TLS failed: the alert leaves, and the owner learns why. */
static void refuse(struct transport *c) {
  char text[TEXT_ROOM];
  const char *reason, *code = tls_link_fault(&c->tls, &reason);
  snprintf(text, sizeof text, "TLS failed (-0x%04x)", (unsigned)-c->tls.records.error);
  flush(c);
  if (c->link == LINK_CLOSED) return;
  if (code && c->link == LINK_HANDSHAKE) c->events->lost(c->context, code, reason, false);
  else c->events->lost(c->context, "EPROTO", text, false);
}

static void secure(struct transport *c) {
  int result;
  size_t written;
  do { /* a flight may be larger than the outbox */
    result = tls_link_handshake(&c->tls);
    if (result == -EPROTO) {
      refuse(c);
      return;
    }
    written = c->tls.out.length;
    flush(c);
  } while (result == -EAGAIN && written && c->link != LINK_CLOSED);
  if (result || c->link == LINK_CLOSED) return;
  c->link = LINK_SECURE;
  c->events->secured(c->context);
}

/* Decrypts one record into `plaintext`, and hands it on. False: there is no record. */
static bool take_record(struct transport *c) {
  const size_t before = c->tls.records.in_length;
  int length = tls_link_read(&c->tls, plaintext, sizeof plaintext);
  if (length == -EPROTO) {
    refuse(c);
    return false;
  }
  flush(c);
  if (c->link == LINK_CLOSED) return false;
  if (length == -EAGAIN)
    return c->tls.records.in_length > 0 && c->tls.records.in_length < before; /* it was no data, there is more */
  if (length == 0) {
    c->error = UV_EOF;
    c->tls.records.in_length = 0; /* nothing counts after the closing alert */
    return false;
  }
  size_t taken = c->events->data(c->context, plaintext, (size_t)length);
  int error = 0;
  if (c->link != LINK_CLOSED) error = held_add(&c->plaintext, plaintext + taken, (size_t)length - taken);
  explicit_bzero(plaintext, (size_t)length);
  if (error) lose(c, error, "read");
  return c->link != LINK_CLOSED;
}

/* Takes of `data` (records) what may be taken now; tls.in is the rest. */
static void feed(struct transport *c, const uint8_t *data, size_t length) {
  if (c->link == LINK_PLAIN) { /* none of it counts once TLS has begun */
    c->events->data(c->context, data, length);
    return;
  }
  c->tls.records.in = data;
  c->tls.records.in_length = length;
  if (c->link == LINK_HANDSHAKE) secure(c);
  if (c->plaintext.data && c->link != LINK_CLOSED && !c->paused) {
    size_t taken = c->events->data(c->context, held_data(&c->plaintext), held_length(&c->plaintext));
    if (c->link != LINK_CLOSED) held_take(&c->plaintext, taken);
  }
  while (c->link == LINK_SECURE && !c->paused && take_record(c)) continue;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle, (void)suggested;
  *buffer = uv_buf_init((char *)received, sizeof received);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer);

/* Reads, or reports the end, when no bytes are held. */
static void arrange(struct transport *c) {
  if (c->link == LINK_CLOSED) return;
  bool holds = c->ciphertext.data || c->plaintext.data || c->paused;
  if (c->error && !holds) {
    if (c->link < LINK_SECURE) {
      c->events->lost(c->context, "ECONNRESET", "The server closed before the TLS connection was established", false);
    } else if (c->error == UV_EOF) {
      c->events->lost(c->context, NULL, NULL, false);
    } else {
      lose(c, c->error, "read");
    }
    return;
  }
  if (holds || c->error) {
    uv_read_stop((uv_stream_t *)&c->tcp);
    return;
  }
  int error = uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
  if (error && error != UV_EALREADY) lose(c, -ENOTCONN, "read");
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  struct transport *c = stream->data;
  if (length == 0 || c->link == LINK_CLOSED) return;
  if (length < 0) c->error = (int)length;
  else feed(c, (uint8_t *)buffer->base, (size_t)length);
  if (c->link != LINK_CLOSED && c->tls.client && length > 0 &&
      held_add(&c->ciphertext, c->tls.records.in, c->tls.records.in_length))
    lose(c, -ENOMEM, "read");
  arrange(c);
}

void transport_resume(struct transport *c) {
  c->paused = false;
  feed(c, held_data(&c->ciphertext), held_length(&c->ciphertext));
  if (c->link != LINK_CLOSED) held_take(&c->ciphertext, held_length(&c->ciphertext) - c->tls.records.in_length);
  arrange(c);
}

void transport_pause(struct transport *c) {
  c->paused = true;
}

long transport_send(struct transport *c, const uint8_t *data, size_t length) {
  if (c->sending.data || c->broken) return 0;
  if (c->link == LINK_PLAIN) {
    if (length > sizeof outbox) length = sizeof outbox;
    memcpy(outbox, data, length);
    c->tls.out.length = length;
    flush(c);
    return c->link == LINK_CLOSED ? 0 : (long)length;
  }
  int result = tls_link_write(&c->tls, data, length);
  if (result == -EPROTO) return -EPROTO;
  flush(c);
  return c->link == LINK_CLOSED || result == -EAGAIN ? 0 : result;
}

bool transport_is_flushed(const struct transport *c) {
  return !c->sending.data && !c->unsent.data && !c->broken;
}

void transport_keeps_process(struct transport *c, bool whether) {
  if (whether) uv_ref((uv_handle_t *)&c->tcp);
  else uv_unref((uv_handle_t *)&c->tcp);
}

static void on_connected(uv_connect_t *connect, int status) {
  struct transport *c = connect->data;
  if (c->link == LINK_CLOSED) return;
  if (status < 0) {
    lose(c, status, "connect");
    return;
  }
  uv_tcp_nodelay(&c->tcp, 1);
  if (c->tls.client) {
    c->link = LINK_HANDSHAKE;
    secure(c);
  } else {
    c->link = LINK_PLAIN;
    c->events->secured(c->context);
  }
  arrange(c);
}

int transport_secure(struct transport *c, struct tls_client *tls) {
  if (c->link != LINK_PLAIN) return -EALREADY;
  if (tls_link_open(&c->tls, tls, outbox)) return -ENOMEM;
  c->link = LINK_HANDSHAKE;
  secure(c);
  return 0;
}

static void on_closed(uv_handle_t *handle) {
  struct transport *c = handle->data;
  if (--c->handles) return;
  held_take(&c->ciphertext, held_length(&c->ciphertext));
  held_take(&c->plaintext, held_length(&c->plaintext));
  held_take(&c->unsent, held_length(&c->unsent));
  free(c);
}

/* Lets go of the connection, when TLS has done so. */
static void release(struct transport *c) {
  if (uv_is_closing((uv_handle_t *)&c->tcp)) return;
  uv_close((uv_handle_t *)&c->tcp, on_closed);
  uv_close((uv_handle_t *)&c->timer, on_closed);
}

/* The closing alert leaves, if it can. False: the connection is not good for more. */
static bool leave(struct transport *c) {
  const bool good = c->link == LINK_SECURE && !c->tls.records.error && !c->error && !c->broken;
  if (good) {
    tls_link_close_notify(&c->tls);
    uv_buf_t alert = uv_buf_init((char *)outbox, (unsigned)c->tls.out.length);
    if (!c->sending.data && !c->unsent.data && c->tls.out.length) uv_try_write((uv_stream_t *)&c->tcp, &alert, 1);
  }
  c->link = LINK_CLOSED;
  if (c->tls.client) tls_link_close(&c->tls); /* now: the tls_client may be freed before the loop closes this */
  return good;
}

void transport_close(struct transport *c) {
  if (c->link == LINK_CLOSED) return;
  leave(c);
  release(c);
}

static void on_shut_down(uv_shutdown_t *shutdown, int status) {
  (void)shutdown, (void)status; /* a failure is read as one */
}

static void on_late(uv_timer_t *timer) {
  release(timer->data);
}

static void on_read_after_end(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  (void)buffer;
  if (length < 0) release(stream->data);
}

void transport_end(struct transport *c) {
  if (c->link == LINK_CLOSED) return;
  uv_stream_t *stream = (uv_stream_t *)&c->tcp;
  uv_read_stop(stream);
  if (!leave(c) || uv_shutdown(&c->shutdown, stream, on_shut_down) ||
      uv_read_start(stream, on_alloc, on_read_after_end)) {
    release(c);
    return;
  }
  transport_keeps_process(c, true);
  uv_timer_start(&c->timer, on_late, END_MAX, 0);
}

int transport_open(struct transport **out, uv_loop_t *loop, struct tls_client *tls,
                   const struct sockaddr_storage *address, const struct transport_events *events, void *context) {
  *out = NULL;
  struct transport *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->events = events;
  c->context = context;
  if (tls && tls_link_open(&c->tls, tls, outbox)) {
    free(c);
    return -ENOMEM;
  }
  uv_tcp_init(loop, &c->tcp);
  uv_timer_init(loop, &c->timer);
  c->handles = 2;
  c->tcp.data = c->timer.data = c->connect.data = c;
  int error = uv_tcp_connect(&c->connect, &c->tcp, (const struct sockaddr *)address, on_connected);
  if (error) transport_close(c);
  else *out = c;
  return error;
}
