/*
 * A UDP socket on a libuv loop, which shares its port with other processes. Addresses are in figures; one of IPv6 that
 * means something on a link only has its interface with it, fe80::1%eth0. Results are 0 or a negative errno.
 */
#ifndef MINNOW_DATAGRAM_H
#define MINNOW_DATAGRAM_H

#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/* Longer messages are dropped, as are those that the kernel has no room for. */
enum { DATAGRAM_SIZE = 2048, DATAGRAM_ADDRESS_SIZE = INET6_ADDRSTRLEN + IF_NAMESIZE };

struct datagram;

struct datagram_events {
  void (*message)(void *context, const uint8_t *bytes, size_t length, const char *address, uint16_t port);
  /* Once, and last: the socket is freed when it returns. */
  void (*closed)(void *context);
};

/* Binds to an address, which may be that of a group, and receives from then on. `events` must outlive the socket. */
int datagram_open(uv_loop_t *loop, const char *address, uint16_t port, const struct datagram_events *events,
                  void *context, struct datagram **socket);

/* Joins a multicast group on the interface with the address `own`, or for IPv6 on that of `::%eth0`. */
int datagram_join(struct datagram *socket, const char *group, const char *own);

/* The hop limit of datagrams to a group: 1 to 255. */
int datagram_set_ttl(struct datagram *socket, int ttl);

/* Sends at once or not at all. */
int datagram_send(struct datagram *socket, const void *bytes, size_t length, const char *address, uint16_t port);

void datagram_close(struct datagram *socket);

#endif
