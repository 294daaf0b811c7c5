#include "dhcp.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port_settings.h"
#include "random_bytes.h"

enum { BOOT_REQUEST = 1, BOOT_REPLY = 2, ETHERNET = 1, SERVER_PORT = 67, CLIENT_PORT = 68 };
enum { BROADCAST = 0x8000, TRANSACTION = 4, FLAGS = 10, CLIENT_ADDRESS = 12, YOUR_ADDRESS = 16, HARDWARE = 28 };
enum { COOKIE = 236, OPTIONS = 240 };
enum {
  PAD = 0,
  NETMASK = 1,
  ROUTER = 3,
  NAME_SERVERS = 6,
  HOST_NAME = 12,
  DOMAIN = 15,
  TIME_SERVERS = 42,
  REQUESTED_ADDRESS = 50,
  LEASE_TIME = 51,
  MESSAGE_TYPE = 53,
  SERVER_ID = 54,
  PARAMETERS = 55,
  CLIENT_ID = 61,
  SEARCH = 119,
  END = 255
};

static const uint8_t cookie[] = {99, 130, 83, 99};
static const uint64_t first_pause_ms = 1000, last_pause_ms = 64000;
static const unsigned asks_for_before = 3;
static const uint32_t shortest_lease_s = 60, longest_lease_s = 30 * 86400;

void dhcp_init(struct dhcp *dhcp, const char *interface) {
  *dhcp = (struct dhcp){.socket = -1, .pause = first_pause_ms};
  strncpy(dhcp->interface, interface, sizeof dhcp->interface - 1);
}

static int open_socket(struct dhcp *dhcp) {
  const struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(CLIENT_PORT)};
  const int on = 1;
  struct ifreq request = {0};
  const int end = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (end < 0) return -errno;
  strcpy(request.ifr_name, dhcp->interface);
  if (ioctl(end, SIOCGIFHWADDR, &request) < 0) goto failed;
  memcpy(dhcp->hardware, request.ifr_hwaddr.sa_data, sizeof dhcp->hardware);
  if (setsockopt(end, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) < 0) goto failed;
  if (setsockopt(end, SOL_SOCKET, SO_BINDTODEVICE, dhcp->interface, (socklen_t)strlen(dhcp->interface)) < 0)
    goto failed;
  if (bind(end, (const struct sockaddr *)&here, sizeof here) < 0) goto failed;
  dhcp->socket = end;
  return 0;
failed:;
  const int result = -errno;
  close(end);
  return result;
}

static size_t add_option(uint8_t *message, size_t at, uint8_t option, const void *value, uint8_t length) {
  message[at] = option;
  message[at + 1] = length;
  memcpy(message + at + 2, value, length);
  return at + 2 + length;
}

size_t dhcp_question(const struct dhcp *dhcp, uint8_t message[DHCP_MESSAGE_SIZE]) {
  static const uint8_t wanted[] = {NETMASK, ROUTER, NAME_SERVERS, DOMAIN, TIME_SERVERS, LEASE_TIME, SEARCH};
  const struct dhcp_answer *chosen = &dhcp->chosen;
  const bool again = chosen->type == 0 && dhcp->before.s_addr != 0;
  const uint8_t type = chosen->type == 0 && !again ? DHCP_DISCOVER : DHCP_REQUEST;
  uint8_t id[1 + DHCP_HARDWARE_SIZE] = {ETHERNET};
  const uint16_t flags = htons(BROADCAST);
  size_t at = OPTIONS;
  memset(message, 0, DHCP_MESSAGE_SIZE);
  message[0] = BOOT_REQUEST;
  message[1] = ETHERNET;
  message[2] = DHCP_HARDWARE_SIZE;
  memcpy(message + TRANSACTION, &dhcp->transaction, sizeof dhcp->transaction);
  memcpy(message + FLAGS, &flags, sizeof flags);
  memcpy(message + HARDWARE, dhcp->hardware, sizeof dhcp->hardware);
  memcpy(message + COOKIE, cookie, sizeof cookie);
  at = add_option(message, at, MESSAGE_TYPE, &type, sizeof type);
  memcpy(id + 1, dhcp->hardware, sizeof dhcp->hardware);
  at = add_option(message, at, CLIENT_ID, id, sizeof id);
  if (dhcp->host_name[0] != '\0')
    at = add_option(message, at, HOST_NAME, dhcp->host_name, (uint8_t)strlen(dhcp->host_name));
  at = add_option(message, at, PARAMETERS, wanted, sizeof wanted);
  /* INIT-REBOOT (RFC 2131, 4.3.2): no server is named. */
  if (again) at = add_option(message, at, REQUESTED_ADDRESS, &dhcp->before, sizeof dhcp->before);
  if (chosen->type == DHCP_OFFER) {
    at = add_option(message, at, REQUESTED_ADDRESS, &chosen->address, sizeof chosen->address);
    at = add_option(message, at, SERVER_ID, &chosen->server, sizeof chosen->server);
  } else if (chosen->type == DHCP_ACK) {
    /* Rebinding (RFC 2131, 4.3.2): any server may extend the lease. */
    memcpy(message + CLIENT_ADDRESS, &chosen->address, sizeof chosen->address);
  }
  message[at++] = END;
  return at;
}

/* RFC 1122 3.2.1.3, RFC 1112: not this network, the loopback, a group, or a reserved address. */
static bool is_host(struct in_addr address) {
  const uint32_t first = ntohl(address.s_addr) >> 24;
  return first != 0 && first != 127 && first < 224;
}

/* Its ones are its first bits. */
static bool is_netmask(struct in_addr netmask) {
  const uint32_t host = ~ntohl(netmask.s_addr);
  return netmask.s_addr != 0 && (host & (host + 1)) == 0;
}

static bool are_hosts(const struct dhcp_servers *servers) {
  if (servers->count > DHCP_SERVERS_MAX) return false;
  for (size_t i = 0; i < servers->count; i++)
    if (!is_host(servers->addresses[i])) return false;
  return true;
}

bool dhcp_is_usable(const struct dhcp_answer *answer) {
  const size_t length = strnlen(answer->domain, sizeof answer->domain);
  return is_host(answer->address) && is_netmask(answer->netmask) &&
         (answer->gateway.s_addr == 0 || is_host(answer->gateway)) && answer->lease_s >= shortest_lease_s &&
         answer->lease_s <= longest_lease_s && are_hosts(&answer->names) && are_hosts(&answer->time) &&
         length < sizeof answer->domain && (length == 0 || port_settings_is_name(answer->domain, length)) &&
         domains_are_valid(answer->search);
}

static void take_servers(struct dhcp_servers *servers, const uint8_t *value, size_t length) {
  servers->count = 0;
  for (; length >= sizeof(struct in_addr); length -= sizeof(struct in_addr), value += sizeof(struct in_addr)) {
    struct in_addr one;
    memcpy(&one, value, sizeof one);
    if (is_host(one) && servers->count < DHCP_SERVERS_MAX) servers->addresses[servers->count++] = one;
  }
}

/* Some servers end it with NUL. */
static void take_domain(char domain[DHCP_NAME_SIZE], const uint8_t *value, size_t length) {
  while (length > 0 && (value[length - 1] == '\0' || value[length - 1] == '.')) length--;
  if (!port_settings_is_name((const char *)value, length)) return;
  memcpy(domain, value, length);
  domain[length] = '\0';
}

static void take_router(struct in_addr *router, const uint8_t *value) {
  struct in_addr one;
  memcpy(&one, value, sizeof one);
  if (is_host(one)) *router = one;
}

static void take_option(struct dhcp_answer *answer, uint8_t option, const uint8_t *value, size_t length) {
  if (option == MESSAGE_TYPE && length == 1) answer->type = value[0];
  if (option == DOMAIN) take_domain(answer->domain, value, length);
  if (option == SEARCH) domains_read(answer->search, value, length);
  if (length < sizeof(struct in_addr)) return;
  if (option == NAME_SERVERS) take_servers(&answer->names, value, length);
  if (option == TIME_SERVERS) take_servers(&answer->time, value, length);
  if (option == NETMASK) memcpy(&answer->netmask, value, sizeof answer->netmask);
  if (option == ROUTER) take_router(&answer->gateway, value);
  if (option == SERVER_ID) memcpy(&answer->server, value, sizeof answer->server);
  if (option == LEASE_TIME) {
    uint32_t seconds;
    memcpy(&seconds, value, sizeof seconds);
    answer->lease_s = ntohl(seconds);
  }
}

int dhcp_parse(const struct dhcp *dhcp, const uint8_t *message, size_t length, struct dhcp_answer *answer) {
  *answer = (struct dhcp_answer){0};
  if (length < OPTIONS || memcmp(message + COOKIE, cookie, sizeof cookie) != 0) return -EINVAL;
  if (message[0] != BOOT_REPLY || memcmp(message + TRANSACTION, &dhcp->transaction, sizeof dhcp->transaction) != 0 ||
      memcmp(message + HARDWARE, dhcp->hardware, sizeof dhcp->hardware) != 0)
    return -ENOMSG;
  memcpy(&answer->address, message + YOUR_ADDRESS, sizeof answer->address);
  for (size_t at = OPTIONS; at < length && message[at] != END;) {
    if (message[at] == PAD) {
      at++;
      continue;
    }
    if (length - at < 2 || length - at - 2 < message[at + 1]) return -EINVAL;
    take_option(answer, message[at], message + at + 2, message[at + 1]);
    at += 2u + message[at + 1];
  }
  if (answer->type == DHCP_NAK) return 0;
  if (answer->type != DHCP_OFFER && answer->type != DHCP_ACK) return -ENOMSG;
  if (answer->lease_s == 0) return -EINVAL;
  if (answer->lease_s < shortest_lease_s) answer->lease_s = shortest_lease_s;
  if (answer->lease_s > longest_lease_s) answer->lease_s = longest_lease_s;
  return dhcp_is_usable(answer) ? 0 : -EINVAL;
}

static void start_over(struct dhcp *dhcp, uint64_t now) {
  dhcp->chosen = (struct dhcp_answer){0};
  dhcp->next = now;
  dhcp->pause = first_pause_ms;
}

void dhcp_again(struct dhcp *dhcp, uint64_t now) {
  if (dhcp->chosen.type == DHCP_ACK) dhcp->before = dhcp->chosen.address;
  dhcp->asked = 0;
  start_over(dhcp, now);
}

void dhcp_stop(struct dhcp *dhcp) {
  if (dhcp->socket >= 0) close(dhcp->socket);
  dhcp->socket = -1;
  start_over(dhcp, 0);
}

int dhcp_step(struct dhcp *dhcp, uint64_t now) {
  const struct sockaddr_in everybody = {
      .sin_family = AF_INET, .sin_port = htons(SERVER_PORT), .sin_addr = {INADDR_BROADCAST}};
  uint8_t message[DHCP_MESSAGE_SIZE];
  int result = 0;
  if (dhcp->chosen.type == DHCP_ACK && now >= dhcp->expires) start_over(dhcp, now);
  if (now < dhcp->next) return 0;
  dhcp->next = now + dhcp->pause;
  dhcp->pause = dhcp->pause * 2 < last_pause_ms ? dhcp->pause * 2 : last_pause_ms;
  if (dhcp->socket < 0) result = open_socket(dhcp);
  if (result < 0) return result;
  if (dhcp->before.s_addr != 0 && dhcp->chosen.type == 0 && dhcp->asked++ == asks_for_before)
    dhcp->before = (struct in_addr){0};
  if (dhcp->chosen.type != DHCP_OFFER && !random_bytes_get(&dhcp->transaction, sizeof dhcp->transaction))
    dhcp->transaction++;
  const size_t length = dhcp_question(dhcp, message);
  /* Requests an offer once; without an answer the search starts again. */
  if (dhcp->chosen.type == DHCP_OFFER) dhcp->chosen.type = 0;
  const ssize_t sent = sendto(dhcp->socket, message, length, 0, (const struct sockaddr *)&everybody, sizeof everybody);
  return sent < 0 ? -errno : 0;
}

int dhcp_read(struct dhcp *dhcp, uint64_t now) {
  uint8_t message[DHCP_MESSAGE_SIZE * 2];
  struct dhcp_answer answer;
  const ssize_t length = recv(dhcp->socket, message, sizeof message, 0);
  if (length < 0 || dhcp_parse(dhcp, message, (size_t)length, &answer) < 0) return 0;
  if (answer.type == DHCP_NAK) {
    dhcp->before = (struct in_addr){0};
    start_over(dhcp, now);
    return 0;
  }
  if (dhcp->chosen.type == 0 && answer.type == DHCP_OFFER) {
    dhcp->chosen = answer;
    dhcp->next = now;
    return 0;
  }
  if (answer.type != DHCP_ACK) return 0;
  dhcp->chosen = answer;
  dhcp->before = (struct in_addr){0};
  dhcp->pause = first_pause_ms;
  dhcp->next = now + (uint64_t)answer.lease_s * 1000 / 2;
  dhcp->expires = now + (uint64_t)answer.lease_s * 1000;
  return 1;
}
