#include "sending.h"

#include <errno.h>

static void on_written(uv_write_t *write, int status) {
  struct connection *c = write->data;
  c->write_deadline = 0;
  held_take(&c->sending, held_length(&c->sending));
  if (c->link == LINK_CLOSED) return;
  if (status < 0) {
    connection_destroy(c);
    return;
  }
  sending_settle(c);
  connection_continue(c);
}

void sending_flush(struct connection *c) {
  struct records_outbox *out = &c->group->outbox;
  uv_buf_t rest = uv_buf_init((char *)out->data, (unsigned)out->length);
  out->length = 0;
  if (rest.len == 0 || c->link == LINK_CLOSED) return;
  int sent = uv_try_write((uv_stream_t *)&c->tcp, &rest, 1);
  if (sent == UV_EAGAIN) sent = 0;
  if (sent < 0) goto broken;
  if ((size_t)sent == rest.len) return;
  if (held_add(&c->sending, (uint8_t *)rest.base + sent, rest.len - (size_t)sent)) goto broken;
  rest = uv_buf_init((char *)c->sending.data, (unsigned)held_length(&c->sending));
  c->write.data = c;
  if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &rest, 1, on_written)) {
    held_take(&c->sending, held_length(&c->sending));
    goto broken;
  }
  if (c->group->options.write_timeout) {
    c->write_deadline = uv_now(c->group->loop) + c->group->options.write_timeout;
  }
  return;
broken:
  connection_destroy(c);
}

/* Encrypts as much as may leave now. How much it took; -EPROTO. */
static long encrypt(struct connection *c, const uint8_t *data, size_t length) {
  size_t taken = 0;
  while (taken < length && !c->sending.data && c->link != LINK_CLOSED) {
    int result = tls_write(&c->tls, data + taken, length - taken);
    if (result == -EAGAIN) sending_flush(c);
    else if (result < 0) return result;
    else taken += (size_t)result;
  }
  sending_flush(c);
  return (long)taken;
}

static void send_unsent(struct connection *c) {
  if (!c->unsent.data || c->sending.data) return;
  long taken = encrypt(c, held_data(&c->unsent), held_length(&c->unsent));
  if (taken < 0) connection_destroy(c);
  else held_take(&c->unsent, (size_t)taken);
}

static long put(struct connection *c, const uint8_t *data, size_t length) {
  if (length > 0 && !connection_is_sending(c)) {
    long taken = encrypt(c, data, length);
    if (taken < 0) return taken;
    data += taken;
    length -= (size_t)taken;
  }
  if (c->link == LINK_CLOSED) return -ENOTCONN;
  if (held_add(&c->unsent, data, length)) return -ENOMEM;
  return connection_waiting(c);
}

long sending_write(struct connection *c, const uint8_t *data, size_t length, bool last) {
  bool arriving = c->exchange == EXCHANGE_PAUSED || c->exchange == EXCHANGE_RECEIVING;
  bool complete = c->exchange == EXCHANGE_RECEIVED || c->exchange == EXCHANGE_STREAMING;
  if (c->link >= LINK_ENDING || (!arriving && !complete)) return -EPROTO;
  if (last) {
    c->exchange = complete ? EXCHANGE_ANSWERED : EXCHANGE_DISCARDING;
  } else if (complete) {
    c->exchange = EXCHANGE_STREAMING;
    request_forget(&c->parser); /* a stream may last for days, and its head is not needed any more */
  }
  long waiting = put(c, data, length);
  if (waiting < 0) {
    connection_destroy(c);
    return waiting;
  }
  c->needs_drain = waiting > 0;
  sending_settle(c);
  connection_continue(c);
  return waiting;
}

int sending_end(struct connection *c, const uint8_t *data, size_t length) {
  bool secure = c->link == LINK_SECURE;
  if (c->link >= LINK_ENDING) return -EPROTO;
  c->link = LINK_ENDING;
  c->deadline = 0;
  if (!secure || put(c, data, length) < 0) connection_destroy(c);
  sending_settle(c);
  connection_continue(c);
  return 0;
}

static void on_shutdown(uv_shutdown_t *shutdown, int status) {
  struct connection *c = shutdown->data;
  if (status < 0 || c->ended) connection_destroy(c);
}

/*
 * Closes our side and leaves the other to the peer for a moment: a close with received bytes unread would reset the
 * connection, and the answer could be lost on its way (RFC 9112, 9.6).
 */
static void close_side(struct connection *c) {
  c->link = LINK_SHUT;
  tls_close_notify(&c->tls);
  sending_flush(c);
  if (c->link == LINK_CLOSED) return;
  c->shutdown.data = c;
  if (uv_shutdown(&c->shutdown, (uv_stream_t *)&c->tcp, on_shutdown)) connection_destroy(c);
  connection_await(c, uv_now(c->group->loop), c->group->options.linger_timeout);
}

void sending_settle(struct connection *c) {
  const struct connection_group *group = c->group;
  send_unsent(c);
  if (c->link >= LINK_SHUT || connection_is_sending(c)) return;
  if (c->needs_drain) {
    c->needs_drain = false;
    if (c->unread) connection_taken(c);
    else group->events.drain(group->context, c->id);
    if (c->link >= LINK_SHUT || connection_is_sending(c)) return;
  }
  bool last = c->last || group->closing;
  if (c->exchange == EXCHANGE_ANSWERED || (c->exchange == EXCHANGE_DISCARDING && last)) {
    c->exchange = c->feeding ? EXCHANGE_OVER : EXCHANGE_IDLE;
    if (last) c->link = LINK_ENDING;
    else connection_await(c, uv_now(group->loop), group->options.keep_alive_timeout);
    request_forget(&c->parser);
  }
  if (c->link == LINK_ENDING) close_side(c);
}
