/*
 * Tests of what the init process accepts from the network process, which an attacker may have taken over. Prints one
 * line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../deploy/image/init/network.h"
#include "../../deploy/image/init/network_clients.h"
#include "../../deploy/image/init/network_files.h"

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

/* Replaces the work of the process. */
static void (*act)(int init);

void network_clients_run(int init, int64_t earliest) {
  (void)earliest;
  act(init);
}

/* Until it is ended. */
static void wait_for_ever(void) {
  for (;;) poll(NULL, 0, -1);
}

static struct network_messages_news lease(void) {
  struct network_messages_news news = {
      .kind = NETWORK_MESSAGES_LEASE,
      .port = 1,
      .lease = {.type = DHCP_ACK, .address = {htonl(0xC0000207)}, .netmask = {htonl(0xFFFFFF00)}, .lease_s = 600}};
  news.lease.gateway.s_addr = htonl(0xC0000201);
  news.lease.names = (struct dhcp_servers){.addresses = {{htonl(0xC0000235)}, {htonl(0xC0000236)}}, .count = 2};
  strcpy(news.lease.domain, "example.net");
  strcpy(news.lease.search, "lab.example.net example.net");
  return news;
}

static struct network_messages_news information(void) {
  struct network_messages_news news = {.kind = NETWORK_MESSAGES_INFORMATION, .port = 1};
  news.information.names.count = news.information.time.count = 1;
  news.information.names.addresses[0] = (struct netlink_address){.family = AF_INET6, .bytes = {0x20, 1, 0x0d, 0xb8}};
  news.information.time.addresses[0] = (struct netlink_address){.family = AF_INET6, .bytes = {0xfe, 0x80, [15] = 1}};
  strcpy(news.information.search, "six.example.net");
  return news;
}

static bool taken(const struct network_messages_news *news) {
  struct network_messages_news copy;
  return network_messages_take(news, sizeof *news, 2, 0, &copy) == 0;
}

static void plausible(void) {
  struct network_messages_news news = lease(), copy;
  CHECK(taken(&news));
  CHECK(network_messages_take(&news, sizeof news - 1, 2, 0, &copy) == -EBADMSG);
  CHECK(network_messages_take(&news, sizeof news + 1, 2, 0, &copy) == -EBADMSG);
  CHECK(network_messages_take(&news, 0, 2, 0, &copy) == -EBADMSG);
  CHECK(network_messages_take(&news, sizeof news, 1, 0, &copy) == -EBADMSG);
  news.kind = NETWORK_MESSAGES_LEASE_LOST;
  CHECK(taken(&news));
  news.port = UINT32_MAX;
  CHECK(!taken(&news));
  news.kind = (enum network_messages_kind)(NETWORK_MESSAGES_TIME + 1);
  CHECK(!taken(&news));
  news.kind = NETWORK_MESSAGES_ALIVE;
  CHECK(taken(&news));
  end("a message is taken that has the right size, a known kind, and a port that there is");
}

/* A message as it is to be, to be spoilt. */
static struct network_messages_news *whole(struct network_messages_news message) {
  static struct network_messages_news news;
  news = message;
  return &news;
}

static void leases(void) {
  static const uint32_t no_hosts[] = {0, 0x7F000001, 0xE0000001, 0xFFFFFFFF, 0x00000001};
  static const uint32_t no_masks[] = {0, 0xFF00FF00, 0x00FFFFFF, 0xFFFFFF01};
  struct network_messages_news *news;
  for (size_t i = 0; i < sizeof no_hosts / sizeof *no_hosts; i++) {
    (news = whole(lease()))->lease.address.s_addr = htonl(no_hosts[i]);
    CHECK(!taken(news));
    (news = whole(lease()))->lease.names.addresses[1].s_addr = htonl(no_hosts[i]);
    CHECK(!taken(news));
    (news = whole(lease()))->lease.gateway.s_addr = htonl(no_hosts[i]);
    if (no_hosts[i] != 0) CHECK(!taken(news));
  }
  for (size_t i = 0; i < sizeof no_masks / sizeof *no_masks; i++) {
    (news = whole(lease()))->lease.netmask.s_addr = htonl(no_masks[i]);
    CHECK(!taken(news));
  }
  (news = whole(lease()))->lease.type = DHCP_OFFER;
  CHECK(!taken(news));
  (news = whole(lease()))->lease.lease_s = 59;
  CHECK(!taken(news));
  (news = whole(lease()))->lease.lease_s = UINT32_MAX;
  CHECK(!taken(news));
  (news = whole(lease()))->lease.names.count = DHCP_SERVERS_MAX + 1;
  CHECK(!taken(news));
  (news = whole(lease()))->lease.time.count = SIZE_MAX;
  CHECK(!taken(news));
  memset((news = whole(lease()))->lease.domain, 'a', sizeof news->lease.domain);
  CHECK(!taken(news));
  memset((news = whole(lease()))->lease.search, 'a', sizeof news->lease.search);
  CHECK(!taken(news));
  static const char *const no_names[] = {"a\nlease 192.0.2.1", "a b", "..", "a..b", "a;b", "\xff"};
  for (size_t i = 0; i < sizeof no_names / sizeof *no_names; i++) {
    strcpy((news = whole(lease()))->lease.domain, no_names[i]);
    CHECK(!taken(news));
  }
  static const char *const no_domains[] = {" ", " a", "a ", "a  b", "a\tb", "a\nnameserver 192.0.2.1"};
  for (size_t i = 0; i < sizeof no_domains / sizeof *no_domains; i++) {
    strcpy((news = whole(lease()))->lease.search, no_domains[i]);
    CHECK(!taken(news));
  }
  end("a lease has addresses of hosts, a mask without gaps, a time within bounds, and names that are names");
}

static void servers(void) {
  struct network_messages_news *news = whole(information());
  CHECK(taken(news));
  (news = whole(information()))->information.names.count = DHCP6_SERVERS_MAX + 1;
  CHECK(!taken(news));
  (news = whole(information()))->information.time.addresses[0].family = AF_INET;
  CHECK(!taken(news));
  (news = whole(information()))->information.time.addresses[0].prefix = 64;
  CHECK(!taken(news));
  memset((news = whole(information()))->information.names.addresses[0].bytes, 0, NETLINK_ADDRESS_SIZE);
  CHECK(!taken(news));
  (news = whole(information()))->information.names.addresses[0].bytes[0] = 0xff;
  CHECK(!taken(news));
  memset((news = whole(information()))->information.search, 'a', DOMAINS_SIZE);
  CHECK(!taken(news));
  end("so has what DHCPv6 tells");
}

static void clocks(void) {
  const int64_t century = INT64_C(36525) * 86400 * 1000000000, year = INT64_C(365) * 86400 * 1000000000;
  struct network_messages_news news = {.kind = NETWORK_MESSAGES_TIME}, copy;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t image = (int64_t)now.tv_sec * 1000000000 - year;
  for (const int64_t *behind = (const int64_t[]){-year / 2, 0, 50 * year, INT64_MIN}; *behind != INT64_MIN; behind++) {
    news.behind = *behind;
    CHECK(network_messages_take(&news, sizeof news, 2, image, &copy) == 0);
  }
  for (const int64_t *behind = (const int64_t[]){-2 * year, century, century + 1, INT64_MAX, INT64_MIN, 0};
       *behind != 0; behind++) {
    news.behind = *behind;
    CHECK(network_messages_take(&news, sizeof news, 2, image, &copy) == -EBADMSG);
  }
  end("no time before that of the image is taken, and none a century later");
}

/* Whatever it says: files have the lines that they are to have. */
static void files(void) {
  static const char *const names[] = {"serial ", "result ", "carrier ", "lease", "nameserver ", "search ", NULL};
  static char text[NETWORK_FILES_SIZE];
  struct network_messages_news kinds[] = {lease(), information()}, news;
  unsigned passed = 0;
  srandom(7);
  for (int round = 0; round < 200000; round++) {
    struct network_messages_news message = kinds[round % 2];
    for (int n = 0; n < 3; n++) ((uint8_t *)&message)[(size_t)random() % sizeof message] = (uint8_t)random();
    if (network_messages_take(&message, sizeof message, 2, 0, &news) < 0) continue;
    passed++;
    struct port port = {.device = "eth0",
                        .carrier = "eth0",
                        .lease = news.lease,
                        .informed = news.kind == NETWORK_MESSAGES_INFORMATION,
                        .information = news.information,
                        .settings = {.enabled = true, .dhcp = {true, true, true, true, true}}};
    port.settings.dhcp6 = port.settings.dhcp;
    if (port.informed) port.lease.type = 0;
    const struct port *const ports[] = {&port};
    for (int file = 0; file < 2; file++) {
      const size_t length = file == 0 ? network_files_answer(&port, text) : network_files_resolver(ports, 1, text);
      CHECK(length < sizeof text && (length == 0 || text[length - 1] == '\n'));
      for (size_t at = 0; at < length; at += strcspn(text + at, "\n") + 1) {
        const char *const *name = names;
        while (*name && strncmp(text + at, *name, strlen(*name)) != 0) name++;
        CHECK(*name);
      }
    }
  }
  CHECK(passed > 1000);
  end("what is taken leaves each file with the lines that it is to have");
}

static void say_what_cannot_be(int init) {
  send(init, "no message", 10, 0);
  wait_for_ever();
}

static void say_too_much(int init) {
  static const char bytes[4 * sizeof(struct network_messages_news)];
  send(init, bytes, sizeof bytes, 0);
  wait_for_ever();
}

static void say_nothing(int init) {
  (void)init;
  wait_for_ever();
}

static void close_and_stay(int init) {
  close(init);
  wait_for_ever();
}

static void call_another(int init) {
  (void)init;
  syscall(SYS_getpid);
}

static void open_a_stream(int init) {
  (void)init;
  socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void open_a_raw_socket(int init) {
  (void)init;
  socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void set_another_option(int init) {
  const int on = 1;
  setsockopt(init, SOL_SOCKET, SO_RCVBUFFORCE, &on, sizeof on);
}

static void write_to_the_console(int init) {
  (void)init;
  const ssize_t written = write(STDERR_FILENO, "x", 1);
  (void)written;
}

/* Sends as many messages as the socket has room for without a reader. */
static void say_much(int init) {
  const struct network_messages_news news = lease();
  struct network_messages_wanted wanted;
  recv(init, &wanted, sizeof wanted, 0);
  for (int i = 0; i < 40; i++) send(init, &news, sizeof news, 0);
}

static void give_a_time(int init) {
  const struct network_messages_news news = {.kind = NETWORK_MESSAGES_TIME, .behind = 1000000};
  send(init, &news, sizeof news, 0);
}

/* Starts it at 1000 with an act; the message that it sends, if any, is read by then. */
static void begin(struct network_process *process, void (*what)(int init)) {
  static const struct network_messages_wanted nothing;
  act = what;
  network_process_init(process, 1001, 0);
  network_process_step(process, &nothing, 1000);
  CHECK(process->process > 0);
}

/* The signal that has ended it; 0 if it has exited. */
static int ended(struct network_process *process, uint64_t now) {
  int status = 0;
  CHECK(waitpid(process->process, &status, 0) == process->process);
  network_process_ended(process, status, now);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static bool read_one(struct network_process *process, uint64_t now) {
  struct network_messages_news news;
  struct pollfd event = {.fd = process->socket, .events = POLLIN};
  poll(&event, 1, -1);
  return network_process_read(process, 2, now, &news);
}

static void processes(void) {
  static const struct network_messages_wanted nothing;
  static void (*const liars[])(int) = {say_what_cannot_be, say_too_much, close_and_stay};
  static void (*const callers[])(int) = {call_another, open_a_stream, open_a_raw_socket, set_another_option,
                                         write_to_the_console};
  struct network_process process;
  for (size_t i = 0; i < sizeof liars / sizeof *liars; i++) {
    begin(&process, liars[i]);
    CHECK(!read_one(&process, 1000) && process.socket < 0);
    CHECK(ended(&process, 1000) == SIGKILL);
  }
  end("a process that says what cannot be, or listens no more, is ended");

  for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
    begin(&process, callers[i]);
    CHECK(ended(&process, 1000) == SIGSYS);
  }
  end("the kernel ends one that makes an unexpected system call");

  begin(&process, say_nothing);
  network_process_step(&process, &nothing, 60999);
  CHECK(process.socket >= 0);
  network_process_step(&process, &nothing, 61000);
  CHECK(ended(&process, 61000) == SIGKILL);
  end("so does the init process with one that says nothing for a minute");

  begin(&process, give_a_time);
  CHECK(read_one(&process, 1000) && ended(&process, 2000) == 0);
  for (uint64_t at = 2000, wait = 1000; wait < 100000; wait *= 2) {
    const uint64_t next = at + (wait < 60000 ? wait : 60000);
    network_process_step(&process, &nothing, next - 1);
    CHECK(process.process == 0);
    network_process_step(&process, &nothing, next);
    CHECK(process.process > 0);
    ended(&process, at = next);
  }
  end("one that has ended is started again after a second, and later each time, up to a minute");
}

static void floods(void) {
  static struct network network;
  int64_t behind;
  act = say_much;
  network_init(&network, "/nonexistent", "/nonexistent", "/nonexistent", "/nonexistent", 1001, 0);
  CHECK(network_add(&network, "none0") == 0 && network_add(&network, "none1") == 0);
  network_step(&network, 1000);
  CHECK(waitid(P_PID, (id_t)network.process.process, NULL, WEXITED | WNOWAIT) == 0);
  for (uint64_t now = 1000; now < 3000; now += 1000) {
    CHECK(network_socket(&network, now) >= 0);
    CHECK(!network_read(&network, now, &behind));
    CHECK(network_socket(&network, now) < 0 && network_socket(&network, now + 999) < 0);
  }
  CHECK(network_socket(&network, 3000) >= 0 && !network_read(&network, 3000, &behind));
  CHECK(network.process.socket < 0);
  ended(&network.process, 3000);
  end("who says very much is listened to again after a second: everything else goes on");
}

int main(void) {
  plausible();
  leases();
  servers();
  clocks();
  files();
  processes();
  floods();
  return 0;
}
