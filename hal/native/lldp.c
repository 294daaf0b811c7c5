#include "lldp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The nearest bridge: no bridge forwards frames to it. */
static const uint8_t nearest[ETH_ALEN] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};

int lldp_open(const char *device) {
  const unsigned index = if_nametoindex(device);
  struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_LLDP)};
  struct packet_mreq group = {.mr_type = PACKET_MR_MULTICAST, .mr_alen = ETH_ALEN};
  if (index == 0) return -ENODEV;
  address.sll_ifindex = (int)index;
  group.mr_ifindex = (int)index;
  memcpy(group.mr_address, nearest, sizeof nearest);
  /* Without a protocol, so that no frame of another device arrives before it is bound. */
  const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &group, sizeof group) == 0 &&
      bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  const int error = -errno;
  close(fd);
  return error;
}

static int transferred(ssize_t result) {
  if (result >= 0) return (int)result;
  return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENETDOWN ? 0 : -errno;
}

int lldp_read(int fd, uint8_t *frame, size_t capacity) {
  struct sockaddr_ll from;
  socklen_t size = sizeof from;
  const int length = transferred(recvfrom(fd, frame, capacity, 0, (struct sockaddr *)&from, &size));
  return length > 0 && from.sll_pkttype == PACKET_OUTGOING ? 0 : length;
}

int lldp_write(int fd, const uint8_t *frame, size_t length) {
  return transferred(send(fd, frame, length < INT_MAX ? length : INT_MAX, 0));
}
