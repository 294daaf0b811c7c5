/*
 * A network device, set up by its settings and a lease of DHCP: its link, a VLAN on it, addresses and default routes
 * (rtnetlink(7)), and whether it takes what routers advertise.
 */
#ifndef MINNOW_PORT_H
#define MINNOW_PORT_H

#include "dhcp.h"
#include "dhcp6.h"
#include "netlink.h"
#include "port_settings.h"

struct port {
  char device[16];  /* of the kernel */
  char carrier[16]; /* that has the addresses: `device`, or a VLAN on it */
  uint8_t priority; /* of the VLAN */
  int slaac;        /* whether the carrier takes what routers advertise; -1: nothing yet */
  struct port_settings settings;
  char text[PORT_SETTINGS_SIZE + 1]; /* of the settings */
  uint32_t serial;                   /* of these, or of others that were refused */
  int result;                        /* of carrying them out, or of reading the others: 0 or a negative errno */
  struct dhcp_answer lease;          /* of type DHCP_ACK, if there is a lease */
  bool informed;
  struct dhcp6_answer information; /* only if `informed` */
};

/* Sets the device up by `settings` and `lease`, from any previous state. 0 or a negative errno. */
int port_apply(struct port *port, struct netlink *netlink);

/* Sets a link up, such as that of the loopback. */
int port_start(struct netlink *netlink, const char *device);

/* Whether there is a lease in force. */
bool port_has_lease(const struct port *port);

#endif
