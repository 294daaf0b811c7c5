/*
 * The settings that a network announces besides addresses (stateless DHCPv6, RFC 8415 6.1): name servers, time servers
 * and domains.
 * Asks all servers of the link, with growing pauses, and again when an answer must be refreshed. Nothing here waits.
 * Times are milliseconds of the monotonic clock.
 */
#ifndef MINNOW_DHCP6_H
#define MINNOW_DHCP6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domains.h"
#include "netlink.h"

#define DHCP6_MESSAGE_SIZE 1500
#define DHCP6_HARDWARE_SIZE 6
#define DHCP6_SERVERS_MAX 4

/* Servers of one kind, with addresses of IPv6. */
struct dhcp6_servers {
  struct netlink_address addresses[DHCP6_SERVERS_MAX];
  size_t count;
};

struct dhcp6_answer {
  struct dhcp6_servers names, time; /* that resolve names, that know the time */
  char search[DOMAINS_SIZE];        /* domains with spaces between them; empty: none */
  uint32_t refresh_s;               /* after which it is asked again; UINT32_MAX: never */
  uint32_t longest_pause_s;         /* between two questions; 0: not given by the server */
};

struct dhcp6 {
  char interface[16];
  uint8_t hardware[DHCP6_HARDWARE_SIZE];
  int socket;    /* -1 while it is closed */
  uint32_t link; /* number of the interface, while there is a socket */
  bool started, answered;
  uint32_t transaction;
  struct dhcp6_answer answer; /* only if `answered` */
  uint64_t began;             /* when the first question was sent that has no answer yet */
  uint64_t next;              /* time to ask */
  uint64_t pause;             /* after the last question; 0: none waits for an answer */
};

void dhcp6_init(struct dhcp6 *dhcp6, const char *interface);

/*
 * Makes it ask from now on, or again: the network may be another one. The previous answer stays until an answer
 * arrives.
 */
void dhcp6_start(struct dhcp6 *dhcp6, uint64_t now);

/* Closes the socket and forgets the answer. */
void dhcp6_stop(struct dhcp6 *dhcp6);

/* Asks if it is started, and it is time. 0 or a negative errno; it is asked again later in any case. */
int dhcp6_step(struct dhcp6 *dhcp6, uint64_t now);

/* Takes an answer, when the socket can be read. 1 when there is a new one in `answer`, otherwise 0. */
int dhcp6_read(struct dhcp6 *dhcp6, uint64_t now);

/*
 * The pause after one of `before` (0: it is the first), up to `longest`; any `random` number spreads clients (RFC 8415
 * 15).
 */
uint64_t dhcp6_pause(uint64_t before, uint64_t longest, uint32_t random);

/* Whether an answer can be used: addresses are those of hosts, and domains are domains. As dhcp_is_usable. */
bool dhcp6_is_usable(const struct dhcp6_answer *answer);

/* Writes the question of `dhcp6`; returns its length. */
size_t dhcp6_question(const struct dhcp6 *dhcp6, uint64_t now, uint8_t message[DHCP6_MESSAGE_SIZE]);

/* Reads a message from the network. -EINVAL when it is damaged, -ENOMSG when it is not an answer to `dhcp6`. */
int dhcp6_parse(const struct dhcp6 *dhcp6, const uint8_t *message, size_t length, struct dhcp6_answer *answer);

#endif
