#include "netlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_SIZE = 16384 };

size_t netlink_address_length(uint8_t family) {
  return family == AF_INET6 ? 16 : 4;
}

static void add(struct netlink_request *request, const void *bytes, size_t size) {
  const size_t padded = NLMSG_ALIGN(size);
  if (request->full || padded > sizeof request->bytes - request->length) {
    request->full = true;
    return;
  }
  memset(request->bytes + request->length, 0, padded);
  if (size > 0) memcpy(request->bytes + request->length, bytes, size);
  request->length += padded;
}

void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *fixed, size_t size) {
  const struct nlmsghdr header = {.nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)};
  request->length = 0;
  request->full = false;
  add(request, &header, sizeof header);
  add(request, fixed, size);
}

void netlink_put(struct netlink_request *request, uint16_t type, const void *value, size_t size) {
  const struct rtattr attribute = {.rta_len = (uint16_t)(sizeof attribute + size), .rta_type = type};
  add(request, &attribute, sizeof attribute);
  add(request, value, size);
}

size_t netlink_open(struct netlink_request *request, uint16_t type) {
  const size_t at = request->length;
  netlink_put(request, type, NULL, 0);
  return at;
}

void netlink_close(struct netlink_request *request, size_t at) {
  const uint16_t length = (uint16_t)(request->length - at);
  if (!request->full) memcpy(request->bytes + at, &length, sizeof length);
}

static int read_address(const uint8_t *bytes, size_t size, struct netlink_found *found) {
  struct ifaddrmsg fixed;
  const uint8_t *end = bytes + size;
  bool some = false;
  if (size < sizeof fixed) return -EBADMSG;
  memcpy(&fixed, bytes, sizeof fixed);
  *found = (struct netlink_found){.device = fixed.ifa_index,
                                  .scope = fixed.ifa_scope,
                                  .temporary = (fixed.ifa_flags & IFA_F_PERMANENT) == 0,
                                  .address = {.family = fixed.ifa_family, .prefix = fixed.ifa_prefixlen}};
  if (fixed.ifa_family != AF_INET && fixed.ifa_family != AF_INET6) return 0;
  const size_t wanted = netlink_address_length(fixed.ifa_family);
  for (bytes += NLMSG_ALIGN(sizeof fixed); (size_t)(end - bytes) >= sizeof(struct rtattr);) {
    struct rtattr attribute;
    memcpy(&attribute, bytes, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > end - bytes) return -EBADMSG;
    /* IFA_LOCAL is the own address where the other one is that of a peer. */
    if ((attribute.rta_type == IFA_LOCAL || (attribute.rta_type == IFA_ADDRESS && !some)) &&
        attribute.rta_len == sizeof attribute + wanted) {
      memcpy(found->address.bytes, bytes + sizeof attribute, wanted);
      some = true;
    }
    const size_t step = RTA_ALIGN(attribute.rta_len);
    if (step > (size_t)(end - bytes)) break;
    bytes += step;
  }
  return some ? 0 : -EBADMSG;
}

/* The content of an attribute among others. NULL if it is not there, or they are damaged before it. */
static const uint8_t *find(const uint8_t *bytes, size_t *size, uint16_t type) {
  struct rtattr attribute;
  for (size_t left = *size, step; left >= sizeof attribute; bytes += step, left -= step) {
    memcpy(&attribute, bytes, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > left) return NULL;
    *size = attribute.rta_len - sizeof attribute;
    if ((attribute.rta_type & NLA_TYPE_MASK) == type) return bytes + sizeof attribute;
    step = RTA_ALIGN(attribute.rta_len) < left ? RTA_ALIGN(attribute.rta_len) : left;
  }
  return NULL;
}

/* A device without IPv6 has heard nothing. */
static int read_link(const uint8_t *bytes, size_t size, struct netlink_found *found) {
  static const uint16_t path[] = {IFLA_AF_SPEC, AF_INET6, IFLA_INET6_FLAGS};
  struct ifinfomsg fixed;
  if (size < sizeof fixed) return -EBADMSG;
  memcpy(&fixed, bytes, sizeof fixed);
  *found = (struct netlink_found){.device = (uint32_t)fixed.ifi_index};
  bytes += sizeof fixed;
  size -= sizeof fixed;
  for (size_t i = 0; bytes && i < sizeof path / sizeof path[0]; i++) bytes = find(bytes, &size, path[i]);
  if (bytes && size == sizeof found->routers) memcpy(&found->routers, bytes, size);
  return 0;
}

int netlink_read(const uint8_t *bytes, size_t size, uint32_t sequence, enum netlink_kind *kind,
                 struct netlink_found *found) {
  struct nlmsghdr header;
  int32_t error;
  *kind = NETLINK_OTHER;
  if (size < sizeof header) return -EBADMSG;
  memcpy(&header, bytes, sizeof header);
  if (header.nlmsg_len < sizeof header || header.nlmsg_len > size) return -EBADMSG;
  const size_t whole = NLMSG_ALIGN(header.nlmsg_len) < size ? NLMSG_ALIGN(header.nlmsg_len) : size;
  const uint8_t *content = bytes + sizeof header;
  const size_t length = header.nlmsg_len - sizeof header;
  if (header.nlmsg_seq != sequence) return (int)whole;
  if (header.nlmsg_type == NLMSG_DONE) *kind = NETLINK_END;
  if (header.nlmsg_type == NLMSG_ERROR) {
    if (length < sizeof error) return -EBADMSG;
    memcpy(&error, content, sizeof error);
    if (error != 0) return error > 0 || error < -4095 ? -EBADMSG : (int)error;
    *kind = NETLINK_END;
  }
  if (header.nlmsg_type == RTM_NEWADDR) {
    const int result = read_address(content, length, found);
    if (result < 0) return result;
    if (netlink_address_length(found->address.family) * 8 < found->address.prefix) return -EBADMSG;
    if (found->address.family == AF_INET || found->address.family == AF_INET6) *kind = NETLINK_FOUND;
  }
  if (header.nlmsg_type == RTM_NEWLINK) {
    const int result = read_link(content, length, found);
    if (result < 0) return result;
    *kind = NETLINK_FOUND;
  }
  return (int)whole;
}

int netlink_start(struct netlink *netlink) {
  const struct timeval timeout = {.tv_sec = 5};
  if (netlink->socket >= 0) return 0;
  const int end = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (end < 0) return -errno;
  if (setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) < 0) {
    const int result = -errno;
    close(end);
    return result;
  }
  netlink->socket = end;
  return 0;
}

static int send_request(struct netlink *netlink, struct netlink_request *request) {
  const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  struct nlmsghdr header;
  if (request->full) return -EMSGSIZE;
  const int result = netlink_start(netlink);
  if (result < 0) return result;
  memcpy(&header, request->bytes, sizeof header);
  header.nlmsg_len = (uint32_t)request->length;
  header.nlmsg_seq = ++netlink->sequence;
  memcpy(request->bytes, &header, sizeof header);
  const ssize_t sent =
      sendto(netlink->socket, request->bytes, request->length, 0, (const struct sockaddr *)&kernel, sizeof kernel);
  return sent < 0 ? -errno : 0;
}

/* Reads answers up to the last. The number of addresses among them, of which `found` takes those that it has room for. */
static int receive(struct netlink *netlink, struct netlink_found *found, size_t capacity) {
  static _Alignas(4) uint8_t answer[ANSWER_SIZE];
  size_t count = 0;
  for (;;) {
    struct sockaddr_nl from = {0};
    socklen_t size = sizeof from;
    const ssize_t length = recvfrom(netlink->socket, answer, sizeof answer, 0, (struct sockaddr *)&from, &size);
    if (length < 0) return errno == EAGAIN ? -ETIMEDOUT : -errno;
    if (from.nl_pid != 0) continue;
    for (size_t at = 0; at < (size_t)length;) {
      enum netlink_kind kind;
      struct netlink_found one;
      const int result = netlink_read(answer + at, (size_t)length - at, netlink->sequence, &kind, &one);
      if (result < 0) return result;
      if (kind == NETLINK_END) return (int)count;
      if (kind == NETLINK_FOUND && count < capacity) found[count++] = one;
      at += (size_t)result;
    }
  }
}

int netlink_ask(struct netlink *netlink, struct netlink_request *request) {
  struct nlmsghdr header;
  memcpy(&header, request->bytes, sizeof header);
  header.nlmsg_flags |= NLM_F_ACK;
  memcpy(request->bytes, &header, sizeof header);
  const int result = send_request(netlink, request);
  if (result < 0) return result;
  const int received = receive(netlink, NULL, 0);
  return received < 0 ? received : 0;
}

int netlink_routers(struct netlink *netlink, uint32_t device, uint32_t *flags) {
  struct netlink_request request;
  struct netlink_found found = {0};
  const struct ifinfomsg one = {.ifi_index = (int)device};
  const uint32_t filter = RTEXT_FILTER_SKIP_STATS;
  netlink_begin(&request, RTM_GETLINK, NLM_F_ACK, &one, sizeof one);
  netlink_put(&request, IFLA_EXT_MASK, &filter, sizeof filter);
  int result = send_request(netlink, &request);
  if (result == 0) result = receive(netlink, &found, 1);
  *flags = found.routers;
  return result < 0 ? result : 0;
}

int netlink_list(struct netlink *netlink, struct netlink_found *found, size_t capacity) {
  struct netlink_request request;
  const struct ifaddrmsg all = {.ifa_family = AF_UNSPEC};
  netlink_begin(&request, RTM_GETADDR, NLM_F_DUMP, &all, sizeof all);
  const int result = send_request(netlink, &request);
  return result < 0 ? result : receive(netlink, found, capacity);
}
