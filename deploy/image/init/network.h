/*
 * The network of the board: its ports, each set up by a file of settings (port_settings.h). The service, which has no
 * privilege for it, writes the file; the result is in an answer of the same name in another folder, which only this
 * process writes, and in `resolv.conf` there (network_files.h). Another process talks to the network
 * (network_process.h).
 */
#ifndef MINNOW_NETWORK_H
#define MINNOW_NETWORK_H

#include <sys/stat.h>

#include "network_process.h"
#include "port.h"

struct network_port {
  struct port port;
  struct stat read;            /* of the file of settings, when it was read */
  int64_t link;                /* changes of the link until it was there last, or -1 */
  uint32_t attempt;            /* of asking servers; counts up when they must be asked again */
  struct in_addr before, kept; /* the last address of DHCP; that in the file of leases; 0: none */
  uint64_t expires;            /* of the lease */
  uint64_t keep;               /* when the file of leases may be written again */
  bool asks6;                  /* servers of DHCPv6 are asked */
};

struct network {
  const char *settings; /* folder that the service writes to */
  const char *defaults; /* folder with the default settings */
  const char *answers;  /* folder */
  const char *leases;   /* folder: the last address of each port */
  struct netlink netlink;
  struct network_process process;
  uint64_t listen; /* when the network process is listened to again */
  struct network_port ports[NETWORK_PORTS_MAX];
  size_t count;
};

/* `user` of the network process; `earliest` as in network_messages.h */
void network_init(struct network *network, const char *settings, const char *defaults, const char *answers,
                  const char *leases, uid_t user, int64_t earliest);

/* -EINVAL for an invalid name, or one port too many. */
int network_add(struct network *network, const char *device);

/* Carries out changes, and asks the network process for its part. Nothing here waits. `now` as in restart.h. */
void network_step(struct network *network, uint64_t now);

/* Reads messages of the network process. True if `behind` is set: by how many nanoseconds the clock is behind. */
bool network_read(struct network *network, uint64_t now, int64_t *behind);

/* The socket to wait for until it can be read, or -1. */
int network_socket(const struct network *network, uint64_t now);

/* The network process has ended with `status` (wait(2)). */
void network_ended(struct network *network, int status, uint64_t now);

/* Whether no port waits for an address of DHCP. */
bool network_is_up(const struct network *network);

/* Lets programs without privilege listen on ports from this one on. */
int network_open_port(uint16_t port);

#endif
