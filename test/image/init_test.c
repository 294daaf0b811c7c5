/*
 * Tests of the parts of the init process that take what comes from outside: messages of the network, a file, what the
 * service writes, and whether it answers. Prints one line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../deploy/image/init/clock.h"
#include "../../deploy/image/init/dhcp.h"
#include "../../deploy/image/init/dhcp6.h"
#include "../../deploy/image/init/journal.h"
#include "../../deploy/image/init/netlink.h"
#include "../../deploy/image/init/port_settings.h"
#include "../../deploy/image/init/probe.h"
#include "../../deploy/image/init/reset_line.h"
#include "../../deploy/image/init/seed.h"
#include "../../deploy/image/init/settings.h"
#include "../../deploy/image/init/sha256.h"
#include "../../deploy/image/init/sntp.h"

#define SERVICE "user 1000\nnetwork-user 1001\ndata /var/minnow\n"

static bool failed;

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) {                                        \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failed = true;                                           \
    }                                                          \
  } while (0)

static void end(const char *sentence) {
  printf("%s - %s\n", failed ? "not ok" : "ok", sentence);
  failed = false;
}

/* A server's ACK to `client`: 192.0.2.7/24 for 600 s by 192.0.2.1. */
static size_t acknowledgement(const struct dhcp *client, uint8_t message[DHCP_MESSAGE_SIZE]) {
  static const uint8_t options[] = {53, 1,  DHCP_ACK, 0,   1, 4, 255, 255, 255, 0, 3, 4, 192, 0,  2,
                                    1,  54, 4,        192, 0, 2, 1,   51,  4,   0, 0, 2, 88,  255};
  dhcp_question(client, message);
  message[0] = 2;
  memcpy(message + 16, (const uint8_t[]){192, 0, 2, 7}, 4);
  memcpy(message + 240, options, sizeof options);
  return 240 + sizeof options;
}

static struct dhcp client(void) {
  struct dhcp dhcp;
  dhcp_init(&dhcp, "eth9");
  dhcp.transaction = 0x01020304;
  memcpy(dhcp.hardware, "\x52\x54\x00\x12\x34\x56", DHCP_HARDWARE_SIZE);
  return dhcp;
}

static bool holds(const uint8_t *message, size_t length, const char *bytes, size_t size) {
  for (size_t at = 240; at + size <= length; at++)
    if (memcmp(message + at, bytes, size) == 0) return true;
  return false;
}

static void questions(void) {
  struct dhcp dhcp = client();
  uint8_t message[DHCP_MESSAGE_SIZE];
  size_t length = dhcp_question(&dhcp, message);
  CHECK(holds(message, length, "\x35\x01\x01", 3));
  CHECK(message[length - 1] == 255);
  dhcp.chosen = (struct dhcp_answer){.type = DHCP_OFFER, .address = {htonl(0xC0000207)}, .server = {htonl(0xC0000201)}};
  length = dhcp_question(&dhcp, message);
  CHECK(holds(message, length, "\x35\x01\x03", 3));
  CHECK(holds(message, length, "\x32\x04\xC0\x00\x02\x07", 6));
  CHECK(holds(message, length, "\x36\x04\xC0\x00\x02\x01", 6));
  dhcp.chosen.type = DHCP_ACK;
  length = dhcp_question(&dhcp, message);
  CHECK(holds(message, length, "\x35\x01\x03", 3));
  CHECK(!holds(message, length, "\x32\x04", 2) && !holds(message, length, "\x36\x04", 2));
  CHECK(memcmp(message + 12, "\xC0\x00\x02\x07", 4) == 0);
  end("an address is searched for, taken from the one that offers it, and kept by asking anybody");
}

static void answers(void) {
  struct dhcp dhcp = client();
  struct dhcp_answer answer;
  uint8_t message[DHCP_MESSAGE_SIZE];
  const size_t length = acknowledgement(&dhcp, message);
  CHECK(dhcp_parse(&dhcp, message, length, &answer) == 0);
  CHECK(answer.type == DHCP_ACK && answer.lease_s == 600);
  CHECK(answer.address.s_addr == htonl(0xC0000207) && answer.netmask.s_addr == htonl(0xFFFFFF00));
  CHECK(answer.gateway.s_addr == htonl(0xC0000201) && answer.server.s_addr == htonl(0xC0000201));
  dhcp.transaction++;
  CHECK(dhcp_parse(&dhcp, message, length, &answer) == -ENOMSG);
  dhcp = client();
  dhcp.hardware[5]++;
  CHECK(dhcp_parse(&dhcp, message, length, &answer) == -ENOMSG);
  dhcp = client();
  message[236]++;
  CHECK(dhcp_parse(&dhcp, message, length, &answer) == -EINVAL);
  end("an answer is read if it is meant for this board");
}

static void unusable_answers(void) {
  /* Of the address, the netmask, and the router. */
  static const struct {
    size_t at;
    uint8_t bytes[4];
    bool whole; /* the answer is of no use */
  } wrong[] = {{16, {0, 0, 0, 0}, true},         {16, {127, 0, 0, 1}, true},  {16, {224, 0, 0, 1}, true},
               {16, {255, 255, 255, 255}, true}, {246, {0, 0, 0, 0}, true},   {246, {255, 0, 255, 0}, true},
               {252, {127, 0, 0, 1}, false},     {252, {224, 0, 0, 1}, false}};
  struct dhcp dhcp = client();
  struct dhcp_answer answer;
  uint8_t message[DHCP_MESSAGE_SIZE];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const size_t length = acknowledgement(&dhcp, message);
    memcpy(message + wrong[i].at, wrong[i].bytes, sizeof wrong[i].bytes);
    CHECK(dhcp_parse(&dhcp, message, length, &answer) == (wrong[i].whole ? -EINVAL : 0));
    CHECK(wrong[i].whole || answer.gateway.s_addr == 0);
  }
  end("an address that no host can have is not taken, nor a mask with a gap");
}

static void names_and_servers(void) {
  /* RFC 3397: the second name ends as the first does. */
  static const uint8_t options[] = {53,  1,   DHCP_ACK, 1,   4,   255, 255, 255, 0,   51,  4,    0,   0,   2,
                                    88,  6,   8,        192, 0,   2,   53,  192, 0,   2,   54,   42,  4,   192,
                                    0,   2,   1,        15,  12,  'e', 'x', 'a', 'm', 'p', 'l',  'e', '.', 'n',
                                    'e', 't', 0,        119, 21,  3,   'l', 'a', 'b', 7,   'e',  'x', 'a', 'm',
                                    'p', 'l', 'e',      3,   'n', 'e', 't', 0,   1,   'b', 0xC0, 4,   255};
  struct dhcp dhcp = client();
  struct dhcp_answer answer;
  uint8_t message[DHCP_MESSAGE_SIZE];
  acknowledgement(&dhcp, message);
  memcpy(message + 240, options, sizeof options);
  CHECK(dhcp_parse(&dhcp, message, 240 + sizeof options, &answer) == 0);
  CHECK(answer.names.count == 2 && answer.names.addresses[1].s_addr == htonl(0xC0000236));
  CHECK(answer.time.count == 1 && answer.time.addresses[0].s_addr == htonl(0xC0000201));
  CHECK(strcmp(answer.domain, "example.net") == 0);
  CHECK(strcmp(answer.search, "lab.example.net b.example.net") == 0);
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    uint8_t *exact = malloc(240 + sizeof options);
    memcpy(exact, message, 240 + sizeof options);
    for (int n = 0; n < 2; n++) exact[255 + (size_t)random() % (sizeof options - 15)] = (uint8_t)random();
    if (dhcp_parse(&dhcp, exact, 240 + sizeof options, &answer) == 0 && answer.domain[0] != '\0')
      CHECK(port_settings_is_name(answer.domain, strlen(answer.domain)));
    for (const char *c = answer.search; *c != '\0'; c++)
      CHECK(*c == ' ' || *c == '.' || *c == '-' || *c == '_' || *c >= '0');
    free(exact);
  }
  end("servers and domains of an answer are read, and names that could be lines of a file are not");
}

/* Lets `client` have an answer of its server at `now`. */
static int acknowledge(struct dhcp *client, int server, uint64_t now) {
  uint8_t message[DHCP_MESSAGE_SIZE];
  const size_t length = acknowledgement(client, message);
  CHECK(write(server, message, length) == (ssize_t)length);
  return dhcp_read(client, now);
}

static void leases(void) {
  struct dhcp dhcp = client();
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends) == 0);
  dhcp.socket = ends[0];
  CHECK(acknowledge(&dhcp, ends[1], 1000) == 1 && dhcp.chosen.type == DHCP_ACK);
  CHECK(dhcp.next == 301000);
  dhcp_step(&dhcp, 300999);
  CHECK(dhcp.next == 301000);
  dhcp_step(&dhcp, 301000);
  CHECK(dhcp.next == 302000 && dhcp.chosen.type == DHCP_ACK);
  CHECK(acknowledge(&dhcp, ends[1], 302000) == 1 && dhcp.next == 602000);
  dhcp_step(&dhcp, 901999);
  CHECK(dhcp.chosen.type == DHCP_ACK);
  dhcp_step(&dhcp, 902000);
  CHECK(dhcp.chosen.type == 0);
  dhcp_stop(&dhcp);
  close(ends[1]);
  end("a lease is extended from half of it on, and ends without an extension");
}

static void told_to_the_server(void) {
  struct dhcp dhcp = client();
  uint8_t message[DHCP_MESSAGE_SIZE];
  strcpy(dhcp.host_name, "rack7");
  dhcp.before.s_addr = htonl(0xC0000207);
  size_t length = dhcp_question(&dhcp, message);
  CHECK(holds(message, length, "\x35\x01\x03", 3) && holds(message, length, "\x32\x04\xC0\x00\x02\x07", 6));
  CHECK(!holds(message, length, "\x36\x04", 2));
  CHECK(holds(message, length, "\x0C\x05rack7", 7));
  CHECK(holds(message, length, "\x3D\x07\x01\x52\x54\x00\x12\x34\x56", 9));
  CHECK(holds(message, length, "\x37\x07\x01\x03\x06\x0F\x2A\x33\x77", 9));
  dhcp.before.s_addr = 0;
  length = dhcp_question(&dhcp, message);
  CHECK(holds(message, length, "\x35\x01\x01", 3));
  end("the address from before is asked for, with the name of the board and its client id");
}

/* DHCPv6: an answer to `client` with all options that are asked for, in the order of RFC 8415 21 and of other RFCs. */
static size_t information(const struct dhcp6 *client, uint8_t message[DHCP6_MESSAGE_SIZE]) {
  static const char options[] = "\0\x02\0\x04\0\x02\0\x09" /* the server's id */
                                "\0\x0D\0\x02\0\0"         /* success */
                                "\0\x17\0\x20"             /* two servers of names */
                                "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x53"
                                "\xFE\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\x54"
                                "\0\x18\0\x0F\x03lab\x04rack\0\x01\x62\x01\x63\0" /* two domains */
                                "\0\x1F\0\x10"                                    /* one of time */
                                "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\0\x31"
                                "\0\x20\0\x04\0\0\x02\x58"                       /* 600 s */
                                "\0\x38\0\x1B\0\x03\0\x03\x01\x61\0\0\x01\0\x10" /* a name, and one of time */
                                "\x20\x01\x0D\xB8\0\0\0\0\0\0\0\0\0\0\x01\x23"
                                "\0\x53\0\x04\0\0\0\x78"; /* 120 s */
  const size_t id = 4 + 14;
  dhcp6_question(client, 0, message);
  message[0] = 7;
  memcpy(message + id, options, sizeof options - 1);
  return id + sizeof options - 1;
}

static struct dhcp6 client6(void) {
  struct dhcp6 dhcp6;
  dhcp6_init(&dhcp6, "eth9");
  dhcp6.transaction = 0x01020304;
  memcpy(dhcp6.hardware, "\x52\x54\x00\x12\x34\x56", DHCP6_HARDWARE_SIZE);
  return dhcp6;
}

static void questions6(void) {
  static const char whole[] = "\x0B\x02\x03\x04"
                              "\0\x01\0\x0A\0\x03\0\x01\x52\x54\0\x12\x34\x56"
                              "\0\x08\0\x02\x01\x90"
                              "\0\x06\0\x0C\0\x17\0\x18\0\x1F\0\x20\0\x38\0\x53";
  struct dhcp6 dhcp6 = client6();
  uint8_t message[DHCP6_MESSAGE_SIZE];
  dhcp6.began = 1000;
  CHECK(dhcp6_question(&dhcp6, 5000, message) == sizeof whole - 1);
  CHECK(memcmp(message, whole, sizeof whole - 1) == 0);
  dhcp6_question(&dhcp6, 1000, message);
  CHECK(message[22] == 0 && message[23] == 0);
  dhcp6_question(&dhcp6, 700000, message);
  CHECK(message[22] == 0xFF && message[23] == 0xFF);
  end("DHCPv6 is asked for servers and domains, by an id and how long it has been asked");
}

static void pauses6(void) {
  CHECK(dhcp6_pause(0, 3600000, 0) == 900 && dhcp6_pause(0, 3600000, UINT32_MAX) == 1100);
  CHECK(dhcp6_pause(1000, 3600000, 0) == 1900 && dhcp6_pause(1000, 3600000, UINT32_MAX) == 2100);
  CHECK(dhcp6_pause(3500000, 3600000, 0) == 3240000 && dhcp6_pause(3500000, 3600000, UINT32_MAX) == 3960000);
  end("it is asked again after a second, and each time twice as long, up to an hour, a tenth more or less");
}

static void answers6(void) {
  struct dhcp6 dhcp6 = client6();
  struct dhcp6_answer answer;
  uint8_t message[DHCP6_MESSAGE_SIZE];
  char text[INET6_ADDRSTRLEN];
  const size_t length = information(&dhcp6, message);
  CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == 0);
  CHECK(answer.names.count == 2 && answer.time.count == 2 && answer.names.addresses[0].family == AF_INET6);
  CHECK(strcmp(inet_ntop(AF_INET6, answer.names.addresses[0].bytes, text, sizeof text), "2001:db8::53") == 0);
  CHECK(strcmp(inet_ntop(AF_INET6, answer.names.addresses[1].bytes, text, sizeof text), "fe80::54") == 0);
  CHECK(strcmp(inet_ntop(AF_INET6, answer.time.addresses[0].bytes, text, sizeof text), "2001:db8::31") == 0);
  CHECK(strcmp(inet_ntop(AF_INET6, answer.time.addresses[1].bytes, text, sizeof text), "2001:db8::123") == 0);
  CHECK(strcmp(answer.search, "lab.rack b.c") == 0);
  CHECK(answer.refresh_s == 600 && answer.longest_pause_s == 120);
  /* The last two options, with values that are out of bounds. */
  message[length - 2] = message[length - 1] = 0;
  CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == 0 && answer.longest_pause_s == 0);
  message[length - 8 - 31 - 1] = 0x59;
  CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == 0 && answer.refresh_s == 601);
  message[length - 8 - 31 - 2] = 0;
  CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == 0 && answer.refresh_s == 600);
  end("what a server of DHCPv6 tells is read, and kept within bounds");

  information(&dhcp6, message);
  /* Type, transaction, the client's id, the server's, and what became of it: of each one byte. */
  static const struct {
    size_t at;
    uint8_t value;
  } others[] = {{0, 2}, {1, 9}, {3, 9}, {9, 1}, {17, 0x57}, {19, 99}, {31, 1}};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const uint8_t before = message[others[i].at];
    message[others[i].at] = others[i].value;
    CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == -ENOMSG);
    message[others[i].at] = before;
  }
  CHECK(dhcp6_parse(&dhcp6, message, length, &answer) == 0);
  end("only an answer to the board itself, of a server that says who it is, and does not refuse");
}

static void damaged_answers6(void) {
  const struct dhcp6 dhcp6 = client6();
  struct dhcp6_answer answer;
  uint8_t message[DHCP6_MESSAGE_SIZE];
  const size_t length = information(&dhcp6, message);
  for (size_t cut = 0; cut < length; cut++) {
    uint8_t *exact = malloc(cut > 0 ? cut : 1);
    memcpy(exact, message, cut);
    const int result = dhcp6_parse(&dhcp6, exact, cut, &answer);
    CHECK(result < 0 || answer.longest_pause_s == 0);
    free(exact);
  }
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    uint8_t *exact = malloc(length);
    memcpy(exact, message, length);
    for (int n = 0; n < 3; n++) exact[18 + (size_t)random() % (length - 18)] = (uint8_t)random();
    if (dhcp6_parse(&dhcp6, exact, length, &answer) == 0)
      CHECK(answer.names.count <= DHCP6_SERVERS_MAX && answer.time.count <= DHCP6_SERVERS_MAX &&
            answer.refresh_s >= 600);
    for (const char *c = answer.search; *c != '\0'; c++)
      CHECK(*c == ' ' || *c == '.' || *c == '-' || *c == '_' || *c >= '0');
    free(exact);
  }
  end("a damaged answer of DHCPv6 does no harm, wherever it is damaged");
}

static void routers(void) {
  static const struct ifinfomsg fixed = {.ifi_index = 3};
  static const uint32_t flags = NETLINK_ROUTER_HEARD | NETLINK_ROUTER_OTHER;
  struct netlink_request request;
  struct netlink_found found;
  enum netlink_kind kind;
  netlink_begin(&request, RTM_NEWLINK, 0, &fixed, sizeof fixed);
  netlink_put(&request, IFLA_IFNAME, "eth0", 5);
  const size_t families = netlink_open(&request, IFLA_AF_SPEC | NLA_F_NESTED);
  netlink_put(&request, AF_INET, "four", 4);
  const size_t six = netlink_open(&request, AF_INET6);
  netlink_put(&request, IFLA_INET6_FLAGS, &flags, sizeof flags);
  netlink_close(&request, six);
  netlink_close(&request, families);
  const uint32_t length = (uint32_t)request.length;
  memcpy(request.bytes, &length, sizeof length);
  CHECK(netlink_read(request.bytes, length, 0, &kind, &found) == (int)length && kind == NETLINK_FOUND);
  CHECK(found.device == 3 && found.routers == flags && found.address.family == 0);
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    uint8_t *exact = malloc(length);
    memcpy(exact, request.bytes, length);
    for (int n = 0; n < 3; n++) exact[16 + (size_t)random() % (length - 16)] = (uint8_t)random();
    CHECK(netlink_read(exact, length, 0, &kind, &found) == (int)length);
    free(exact);
  }
  end("what routers have said is read where the kernel says it");
}

static void port_settings(void) {
  static const char whole[] =
      "serial 7\nenabled 1\nmtu 1400\nvlan 12 3\naddress 192.0.2.9/24\naddress 2001:db8::9/64\ngateway 192.0.2.1\n"
      "ntp 0\ntimeserver 192.0.2.7\ngateway fe80::1\ndhcp dns ntp\ndhcp6 dns domain\nslaac 1\nnameserver "
      "192.0.2.53\nhostname "
      "rack7\ndomain example.net\n";
  static const char *const wrong[] = {
      "serial\n",          "serial -1\n",           "enabled 2\n",       "mtu 67\n",          "vlan 12\n",
      "vlan 4095 0\n",     "vlan 12 8\n",           "address 1.2.3/8\n", "address 1.2.3.4\n", "address 1.2.3.4/33\n",
      "address ::1/129\n", "gateway example.net\n", "dhcp all\n",        "dhcp6 gateway\n",   "nameserver x\n",
      "hostname a b\n",    "hostname a/b\n",        "domain .\n",        "domain a..b\n",     "route 1\n",
      "enabled 1"};
  struct port_settings read;
  CHECK(port_settings_read(whole, strlen(whole), &read) == 0);
  CHECK(read.serial == 7 && read.enabled && read.mtu == 1400 && read.vlan == 12 && read.priority == 3);
  CHECK(read.address_count == 2 && read.addresses[0].prefix == 24 && read.addresses[1].family == AF_INET6);
  CHECK(read.gateway4.family == AF_INET && read.gateway6.family == AF_INET6);
  CHECK(read.dhcp.on && read.dhcp.dns && read.dhcp.ntp && !read.dhcp.gateway && read.slaac && read.server_count == 1);
  CHECK(read.dhcp6.on && read.dhcp6.dns && read.dhcp6.domain && !read.dhcp6.ntp);
  CHECK(strcmp(read.host_name, "rack7") == 0 && strcmp(read.domain, "example.net") == 0);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    CHECK(port_settings_read(wrong[i], strlen(wrong[i]), &read) == -EINVAL);
  CHECK(port_settings_read("serial 7\nroute\n", 15, &read) == -EINVAL && read.serial == 7);
  CHECK(port_settings_read("mtu 1400\0\n", 10, &read) == -EINVAL);
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    const size_t length = (size_t)random() % sizeof whole;
    char *exact = malloc(length > 0 ? length : 1);
    memcpy(exact, whole, length);
    for (int n = 0; length > 0 && n < 3; n++) exact[(size_t)random() % length] = (char)random();
    if (port_settings_read(exact, length, &read) == 0)
      CHECK(read.address_count <= PORT_ADDRESSES_MAX && read.vlan < 4095);
    free(exact);
  }
  end("the settings of a port are read as a whole, or refused");
}

static void kernel_messages(void) {
  struct netlink_request request;
  struct netlink_found found;
  enum netlink_kind kind;
  const struct ifaddrmsg fixed = {
      .ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_flags = IFA_F_PERMANENT, .ifa_index = 3};
  static const uint8_t own[] = {192, 0, 2, 9}, peer[] = {192, 0, 2, 8};
  netlink_begin(&request, RTM_NEWADDR, 0, &fixed, sizeof fixed);
  netlink_put(&request, IFA_ADDRESS, peer, sizeof peer);
  const size_t nest = netlink_open(&request, IFA_LABEL);
  netlink_put(&request, 1, "x", 2);
  netlink_close(&request, nest);
  netlink_put(&request, IFA_LOCAL, own, sizeof own);
  const uint32_t length = (uint32_t)request.length, sequence = 5;
  memcpy(request.bytes, &length, sizeof length);
  memcpy(request.bytes + 8, &sequence, sizeof sequence);
  CHECK(netlink_read(request.bytes, length, 5, &kind, &found) == (int)length && kind == NETLINK_FOUND);
  CHECK(found.device == 3 && found.address.prefix == 24 && !found.temporary &&
        memcmp(found.address.bytes, own, 4) == 0);
  CHECK(netlink_read(request.bytes, length, 6, &kind, &found) == (int)length && kind == NETLINK_OTHER);
  for (size_t cut = 0; cut < length; cut++) {
    uint8_t *exact = malloc(cut > 0 ? cut : 1);
    memcpy(exact, request.bytes, cut);
    CHECK(netlink_read(exact, cut, 5, &kind, &found) == -EBADMSG);
    free(exact);
  }
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    uint8_t *exact = malloc(length);
    memcpy(exact, request.bytes, length);
    for (int n = 0; n < 3; n++) exact[(size_t)random() % length] = (uint8_t)random();
    const int result = netlink_read(exact, length, 5, &kind, &found);
    CHECK(result < 0 || (result >= 16 && result <= (int)length));
    free(exact);
  }
  for (int i = 0; i < NETLINK_REQUEST_SIZE; i++) netlink_put(&request, 1, own, sizeof own);
  CHECK(request.full && request.length <= sizeof request.bytes);
  end("messages of the kernel are read, damaged ones refused, and requests keep to their room");
}

static void times(void) {
  struct sntp sntp;
  uint8_t message[SNTP_MESSAGE_SIZE];
  int64_t received = 0, answered = 0;
  sntp_init(&sntp, 0);
  memcpy(sntp.nonce, "12345678", SNTP_NONCE_SIZE);
  sntp_question(&sntp, message);
  CHECK(message[0] == 0x23 && memcmp(message + 40, "12345678", 8) == 0);
  memcpy(message + 24, "12345678", 8);
  message[0] = 0x24;
  message[1] = 2;
  /* 2025-06-01T12:00:00 and half a second later, and in the era that begins in 2036. */
  memcpy(message + 32, "\xEB\xE6\xBF\x40\x00\x00\x00\x00", 8);
  memcpy(message + 40, "\xEB\xE6\xBF\x40\x80\x00\x00\x00", 8);
  CHECK(sntp_parse(&sntp, message, sizeof message, &received, &answered) == 0);
  CHECK(received == 1748779200000000000 && answered - received == 500000000);
  memcpy(message + 40, "\x00\x00\x00\x01\x00\x00\x00\x00", 8);
  CHECK(sntp_parse(&sntp, message, sizeof message, &received, &answered) == 0);
  CHECK(answered == 2085978497000000000);
  CHECK(sntp_parse(&sntp, message, sizeof message - 1, &received, &answered) == -EINVAL);
  for (int at = 24; at < 32; at++) {
    message[at] ^= 1;
    CHECK(sntp_parse(&sntp, message, sizeof message, &received, &answered) == -ENOMSG);
    message[at] ^= 1;
  }
  static const uint8_t wrong[][2] = {{0xE4, 2}, {0x23, 2}, {0x14, 2}, {0x24, 0}, {0x24, 16}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(message, wrong[i], 2);
    CHECK(sntp_parse(&sntp, message, sizeof message, &received, &answered) == -EINVAL);
  }
  end("the time of a synchronized server is read if it answers the question");
}

static void damaged_answers(void) {
  const struct dhcp dhcp = client();
  struct dhcp_answer answer;
  uint8_t message[DHCP_MESSAGE_SIZE];
  const size_t length = acknowledgement(&dhcp, message);
  for (size_t cut = 0; cut < length; cut++) {
    uint8_t *exact = malloc(cut > 0 ? cut : 1);
    memcpy(exact, message, cut);
    const int result = dhcp_parse(&dhcp, exact, cut, &answer);
    CHECK(result < 0 || cut == length - 1);
    free(exact);
  }
  srandom(7);
  for (int round = 0; round < 100000; round++) {
    uint8_t *exact = malloc(length);
    memcpy(exact, message, length);
    for (int n = 0; n < 3; n++) exact[240 + (size_t)random() % (length - 240)] = (uint8_t)random();
    if (dhcp_parse(&dhcp, exact, length, &answer) == 0 && answer.type != DHCP_NAK)
      CHECK(answer.address.s_addr != 0 && answer.netmask.s_addr != 0 && answer.lease_s >= 60);
    free(exact);
  }
  end("a damaged answer is refused, wherever it is damaged");
}

static int read_settings(const char *text, struct settings *settings) {
  char path[] = "/tmp/minnow-init-XXXXXX";
  const int file = mkstemp(path);
  CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  *settings = (struct settings){.watchdog_s = 30};
  const int result = settings_read(path, settings);
  unlink(path);
  return result;
}

static void settings(void) {
  static const char *const wrong[] = {"port 0\n",
                                      "port 65536\n",
                                      "port x\n",
                                      "watchdog 0\n",
                                      "address 1.2.3.4\n",
                                      "nonsense 1\n",
                                      "port\n",
                                      "user 0\n",
                                      "user 65534\n",
                                      "reset-level 1\n",
                                      "data var/minnow\n",
                                      "grant mtd5\n",
                                      "interface much-too-long-for-linux\n"};
  char text[SETTINGS_GRANTS_MAX * 32];
  struct settings read;
  CHECK(read_settings(SERVICE "interface eth0\ninterface eth1\nport 443\nsilence 20\n"
                              "grant /dev/gpiochip0\ngrant /dev/mtd5\nreset-line BUTTON\nreset-level high\n",
                      &read) == 0);
  CHECK(read.interface_count == 2 && strcmp(read.interfaces[1], "eth1") == 0);
  CHECK(read.port == 443 && read.silence_s == 20 && read.watchdog_s == 30);
  CHECK(read.user == 1000 && read.network_user == 1001 && strcmp(read.data, "/var/minnow") == 0);
  CHECK(strcmp(read.reset_line, "BUTTON") == 0 && read.reset_line_high);
  CHECK(read.grant_count == 2 && strcmp(read.grants[1], "/dev/mtd5") == 0);
  strcpy(text, SERVICE);
  for (int i = 0; i <= SETTINGS_INTERFACES_MAX; i++) strcat(text, "interface eth0\n");
  CHECK(read_settings(text, &read) == -EINVAL);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(text, sizeof text, SERVICE "%s", wrong[i]);
    CHECK(read_settings(text, &read) == -EINVAL);
  }
  CHECK(read_settings("user 1000\nnetwork-user 1001\n", &read) == -EINVAL);
  CHECK(read_settings("network-user 1001\ndata /var/minnow\n", &read) == -EINVAL);
  CHECK(read_settings("user 1000\ndata /var/minnow\n", &read) == -EINVAL);
  CHECK(read_settings("user 1000\nnetwork-user 1000\ndata /var/minnow\n", &read) == -EINVAL);
  strcpy(text, SERVICE);
  for (int i = 0; i <= SETTINGS_GRANTS_MAX; i++) strcat(text, "grant /dev/mtd5\n");
  CHECK(read_settings(text, &read) == -EINVAL && read.grant_count == SETTINGS_GRANTS_MAX);
  CHECK(settings_read("/nonexistent/file", &read) == -ENOENT);
  end("settings are read, and a line that means nothing is refused");
}

static void held_lines(void) {
  struct reset_line line = {.line = -1};
  CHECK(!reset_line_step(&line, true, 1) && !reset_line_step(&line, true, 60000));
  CHECK(!reset_line_step(&line, false, 60001));
  CHECK(!reset_line_step(&line, true, 61000) && !reset_line_step(&line, true, 70999));
  CHECK(!reset_line_step(&line, false, 70999) && !reset_line_step(&line, true, 71000));
  CHECK(!reset_line_step(&line, true, 80999) && reset_line_step(&line, true, 81000));
  CHECK(!reset_line_step(&line, true, 200000));
  end("a line counts as held after ten seconds, once, and not when it is active from the start on");
}

static void long_lines(void) {
  struct journal_lines lines = {.name = "test"};
  char bytes[5000];
  memset(bytes, 'x', sizeof bytes);
  journal_add(&lines, bytes, sizeof bytes);
  CHECK(lines.length == sizeof bytes % sizeof lines.text);
  journal_add(&lines, "\n", 1);
  CHECK(lines.length == 0);
  journal_add(&lines, "\n\nab", 4);
  CHECK(lines.length == 2);
  end("what a program writes is taken however long its lines are");
}

static int listen_on(uint16_t *port) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof here;
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(bind(listener, (struct sockaddr *)&here, sizeof here) == 0 && listen(listener, 16) == 0);
  getsockname(listener, (struct sockaddr *)&here, &size);
  *port = ntohs(here.sin_port);
  return listener;
}

/* Goes on at `now` until the probe waits for the other side. */
static void ask(struct probe *probe, uint64_t now) {
  probe_step(probe, now);
  while (probe->socket >= 0 && !probe->asked) {
    struct pollfd event = {.fd = probe->socket, .events = probe_events(probe)};
    poll(&event, 1, 1000);
    probe_step(probe, now);
  }
}

/* Answers the question as the service does, and lets the probe see that at `now`. */
static void answer(int listener, struct probe *probe, uint64_t now) {
  char line[16];
  const int connection = accept(listener, NULL, NULL);
  CHECK(recv(connection, line, sizeof line, 0) > 0);
  close(connection);
  struct pollfd event = {.fd = probe->socket, .events = probe_events(probe)};
  CHECK(poll(&event, 1, 1000) == 1);
  probe_step(probe, now);
}

/* The port that the probe asks at when the file has this text, or a link leads to it. */
static uint16_t asked_port(struct probe *probe, const char *text, bool is_link) {
  char path[] = "/tmp/init_port_XXXXXX", link[sizeof path + 5];
  struct sockaddr_in peer = {0};
  socklen_t size = sizeof peer;
  const int file = mkstemp(path);
  CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  snprintf(link, sizeof link, "%s.link", path);
  if (is_link) CHECK(symlink(path, link) == 0);
  probe->port_file = is_link ? link : path;
  ask(probe, probe->started + 2000);
  CHECK(getpeername(probe->socket, (struct sockaddr *)&peer, &size) == 0);
  close(probe->socket);
  probe->socket = -1;
  unlink(path);
  unlink(link);
  return ntohs(peer.sin_port);
}

static void probed_ports(void) {
  struct probe probe;
  uint16_t first, second;
  char text[16];
  const int listeners[] = {listen_on(&first), listen_on(&second)};
  probe_init(&probe, first, "/tmp/init_port_none");
  snprintf(text, sizeof text, "%u\n", second);
  CHECK(asked_port(&probe, text, false) == second);
  CHECK(asked_port(&probe, text, true) == first);
  static const char *const wrong[] = {"", "\n", "0\n", "65536\n", "-1\n", "1", "1\n1", "99999999999999999999\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(asked_port(&probe, wrong[i], false) == first);
  for (size_t i = 0; i < sizeof listeners / sizeof *listeners; i++) close(listeners[i]);
  end("the service is asked at the port in its file, or without one at that of the settings");
}

static void probes(void) {
  struct probe probe;
  uint16_t port;
  const int listener = listen_on(&port);
  probe_init(&probe, port, "/tmp/init_port_none");
  ask(&probe, 5000);
  CHECK(probe.socket >= 0 && probe.answered == 0);
  answer(listener, &probe, 6000);
  CHECK(probe.answered == 6000 && probe.socket < 0);
  end("a service that closes a connection over a line that is not TLS is alive");

  ask(&probe, 9000);
  probe_step(&probe, 33000);
  CHECK(probe.socket >= 0 && probe.answered == 6000);
  answer(listener, &probe, 34000);
  CHECK(probe.answered == 34000 && probe.socket < 0);
  end("so is one that is so busy that it takes half a minute");

  ask(&probe, 36000);
  CHECK(probe.socket >= 0);
  probe_step(&probe, 65999);
  CHECK(probe.socket >= 0);
  probe_step(&probe, 66000);
  CHECK(probe.socket < 0 && probe.answered == 34000);
  end("a service whose connections only the kernel accepts is not");

  close(listener);
  ask(&probe, 70000);
  CHECK(probe.socket < 0 && probe.answered == 34000);
  end("nor is one that is not there");
}

static void digests(void) {
  /* As sha256sum (coreutils) says; with lengths at which the padding takes another block. */
  static const struct {
    size_t length;
    const char *digest;
  } known[] = {{0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {3, "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"},
               {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
               {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
               {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
               {1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"}};
  char bytes[1000], digest[2 * SHA256_SIZE + 1];
  memset(bytes, 'a', sizeof bytes);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    struct sha256 sum;
    sha256_init(&sum);
    for (size_t at = 0; at < known[i].length; at += 7)
      sha256_add(&sum, bytes + at, known[i].length - at < 7 ? known[i].length - at : 7);
    sha256_end(&sum, digest);
    CHECK(strcmp(digest, known[i].digest) == 0);
  }
  end("the root file system is known by its SHA-256");
}

/* The content of a file as text; empty if it is missing. */
static void read_text(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  const size_t length = file == NULL ? 0 : fread(text, 1, size - 1, file);
  text[length] = '\0';
  if (file != NULL) fclose(file);
}

static void seeds(void) {
  char folder[] = "init-test-XXXXXX", path[32], seed[80], next[80];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/seed", folder);
  CHECK(seed_use(path) == 0);
  CHECK(access(path, F_OK) < 0);
  end("a board that has no random seed yet collects its own");

  CHECK(seed_keep(path) == 0);
  read_text(path, seed, sizeof seed);
  CHECK(strlen(seed) == 64);
  CHECK(seed_keep(path) == 0);
  read_text(path, next, sizeof next);
  CHECK(strlen(next) == 64 && strcmp(seed, next) != 0);
  /* Only root of the machine may count a seed as random. */
  const int used = seed_use(path);
  CHECK(used == 0 || used == -EPERM);
  read_text(path, seed, sizeof seed);
  CHECK(strlen(seed) == 64 && strcmp(seed, next) != 0);
  end("a random seed is replaced before it is used, so that none is used twice");

  CHECK(truncate(path, 63) == 0);
  CHECK(seed_use(path) == 0);
  read_text(path, next, sizeof next);
  CHECK(strncmp(seed, next, 63) == 0 && strlen(next) == 63);
  end("one that is damaged is not used");
  unlink(path);
  rmdir(folder);
}

static int take_time(const char *text, int64_t *behind) {
  char path[] = "/tmp/init_clock_XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
  const int result = clock_take(path, behind);
  CHECK(access(path, F_OK) < 0);
  CHECK(clock_take(path, behind) == 0);
  return result;
}

static void wanted_times(void) {
  static const char *const wrong[] = {"", "\n", "12", "1 2\n", "x\n", "3155760000001\n", "99999999999999999999\n"};
  int64_t behind = 0;
  CHECK(take_time("1500\n", &behind) == 1 && behind == 1500000000);
  CHECK(take_time("-3155760000000\n", &behind) == 1 && behind == -3155760000000000000);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK(take_time(wrong[i], &behind) == -EINVAL);
  end("by how much the clock is to be set is taken once, and what is no such number is thrown away");
}

int main(void) {
  questions();
  answers();
  damaged_answers();
  unusable_answers();
  names_and_servers();
  told_to_the_server();
  leases();
  questions6();
  pauses6();
  answers6();
  damaged_answers6();
  port_settings();
  kernel_messages();
  routers();
  times();
  wanted_times();
  settings();
  held_lines();
  long_lines();
  probes();
  probed_ports();
  digests();
  seeds();
  return 0;
}
