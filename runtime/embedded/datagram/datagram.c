#include "datagram.h"

#include <errno.h>
#include <stdlib.h>

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

static void on_message(uv_udp_t *handle, ssize_t length, const uv_buf_t *buffer, const struct sockaddr *from,
                       unsigned flags) {
  struct datagram *socket = handle->data;
  char address[DATAGRAM_ADDRESS_SIZE];
  if (length < 0 || from == NULL || from->sa_family != AF_INET || (flags & UV_UDP_PARTIAL) != 0) return;
  const struct sockaddr_in *peer = (const struct sockaddr_in *)(const void *)from;
  if (uv_ip4_name(peer, address, sizeof address) != 0) return;
  socket->events->message(socket->context, (const uint8_t *)buffer->base, (size_t)length, address,
                          ntohs(peer->sin_port));
}

int datagram_open(uv_loop_t *loop, const char *address, uint16_t port, const struct datagram_events *events,
                  void *context, struct datagram **result) {
  struct sockaddr_in here;
  int error = uv_ip4_addr(address, port, &here);
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
  error = uv_udp_bind(&socket->handle, (const struct sockaddr *)&here, UV_UDP_REUSEADDR);
  return error ? error : uv_udp_recv_start(&socket->handle, on_room, on_message);
}

int datagram_join(struct datagram *socket, const char *group, const char *own) {
  return uv_udp_set_membership(&socket->handle, group, own, UV_JOIN_GROUP);
}

int datagram_set_ttl(struct datagram *socket, int ttl) {
  return uv_udp_set_multicast_ttl(&socket->handle, ttl);
}

int datagram_send(struct datagram *socket, const void *bytes, size_t length, const char *address, uint16_t port) {
  struct sockaddr_in there;
  const uv_buf_t buffer = {.base = (char *)(uintptr_t)bytes, .len = length};
  const int error = uv_ip4_addr(address, port, &there);
  if (error) return error;
  const int sent = uv_udp_try_send(&socket->handle, &buffer, 1, (const struct sockaddr *)&there);
  return sent < 0 ? sent : 0;
}

void datagram_close(struct datagram *socket) {
  if (!uv_is_closing((uv_handle_t *)&socket->handle)) uv_close((uv_handle_t *)&socket->handle, on_closed);
}
