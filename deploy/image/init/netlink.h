/*
 * Messages of rtnetlink(7): written into the caller's buffer, and read from the kernel's answer. Nothing here uses a
 * socket but the functions with `netlink` in their arguments. Functions return 0 or a negative errno.
 */
#ifndef MINNOW_NETLINK_H
#define MINNOW_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETLINK_REQUEST_SIZE 512
#define NETLINK_ADDRESS_SIZE 16

/* A request that grows. `full` once something did not fit. */
struct netlink_request {
  _Alignas(4) uint8_t bytes[NETLINK_REQUEST_SIZE];
  size_t length;
  bool full;
};

/* An IP address of 4 or 16 bytes, by its family. */
struct netlink_address {
  uint8_t family; /* AF_INET or AF_INET6 */
  uint8_t prefix;
  uint8_t bytes[NETLINK_ADDRESS_SIZE];
};

/*
 * The announcements of a router about its network (RFC 4861 4.2), in the flags of a device (net/if_inet6.h of the
 * kernel).
 */
enum netlink_router { NETLINK_ROUTER_HEARD = 0x20, NETLINK_ROUTER_MANAGED = 0x40, NETLINK_ROUTER_OTHER = 0x80 };

/* An address that a device has, or, without a family, the device. */
struct netlink_found {
  uint32_t device;
  uint32_t routers; /* of the device: flags of enum netlink_router, among others */
  uint8_t scope;    /* RT_SCOPE_LINK: the kernel's own */
  bool temporary;   /* of an advertised prefix */
  struct netlink_address address;
};

/* 4 or 16 */
size_t netlink_address_length(uint8_t family);

/* Begins a request of a type (RTM_...) with its fixed part. */
void netlink_begin(struct netlink_request *request, uint16_t type, uint16_t flags, const void *fixed, size_t size);

void netlink_put(struct netlink_request *request, uint16_t type, const void *value, size_t size);

/* Begins an attribute that holds others; pass the result to netlink_close. */
size_t netlink_open(struct netlink_request *request, uint16_t type);

void netlink_close(struct netlink_request *request, size_t at);

enum netlink_kind { NETLINK_OTHER, NETLINK_END, NETLINK_FOUND };

/*
 * Takes the first message of `size` bytes. Returns its length; -EBADMSG for an invalid message, or the errno that the
 * kernel answers. `found` is filled in for NETLINK_FOUND.
 */
int netlink_read(const uint8_t *bytes, size_t size, uint32_t sequence, enum netlink_kind *kind,
                 struct netlink_found *found);

/* A socket to the kernel. */
struct netlink {
  int socket; /* -1 while it is closed */
  uint32_t sequence;
};

/* Opens the socket if it is not open. */
int netlink_start(struct netlink *netlink);

/* Sends a request and waits for the kernel's answer, which is immediate. */
int netlink_ask(struct netlink *netlink, struct netlink_request *request);

/* The announcements of routers to a device: flags of enum netlink_router, among others. 0 or a negative errno. */
int netlink_routers(struct netlink *netlink, uint32_t device, uint32_t *flags);

/* The addresses of all devices; at most `capacity` of them. Returns their number or a negative errno. */
int netlink_list(struct netlink *netlink, struct netlink_found *found, size_t capacity);

#endif
