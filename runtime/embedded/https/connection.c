#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

/* What is thrown away at most while the peer takes its time to close, and the first byte of a TLS connection. */
enum { LINGER_MAX = 1024 * 1024, TLS_HANDSHAKE = 0x16 };

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer);

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  https_server *server = ((connection *)handle->data)->server;
  *buffer = uv_buf_init((char *)server->received, sizeof server->received);
}

void connection_wait_for(connection *c, connection_wait what) {
  const https_options *options = &c->server->options;
  uint64_t now = uv_now(c->server->loop);
  uint64_t from = now, time = 0;
  if (what == WAIT_HANDSHAKE) time = options->handshake_timeout;
  if (what == WAIT_REQUEST) time = options->keep_alive_timeout;
  if (what == WAIT_CLOSE) time = options->linger_timeout;
  if (what == WAIT_HEAD) {
    c->begun_at = now;
    time = options->headers_timeout;
    if (time == 0 || (options->request_timeout && options->request_timeout < time)) time = options->request_timeout;
  }
  if (what == WAIT_BODY) {
    from = c->begun_at;
    time = options->request_timeout;
  }
  c->wait = what;
  c->deadline = time ? from + time : 0;
}

static bool may_parse(const connection *c) {
  return !c->closing && !c->ending && !c->paused && !c->yielding && !c->parser.failed && !(c->open && c->complete) &&
    !connection_is_sending(c);
}

/* While an answer is streamed nothing is parsed, but the peer's end has to be noticed. */
static bool may_listen(const connection *c) {
  return c->streaming && !c->closing && !c->ending && !c->plaintext.data && !connection_is_sending(c);
}

void connection_arrange(connection *c) {
  if (c->closing) return;
  bool holds = c->ciphertext.data || c->plaintext.data;
  if ((holds || c->unfinished || c->ended) && may_parse(c)) server_schedule(c->server, c);
  if ((c->ciphertext.data || c->ended) && may_listen(c)) server_schedule(c->server, c);
  bool read = !c->ended && (!holds || c->shut);
  if (read == c->reading) return;
  c->reading = read;
  if (!read) uv_read_stop((uv_stream_t *)&c->tcp);
  else if (uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read)) connection_destroy(c);
}

static void client_error(connection *c, const char *code, const char *reason) {
  connection_wait_for(c, WAIT_CLOSE);
  c->parser.failed = true;
  if (c->answered) { /* in what was thrown away; a second answer would be taken for that of the next request */
    connection_end(c, NULL, 0);
    return;
  }
  c->server->events.client_error(c->server->context, c->id, code, reason);
}

static void deliver_head(connection *c) {
  if (c->wait == WAIT_REQUEST) c->begun_at = uv_now(c->server->loop); /* it came in one piece */
  c->open = true;
  c->complete = !c->parser.has_body;
  c->paused = c->parser.has_body;
  if (!c->parser.keep_alive) c->last = true;
  connection_wait_for(c, c->complete ? WAIT_NOTHING : WAIT_BODY);
  c->server->events.request(c->server->context, c->id, &c->parser);
}

/* Parses to the end of `data`, to the end of a request, or until the application wants a rest. How much it took. */
static size_t parse(connection *c, const uint8_t *data, size_t length) {
  const https_events *events = &c->server->events;
  size_t taken = 0;
  c->unfinished = true;
  while (may_parse(c)) {
    size_t used;
    request_event event = request_next(&c->parser, data + taken, length - taken, &used);
    taken += used;
    switch (event) {
      case REQUEST_MORE:
        c->unfinished = false;
        if (c->parser.begun && c->wait == WAIT_REQUEST) connection_wait_for(c, WAIT_HEAD);
        return taken;
      case REQUEST_HEAD:
        deliver_head(c);
        break;
      case REQUEST_BODY: /* after the answer the rest of the body is of no interest */
        if (!c->answered) events->body(c->server->context, c->id, c->parser.body, c->parser.body_length);
        break;
      case REQUEST_END:
        c->complete = true;
        connection_wait_for(c, WAIT_NOTHING);
        if (!c->answered) events->end(c->server->context, c->id);
        connection_settle(c);
        break;
      case REQUEST_ERROR:
        client_error(c, c->parser.code, c->parser.reason);
        return length;
    }
  }
  /* Between two requests the parser has nothing to tell before the next byte. */
  if (c->yielding) c->unfinished = false;
  return taken;
}

/* The handshake's failure: what alert there is leaves, and then the connection ends. */
static void refuse(connection *c, int error) {
  c->server->events.tls_error(c->server->context, c->id, error);
  if (c->ended || !c->encrypted) {
    connection_destroy(c);
    return;
  }
  c->ending = true;
  connection_settle(c);
}

static void peer_closed(connection *c) {
  c->last = true;
  if (!c->secured) refuse(c, -ECONNRESET);
  else if (!c->parser.failed && request_finish(&c->parser) == REQUEST_ERROR) {
    client_error(c, c->parser.code, c->parser.reason);
  }
  connection_end(c, NULL, 0);
}

static bool secure(connection *c) {
  if (!c->encrypted) {
    if (c->tls.in_length == 0) return false;
    if (c->tls.in[0] != TLS_HANDSHAKE) {
      refuse(c, -EPROTO);
      return false;
    }
    if (tls_open(&c->tls, c->server->identity, c->server->options.request_certificate, &c->server->outbox)) {
      connection_destroy(c);
      return false;
    }
    c->encrypted = true;
  }
  int result = tls_handshake(&c->tls);
  connection_flush(c);
  if (c->closing || result == -EAGAIN) return false;
  if (result < 0) {
    refuse(c, c->tls.error);
    return false;
  }
  c->secured = true;
  connection_wait_for(c, WAIT_HEAD);
  c->server->events.secure(c->server->context, c->id);
  return true;
}

/* Decrypts and parses one record. False: there is none, or nothing may be parsed. */
static bool take_record(connection *c) {
  https_server *server = c->server;
  if (!c->secured && !(may_parse(c) && secure(c))) return false;
  if (!may_parse(c) && !may_listen(c)) return false;
  int length = tls_read(&c->tls, server->plaintext, sizeof server->plaintext);
  connection_flush(c);
  if (c->closing || length == -EAGAIN) return false;
  if (length < 0) {
    connection_destroy(c);
    return false;
  }
  if (length == 0) {
    c->ended = true;
    c->tls.in_length = 0; /* nothing counts after the closing alert */
    return false;
  }
  size_t taken = parse(c, server->plaintext, (size_t)length);
  int error = c->closing ? 0 : held_add(&c->plaintext, server->plaintext + taken, (size_t)length - taken);
  explicit_bzero(server->plaintext, (size_t)length); /* it may have been a password or a token */
  if (error) connection_destroy(c);
  return !c->closing && !c->plaintext.data;
}

/* Takes of `data` (records) what may be taken now; tls.in is the rest. */
static void feed(connection *c, const uint8_t *data, size_t length) {
  c->tls.in = data;
  c->tls.in_length = length;
  c->feeding = true;
  c->yielding = false;
  bool more = true;
  if (c->plaintext.data || c->unfinished) {
    held_take(&c->plaintext, parse(c, held_data(&c->plaintext), held_length(&c->plaintext)));
    more = !c->plaintext.data;
  }
  while (more) more = take_record(c);
  c->feeding = false;
}

static void conclude(connection *c) {
  bool dry = !c->plaintext.data && !c->ciphertext.data;
  c->yielding = false;
  if (c->ended && dry && may_parse(c)) peer_closed(c);
  else if (c->ended && dry && may_listen(c)) connection_end(c, NULL, 0);
  else connection_arrange(c);
}


void connection_feed(connection *c) {
  if (c->closing) return;
  feed(c, held_data(&c->ciphertext), held_length(&c->ciphertext));
  held_take(&c->ciphertext, held_length(&c->ciphertext) - c->tls.in_length);
  conclude(c);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer) {
  connection *c = stream->data;
  if (length == 0 || c->closing) return;
  if (length < 0 && (length != UV_EOF || c->shut)) {
    if (!c->secured && !c->shut) refuse(c, (int)length);
    connection_destroy(c);
    return;
  }
  if (c->shut) {
    c->lingered += (size_t)length;
    if (c->lingered > LINGER_MAX) connection_destroy(c);
    return;
  }
  if (length < 0) c->ended = true;
  feed(c, (uint8_t *)buffer->base, length < 0 ? 0 : (size_t)length);
  if (held_add(&c->ciphertext, c->tls.in, c->tls.in_length)) connection_destroy(c);
  conclude(c);
}

void connection_resume(connection *c) {
  c->paused = false;
  if (!c->feeding) connection_arrange(c);
}

bool connection_is_idle(const connection *c) {
  return !c->open && !c->parser.begun && !c->ending && !c->parser.failed;
}

void connection_check(connection *c, uint64_t now) {
  if (c->closing) return;
  if (c->write_deadline && now >= c->write_deadline) {
    connection_destroy(c);
    return;
  }
  if (c->deadline == 0 || now < c->deadline) return;
  c->deadline = 0;
  switch (c->wait) {
    case WAIT_HANDSHAKE:
      refuse(c, -ETIMEDOUT);
      break;
    case WAIT_HEAD:
    case WAIT_BODY:
      c->last = true;
      client_error(c, "ERR_HTTP_REQUEST_TIMEOUT", "Request timeout");
      break;
    case WAIT_REQUEST:
      connection_end(c, NULL, 0);
      break;
    case WAIT_CLOSE:
    case WAIT_NOTHING:
      connection_destroy(c);
      break;
  }
}

static void on_closed(uv_handle_t *handle) {
  connection *c = handle->data;
  https_server *server = c->server;
  held_take(&c->ciphertext, held_length(&c->ciphertext));
  held_take(&c->plaintext, held_length(&c->plaintext));
  held_take(&c->unsent, held_length(&c->unsent));
  request_free(&c->parser);
  if (c->encrypted) tls_close(&c->tls);
  server->events.close(server->context, c->id);
  server_remove(server, c);
  free(c);
}

void connection_destroy(connection *c) {
  if (c->closing) return;
  c->closing = true;
  uv_close((uv_handle_t *)&c->tcp, on_closed);
}

static void on_refused(uv_handle_t *handle) {
  free(handle);
}

int connection_accept(https_server *server) {
  connection *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  c->server = server;
  c->tcp.data = c;
  uv_tcp_init(server->loop, &c->tcp);
  int error = uv_accept((uv_stream_t *)&server->listener, (uv_stream_t *)&c->tcp);
  if (!error) error = server_add(server, c);
  if (error) {
    uv_close((uv_handle_t *)&c->tcp, on_refused);
    return error;
  }
  uv_tcp_nodelay(&c->tcp, 1);
  request_init(&c->parser, server->options.max_head);
  server->events.connection(server->context, c->id);
  connection_wait_for(c, WAIT_HANDSHAKE);
  connection_arrange(c);
  return 0;
}
