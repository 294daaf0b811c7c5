/*
 * The messages between the init process and the network process (network_clients.h), one structure each. The network
 * process trusts the init process; the init process checks all messages, and treats them as data from the network.
 */
#ifndef MINNOW_NETWORK_MESSAGES_H
#define MINNOW_NETWORK_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dhcp.h"
#include "dhcp6.h"
#include "sntp.h"

#define NETWORK_PORTS_MAX 4

/* The DHCP requests to send over a port. */
struct network_messages_port {
  char interface[16];    /* that has the addresses; empty: there is no such port */
  char host_name[64];    /* sent to DHCP servers; empty: none */
  struct in_addr before; /* to be asked for first; 0: none */
  uint32_t attempt;      /* a new value asks servers again */
  bool dhcp, dhcp6;
};

/* From the init process: all that is wanted, each time that it changes. Unused bytes are 0. */
struct network_messages_wanted {
  struct network_messages_port ports[NETWORK_PORTS_MAX];
  struct netlink_address time_servers[SNTP_SERVERS_MAX];
  size_t time_server_count;
};

enum network_messages_kind {
  NETWORK_MESSAGES_ALIVE, /* nothing new */
  NETWORK_MESSAGES_LEASE,
  NETWORK_MESSAGES_LEASE_LOST,
  NETWORK_MESSAGES_INFORMATION,
  NETWORK_MESSAGES_TIME
};

/* From the network process. */
struct network_messages_news {
  enum network_messages_kind kind;
  uint32_t port, attempt; /* of a lease and of information: the question that they answer */
  struct dhcp_answer lease;
  struct dhcp6_answer information;
  int64_t behind; /* nanoseconds, of the clock */
};

/*
 * Takes a message of `length` bytes for a board with `ports` ports, which accepts no time before `earliest`
 * (nanoseconds since 1970). 0, or -EBADMSG for an invalid message or value.
 */
int network_messages_take(const void *message, size_t length, size_t ports, int64_t earliest,
                          struct network_messages_news *news);

#endif
