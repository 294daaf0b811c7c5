#include "datagram.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

struct datagram {
  uv_udp_t handle;
  const struct datagram_events *events;
  void *context;
  char message[DATAGRAM_SIZE];
};

static void on_closed(uv_handle_t *handle) {
  struct datagram *socket = handle->data;
  socket->events->closed(socket->context);
  free(socket);
}

/* One message at a time, so one is enough. */
static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)suggested;
  struct datagram *socket = handle->data;
  *buffer = uv_buf_init(socket->message, DATAGRAM_SIZE);
}

/* The text of an address, for one of a link with its interface. */
static int name_of(const struct sockaddr *peer, char name[DATAGRAM_ADDRESS_SIZE]) {
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)peer;
  int error = uv_ip_name(peer, name, DATAGRAM_ADDRESS_SIZE);
  if (error || peer->sa_family != AF_INET6 || !six->sin6_scope_id) return error;
  size_t length = strlen(name);
  name[length++] = '%';
  /* libuv's own function has all of the resolver in its object file. */
  return if_indextoname(six->sin6_scope_id, name + length) ? 0 : -errno;
}

/* The address of a text; only those of IPv6 have colons. */
static int address_of(const char *text, uint16_t port, struct sockaddr_storage *address) {
  return strchr(text, ':') ? uv_ip6_addr(text, port, (struct sockaddr_in6 *)address)
                           : uv_ip4_addr(text, port, (struct sockaddr_in *)address);
}

static void on_message(uv_udp_t *handle, ssize_t length, const uv_buf_t *buffer, const struct sockaddr *from,
                       unsigned flags) {
  struct datagram *socket = handle->data;
  char address[DATAGRAM_ADDRESS_SIZE];
  if (length < 0 || from == NULL || (flags & UV_UDP_PARTIAL) != 0 || name_of(from, address) != 0) return;
  /* The port is at the same place in both families. */
  const in_port_t port = ((const struct sockaddr_in *)(const void *)from)->sin_port;
  socket->events->message(socket->context, (const uint8_t *)buffer->base, (size_t)length, address, ntohs(port));
}

int datagram_open(uv_loop_t *loop, const char *address, uint16_t port, const struct datagram_events *events,
                  void *context, struct datagram **result) {
  struct sockaddr_storage here;
  int error = address_of(address, port, &here);
  if (error) return error;
  struct datagram *socket = calloc(1, sizeof *socket);
  if (!socket) return -ENOMEM;
  error = uv_udp_init(loop, &socket->handle);
  if (error) {
    free(socket);
    return error;
  }
  socket->events = events;
  socket->context = context;
  socket->handle.data = socket;
  *result = socket;
  const unsigned family = here.ss_family == AF_INET6 ? UV_UDP_IPV6ONLY : 0;
  error = uv_udp_bind(&socket->handle, (const struct sockaddr *)&here, UV_UDP_REUSEADDR | family);
  return error ? error : uv_udp_recv_start(&socket->handle, on_room, on_message);
}

int datagram_join(struct datagram *socket, const char *group, const char *own) {
  return uv_udp_set_membership(&socket->handle, group, own, UV_JOIN_GROUP);
}

int datagram_set_ttl(struct datagram *socket, int ttl) {
  return uv_udp_set_multicast_ttl(&socket->handle, ttl);
}

int datagram_send(struct datagram *socket, const void *bytes, size_t length, const char *address, uint16_t port) {
  struct sockaddr_storage there;
  const uv_buf_t buffer = {.base = (char *)(uintptr_t)bytes, .len = length};
  const int error = address_of(address, port, &there);
  if (error) return error;
  const int sent = uv_udp_try_send(&socket->handle, &buffer, 1, (const struct sockaddr *)&there);
  return sent < 0 ? sent : 0;
}

void datagram_close(struct datagram *socket) {
  if (!uv_is_closing((uv_handle_t *)&socket->handle)) uv_close((uv_handle_t *)&socket->handle, on_closed);
}
