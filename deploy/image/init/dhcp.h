/*
 * An IPv4 address from the network (RFC 2131, RFC 2132): a client that asks by broadcast, again with longer and longer
 * pauses, and extends its lease from half of it on. It first asks for the address that it had before. Nothing here
 * waits. Times are milliseconds of the monotonic clock.
 */
#ifndef MINNOW_DHCP_H
#define MINNOW_DHCP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domains.h"

#define DHCP_MESSAGE_SIZE 576
#define DHCP_HARDWARE_SIZE 6
#define DHCP_SERVERS_MAX 4
#define DHCP_NAME_SIZE 256

enum dhcp_type { DHCP_DISCOVER = 1, DHCP_OFFER = 2, DHCP_REQUEST = 3, DHCP_ACK = 5, DHCP_NAK = 6 };

/* Servers of one kind. */
struct dhcp_servers {
  struct in_addr addresses[DHCP_SERVERS_MAX];
  size_t count;
};

/* A server's answer. Addresses are 0, and names empty, if it does not name them. */
struct dhcp_answer {
  enum dhcp_type type;
  struct in_addr address, netmask, gateway, server;
  uint32_t lease_s;
  struct dhcp_servers names, time;                   /* that resolve names, that know the time */
  char domain[DHCP_NAME_SIZE], search[DOMAINS_SIZE]; /* `search`: domains with spaces between them */
};

struct dhcp {
  char interface[16];
  uint8_t hardware[DHCP_HARDWARE_SIZE];
  char host_name[64]; /* sent to the server; empty: none */
  int socket;         /* -1 while it is closed */
  uint32_t transaction;
  struct in_addr before;     /* to be asked for first; 0: none */
  unsigned asked;            /* how often, for the address from before */
  struct dhcp_answer chosen; /* type 0 while nothing was offered, DHCP_OFFER, DHCP_ACK while there is a lease */
  uint64_t next;             /* time to ask */
  uint64_t pause;            /* after the next question */
  uint64_t expires;          /* of the lease */
};

void dhcp_init(struct dhcp *dhcp, const char *interface);

/* Asks again for the present address: the network may be another one. The lease stays until an answer arrives. */
void dhcp_again(struct dhcp *dhcp, uint64_t now);

/* Closes the socket and forgets the lease. */
void dhcp_stop(struct dhcp *dhcp);

/* Asks if it is time. 0 or a negative errno; it is asked again later in any case. */
int dhcp_step(struct dhcp *dhcp, uint64_t now);

/* Takes an answer, when the socket can be read. 1 when there is a new lease in `chosen`, otherwise 0. */
int dhcp_read(struct dhcp *dhcp, uint64_t now);

/*
 * Whether an answer with an address can be used: the addresses are those of hosts, the mask has no gap, names are
 * names, and numbers keep to their bounds. It takes nothing for granted, not even that texts end.
 */
bool dhcp_is_usable(const struct dhcp_answer *answer);

/* Writes the question that `dhcp` is at; returns its length. */
size_t dhcp_question(const struct dhcp *dhcp, uint8_t message[DHCP_MESSAGE_SIZE]);

/* Reads a message from the network. -EINVAL when it is damaged, -ENOMSG when it is not an answer to `dhcp`. */
int dhcp_parse(const struct dhcp *dhcp, const uint8_t *message, size_t length, struct dhcp_answer *answer);

#endif
