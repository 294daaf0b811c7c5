/*
 * How a network device is to be set up: lines of `name value`, which the service writes. Unknown names, values that are
 * none and too many of them are refused as a whole.
 *
 *   serial 7                       of this text; the answer has it
 *   enabled 1
 *   mtu 1500
 *   vlan 12 0                      number and priority; without the line frames have no tag
 *   address 192.0.2.9/24           IPv4 and IPv6
 *   gateway 192.0.2.1              one of each family
 *   dhcp dns domain gateway ntp    DHCP, and what of a lease is used; without the line no DHCP
 *   dhcp6 dns domain ntp           DHCPv6 without state, likewise
 *   slaac 1
 *   nameserver 192.0.2.53
 *   hostname controller
 *   domain example.net
 *   ntp 1                          whether anybody is asked for the time; without the line they are
 *   timeserver 192.0.2.7           before those of DHCP
 */
#ifndef MINNOW_PORT_SETTINGS_H
#define MINNOW_PORT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netlink.h"

#define PORT_SETTINGS_SIZE 2048
#define PORT_ADDRESSES_MAX 12
#define PORT_SERVERS_MAX 4
#define PORT_NAME_SIZE 256

/* Whether a server of DHCP is asked, and what of its answer is used. */
struct port_dhcp {
  bool on, dns, domain, gateway, ntp;
};

struct port_settings {
  uint32_t serial;
  bool enabled, slaac;
  uint32_t mtu;
  uint16_t vlan; /* 0: none */
  uint8_t priority;
  struct netlink_address addresses[PORT_ADDRESSES_MAX];
  size_t address_count;
  struct netlink_address gateway4, gateway6; /* family 0: none */
  struct port_dhcp dhcp, dhcp6;
  struct netlink_address servers[PORT_SERVERS_MAX],
      time_servers[PORT_SERVERS_MAX]; /* that resolve names, know the time */
  size_t server_count, time_server_count;
  bool no_time;                               /* no server is asked for it */
  char host_name[64], domain[PORT_NAME_SIZE]; /* empty: none */
};

/* Reads a text of `size` bytes. 0, or -EINVAL; `settings->serial` is read in any case if it is the first line. */
int port_settings_read(const char *text, size_t size, struct port_settings *settings);

/* Whether a name is safe in a file of another program, and in a message: labels of letters, digits and hyphens. */
bool port_settings_is_name(const char *name, size_t length);

#endif
