#include "dhcp6.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "random_bytes.h"

enum { REPLY = 7, INFORMATION_REQUEST = 11, CLIENT_PORT = 546, SERVER_PORT = 547, HEADER_SIZE = 4, OPTION_HEADER = 4 };
enum { DUID_LL = 3, ETHERNET = 1, DUID_SIZE = 4 + DHCP6_HARDWARE_SIZE, ADDRESS_SIZE = 16, NTP_ADDRESS = 1 };
enum {
  CLIENT_ID = 1,
  SERVER_ID = 2,
  REQUESTED = 6,
  ELAPSED = 8,
  STATUS = 13,
  NAME_SERVERS = 23,
  SEARCH = 24,
  SNTP_SERVERS = 31,
  REFRESH_TIME = 32,
  NTP_SERVERS = 56,
  LONGEST_PAUSE = 83
};

/* RFC 8415 7.6: INF_MAX_DELAY, INF_TIMEOUT and INF_MAX_RT; IRT_DEFAULT and IRT_MINIMUM. */
static const uint64_t longest_delay_ms = 1000, first_pause_ms = 1000, last_pause_ms = 3600000;
static const uint32_t usual_refresh_s = 86400, shortest_refresh_s = 600;
/* RFC 8415 21.25: the bounds of INF_MAX_RT. */
static const uint32_t least_longest_s = 60, most_longest_s = 86400;
/* ff02::1:2, All_DHCP_Relay_Agents_and_Servers */
static const struct in6_addr all_servers = {{{0xff, 2, [13] = 1, [15] = 2}}};

static uint32_t any(void) {
  uint32_t number = 0;
  return random_bytes_get(&number, sizeof number) ? number : 0;
}

void dhcp6_init(struct dhcp6 *dhcp6, const char *interface) {
  *dhcp6 = (struct dhcp6){.socket = -1};
  strncpy(dhcp6->interface, interface, sizeof dhcp6->interface - 1);
}

/* Boards that get their power at once do not all ask at once. */
static void ask_at(struct dhcp6 *dhcp6, uint64_t time) {
  dhcp6->pause = 0;
  dhcp6->next = time + any() % (longest_delay_ms + 1);
}

void dhcp6_start(struct dhcp6 *dhcp6, uint64_t now) {
  dhcp6->started = true;
  ask_at(dhcp6, now);
}

void dhcp6_stop(struct dhcp6 *dhcp6) {
  if (dhcp6->socket >= 0) close(dhcp6->socket);
  dhcp6->socket = -1;
  dhcp6->started = false;
  dhcp6->answered = false;
}

static int open_socket(struct dhcp6 *dhcp6) {
  const struct sockaddr_in6 here = {.sin6_family = AF_INET6, .sin6_port = htons(CLIENT_PORT)};
  const int on = 1;
  struct ifreq request = {0};
  const int end = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (end < 0) return -errno;
  strcpy(request.ifr_name, dhcp6->interface);
  if (ioctl(end, SIOCGIFHWADDR, &request) < 0) goto failed;
  memcpy(dhcp6->hardware, request.ifr_hwaddr.sa_data, sizeof dhcp6->hardware);
  if (ioctl(end, SIOCGIFINDEX, &request) < 0) goto failed;
  dhcp6->link = (uint32_t)request.ifr_ifindex;
  if (setsockopt(end, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0) goto failed;
  if (setsockopt(end, SOL_SOCKET, SO_BINDTODEVICE, dhcp6->interface, (socklen_t)strlen(dhcp6->interface)) < 0)
    goto failed;
  if (bind(end, (const struct sockaddr *)&here, sizeof here) < 0) goto failed;
  dhcp6->socket = end;
  return 0;
failed:;
  const int result = -errno;
  close(end);
  return result;
}

uint64_t dhcp6_pause(uint64_t before, uint64_t longest, uint32_t random) {
  const uint64_t base = before == 0 ? first_pause_ms : before;
  /* From -0.1 to 0.1 of it. */
  const uint64_t spread = base / 5 * random / UINT32_MAX;
  const uint64_t pause = (before == 0 ? base : 2 * before) - base / 10 + spread;
  return pause <= longest ? pause : longest - longest / 10 + longest / 5 * random / UINT32_MAX;
}

static uint8_t *put16(uint8_t *at, size_t value) {
  at[0] = (uint8_t)(value >> 8);
  at[1] = (uint8_t)value;
  return at + 2;
}

static size_t get16(const uint8_t *at) {
  return (size_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at) {
  return (uint32_t)(get16(at) << 16 | get16(at + 2));
}

/* The type of a message, and three bytes that its answer repeats. */
static void write_header(const struct dhcp6 *dhcp6, uint8_t type, uint8_t header[HEADER_SIZE]) {
  put16(put16(header, (dhcp6->transaction >> 16 & 0xFF) | (size_t)type << 8), dhcp6->transaction & 0xFFFF);
}

/* RFC 8415 11.4: a board whose ports are soldered is known by the address of one. */
static void write_id(const struct dhcp6 *dhcp6, uint8_t id[DUID_SIZE]) {
  memcpy(put16(put16(id, DUID_LL), ETHERNET), dhcp6->hardware, sizeof dhcp6->hardware);
}

size_t dhcp6_question(const struct dhcp6 *dhcp6, uint64_t now, uint8_t message[DHCP6_MESSAGE_SIZE]) {
  static const uint8_t wanted[] = {NAME_SERVERS, SEARCH, SNTP_SERVERS, REFRESH_TIME, NTP_SERVERS, LONGEST_PAUSE};
  const uint64_t elapsed = (now - dhcp6->began) / 10;
  uint8_t *at = message + HEADER_SIZE;
  write_header(dhcp6, INFORMATION_REQUEST, message);
  at = put16(put16(at, CLIENT_ID), DUID_SIZE);
  write_id(dhcp6, at);
  at = put16(put16(at + DUID_SIZE, ELAPSED), 2);
  at = put16(at, elapsed < UINT16_MAX ? (size_t)elapsed : UINT16_MAX);
  at = put16(put16(at, REQUESTED), 2 * sizeof wanted);
  for (size_t i = 0; i < sizeof wanted; i++) at = put16(at, wanted[i]);
  return (size_t)(at - message);
}

/* RFC 4291 2.4, 2.5: not the unspecified address, the loopback, a group, or an address of IPv4. */
static bool is_host(const uint8_t address[ADDRESS_SIZE]) {
  static const uint8_t nothing[10];
  return address[0] != 0xff && memcmp(address, nothing, sizeof nothing) != 0;
}

static bool are_hosts(const struct dhcp6_servers *servers) {
  if (servers->count > DHCP6_SERVERS_MAX) return false;
  for (size_t i = 0; i < servers->count; i++) {
    const struct netlink_address *one = &servers->addresses[i];
    if (one->family != AF_INET6 || one->prefix != 0 || !is_host(one->bytes)) return false;
  }
  return true;
}

bool dhcp6_is_usable(const struct dhcp6_answer *answer) {
  return are_hosts(&answer->names) && are_hosts(&answer->time) && domains_are_valid(answer->search);
}

static void add_servers(struct dhcp6_servers *servers, const uint8_t *value, size_t length) {
  for (; servers->count < DHCP6_SERVERS_MAX && length >= ADDRESS_SIZE; length -= ADDRESS_SIZE, value += ADDRESS_SIZE) {
    struct netlink_address *one = &servers->addresses[servers->count];
    if (!is_host(value)) continue;
    *one = (struct netlink_address){.family = AF_INET6};
    memcpy(one->bytes, value, ADDRESS_SIZE);
    servers->count++;
  }
}

/* One option; the rest begins at `*value` then. -EINVAL for one that does not end. */
static int take(const uint8_t **value, size_t *left, size_t *option, const uint8_t **content, size_t *length) {
  if (*left < OPTION_HEADER) return -EINVAL;
  *option = get16(*value);
  *length = get16(*value + 2);
  *content = *value + OPTION_HEADER;
  if (*length > *left - OPTION_HEADER) return -EINVAL;
  *value = *content + *length;
  *left -= OPTION_HEADER + *length;
  return 0;
}

/* RFC 5908: addresses are in suboptions. Names are ignored, and groups, whose answers any host could send. */
static int take_ntp(struct dhcp6_servers *servers, const uint8_t *value, size_t left) {
  size_t option, length;
  const uint8_t *content;
  while (left > 0) {
    if (take(&value, &left, &option, &content, &length) < 0) return -EINVAL;
    if (option == NTP_ADDRESS && length == ADDRESS_SIZE) add_servers(servers, content, length);
  }
  return 0;
}

int dhcp6_parse(const struct dhcp6 *dhcp6, const uint8_t *message, size_t length, struct dhcp6_answer *answer) {
  uint8_t header[HEADER_SIZE], id[DUID_SIZE];
  bool ours = false, from_server = false, refused = false;
  *answer = (struct dhcp6_answer){.refresh_s = usual_refresh_s};
  write_header(dhcp6, REPLY, header);
  write_id(dhcp6, id);
  if (length < sizeof header) return -EINVAL;
  if (memcmp(message, header, sizeof header) != 0) return -ENOMSG;
  const uint8_t *at = message + HEADER_SIZE;
  for (size_t left = length - HEADER_SIZE; left > 0;) {
    size_t option, size;
    const uint8_t *value;
    if (take(&at, &left, &option, &value, &size) < 0) return -EINVAL;
    if (option == CLIENT_ID) ours = size == sizeof id && memcmp(value, id, sizeof id) == 0;
    if (option == SERVER_ID) from_server = size > 0;
    if (option == STATUS) refused = size < 2 || get16(value) != 0;
    if (option == NAME_SERVERS) add_servers(&answer->names, value, size);
    if (option == SEARCH) domains_read(answer->search, value, size);
    if (option == SNTP_SERVERS) add_servers(&answer->time, value, size);
    if (option == NTP_SERVERS && take_ntp(&answer->time, value, size) < 0) return -EINVAL;
    if (option == REFRESH_TIME && size == sizeof answer->refresh_s) answer->refresh_s = get32(value);
    if (option == LONGEST_PAUSE && size == sizeof answer->longest_pause_s) answer->longest_pause_s = get32(value);
  }
  /* RFC 8415 16.10 */
  if (!ours || !from_server || refused) return -ENOMSG;
  if (answer->refresh_s < shortest_refresh_s) answer->refresh_s = shortest_refresh_s;
  if (answer->longest_pause_s < least_longest_s || answer->longest_pause_s > most_longest_s)
    answer->longest_pause_s = 0;
  return 0;
}

int dhcp6_step(struct dhcp6 *dhcp6, uint64_t now) {
  struct sockaddr_in6 servers = {.sin6_family = AF_INET6, .sin6_port = htons(SERVER_PORT), .sin6_addr = all_servers};
  const uint32_t longest_s = dhcp6->answer.longest_pause_s;
  uint8_t message[DHCP6_MESSAGE_SIZE];
  if (!dhcp6->started || now < dhcp6->next) return 0;
  dhcp6->next = now + first_pause_ms;
  const int result = dhcp6->socket < 0 ? open_socket(dhcp6) : 0;
  if (result < 0) return result;
  if (dhcp6->pause == 0) {
    dhcp6->began = now;
    dhcp6->transaction = any();
  }
  const size_t length = dhcp6_question(dhcp6, now, message);
  servers.sin6_scope_id = dhcp6->link;
  /* So it is while the address of the link may still be that of another board as well (RFC 4862). */
  if (sendto(dhcp6->socket, message, length, 0, (const struct sockaddr *)&servers, sizeof servers) < 0) return -errno;
  dhcp6->pause = dhcp6_pause(dhcp6->pause, longest_s == 0 ? last_pause_ms : longest_s * UINT64_C(1000), any());
  dhcp6->next = now + dhcp6->pause;
  return 0;
}

int dhcp6_read(struct dhcp6 *dhcp6, uint64_t now) {
  uint8_t message[DHCP6_MESSAGE_SIZE];
  struct dhcp6_answer answer;
  const ssize_t length = recv(dhcp6->socket, message, sizeof message, 0);
  if (length < 0 || dhcp6->pause == 0) return 0;
  if (dhcp6_parse(dhcp6, message, (size_t)length, &answer) < 0) return 0;
  dhcp6->answer = answer;
  dhcp6->answered = true;
  ask_at(dhcp6, now + answer.refresh_s * UINT64_C(1000));
  if (answer.refresh_s == UINT32_MAX) dhcp6->next = UINT64_MAX;
  return 1;
}
