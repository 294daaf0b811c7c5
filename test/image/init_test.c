/*
 * Tests of the parts of the init process that take what comes from outside: messages of the network, a file, what the
 * service writes, and whether it answers. Prints one line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../runtime/image/init/dhcp.h"
#include "../../runtime/image/init/journal.h"
#include "../../runtime/image/init/probe.h"
#include "../../runtime/image/init/settings.h"
#include "../../runtime/image/init/sha256.h"

#define SERVICE "user 1000\ndata /var/minnow\n"

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
  static const char *const wrong[] = {
      "port 0\n",        "port 65536\n",      "port x\n",     "watchdog 0\n",
      "address 1.2.3\n", "nonsense 1\n",      "port\n",       "user 0\n",
      "user 65534\n",    "data var/minnow\n", "grant mtd5\n", "interface much-too-long-for-linux\n"};
  char text[SETTINGS_GRANTS_MAX * 32];
  struct settings read;
  CHECK(read_settings(SERVICE "interface eth0\naddress 192.0.2.9\nnetmask 255.255.255.0\nport 443\nsilence 20\n"
                              "grant /dev/gpiochip0\ngrant /dev/mtd5\n",
                      &read) == 0);
  CHECK(strcmp(read.interface, "eth0") == 0 && read.address.s_addr == htonl(0xC0000209) && !read.dhcp);
  CHECK(read.port == 443 && read.silence_s == 20 && read.watchdog_s == 30);
  CHECK(read.user == 1000 && strcmp(read.data, "/var/minnow") == 0);
  CHECK(read.grant_count == 2 && strcmp(read.grants[1], "/dev/mtd5") == 0);
  CHECK(read_settings(SERVICE "address dhcp\n", &read) == 0 && read.dhcp);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    snprintf(text, sizeof text, SERVICE "%s", wrong[i]);
    CHECK(read_settings(text, &read) == -EINVAL);
  }
  CHECK(read_settings("user 1000\n", &read) == -EINVAL && read_settings("data /var/minnow\n", &read) == -EINVAL);
  strcpy(text, SERVICE);
  for (int i = 0; i <= SETTINGS_GRANTS_MAX; i++) strcat(text, "grant /dev/mtd5\n");
  CHECK(read_settings(text, &read) == -EINVAL && read.grant_count == SETTINGS_GRANTS_MAX);
  CHECK(settings_read("/nonexistent/file", &read) == -ENOENT);
  end("settings are read, and a line that means nothing is refused");
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
  CHECK(bind(listener, (struct sockaddr *)&here, sizeof here) == 0 && listen(listener, 4) == 0);
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

static void probes(void) {
  struct probe probe;
  uint16_t port;
  const int listener = listen_on(&port);
  probe_init(&probe, port);
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

int main(void) {
  questions();
  answers();
  damaged_answers();
  settings();
  long_lines();
  probes();
  digests();
  return 0;
}
