#include "network_clients.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "network_messages.h"

static const int tick_ms = 500;
static const uint64_t alive_every_ms = 5000;

/* The questions over a port. */
struct client {
  struct network_messages_port wanted;
  struct dhcp dhcp;
  struct dhcp6 dhcp6;
  bool has_lease; /* as the init process knows it */
};

struct clients {
  int init;
  uint64_t told; /* time of the last message to the init process */
  struct client ports[NETWORK_PORTS_MAX];
  struct sntp sntp;
};

/* It waits for its turn; the loop ends elsewhere when the init process has ended. */
static void tell(struct clients *clients, struct network_messages_news *news, uint64_t now) {
  send(clients->init, news, sizeof *news, MSG_NOSIGNAL);
  clients->told = now;
}

static void tell_of_port(struct clients *clients, size_t port, enum network_messages_kind kind, uint64_t now) {
  const struct client *client = &clients->ports[port];
  struct network_messages_news news = {.kind = kind, .port = (uint32_t)port, .attempt = client->wanted.attempt};
  if (kind == NETWORK_MESSAGES_LEASE) news.lease = client->dhcp.chosen;
  if (kind == NETWORK_MESSAGES_INFORMATION) news.information = client->dhcp6.answer;
  tell(clients, &news, now);
}

static void take_port(struct client *client, const struct network_messages_port *wanted, uint64_t now) {
  const bool moved = strcmp(wanted->interface, client->wanted.interface) != 0;
  const bool again = wanted->attempt != client->wanted.attempt;
  client->wanted = *wanted;
  if (moved || !wanted->dhcp) {
    dhcp_stop(&client->dhcp);
    client->dhcp.before = wanted->before;
    client->has_lease = wanted->before.s_addr != 0;
  }
  if (moved || !wanted->dhcp6) dhcp6_stop(&client->dhcp6);
  strcpy(client->dhcp.interface, wanted->interface);
  strcpy(client->dhcp.host_name, wanted->host_name);
  strcpy(client->dhcp6.interface, wanted->interface);
  if (again && wanted->dhcp) dhcp_again(&client->dhcp, now);
  if (wanted->dhcp6 && (again || !client->dhcp6.started)) dhcp6_start(&client->dhcp6, now);
}

/* False once the init process has ended. */
static bool take_wanted(struct clients *clients, uint64_t now) {
  struct network_messages_wanted wanted;
  if (recv(clients->init, &wanted, sizeof wanted, 0) != sizeof wanted) return false;
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) take_port(&clients->ports[i], &wanted.ports[i], now);
  sntp_serve(&clients->sntp, wanted.time_servers, wanted.time_server_count);
  return true;
}

static void step(struct clients *clients, uint64_t now) {
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) {
    struct client *client = &clients->ports[i];
    if (client->wanted.dhcp) dhcp_step(&client->dhcp, now);
    dhcp6_step(&client->dhcp6, now);
    const bool holds_on = client->dhcp.chosen.type == DHCP_ACK || client->dhcp.before.s_addr != 0;
    if (client->has_lease && client->wanted.dhcp && !holds_on) {
      client->has_lease = false;
      tell_of_port(clients, i, NETWORK_MESSAGES_LEASE_LOST, now);
    }
  }
  sntp_step(&clients->sntp, now);
}

static void read_answers(struct clients *clients, uint64_t now) {
  struct network_messages_news time = {.kind = NETWORK_MESSAGES_TIME};
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) {
    struct client *client = &clients->ports[i];
    if (client->dhcp.socket >= 0 && dhcp_read(&client->dhcp, now) > 0) {
      client->has_lease = true;
      tell_of_port(clients, i, NETWORK_MESSAGES_LEASE, now);
    }
    if (client->dhcp6.socket >= 0 && dhcp6_read(&client->dhcp6, now) > 0)
      tell_of_port(clients, i, NETWORK_MESSAGES_INFORMATION, now);
  }
  if (sntp_read(&clients->sntp, now, &time.behind)) tell(clients, &time, now);
}

/*
 * Waits until the init process or a server has sent something, or it may be time to ask. False once there is no init
 * process.
 */
static bool wait(struct clients *clients) {
  struct pollfd events[2 + 2 * NETWORK_PORTS_MAX] = {{.fd = clients->init, .events = POLLIN},
                                                     {.fd = clients->sntp.socket, .events = POLLIN}};
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) {
    events[2 + 2 * i] = (struct pollfd){.fd = clients->ports[i].dhcp.socket, .events = POLLIN};
    events[3 + 2 * i] = (struct pollfd){.fd = clients->ports[i].dhcp6.socket, .events = POLLIN};
  }
  poll(events, sizeof events / sizeof events[0], tick_ms);
  return events[0].revents == 0 || take_wanted(clients, clock_monotonic());
}

void network_clients_run(int init, int64_t earliest) {
  struct network_messages_news alive = {.kind = NETWORK_MESSAGES_ALIVE};
  struct clients clients = {.init = init};
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) {
    dhcp_init(&clients.ports[i].dhcp, "");
    dhcp6_init(&clients.ports[i].dhcp6, "");
  }
  sntp_init(&clients.sntp, earliest);
  do {
    const uint64_t now = clock_monotonic();
    read_answers(&clients, now);
    step(&clients, now);
    if (now - clients.told >= alive_every_ms) tell(&clients, &alive, now);
  } while (wait(&clients));
}
