#include <errno.h>

#include "server.h"

static void on_written(uv_write_t *write, int status) {
  connection *c = write->data;
  c->writing = false;
  c->write_deadline = 0;
  held_take(&c->sending, held_length(&c->sending));
  if (c->closing) return;
  if (status < 0) {
    connection_destroy(c);
    return;
  }
  connection_settle(c);
  connection_arrange(c);
}

void connection_flush(connection *c) {
  tls_outbox *out = &c->server->outbox;
  uv_buf_t rest = uv_buf_init((char *)out->data, (unsigned)out->length);
  out->length = 0;
  if (rest.len == 0 || c->closing) return;
  int sent = uv_try_write((uv_stream_t *)&c->tcp, &rest, 1);
  if (sent == UV_EAGAIN) sent = 0;
  if (sent < 0) goto broken;
  if ((size_t)sent == rest.len) return;
  if (held_add(&c->sending, (uint8_t *)rest.base + sent, rest.len - (size_t)sent)) goto broken;
  rest = uv_buf_init((char *)c->sending.data, (unsigned)held_length(&c->sending));
  c->write.data = c;
  if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &rest, 1, on_written)) goto broken;
  c->writing = true;
  if (c->server->options.write_timeout) {
    c->write_deadline = uv_now(c->server->loop) + c->server->options.write_timeout;
  }
  return;
broken:
  connection_destroy(c);
}

/* Encrypts as much as may leave now. How much it took; -EPROTO. */
static long encrypt(connection *c, const uint8_t *data, size_t length) {
  size_t taken = 0;
  while (taken < length && !c->writing && !c->closing) {
    int result = tls_write(&c->tls, data + taken, length - taken);
    if (result == -EAGAIN) connection_flush(c);
    else if (result < 0) return result;
    else taken += (size_t)result;
  }
  connection_flush(c);
  return (long)taken;
}

static void send_unsent(connection *c) {
  if (!c->unsent.data || c->writing) return;
  long taken = encrypt(c, held_data(&c->unsent), held_length(&c->unsent));
  if (taken < 0) connection_destroy(c);
  else held_take(&c->unsent, (size_t)taken);
}

static long put(connection *c, const uint8_t *data, size_t length) {
  if (length > 0 && !connection_is_sending(c)) {
    long taken = encrypt(c, data, length);
    if (taken < 0) return taken;
    data += taken;
    length -= (size_t)taken;
  }
  if (c->closing) return -ENOTCONN;
  if (held_add(&c->unsent, data, length)) return -ENOMEM;
  return connection_waiting(c);
}

long connection_write(connection *c, const uint8_t *data, size_t length, bool last) {
  if (!c->open || c->answered || c->ending) return -EPROTO;
  c->answered = last;
  c->streaming = !last && c->complete;
  if (c->streaming) request_forget(&c->parser); /* a stream may last for days, and nobody needs its head any more */
  if (last) c->paused = false;
  long waiting = put(c, data, length);
  if (waiting < 0) {
    connection_destroy(c);
    return waiting;
  }
  c->needs_drain = waiting > 0;
  connection_settle(c);
  if (!c->feeding) connection_arrange(c);
  return waiting;
}

int connection_end(connection *c, const uint8_t *data, size_t length) {
  if (c->ending) return -EPROTO;
  c->ending = true;
  c->deadline = 0;
  c->wait = WAIT_NOTHING;
  if (!c->secured || put(c, data, length) < 0) connection_destroy(c);
  connection_settle(c);
  if (!c->feeding) connection_arrange(c);
  return 0;
}

static void on_shutdown(uv_shutdown_t *shutdown, int status) {
  connection *c = shutdown->data;
  if (status < 0 || c->ended) connection_destroy(c);
}

/*
 * Closes our side and leaves the other to the peer for a moment: a close with received bytes unread would reset the
 * connection, and the answer could be lost on its way (RFC 9112, 9.6).
 */
static void close_side(connection *c) {
  c->shut = true;
  if (c->secured) tls_close_notify(&c->tls);
  connection_flush(c);
  if (c->closing) return;
  c->shutdown.data = c;
  if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown)) connection_destroy(c);
  connection_wait_for(c, WAIT_CLOSE);
}

void connection_settle(connection *c) {
  send_unsent(c);
  if (c->closing || c->shut || connection_is_sending(c)) return;
  if (c->needs_drain) {
    c->needs_drain = false;
    c->server->events.drain(c->server->context, c->id);
    if (c->closing || c->shut || connection_is_sending(c)) return;
  }
  if (c->open && c->answered && (c->complete || c->last || c->server->closing)) {
    c->open = c->complete = c->answered = c->streaming = false;
    c->yielding = c->feeding;
    if (c->last || c->server->closing) c->ending = true;
    else connection_wait_for(c, WAIT_REQUEST);
    request_forget(&c->parser);
  }
  if (c->ending) close_side(c);
}
