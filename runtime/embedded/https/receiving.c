#include "receiving.h"

#include <errno.h>
#include <string.h>

#include "client_hello.h"
#include "repeating.h"
#include "sending.h"

/* Bytes that are discarded at most while the peer takes its time to close, and the first byte of a TLS connection. */
enum { LINGER_MAX = 1024 * 1024, TLS_HANDSHAKE = 0x16 };

static bool may_parse(const struct connection *c) {
  bool wants = c->exchange == EXCHANGE_HEAD || c->exchange == EXCHANGE_IDLE || c->exchange == EXCHANGE_RECEIVING ||
               c->exchange == EXCHANGE_DISCARDING;
  return wants && c->link <= LINK_SECURE && !c->parser.message.failed && !connection_is_sending(c);
}

/* While an answer is streamed nothing is parsed, but the peer's end has to be noticed. */
static bool may_listen(const struct connection *c) {
  return c->exchange == EXCHANGE_STREAMING && c->link == LINK_SECURE && !c->plaintext.data && !connection_is_sending(c);
}

static void await_head(struct connection *c) {
  const struct https_options *options = &c->group->options;
  unsigned time = options->headers_timeout;
  if (time == 0 || (options->request_timeout && options->request_timeout < time)) time = options->request_timeout;
  c->exchange = EXCHANGE_HEAD;
  c->begun_at = uv_now(c->group->loop);
  connection_await(c, c->begun_at, time);
}

/* `data`: the bytes that were being parsed, if any. */
static void client_error(struct connection *c, const char *code, const char *reason, const uint8_t *data,
                         size_t length) {
  const struct connection_group *group = c->group;
  connection_await(c, uv_now(group->loop), group->options.linger_timeout);
  c->parser.message.failed = true;
  /* In discarded bytes; the client would take a second answer for that of the next request. */
  if (c->exchange == EXCHANGE_DISCARDING) sending_end(c, NULL, 0);
  else group->events.client_error(group->context, c->id, code, reason, data, length);
}

static void deliver_head(struct connection *c) {
  const struct connection_group *group = c->group;
  if (c->exchange == EXCHANGE_IDLE) c->begun_at = uv_now(group->loop); /* it arrived in one piece */
  c->exchange = c->parser.has_body ? EXCHANGE_PAUSED : EXCHANGE_RECEIVED;
  if (!c->parser.message.keep_alive) c->last = true;
  connection_await(c, c->begun_at, c->parser.has_body ? group->options.request_timeout : 0);
  group->events.request(group->context, c->id, &c->parser);
}

static void deliver_end(struct connection *c) {
  bool answered = c->exchange == EXCHANGE_DISCARDING;
  c->exchange = answered ? EXCHANGE_ANSWERED : EXCHANGE_RECEIVED;
  c->deadline = 0;
  if (!answered) c->group->events.end(c->group->context, c->id);
  sending_settle(c);
}

/* Parses to the end of `data`, to the end of a request, or until the application pauses. Returns the bytes taken. */
static size_t parse(struct connection *c, const uint8_t *data, size_t length) {
  const struct connection_group *group = c->group;
  size_t taken = 0;
  c->unfinished = true;
  while (may_parse(c)) {
    size_t used;
    enum message_event event = request_next(&c->parser, data + taken, length - taken, &used);
    taken += used;
    switch (event) {
      case MESSAGE_MORE:
        c->unfinished = false;
        if (c->parser.message.begun && c->exchange == EXCHANGE_IDLE) await_head(c);
        return taken;
      case MESSAGE_HEAD:
        if (c->parser.has_body || taken < length) c->whole = false;
        deliver_head(c);
        break;
      case MESSAGE_BODY:
        if (c->exchange == EXCHANGE_DISCARDING) break;
        group->events.body(group->context, c->id, c->parser.message.body, c->parser.message.body_length);
        break;
      case MESSAGE_END: deliver_end(c); break;
      case MESSAGE_ERROR:
        client_error(c, c->parser.message.code, c->parser.message.reason, data, length);
        return length;
    }
  }
  /* Between two requests the parser reports nothing before the next byte. */
  if (c->exchange == EXCHANGE_OVER) c->unfinished = false;
  return taken;
}

/* The handshake's failure: what alert there is leaves, and then the connection ends. */
static void refuse(struct connection *c, int error) {
  bool silent = c->link == LINK_ACCEPTED;
  c->group->events.tls_error(c->group->context, c->id, error);
  if (c->link == LINK_CLOSED) return;
  if (c->ended || silent) {
    connection_destroy(c);
    return;
  }
  c->link = LINK_ENDING;
  sending_settle(c);
}

static void peer_closed(struct connection *c) {
  c->last = true;
  if (c->link < LINK_SECURE) refuse(c, -ECONNRESET);
  else if (request_finish(&c->parser) == MESSAGE_ERROR)
    client_error(c, c->parser.message.code, c->parser.message.reason, NULL, 0);
  sending_end(c, NULL, 0);
}

/* 1: the client asks for the certificate of a challenge, which there is. 0, or -EAGAIN: its record is not whole yet. */
static int asks_for_challenge(const struct connection *c) {
  if (!c->group->challenge) return 0;
  int result = client_hello_offers_protocol(c->tls.records.in, c->tls.records.in_length, TLS_CHALLENGE);
  return c->ended && result < 0 ? 0 : result;
}

/* Mbed TLS cannot wait for an identity: the server name is read and reported before TLS gets a byte. */
static bool knows_identity(struct connection *c) {
  const struct connection_group *group = c->group;
  const char *name = NULL;
  if (c->naming >= NAMING_ASKED) return c->naming != NAMING_ASKED;
  int asks = asks_for_challenge(c);
  if (asks < 0) {
    c->naming = NAMING_PARTIAL;
    return false;
  }
  if (asks > 0) {
    c->naming = NAMING_CHALLENGE;
    c->named = tls_identity_keep(group->challenge);
    return true;
  }
  if (!group->options.names) return true;
  int length = client_hello_name(c->tls.records.in, c->tls.records.in_length, &name);
  if (length == -EAGAIN && !c->ended) {
    c->naming = NAMING_PARTIAL;
    return false;
  }
  c->naming = length > 0 ? NAMING_ASKED : NAMING_KNOWN;
  if (length > 0) group->events.name(group->context, c->id, name, (size_t)length);
  return c->naming == NAMING_KNOWN && c->link != LINK_CLOSED;
}

static bool secure(struct connection *c) {
  struct connection_group *group = c->group;
  if (c->link == LINK_ACCEPTED) {
    if (c->tls.records.in_length == 0) return false;
    if (c->tls.records.in[0] != TLS_HANDSHAKE) {
      refuse(c, -EPROTO);
      return false;
    }
    if (!knows_identity(c)) return false;
    struct tls_identity *identity = c->named ? c->named : group->identity;
    if (tls_open(&c->tls, identity, group->options.request_certificate, &group->outbox)) {
      connection_destroy(c);
      return false;
    }
    c->link = LINK_HANDSHAKE;
  }
  int result = tls_handshake(&c->tls);
  sending_flush(c);
  if (c->link == LINK_CLOSED || result == -EAGAIN) return false;
  if (result < 0) {
    refuse(c, c->tls.records.error);
    return false;
  }
  c->link = LINK_SECURE;
  if (c->naming == NAMING_CHALLENGE) {
    sending_end(c, NULL, 0);
    return false;
  }
  await_head(c);
  group->events.secure(group->context, c->id);
  return true;
}

/* Decrypts and parses one record. False: there is no record, or nothing may be parsed. */
static bool take_record(struct connection *c) {
  struct connection_group *group = c->group;
  if (c->link < LINK_SECURE && !(may_parse(c) && secure(c))) return false;
  if (!may_parse(c) && !may_listen(c)) return false;
  int length = tls_read(&c->tls, group->plaintext, sizeof group->plaintext);
  sending_flush(c);
  if (c->link == LINK_CLOSED || length == -EAGAIN) return false;
  if (length < 0) {
    connection_destroy(c);
    return false;
  }
  if (length == 0) {
    c->ended = true;
    c->tls.records.in_length = 0; /* nothing counts after the closing alert */
    return false;
  }
  size_t taken = (size_t)length;
  if (c->tunnel) group->events.body(group->context, c->id, group->plaintext, taken);
  else if (!repeating_answer(c, group->plaintext, taken)) taken = parse(c, group->plaintext, (size_t)length);
  size_t rest = (size_t)length - taken;
  int error = c->link == LINK_CLOSED ? 0 : held_add(&c->plaintext, group->plaintext + taken, rest);
  explicit_bzero(group->plaintext, (size_t)length); /* it may have been a password or a token */
  if (error) connection_destroy(c);
  return c->link != LINK_CLOSED && !c->plaintext.data;
}

/* Takes of `data` (records) what may be taken now; tls.records.in is the rest. */
static void feed(struct connection *c, const uint8_t *data, size_t length) {
  c->tls.records.in = data;
  c->tls.records.in_length = length;
  c->feeding = true;
  bool more = true;
  if (c->plaintext.data || c->unfinished) {
    c->whole = false;
    held_take(&c->plaintext, parse(c, held_data(&c->plaintext), held_length(&c->plaintext)));
    more = !c->plaintext.data;
  }
  while (more) more = take_record(c);
  c->feeding = false;
  /* Who talks before the tunnel is agreed upon does not keep to the protocol. */
  if (c->tunnel && c->plaintext.data) connection_destroy(c);
  if (c->exchange == EXCHANGE_OVER) c->exchange = EXCHANGE_IDLE;
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer);

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct connection_group *group = ((struct connection *)handle->data)->group;
  *buffer = uv_buf_init((char *)group->received, sizeof group->received);
}

/* Reads when no bytes are held, and takes a turn when held bytes can continue. */
static void arrange(struct connection *c) {
  if (c->link == LINK_CLOSED) return;
  if (c->naming == NAMING_ASKED) {
    uv_read_stop((uv_stream_t *)&c->tcp);
    return;
  }
  bool holds = (c->ciphertext.data && c->naming != NAMING_PARTIAL) || c->plaintext.data;
  if ((holds || c->unfinished || c->ended) && may_parse(c)) c->group->schedule(c);
  if ((c->ciphertext.data || c->ended) && may_listen(c)) c->group->schedule(c);
  if (c->ended || (holds && c->link != LINK_SHUT)) {
    uv_read_stop((uv_stream_t *)&c->tcp);
    return;
  }
  int error = uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
  if (error && error != UV_EALREADY) connection_destroy(c);
}

static void conclude(struct connection *c) {
  bool dry = !c->plaintext.data && !c->ciphertext.data;
  if (c->ended && dry && may_parse(c)) peer_closed(c);
  else if (c->ended && dry && may_listen(c)) sending_end(c, NULL, 0);
  else arrange(c);
}

void receiving_feed(struct connection *c) {
  if (c->link == LINK_CLOSED) return;
  feed(c, held_data(&c->ciphertext), held_length(&c->ciphertext));
  held_take(&c->ciphertext, held_length(&c->ciphertext) - c->tls.records.in_length);
  conclude(c);
}

/* Whether what arrived is for a handshake, which waits for its turn. */
static bool is_for_handshake(const struct connection *c, const uint8_t *data, ssize_t length) {
  if (length <= 0) return false;
  return c->link == LINK_HANDSHAKE || (c->link == LINK_ACCEPTED && (c->ciphertext.data || data[0] == TLS_HANDSHAKE));
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  struct connection *c = stream->data;
  if (length == 0 || c->link == LINK_CLOSED) return;
  if (length < 0 && (length != UV_EOF || c->link == LINK_SHUT)) {
    if (c->link < LINK_SECURE) refuse(c, (int)length);
    connection_destroy(c);
    return;
  }
  if (c->link == LINK_SHUT) {
    c->lingered += (size_t)length;
    if (c->lingered > LINGER_MAX) connection_destroy(c);
    return;
  }
  if (length < 0) c->ended = true;
  const uint8_t *data = (uint8_t *)buffer->base;
  if (is_for_handshake(c, data, length)) {
    c->tls.records.in = data;
    c->tls.records.in_length = (size_t)length;
    if (c->naming == NAMING_PARTIAL) c->naming = NAMING_UNREAD;
  } else {
    feed(c, data, length < 0 ? 0 : (size_t)length);
  }
  if (held_add(&c->ciphertext, c->tls.records.in, c->tls.records.in_length)) connection_destroy(c);
  conclude(c);
}

void receiving_begin(struct connection *c) {
  const struct connection_group *group = c->group;
  uv_tcp_nodelay(&c->tcp, 1);
  group->events.connection(group->context, c->id);
  connection_await(c, uv_now(group->loop), group->options.handshake_timeout);
  arrange(c);
}

void receiving_allow(struct connection *c, unsigned time) {
  bool arrives = c->exchange == EXCHANGE_RECEIVING || c->exchange == EXCHANGE_PAUSED;
  if (arrives && c->parser.has_body) connection_await(c, uv_now(c->group->loop), time);
}

void receiving_identify(struct connection *c, struct tls_identity *identity) {
  if (c->naming != NAMING_ASKED) return;
  c->naming = NAMING_KNOWN;
  if (identity) c->named = tls_identity_keep(identity);
  if (!c->feeding) arrange(c);
}

void receiving_pause(struct connection *c) {
  if (c->exchange == EXCHANGE_RECEIVING) c->exchange = EXCHANGE_PAUSED;
}

void receiving_resume(struct connection *c) {
  if (c->exchange == EXCHANGE_PAUSED) c->exchange = EXCHANGE_RECEIVING;
  if (!c->feeding) arrange(c);
}

bool receiving_is_idle(const struct connection *c) {
  return c->link <= LINK_SECURE && c->exchange <= EXCHANGE_OVER && !c->parser.message.begun &&
         !c->parser.message.failed;
}

void receiving_check(struct connection *c, uint64_t now, uint64_t more) {
  if (c->link == LINK_CLOSED) return;
  if (c->write_deadline) c->write_deadline += more;
  if (c->deadline) c->deadline += more;
  if (c->write_deadline && now >= c->write_deadline) {
    connection_destroy(c);
    return;
  }
  if (c->deadline == 0 || now < c->deadline) return;
  c->deadline = 0;
  if (c->link < LINK_SECURE) {
    refuse(c, -ETIMEDOUT);
  } else if (c->link > LINK_SECURE || c->parser.message.failed) {
    connection_destroy(c);
  } else if (c->exchange == EXCHANGE_IDLE) {
    sending_end(c, NULL, 0);
  } else {
    c->last = true;
    client_error(c, "ERR_HTTP_REQUEST_TIMEOUT", "Request timeout", NULL, 0);
  }
}
