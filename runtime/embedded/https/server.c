#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "receiving.h"
#include "repeating.h"
#include "sending.h"

enum { BACKLOG = 511, SLOT_BITS = 16, TICK_MIN = 10, TICK_MAX = 1000 };

/* In one round of the loop; rounds that handshakes may be postponed. */
enum { ACCEPTS_MAX = 8, STEPS_MAX = 64, POSTPONED_MAX = 4 };

/* Connections that wait for their turn. */
struct turns {
  struct connection *first, **end;
};

/* A place where connections are accepted. */
struct listener {
  uv_tcp_t tcp; /* first: its handle is a listener */
  struct listener *next;
};

struct https_server {
  struct connection_group group; /* first: a group is a server */
  struct listener *listeners;    /* the last one first */
  uv_timer_t timer;              /* looks at the times of all connections; runs while there are some */
  uint64_t looked_at;            /* when the timer did that last, in milliseconds */
  uv_idle_t idle;                /* lets connections go on that have something held; runs while there are some */
  struct connection **slots;
  unsigned slot_count, connections, handles;
  uint32_t generation;
  struct turns ready, handshakes, own_handshakes; /* own: from this machine, whose watchdog needs an answer */
  uint64_t others_since; /* when handshakes had their last turn in this round or the one before, in nanoseconds */
  unsigned postponed;    /* rounds in which a connection was accepted, and none had a handshake */
  bool accepted;         /* in this round */
};

static struct https_server *server_of(const struct connection *c) {
  return (struct https_server *)c->group;
}

static struct connection *find(struct https_server *server, https_id id) {
  unsigned slot = (unsigned)(id & ((1U << SLOT_BITS) - 1));
  struct connection *c = slot < server->slot_count ? server->slots[slot] : NULL;
  return c && c->id == id && c->link != LINK_CLOSED ? c : NULL;
}

/*
 * Bytes that arrived while the process stood still are read after the timers' turn. That time counts against no
 * connection, nor does the time in which one waits for its turn.
 */
static void on_timer(uv_timer_t *timer) {
  struct https_server *server = timer->data;
  const uint64_t now = uv_now(server->group.loop), passed = now - server->looked_at;
  const uint64_t usual = uv_timer_get_repeat(timer), late = passed > usual ? passed - usual : 0;
  server->looked_at = now;
  for (unsigned i = 0; i < server->slot_count; i++) {
    struct connection *c = server->slots[i];
    if (c) receiving_check(c, now, c->ready ? passed : late);
  }
}

/* Times are looked at four times in the shortest of them. */
static uint64_t tick(const struct https_options *options) {
  const unsigned times[] = {options->handshake_timeout,  options->headers_timeout, options->request_timeout,
                            options->keep_alive_timeout, options->write_timeout,   options->linger_timeout};
  unsigned shortest = 4 * TICK_MAX;
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    if (times[i] && times[i] < shortest) shortest = times[i];
  }
  return shortest < 4 * TICK_MIN ? TICK_MIN : shortest / 4;
}

static void turns_clear(struct turns *turns) {
  *turns = (struct turns){.end = &turns->first};
}

static void turns_add(struct turns *turns, struct connection *c) {
  c->next_ready = NULL;
  *turns->end = c;
  turns->end = &c->next_ready;
}

static void turns_add_first(struct turns *turns, struct connection *c) {
  c->next_ready = turns->first;
  turns->first = c;
  if (!c->next_ready) turns->end = &c->next_ready;
}

static void turns_remove(struct turns *turns, const struct connection *c) {
  struct connection **at = &turns->first;
  while (*at && *at != c) at = &(*at)->next_ready;
  if (!*at) return;
  *at = c->next_ready;
  if (turns->end == &c->next_ready) turns->end = at;
}

static void take_turn(struct connection *c) {
  c->ready = false;
  receiving_feed(c);
}

static void on_idle(uv_idle_t *idle);

static bool is_own(const struct connection *c) {
  struct sockaddr_storage peer = {0};
  int length = sizeof peer;
  if (uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&peer, &length)) return false;
  if (peer.ss_family == AF_INET) return ntohl(((struct sockaddr_in *)&peer)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  const struct in6_addr *address = &((struct sockaddr_in6 *)&peer)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(address) || (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == IN_LOOPBACKNET);
}

static struct turns *handshakes_of(struct https_server *server, const struct connection *c) {
  return is_own(c) ? &server->own_handshakes : &server->handshakes;
}

/*
 * One step of a handshake, which costs as much as many requests. The loop accepts some connections in a round, so that
 * handshakes wait for a while when there are more: among those that are not accepted yet may be one of this machine,
 * which goes first. False: nothing was done.
 */
static bool take_handshake(struct https_server *server) {
  struct turns *turns = server->own_handshakes.first ? &server->own_handshakes : &server->handshakes;
  struct connection *c = turns->first;
  if (!c) return false;
  const bool postpone = server->accepted && server->postponed < POSTPONED_MAX && turns == &server->handshakes;
  server->accepted = false;
  server->postponed = postpone ? server->postponed + 1 : 0;
  if (postpone) return false;
  turns_remove(turns, c);
  take_turn(c);
  return true;
}

/* Handshakes have as much of a round's time as all else had, and one step at least. */
static void take_handshakes(struct https_server *server) {
  const uint64_t begun = uv_hrtime(), share = begun - server->others_since;
  unsigned steps = 0;
  while (take_handshake(server) && ++steps < STEPS_MAX && uv_hrtime() - begun < share) {
  }
  if (server->own_handshakes.first || server->handshakes.first) uv_idle_start(&server->idle, on_idle);
  server->others_since = uv_hrtime();
}

/* Every connection that waits has one turn; those that wait again have theirs in the next round of the loop. */
static void on_idle(uv_idle_t *idle) {
  struct https_server *server = idle->data;
  struct connection *c = server->ready.first;
  turns_clear(&server->ready);
  uv_idle_stop(idle);
  while (c) {
    struct connection *next = c->next_ready;
    take_turn(c);
    c = next;
  }
  take_handshakes(server);
}

static void schedule(struct connection *c) {
  struct https_server *server = server_of(c);
  if (c->ready) return;
  c->ready = true;
  if (c->link == LINK_HANDSHAKE) turns_add_first(handshakes_of(server, c), c); /* half of it is done */
  else turns_add(c->link == LINK_ACCEPTED ? handshakes_of(server, c) : &server->ready, c);
  if (!uv_is_active((uv_handle_t *)&server->idle)) server->others_since = uv_hrtime();
  uv_idle_start(&server->idle, on_idle);
}

static void unschedule(struct https_server *server, const struct connection *c) {
  turns_remove(&server->ready, c);
  turns_remove(&server->handshakes, c);
  turns_remove(&server->own_handshakes, c);
}

static int grow(struct https_server *server) {
  unsigned count = server->slot_count ? 2 * server->slot_count : 16;
  if (count > 1U << SLOT_BITS) return -EMFILE;
  struct connection **slots = realloc(server->slots, count * sizeof *slots);
  if (!slots) return -ENOMEM;
  memset(slots + server->slot_count, 0, (count - server->slot_count) * sizeof *slots);
  server->slots = slots;
  server->slot_count = count;
  return 0;
}

/* Gives the connection a number. -EMFILE, -ENOMEM. */
static int add(struct https_server *server, struct connection *c) {
  if (server->connections >= server->group.options.max_connections) return -EMFILE;
  unsigned slot = 0;
  while (slot < server->slot_count && server->slots[slot]) slot++;
  if (slot == server->slot_count && grow(server)) return -ENOMEM;
  server->slots[slot] = c;
  c->id = (https_id)++server->generation << SLOT_BITS | slot;
  if (server->connections++ == 0) {
    uint64_t interval = tick(&server->group.options);
    server->looked_at = uv_now(server->group.loop);
    uv_timer_start(&server->timer, on_timer, interval, interval);
  }
  return 0;
}

static void on_handle_closed(uv_handle_t *handle) {
  struct https_server *server = handle->data;
  if (--server->handles == 0) server->group.events.closed(server->group.context);
}

static void on_listener_closed(uv_handle_t *handle) {
  on_handle_closed(handle);
  free(handle);
}

void https_free(struct https_server *server) {
  repeats_clear(&server->group.repeats);
  repeats_clear(&server->group.anonymous);
  tls_identity_drop(server->group.identity);
  tls_identity_drop(server->group.challenge);
  free(server->slots);
  free(server);
}

/* Frees the rest of the server when it has stopped listening and has no connection. */
static void close_if_done(struct https_server *server) {
  if (!server->group.closing || server->connections > 0 || uv_is_closing((uv_handle_t *)&server->timer)) return;
  uv_close((uv_handle_t *)&server->timer, on_handle_closed);
  uv_close((uv_handle_t *)&server->idle, on_handle_closed);
}

static void on_removed(struct connection *c) {
  struct https_server *server = server_of(c);
  if (c->ready) unschedule(server, c);
  server->slots[c->id & ((1U << SLOT_BITS) - 1)] = NULL;
  if (--server->connections == 0) uv_timer_stop(&server->timer);
  close_if_done(server);
}

int https_new(struct https_server **out, uv_loop_t *loop, const struct https_options *options,
              const struct https_events *events, void *context, const char *key, size_t key_length,
              const char *certificate, size_t certificate_length) {
  *out = NULL;
  struct https_server *server = calloc(1, sizeof *server);
  if (!server) return -ENOMEM;
  struct connection_group *group = &server->group;
  int error = tls_identity_new(&group->identity, &options->tls, key, key_length, certificate, certificate_length);
  if (error) {
    free(server);
    return error;
  }
  group->loop = loop;
  group->options = *options;
  group->events = *events;
  group->context = context;
  group->schedule = schedule;
  group->remove = on_removed;
  group->outbox = (struct records_outbox){.data = group->records, .capacity = sizeof group->records};
  repeating_begin(group);
  turns_clear(&server->ready);
  turns_clear(&server->handshakes);
  turns_clear(&server->own_handshakes);
  uv_timer_init(loop, &server->timer);
  uv_idle_init(loop, &server->idle);
  server->timer.data = server->idle.data = server;
  server->handles = 2;
  *out = server;
  return 0;
}

static void begin(struct https_server *server, struct connection *c, int error) {
  if (error || add(server, c)) connection_discard(c);
  else receiving_begin(c);
}

/*
 * Takes the first of those that wait, and some after it: libuv gives one in a round of the loop, which may be long.
 * Errors of accepting (no descriptors, a peer that went away) concern one connection, and the listener stays.
 */
static void on_connection(uv_stream_t *listener, int status) {
  struct https_server *server = listener->data;
  server->accepted = true;
  struct connection *c = status ? NULL : connection_new(&server->group);
  if (!c) return;
  begin(server, c, uv_accept(listener, (uv_stream_t *)&c->tcp));
  for (unsigned count = 1; count < ACCEPTS_MAX && !server->group.closing; count++) {
    uv_os_fd_t fd = -1;
    uv_fileno((uv_handle_t *)listener, &fd);
    const int accepted = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) return;
    c = connection_new(&server->group);
    const int error = c ? uv_tcp_open(&c->tcp, accepted) : UV_ENOMEM;
    if (error) close(accepted);
    if (c) begin(server, c, error);
  }
}

static int name_of(const char *address, int port, struct sockaddr_storage *name) {
  int error = uv_ip4_addr(address, port, (struct sockaddr_in *)name);
  return error ? uv_ip6_addr(address, port, (struct sockaddr_in6 *)name) : 0;
}

int https_listen(struct https_server *server, const char *address, int port) {
  struct sockaddr_storage name;
  int error = name_of(address, port, &name);
  if (error || server->group.closing) return error ? error : -EBADF;
  struct listener *listener = calloc(1, sizeof *listener);
  if (!listener) return -ENOMEM;
  uv_tcp_init(server->group.loop, &listener->tcp);
  listener->tcp.data = server;
  server->handles++;
  error = uv_tcp_bind(&listener->tcp, (struct sockaddr *)&name, 0);
  if (!error) error = uv_listen((uv_stream_t *)&listener->tcp, BACKLOG, on_connection);
  if (error) {
    uv_close((uv_handle_t *)&listener->tcp, on_listener_closed);
    return error;
  }
  listener->next = server->listeners;
  server->listeners = listener;
  return 0;
}

static bool is_at(const struct listener *listener, const struct sockaddr_storage *name) {
  struct sockaddr_storage own = {0};
  int length = sizeof own;
  if (uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&own, &length) || own.ss_family != name->ss_family)
    return false;
  if (own.ss_family == AF_INET) {
    const struct sockaddr_in *a = (struct sockaddr_in *)&own, *b = (const struct sockaddr_in *)name;
    return a->sin_port == b->sin_port && a->sin_addr.s_addr == b->sin_addr.s_addr;
  }
  const struct sockaddr_in6 *a = (struct sockaddr_in6 *)&own, *b = (const struct sockaddr_in6 *)name;
  return a->sin6_port == b->sin6_port && IN6_ARE_ADDR_EQUAL(&a->sin6_addr, &b->sin6_addr);
}

int https_unlisten(struct https_server *server, const char *address, int port) {
  struct sockaddr_storage name;
  int error = name_of(address, port, &name);
  if (error) return error;
  struct listener **at = &server->listeners;
  while (*at && !is_at(*at, &name)) at = &(*at)->next;
  if (!*at) return -ENOENT;
  struct listener *listener = *at;
  *at = listener->next;
  uv_close((uv_handle_t *)&listener->tcp, on_listener_closed);
  return 0;
}

int https_address(const struct https_server *server, struct sockaddr_storage *address) {
  int length = sizeof *address;
  if (!server->listeners) return -EBADF;
  return uv_tcp_getsockname(&server->listeners->tcp, (struct sockaddr *)address, &length);
}

int https_set_credentials(struct https_server *server, const char *key, size_t key_length, const char *certificate,
                          size_t certificate_length) {
  struct tls_identity *identity;
  int error = tls_identity_new(&identity, &server->group.options.tls, key, key_length, certificate, certificate_length);
  if (error) return error;
  tls_identity_drop(server->group.identity);
  server->group.identity = identity;
  return 0;
}

int https_set_challenge(struct https_server *server, const char *key, size_t key_length, const char *certificate,
                        size_t certificate_length) {
  struct tls_identity *identity = NULL;
  struct tls_settings settings = server->group.options.tls;
  settings.ticket_lifetime = 0;
  settings.challenge = true;
  int error = key_length ? tls_identity_new(&identity, &settings, key, key_length, certificate, certificate_length) : 0;
  if (error) return error;
  tls_identity_drop(server->group.challenge);
  server->group.challenge = identity;
  return 0;
}

struct https_options *https_settings(struct https_server *server) {
  return &server->group.options;
}

unsigned https_connections(const struct https_server *server) {
  return server->connections;
}

void https_close_idle(struct https_server *server) {
  for (unsigned i = 0; i < server->slot_count; i++) {
    struct connection *c = server->slots[i];
    if (c && receiving_is_idle(c)) sending_end(c, NULL, 0);
  }
}

void https_close_all(struct https_server *server) {
  for (unsigned i = 0; i < server->slot_count; i++) {
    if (server->slots[i]) connection_destroy(server->slots[i]);
  }
}

void https_close(struct https_server *server) {
  if (server->group.closing) return;
  server->group.closing = true;
  repeating_end(&server->group);
  for (struct listener *listener = server->listeners, *next; listener; listener = next) {
    next = listener->next;
    uv_close((uv_handle_t *)&listener->tcp, on_listener_closed);
  }
  server->listeners = NULL;
  https_close_idle(server);
  close_if_done(server);
}

long https_write(struct https_server *server, https_id id, const uint8_t *data, size_t length, bool last) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  if (last) repeating_keep(c, data, length);
  return sending_write(c, data, length, last);
}

int https_repeatable(struct https_server *server, https_id id, const struct https_repetition *repeatable) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  if (repeatable->caller_length > 0) c->authenticated = true;
  repeating_allow(c, repeatable);
  return 0;
}

int https_unauthenticated(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  c->authenticated = false;
  return 0;
}

void https_forget(struct https_server *server) {
  repeating_forget(&server->group);
}

void https_forget_callers(struct https_server *server) {
  repeating_forget_callers(&server->group);
}

void https_drop(struct https_server *server, const uint8_t *subject, size_t length) {
  repeating_drop(&server->group, subject, length);
}

long https_waiting(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  return c ? connection_waiting(c) : -ENOTCONN;
}

int https_close_after(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  c->last = true;
  return 0;
}

bool https_keeps_alive(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  return c && !c->last && !c->ended && !server->group.closing;
}

int https_end(struct https_server *server, https_id id, const uint8_t *data, size_t length) {
  struct connection *c = find(server, id);
  return c ? sending_end(c, data, length) : -ENOTCONN;
}

int https_destroy(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  connection_destroy(c);
  return 0;
}

int https_pause(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  receiving_pause(c);
  return 0;
}

int https_resume(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  receiving_resume(c);
  return 0;
}

int https_allow(struct https_server *server, https_id id, unsigned time) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  receiving_allow(c, time);
  return 0;
}

int https_tunnel(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  if (c->exchange != EXCHANGE_RECEIVED) return -EPROTO;
  c->tunnel = c->last = true;
  return 0;
}

int https_identify(struct https_server *server, https_id id, struct tls_identity *identity) {
  struct connection *c = find(server, id);
  if (!c) return -ENOTCONN;
  receiving_identify(c, identity);
  return 0;
}

int https_peer(struct https_server *server, https_id id, struct sockaddr_storage *address) {
  struct connection *c = find(server, id);
  int length = sizeof *address;
  return c ? uv_tcp_getpeername(&c->tcp, (struct sockaddr *)address, &length) : -ENOTCONN;
}

int https_local(struct https_server *server, https_id id, struct sockaddr_storage *address) {
  struct connection *c = find(server, id);
  int length = sizeof *address;
  return c ? uv_tcp_getsockname(&c->tcp, (struct sockaddr *)address, &length) : -ENOTCONN;
}

const char *https_protocol(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  return c && c->link >= LINK_HANDSHAKE ? tls_protocol(&c->tls) : NULL;
}

const char *https_cipher(struct https_server *server, https_id id) {
  struct connection *c = find(server, id);
  return c && c->link >= LINK_HANDSHAKE ? tls_cipher(&c->tls) : NULL;
}

const uint8_t *https_certificate(struct https_server *server, https_id id, size_t *length) {
  struct connection *c = find(server, id);
  return c && c->link >= LINK_HANDSHAKE ? tls_certificate(&c->tls, length) : NULL;
}
