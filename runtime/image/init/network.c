#include "network.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/route.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void put_address(struct sockaddr *to, struct in_addr address) {
  const struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr = address};
  memcpy(to, &from, sizeof from);
}

int network_start(const char *interface, struct in_addr address, struct in_addr netmask, struct in_addr gateway) {
  struct ifreq request = {0};
  struct rtentry route = {.rt_flags = RTF_UP | RTF_GATEWAY};
  int result = 0;
  if (strlen(interface) >= sizeof request.ifr_name) return -EINVAL;
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -errno;
  strcpy(request.ifr_name, interface);
  put_address(&request.ifr_addr, address);
  if (ioctl(control, SIOCSIFADDR, &request) < 0) goto failed;
  put_address(&request.ifr_netmask, netmask);
  if (ioctl(control, SIOCSIFNETMASK, &request) < 0) goto failed;
  if (ioctl(control, SIOCGIFFLAGS, &request) < 0) goto failed;
  request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
  if (ioctl(control, SIOCSIFFLAGS, &request) < 0) goto failed;
  if (gateway.s_addr == 0) goto done;
  put_address(&route.rt_gateway, gateway);
  put_address(&route.rt_dst, (struct in_addr){0});
  put_address(&route.rt_genmask, (struct in_addr){0});
  if (ioctl(control, SIOCADDRT, &route) == 0 || errno == EEXIST) goto done;
failed:
  result = -errno;
done:
  close(control);
  return result;
}

int network_open_port(uint16_t port) {
  /* networking/ip-sysctl.rst: the first of all ports that need no privilege, of IPv6 too. */
  const int file = open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  const int result = dprintf(file, "%u", port) < 0 ? -errno : 0;
  close(file);
  return result;
}

int network_stop(const char *interface) {
  struct ifreq request = {0};
  if (strlen(interface) >= sizeof request.ifr_name) return -EINVAL;
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return -errno;
  strcpy(request.ifr_name, interface);
  put_address(&request.ifr_addr, (struct in_addr){0});
  const int result = ioctl(control, SIOCSIFADDR, &request) < 0 ? -errno : 0;
  close(control);
  return result;
}
