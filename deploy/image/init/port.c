#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FOUND_MAX = 64, WANTED_MAX = PORT_ADDRESSES_MAX + 1 };

/* Of a default route: one for each device, so that none takes the place of another. */
static const uint32_t first_metric = 1024;

bool port_has_lease(const struct port *port) {
  return port->settings.enabled && port->settings.dhcp.on && port->lease.type == DHCP_ACK;
}

static int set_link(struct netlink *netlink, uint32_t index, bool up, uint32_t mtu) {
  struct netlink_request request;
  const struct ifinfomsg fixed = {.ifi_index = (int)index, .ifi_flags = up ? IFF_UP : 0, .ifi_change = IFF_UP};
  netlink_begin(&request, RTM_NEWLINK, 0, &fixed, sizeof fixed);
  if (mtu != 0) netlink_put(&request, IFLA_MTU, &mtu, sizeof mtu);
  return netlink_ask(netlink, &request);
}

int port_start(struct netlink *netlink, const char *device) {
  const uint32_t index = if_nametoindex(device);
  return index == 0 ? -ENODEV : set_link(netlink, index, true, 0);
}

static int add_vlan(struct netlink *netlink, uint32_t link, const char *name, uint16_t id, uint8_t priority) {
  struct netlink_request request;
  const struct ifinfomsg fixed = {0};
  netlink_begin(&request, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &fixed, sizeof fixed);
  netlink_put(&request, IFLA_LINK, &link, sizeof link);
  netlink_put(&request, IFLA_IFNAME, name, strlen(name) + 1);
  const size_t info = netlink_open(&request, IFLA_LINKINFO);
  netlink_put(&request, IFLA_INFO_KIND, "vlan", 4);
  const size_t data = netlink_open(&request, IFLA_INFO_DATA);
  const struct ifla_vlan_qos_mapping mapping = {.from = 0, .to = priority};
  netlink_put(&request, IFLA_VLAN_ID, &id, sizeof id);
  const size_t qos = netlink_open(&request, IFLA_VLAN_EGRESS_QOS);
  netlink_put(&request, IFLA_VLAN_QOS_MAPPING, &mapping, sizeof mapping);
  netlink_close(&request, qos);
  netlink_close(&request, data);
  netlink_close(&request, info);
  return netlink_ask(netlink, &request);
}

static int delete_link(struct netlink *netlink, const char *name) {
  struct netlink_request request;
  const struct ifinfomsg fixed = {.ifi_index = (int)if_nametoindex(name)};
  if (fixed.ifi_index == 0) return 0;
  netlink_begin(&request, RTM_DELLINK, 0, &fixed, sizeof fixed);
  return netlink_ask(netlink, &request);
}

static int change_address(struct netlink *netlink, uint16_t type, uint32_t index, const struct netlink_address *one) {
  struct netlink_request request;
  const struct ifaddrmsg fixed = {.ifa_family = one->family, .ifa_prefixlen = one->prefix, .ifa_index = index};
  const size_t length = netlink_address_length(one->family);
  netlink_begin(&request, type, type == RTM_NEWADDR ? NLM_F_CREATE | NLM_F_REPLACE : 0, &fixed, sizeof fixed);
  netlink_put(&request, IFA_LOCAL, one->bytes, length);
  netlink_put(&request, IFA_ADDRESS, one->bytes, length);
  if (one->family == AF_INET && one->prefix < 31) {
    uint8_t broadcast[4];
    for (unsigned at = 0; at < sizeof broadcast; at++) {
      const unsigned kept = one->prefix > 8 * at ? one->prefix - 8 * at : 0;
      broadcast[at] = (uint8_t)(one->bytes[at] | (kept >= 8 ? 0 : 0xFFu >> kept));
    }
    netlink_put(&request, IFA_BROADCAST, broadcast, sizeof broadcast);
  }
  return netlink_ask(netlink, &request);
}

/* The default route of a family; without a gateway it is taken away. */
static int set_route(struct netlink *netlink, uint32_t index, uint8_t family, const struct netlink_address *gateway) {
  struct netlink_request request;
  const bool wanted = gateway->family == family;
  const struct rtmsg fixed = {.rtm_family = family,
                              .rtm_table = RT_TABLE_MAIN,
                              .rtm_protocol = RTPROT_STATIC,
                              .rtm_scope = wanted ? RT_SCOPE_UNIVERSE : RT_SCOPE_NOWHERE,
                              .rtm_type = wanted ? RTN_UNICAST : RTN_UNSPEC};
  const uint32_t metric = first_metric + index;
  netlink_begin(&request, wanted ? RTM_NEWROUTE : RTM_DELROUTE, wanted ? NLM_F_CREATE | NLM_F_REPLACE : 0, &fixed,
                sizeof fixed);
  if (wanted) netlink_put(&request, RTA_GATEWAY, gateway->bytes, netlink_address_length(family));
  netlink_put(&request, RTA_OIF, &index, sizeof index);
  netlink_put(&request, RTA_PRIORITY, &metric, sizeof metric);
  const int result = netlink_ask(netlink, &request);
  return !wanted && (result == -ESRCH || result == -ENETUNREACH) ? 0 : result;
}

/* networking/ip-sysctl.rst. A kernel without IPv6 lacks these files. */
static int write_ipv6(const char *device, const char *name, bool on) {
  char path[96];
  snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/%s", device, name);
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? 0 : -errno;
  const int result = write(file, on ? "1" : "0", 1) < 0 ? -errno : 0;
  close(file);
  return result;
}

/*
 * Makes the kernel accept or ignore router advertisements. IPv6 starts again, so that it asks routers, which are silent
 * for minutes otherwise, and forgets their announcements.
 */
static int begin_ipv6(const char *device, bool slaac) {
  int result = write_ipv6(device, "disable_ipv6", true);
  if (result == 0) result = write_ipv6(device, "accept_ra", slaac);
  if (result == 0) result = write_ipv6(device, "autoconf", slaac);
  return result < 0 ? result : write_ipv6(device, "disable_ipv6", false);
}

static bool same(const struct netlink_address *one, const struct netlink_address *other) {
  return one->family == other->family && one->prefix == other->prefix &&
         memcmp(one->bytes, other->bytes, netlink_address_length(one->family)) == 0;
}

static uint8_t prefix_of(struct in_addr netmask) {
  return (uint8_t)__builtin_popcount(netmask.s_addr);
}

/* Takes all addresses from a device that are not wanted, and gives it those that are. */
static int set_addresses(struct netlink *netlink, uint32_t index, bool slaac, const struct netlink_address *wanted,
                         size_t count) {
  struct netlink_found found[FOUND_MAX];
  const int listed = netlink_list(netlink, found, FOUND_MAX);
  if (listed < 0) return listed;
  for (int i = 0; i < listed; i++) {
    const struct netlink_found *one = &found[i];
    const bool ipv6 = one->address.family == AF_INET6;
    bool keep = one->device != index || (ipv6 && (one->scope == RT_SCOPE_LINK || (slaac && one->temporary)));
    for (size_t w = 0; w < count; w++) keep = keep || same(&one->address, &wanted[w]);
    const int result = keep ? 0 : change_address(netlink, RTM_DELADDR, index, &one->address);
    /* It went with another one of its network, or its time was over. */
    if (result < 0 && result != -EADDRNOTAVAIL) return result;
  }
  for (size_t w = 0; w < count; w++) {
    const int result = change_address(netlink, RTM_NEWADDR, index, &wanted[w]);
    if (result < 0 && result != -EEXIST) return result;
  }
  return 0;
}

/* The VLAN on the device, or the device itself. The previous carrier of the addresses loses them. */
static int choose_carrier(struct port *port, struct netlink *netlink, uint32_t link) {
  const struct port_settings *settings = &port->settings;
  char name[sizeof port->carrier + 8];
  if (settings->vlan != 0) snprintf(name, sizeof name, "%s.%u", port->device, settings->vlan);
  else snprintf(name, sizeof name, "%s", port->device);
  if (strlen(name) >= sizeof port->carrier) return -EINVAL;
  int result = 0;
  if (strcmp(name, port->device) != 0) {
    result = set_addresses(netlink, link, false, NULL, 0);
    const bool present = strcmp(port->carrier, name) == 0 && if_nametoindex(name) != 0;
    if (result == 0 && !(present && port->priority == settings->priority)) {
      result = delete_link(netlink, name);
      if (result == 0) result = add_vlan(netlink, link, name, settings->vlan, settings->priority);
    }
    port->priority = settings->priority;
  }
  if (result == 0 && strcmp(port->carrier, port->device) != 0 && strcmp(port->carrier, name) != 0)
    result = delete_link(netlink, port->carrier);
  if (result == 0 && strcmp(port->carrier, name) != 0) port->slaac = -1;
  if (result == 0) strcpy(port->carrier, name);
  return result;
}

int port_apply(struct port *port, struct netlink *netlink) {
  const struct port_settings *settings = &port->settings;
  const struct dhcp_answer *lease = &port->lease;
  const uint32_t link = if_nametoindex(port->device);
  struct netlink_address wanted[WANTED_MAX], gateway4 = settings->gateway4;
  size_t count = settings->address_count;
  int result;
  if (link == 0) return -ENODEV;
  memcpy(wanted, settings->addresses, sizeof settings->addresses);
  if (port_has_lease(port)) {
    wanted[count] = (struct netlink_address){.family = AF_INET, .prefix = prefix_of(lease->netmask)};
    memcpy(wanted[count++].bytes, &lease->address, sizeof lease->address);
    if (gateway4.family == 0 && settings->dhcp.gateway && lease->gateway.s_addr != 0) {
      gateway4.family = AF_INET;
      memcpy(gateway4.bytes, &lease->gateway, sizeof lease->gateway);
    }
  }
  if (!settings->enabled) {
    result = set_addresses(netlink, link, false, NULL, 0);
    return result < 0 ? result : set_link(netlink, link, false, 0);
  }
  if ((result = set_link(netlink, link, true, settings->mtu)) < 0) return result;
  if ((result = choose_carrier(port, netlink, link)) < 0) return result;
  const uint32_t index = if_nametoindex(port->carrier);
  if (port->slaac != settings->slaac && (result = begin_ipv6(port->carrier, settings->slaac)) < 0) return result;
  port->slaac = settings->slaac;
  if ((result = set_link(netlink, index, true, settings->mtu)) < 0) return result;
  if ((result = set_addresses(netlink, index, settings->slaac, wanted, count)) < 0) return result;
  if ((result = set_route(netlink, index, AF_INET, &gateway4)) < 0) return result;
  return set_route(netlink, index, AF_INET6, &settings->gateway6);
}
