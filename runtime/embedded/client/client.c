#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve.h"
#include "transport.h"

enum { TEXT_ROOM = 512 };

/* The phases of a request; each has its timeout. */
enum client_state { IDLE, RESOLVING, CONNECTING, WAITING, RECEIVING };

struct client {
  uv_loop_t *loop;
  uv_timer_t timer;
  struct client_events events;
  void *context;
  struct tls_client *tls;
  char *host;
  int port;
  unsigned connect_timeout, keep_alive_timeout;
  struct response_limits limits;
  enum client_state state;
  struct resolve_lookup *lookup;
  struct sockaddr_storage addresses[RESOLVE_MAX];
  unsigned count, next; /* the number of addresses, and the index of the next one */
  int refusal;          /* of the last one, at once */
  uint64_t deadline;    /* for connecting, on the loop's clock; 0: none */
  struct transport *connection;
  struct held_bytes unsent; /* of the request */
  struct client_request_options request;
  struct response_parser parser;
  unsigned keep; /* how long the connection is kept after the response */
  bool paused;
  bool turn; /* the timer continues the work: after a pause, or after an immediate failure */
};

static void try_address(struct client *c);
static void on_timer(uv_timer_t *timer);

static void wait_for(struct client *c, uint64_t time) {
  if (time) uv_timer_start(&c->timer, on_timer, time, 0);
  else uv_timer_stop(&c->timer);
}

/* A timer without delay: the events must not happen inside a function that the application called. */
static void take_turn(struct client *c) {
  c->turn = true;
  uv_timer_start(&c->timer, on_timer, 0, 0);
}

/* Only a request under way keeps the process alive. */
static void keep_process(struct client *c, bool whether) {
  if (whether) uv_ref((uv_handle_t *)&c->timer);
  else uv_unref((uv_handle_t *)&c->timer);
  if (c->connection) transport_keeps_process(c->connection, whether);
}

static void drop_connection(struct client *c) {
  if (c->connection) transport_close(c->connection);
  c->connection = NULL;
}

/* Forgets the request; the connection, if there still is one, is kept for the next. */
static void rest(struct client *c) {
  if (c->lookup) resolve_cancel(c->lookup);
  c->lookup = NULL;
  held_take(&c->unsent, held_length(&c->unsent));
  response_free(&c->parser);
  c->state = IDLE;
  c->paused = c->turn = false;
  wait_for(c, c->connection ? c->keep : 0);
  keep_process(c, false);
}

void client_drop(struct client *c) {
  drop_connection(c);
  rest(c);
}

void client_end(struct client *c) {
  if (c->connection) transport_end(c->connection);
  c->connection = NULL;
  rest(c);
}

static void fail(struct client *c, const char *code, const char *reason) {
  bool connecting = c->state == RESOLVING || c->state == CONNECTING;
  bool busy = c->state != IDLE;
  client_drop(c);
  if (busy) c->events.error(c->context, &(struct client_error){code, reason, connecting});
}

static void send_request(struct client *c) {
  while (held_length(&c->unsent)) {
    long sent = transport_send(c->connection, held_data(&c->unsent), held_length(&c->unsent));
    if (sent == 0) return;
    if (sent < 0) {
      fail(c, "EPROTO", "write EPROTO");
      return;
    }
    held_take(&c->unsent, (size_t)sent);
  }
  if (c->request.one_way && transport_is_flushed(c->connection)) take_turn(c);
}

/* The connection stands: sends the request. */
static void begin_exchange(struct client *c) {
  response_init(&c->parser, &c->limits, c->request.is_head);
  c->keep = c->keep_alive_timeout;
  c->state = WAITING;
  wait_for(c, c->request.headers_timeout);
  send_request(c);
}

static void on_secured(void *context) {
  struct client *c = context;
  begin_exchange(c);
}

static void on_writable(void *context) {
  struct client *c = context;
  if (c->state == WAITING || c->state == RECEIVING) send_request(c);
}

static void on_addresses(void *context, int error, const struct sockaddr_storage *addresses, unsigned count) {
  struct client *c = context;
  char text[TEXT_ROOM];
  c->lookup = NULL;
  if (error) {
    const char *code = error == UV_EAI_NONAME ? "ENOTFOUND" : error == -ENOMEM ? "ENOMEM" : "EAI_AGAIN";
    snprintf(text, sizeof text, "getaddrinfo %s %s", code, c->host);
    fail(c, code, text);
    return;
  }
  memcpy(c->addresses, addresses, count * sizeof *addresses);
  c->count = count;
  try_address(c);
}

static void on_lost(void *context, const char *code, const char *reason, bool refused) {
  struct client *c = context;
  if (refused && c->next < c->count) {
    drop_connection(c);
    try_address(c);
    return;
  }
  bool cut = !code || (strcmp(code, "ECONNRESET") == 0 && !c->parser.message.keep_alive);
  if (c->state == RECEIVING && cut) {
    if (response_finish(&c->parser) == MESSAGE_END) {
      client_drop(c);
      c->events.end(c->context);
      return;
    }
    code = c->parser.message.code;
    reason = c->parser.message.reason;
  }
  fail(c, code ? code : "UND_ERR_SOCKET", code ? reason : "other side closed");
}

/* The response is complete. `rest_length`: unsolicited bytes after it. */
static void finish(struct client *c, size_t rest_length) {
  bool answered = c->parser.message.keep_alive && !c->request.last && c->keep && !c->unsent.data && rest_length == 0;
  bool keeps = answered || c->request.one_way;
  if (!keeps) drop_connection(c);
  rest(c);
  c->events.end(c->context);
}

static size_t on_data(void *context, const uint8_t *data, size_t length) {
  struct client *c = context;
  size_t taken = 0;
  if (c->state == IDLE) {
    client_drop(c); /* an answer to nothing */
    return length;
  }
  while (!c->paused && !c->turn) {
    size_t used;
    enum message_event event = response_next(&c->parser, data + taken, length - taken, &used);
    taken += used;
    if (event == MESSAGE_MORE) break;
    if (event == MESSAGE_HEAD) {
      c->state = RECEIVING;
      wait_for(c, c->request.body_timeout);
      c->events.head(c->context, &c->parser);
    } else if (event == MESSAGE_BODY) {
      wait_for(c, c->request.body_timeout);
      c->events.body(c->context, c->parser.message.body, c->parser.message.body_length);
    } else if (event == MESSAGE_END) {
      finish(c, length - taken);
      return length;
    } else {
      fail(c, c->parser.message.code, c->parser.message.reason);
      return length;
    }
    if (c->state != RECEIVING) { /* dropped in the event */
      taken = length;
      break;
    }
  }
  return taken;
}

static const struct transport_events connection_events = {on_secured, on_writable, on_data, on_lost};

/* The next address, which has its share of the time that is left. */
static void try_address(struct client *c) {
  uint64_t now = uv_now(c->loop);
  c->state = CONNECTING;
  wait_for(c, c->deadline ? (c->deadline > now ? (c->deadline - now) / (c->count - c->next) : 0) + 1 : 0);
  c->refusal = transport_open(&c->connection, c->loop, c->tls, &c->addresses[c->next++], &connection_events, c);
  if (c->refusal) take_turn(c);
}

static void begin_connecting(struct client *c) {
  c->count = c->next = 0;
  c->deadline = c->connect_timeout ? uv_now(c->loop) + c->connect_timeout : 0;
  if (resolve_numeric(c->host, c->port, c->addresses) == 0) {
    c->count = 1;
    try_address(c);
    return;
  }
  c->state = RESOLVING;
  wait_for(c, c->connect_timeout);
  if (resolve_start(&c->lookup, c->loop, c->host, c->port, NULL, on_addresses, c)) take_turn(c);
}

static void on_timer(uv_timer_t *timer) {
  struct client *c = timer->data;
  char name[TEXT_ROOM];
  bool turn = c->turn;
  c->turn = false;
  switch (c->state) {
    case IDLE: drop_connection(c); break;
    case RESOLVING:
      if (turn) fail(c, "ENOMEM", "Out of memory");
      else fail(c, "UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error");
      break;
    case CONNECTING:
      drop_connection(c);
      if (c->next < c->count) try_address(c);
      else if (turn) fail(c, uv_err_name_r(c->refusal, name, sizeof name), "The address cannot be connected to");
      else fail(c, "UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error");
      break;
    case WAITING:
      if (turn) finish(c, 0);
      else fail(c, "UND_ERR_HEADERS_TIMEOUT", "Headers Timeout Error");
      break;
    case RECEIVING:
      if (!turn) {
        fail(c, "UND_ERR_BODY_TIMEOUT", "Body Timeout Error");
        break;
      }
      wait_for(c, c->request.body_timeout);
      transport_resume(c->connection);
      break;
  }
}

int client_request(struct client *c, struct held_bytes *request, const struct client_request_options *options) {
  if (c->state != IDLE) return -EBUSY;
  c->unsent = *request;
  *request = (struct held_bytes){0};
  c->request = *options;
  uv_update_time(c->loop);
  keep_process(c, true);
  if (c->connection) begin_exchange(c);
  else begin_connecting(c);
  return 0;
}

bool client_is_connected(const struct client *c) {
  return c->state == IDLE && c->connection;
}

void client_keep(struct client *c, unsigned timeout) {
  c->keep = timeout;
}

void client_pause(struct client *c) {
  if (c->state != RECEIVING || c->paused) return;
  c->paused = true;
  c->turn = false;
  uv_timer_stop(&c->timer);
  transport_pause(c->connection);
}

void client_resume(struct client *c) {
  if (!c->paused) return;
  c->paused = false;
  take_turn(c);
}

int client_new(struct client **out, uv_loop_t *loop, const struct client_options *options,
               const struct client_events *events, void *context) {
  *out = NULL;
  struct client *c = calloc(1, sizeof *c);
  if (!c) return -ENOMEM;
  int error = tls_client_new(&c->tls, &options->tls);
  if (!error && !(c->host = strdup(options->host))) error = -ENOMEM;
  if (error) {
    tls_client_free(c->tls);
    free(c);
    return error;
  }
  c->loop = loop;
  c->events = *events;
  c->context = context;
  c->port = options->port;
  c->connect_timeout = options->connect_timeout;
  c->keep_alive_timeout = options->keep_alive_timeout;
  c->limits = options->limits;
  uv_timer_init(loop, &c->timer);
  uv_unref((uv_handle_t *)&c->timer);
  c->timer.data = c;
  *out = c;
  return 0;
}

static void on_closed(uv_handle_t *handle) {
  struct client *c = handle->data;
  tls_client_free(c->tls);
  free(c->host);
  free(c);
}

void client_free(struct client *c) {
  client_drop(c);
  uv_close((uv_handle_t *)&c->timer, on_closed);
}
