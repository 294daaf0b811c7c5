/*
 * Fuzzes the readers of messages from the network, the network process, the kernel and the service. The first byte
 * chooses one. For all inputs, nothing is read beyond the end, and accepted messages can be used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dhcp.h"
#include "../dhcp6.h"
#include "../domains.h"
#include "../netlink.h"
#include "../network_files.h"
#include "../network_messages.h"
#include "../port_settings.h"
#include "../sntp.h"

static void check(bool is_so, const char *what) {
  if (is_so) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

/* The client accepts the message as an answer: it comes from a sender that has seen its question. */
static void read_dhcp(const uint8_t *bytes, size_t size) {
  struct dhcp dhcp = {.socket = -1};
  struct dhcp_answer answer;
  if (size >= 34) {
    memcpy(&dhcp.transaction, bytes + 4, sizeof dhcp.transaction);
    memcpy(dhcp.hardware, bytes + 28, sizeof dhcp.hardware);
  }
  const int result = dhcp_parse(&dhcp, bytes, size, &answer);
  check(result < 0 || answer.type == DHCP_NAK || dhcp_is_usable(&answer), "a lease cannot be used");
}

static void read_dhcp6(const uint8_t *bytes, size_t size) {
  struct dhcp6 dhcp6 = {.socket = -1};
  struct dhcp6_answer answer;
  if (size >= 4) dhcp6.transaction = (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
  if (size >= 18) memcpy(dhcp6.hardware, bytes + 12, sizeof dhcp6.hardware);
  check(dhcp6_parse(&dhcp6, bytes, size, &answer) < 0 || dhcp6_is_usable(&answer), "information cannot be used");
}

static void read_domains(const uint8_t *bytes, size_t size) {
  char text[DOMAINS_SIZE];
  domains_read(text, bytes, size);
  check(domains_are_valid(text), "invalid domains");
}

static void read_time(const uint8_t *bytes, size_t size) {
  struct sntp sntp = {.socket = -1};
  int64_t received, answered;
  if (size >= SNTP_MESSAGE_SIZE) memcpy(sntp.nonce, bytes + 24, sizeof sntp.nonce);
  check(sntp_parse(&sntp, bytes, size, &received, &answered) < 0 || received <= answered,
        "an answer precedes its question");
}

/* A message of the network process, written over a valid one, so that more than the first fault is found. */
static void read_news(const uint8_t *bytes, size_t size) {
  static char text[NETWORK_FILES_SIZE];
  struct network_messages_news message = {.kind = NETWORK_MESSAGES_LEASE}, news;
  message.lease = (struct dhcp_answer){
      .type = DHCP_ACK, .address = {0x070200C0}, .netmask = {0x00FFFFFF}, .lease_s = 600, .domain = "a.b"};
  for (size_t at = 0; at + 3 <= size; at += 3)
    ((uint8_t *)&message)[(bytes[at] | (size_t)bytes[at + 1] << 8) % sizeof message] = bytes[at + 2];
  if (network_messages_take(&message, sizeof message, 2, 0, &news) < 0) return;
  struct port port = {.device = "eth0",
                      .carrier = "eth0",
                      .lease = news.lease,
                      .informed = true,
                      .information = news.information,
                      .settings = {.enabled = true, .dhcp = {true, true, true, true, true}}};
  if (news.kind != NETWORK_MESSAGES_LEASE) port.lease.type = 0;
  port.informed = news.kind == NETWORK_MESSAGES_INFORMATION;
  port.settings.dhcp6 = port.settings.dhcp;
  const struct port *const ports[] = {&port};
  check(network_files_answer(&port, text) < sizeof text, "an answer has no end");
  check(network_files_resolver(ports, 1, text) < sizeof text, "resolv.conf has no end");
}

static void read_settings(const uint8_t *bytes, size_t size) {
  struct port_settings settings;
  port_settings_read((const char *)bytes, size, &settings);
  check(settings.address_count <= PORT_ADDRESSES_MAX && settings.server_count <= PORT_SERVERS_MAX &&
            settings.time_server_count <= PORT_SERVERS_MAX,
        "settings have more than there is room for");
}

static void read_kernel(const uint8_t *bytes, size_t size) {
  struct netlink_found found;
  enum netlink_kind kind;
  for (size_t at = 0; at < size;) {
    const int result = netlink_read(bytes + at, size - at, 0, &kind, &found);
    if (result < 0) return;
    check(result > 0 && (size_t)result <= size - at, "a message has no end");
    at += (size_t)result;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static void (*const readers[])(const uint8_t *bytes, size_t size) = {
      read_dhcp, read_dhcp6, read_domains, read_time, read_news, read_settings, read_kernel};
  if (size == 0) return 0;
  /* Its own memory, so that what lies beyond is noticed. */
  uint8_t *bytes = malloc(size > 1 ? size - 1 : 1);
  if (!bytes) return 0;
  memcpy(bytes, data + 1, size - 1);
  readers[data[0] % (sizeof readers / sizeof *readers)](bytes, size - 1);
  free(bytes);
  return 0;
}
