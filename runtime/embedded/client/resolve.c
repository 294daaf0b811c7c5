#include "resolve.h"

#include <ares.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How often c-ares looks at its own times, in milliseconds, and how long and how often it asks a server. */
enum { TICK = 100, QUERY_TIMEOUT = 2000, QUERY_TRIES = 3 };

struct resolve_lookup {
  ares_channel_t *channel;
  uv_timer_t ticks;
  resolve_done done;
  void *context;
  struct watched *sockets;
  int port, error;
  unsigned count;
  bool finished;
  struct sockaddr_storage addresses[RESOLVE_MAX];
};

/* A socket of c-ares. */
struct watched {
  uv_poll_t poll;
  struct resolve_lookup *lookup;
  ares_socket_t socket;
  struct watched *next;
};

int resolve_numeric(const char *host, int port, struct sockaddr_storage *address) {
  memset(address, 0, sizeof *address);
  if (uv_ip4_addr(host, port, (struct sockaddr_in *)address) == 0) return 0;
  return uv_ip6_addr(host, port, (struct sockaddr_in6 *)address) == 0 ? 0 : -EINVAL;
}

static void on_poll_closed(uv_handle_t *handle) {
  free(handle->data);
}

static void on_ready(uv_poll_t *poll, int status, int events) {
  struct watched *w = poll->data;
  bool both = status < 0; /* c-ares reports the error */
  ares_socket_t in = both || (events & UV_READABLE) ? w->socket : ARES_SOCKET_BAD;
  ares_socket_t out = both || (events & UV_WRITABLE) ? w->socket : ARES_SOCKET_BAD;
  ares_process_fd(w->lookup->channel, in, out);
}

static void stop_watching(struct resolve_lookup *lookup, ares_socket_t socket) {
  for (struct watched **at = &lookup->sockets; *at; at = &(*at)->next) {
    struct watched *w = *at;
    if (w->socket != socket) continue;
    *at = w->next;
    uv_close((uv_handle_t *)&w->poll, on_poll_closed);
    return;
  }
}

static struct watched *watch(struct resolve_lookup *lookup, ares_socket_t socket) {
  for (struct watched *w = lookup->sockets; w; w = w->next) {
    if (w->socket == socket) return w;
  }
  struct watched *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  if (uv_poll_init(lookup->ticks.loop, &w->poll, socket)) {
    free(w);
    return NULL;
  }
  w->poll.data = w;
  w->lookup = lookup;
  w->socket = socket;
  w->next = lookup->sockets;
  lookup->sockets = w;
  return w;
}

/* c-ares asks to watch a socket. If that fails, the query times out. */
static void on_socket(void *context, ares_socket_t socket, int readable, int writable) {
  struct resolve_lookup *lookup = context;
  if (!readable && !writable) {
    stop_watching(lookup, socket);
    return;
  }
  struct watched *w = watch(lookup, socket);
  if (w) uv_poll_start(&w->poll, (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0), on_ready);
}

static void on_closed(uv_handle_t *handle) {
  free(handle->data);
}

static void end(struct resolve_lookup *lookup) {
  ares_destroy(lookup->channel);
  uv_close((uv_handle_t *)&lookup->ticks, on_closed);
}

static void on_tick(uv_timer_t *timer) {
  struct resolve_lookup *lookup = timer->data;
  if (!lookup->finished) {
    ares_process_fd(lookup->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    return;
  }
  end(lookup);
  lookup->done(lookup->context, lookup->error, lookup->addresses, lookup->count);
}

static int error_of(int status) {
  switch (status) {
    case ARES_SUCCESS: return 0;
    case ARES_ENOMEM: return -ENOMEM;
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_EBADNAME:
    case ARES_EBADSTR: return UV_EAI_NONAME;
    default: return UV_EAI_AGAIN;
  }
}

/* Comes from the midst of c-ares, or at once: what follows waits for the next tick. */
static void on_answer(void *context, int status, int timeouts, struct ares_addrinfo *answer) {
  struct resolve_lookup *lookup = context;
  (void)timeouts;
  lookup->error = error_of(status);
  for (struct ares_addrinfo_node *node = answer ? answer->nodes : NULL; node; node = node->ai_next) {
    if (lookup->count == RESOLVE_MAX || (size_t)node->ai_addrlen > sizeof *lookup->addresses) break;
    struct sockaddr_storage *address = &lookup->addresses[lookup->count++];
    memcpy(address, node->ai_addr, (size_t)node->ai_addrlen);
    /* The port is at the same place in both kinds of addresses. */
    ((struct sockaddr_in *)address)->sin_port = htons((uint16_t)lookup->port);
  }
  ares_freeaddrinfo(answer);
  if (!lookup->error && lookup->count == 0) lookup->error = UV_EAI_NONAME;
  lookup->finished = true;
  uv_timer_start(&lookup->ticks, on_tick, 0, 0);
}

int resolve_start(struct resolve_lookup **out, uv_loop_t *loop, const char *host, int port, const char *servers,
                  resolve_done done, void *context) {
  struct ares_options options = {.timeout = QUERY_TIMEOUT, .tries = QUERY_TRIES, .sock_state_cb = on_socket};
  const struct ares_addrinfo_hints hints = {
      .ai_flags = getenv("CARES_HOSTS") ? ARES_AI_ENVHOSTS : 0, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  const int set = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
  *out = NULL;
  struct resolve_lookup *lookup = calloc(1, sizeof *lookup);
  if (!lookup) return -ENOMEM;
  lookup->done = done;
  lookup->context = context;
  lookup->port = port;
  options.sock_state_cb_data = lookup;
  if (ares_library_init(ARES_LIB_INIT_ALL) || ares_init_options(&lookup->channel, &options, set)) {
    free(lookup);
    return -ENOMEM;
  }
  if (servers) ares_set_servers_ports_csv(lookup->channel, servers);
  uv_timer_init(loop, &lookup->ticks);
  lookup->ticks.data = lookup;
  uv_timer_start(&lookup->ticks, on_tick, TICK, TICK);
  ares_getaddrinfo(lookup->channel, host, NULL, &hints, on_answer, lookup);
  *out = lookup;
  return 0;
}

void resolve_cancel(struct resolve_lookup *lookup) {
  end(lookup);
}
