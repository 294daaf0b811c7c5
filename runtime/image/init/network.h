/*
 * The network of the board: its ports, each as a file of settings says (port_settings.h). The service, which has no privilege
 * for it, writes the file; what came of it stands in an answer of the same name in another folder, which only this process
 * writes:
 *
 *   serial 7            of the settings in force, or of those that were refused
 *   result 0            0 or the errno of carrying them out
 *   carrier eth0.12     the device that has the addresses
 *   lease 192.0.2.9     of DHCP; then lease-domain, lease-search
 *   lease-nameserver 192.0.2.53, lease-ntp    of DHCP and DHCPv6
 *   ...                 the settings in force, but for their serial
 *
 * and in `resolv.conf`, which both name servers and domains are in (resolv.conf(5)).
 */
#ifndef MINNOW_NETWORK_H
#define MINNOW_NETWORK_H

#include <poll.h>
#include <sys/stat.h>

#include "dhcp6.h"
#include "port.h"
#include "sntp.h"

#define NETWORK_PORTS_MAX 4
/* Sockets to wait for: two of each port, and that of the time. */
#define NETWORK_EVENTS (2 * NETWORK_PORTS_MAX + 1)

struct network_port {
  struct port port;
  struct dhcp6 dhcp6;
  struct stat read;                  /* of the file of settings, when it was read */
  char text[PORT_SETTINGS_SIZE + 1]; /* the settings in force */
  uint32_t serial;
  int result;
  int64_t link; /* changes of the link until it was there last, or -1 */
  bool had_lease;
};

struct network {
  const char *settings; /* folder that the service writes to */
  const char *defaults; /* folder with the settings where there are none */
  const char *answers;  /* folder */
  const char *leases;   /* folder: the last address of each port */
  struct netlink netlink;
  struct sntp sntp;
  struct network_port ports[NETWORK_PORTS_MAX];
  size_t count;
};

/* `earliest` as in sntp.h */
void network_init(struct network *network, const char *settings, const char *defaults, const char *answers,
                  const char *leases, int64_t earliest);

/* -EINVAL for a name that is none, or one port too many. */
int network_add(struct network *network, const char *device);

/* Carries out what has changed, and goes on with leases. Nothing here waits. `now` as in dhcp.h. */
void network_step(struct network *network, uint64_t now);

/* Takes what servers of DHCP and of time have answered. True where `behind` says by how many nanoseconds the clock is. */
bool network_read(struct network *network, uint64_t now, int64_t *behind);

void network_events(const struct network *network, struct pollfd events[NETWORK_EVENTS]);

/* Whether no port waits for an address of DHCP. */
bool network_is_up(const struct network *network);

/* Lets programs without privilege listen on ports from this one on. */
int network_open_port(uint16_t port);

#endif
