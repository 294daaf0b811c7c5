#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syslog.h>
#include <unistd.h>

#include "journal.h"
#include "network_files.h"
#include "small_file.h"

enum { PATH_SIZE = 128 };

static const unsigned news_at_once = 16;
static const uint64_t pause_ms = 1000, keep_every_ms = 60000;

void network_init(struct network *network, const char *settings, const char *defaults, const char *answers,
                  const char *leases, uid_t user, int64_t earliest) {
  *network = (struct network){
      .settings = settings, .defaults = defaults, .answers = answers, .leases = leases, .netlink = {.socket = -1}};
  network_process_init(&network->process, user, earliest);
}

static void path_of(char path[PATH_SIZE], const char *folder, const char *name, const char *suffix) {
  snprintf(path, PATH_SIZE, "%s/%s%s", folder, name, suffix);
}

static int write_file(const char *folder, const char *name, const char *text, size_t length, bool durable) {
  char path[PATH_SIZE];
  path_of(path, folder, name, "");
  const int result = small_file_write(path, text, length, 0644, durable);
  if (result < 0) journal(LOG_ERR, "%s: %s", path, strerror(-result));
  return result;
}

static void write_answer(const struct network *network, const struct port *port) {
  static char text[NETWORK_FILES_SIZE];
  write_file(network->answers, port->device, text, network_files_answer(port, text), false);
}

static void write_resolver(const struct network *network) {
  static char text[NETWORK_FILES_SIZE];
  const struct port *ports[NETWORK_PORTS_MAX];
  for (size_t i = 0; i < network->count; i++) ports[i] = &network->ports[i].port;
  write_file(network->answers, "resolv.conf", text, network_files_resolver(ports, network->count, text), false);
}

int network_add(struct network *network, const char *device) {
  char path[PATH_SIZE], text[INET_ADDRSTRLEN] = "";
  struct stat status;
  if (network->count == NETWORK_PORTS_MAX) return -EINVAL;
  struct network_port *one = &network->ports[network->count];
  if (strlen(device) >= sizeof one->port.device || strchr(device, '/') || device[0] == '.') return -EINVAL;
  *one = (struct network_port){.link = -1, .port = {.slaac = -1}};
  strcpy(one->port.device, device);
  strcpy(one->port.carrier, device);
  path_of(path, network->leases, device, "");
  const ssize_t length = small_file_read(path, text, sizeof text - 1, &status);
  if (length > 0 && inet_pton(AF_INET, text, &one->before) != 1) one->before.s_addr = 0;
  one->kept = one->before;
  network->count++;
  return 0;
}

static bool is_new(const struct stat *read, const struct stat *status) {
  return read->st_ino != status->st_ino || read->st_dev != status->st_dev || read->st_size != status->st_size ||
         read->st_mtim.tv_sec != status->st_mtim.tv_sec || read->st_mtim.tv_nsec != status->st_mtim.tv_nsec;
}

/* True when the settings have changed: they are in force from then on, unless they cannot be read. */
static bool read_settings(const struct network *network, struct network_port *one) {
  char path[PATH_SIZE], text[PORT_SETTINGS_SIZE + 1];
  struct stat status = {0};
  struct port_settings settings;
  path_of(path, network->settings, one->port.device, "");
  if (lstat(path, &status) < 0) {
    path_of(path, network->defaults, one->port.device, "");
    if (lstat(path, &status) < 0) return false;
  }
  if (!is_new(&one->read, &status)) return false;
  const ssize_t length = small_file_read(path, text, sizeof text - 1, &one->read);
  one->read = status;
  const int result = length < 0 ? (int)length : port_settings_read(text, (size_t)length, &settings);
  one->port.serial = length < 0 ? 0 : settings.serial;
  one->port.result = result;
  if (result < 0) {
    journal(LOG_ERR, "%s: %s", path, strerror(-result));
    write_answer(network, &one->port);
    return false;
  }
  /* The server of DHCP learns the new name. */
  if (strcmp(one->port.settings.host_name, settings.host_name) != 0) one->attempt++;
  one->port.settings = settings;
  text[length] = '\0';
  strcpy(one->port.text, text);
  return true;
}

/* How often a port has got and lost its link (testing/sysfs-class-net); -1 while it has none. */
static int64_t link_of(const struct port *port) {
  char path[PATH_SIZE], changes[16] = "", carrier = '0';
  struct stat status;
  path_of(path, "/sys/class/net", port->device, "/carrier_changes");
  if (small_file_read(path, changes, sizeof changes - 1, &status) < 0) return -1;
  path_of(path, "/sys/class/net", port->device, "/carrier");
  return small_file_read(path, &carrier, 1, &status) == 1 && carrier == '1' ? strtoll(changes, NULL, 10) : -1;
}

/* Writes the answer last: who reads it finds the rest done. */
static void apply(struct network *network, struct port *port) {
  port->result = port_apply(port, &network->netlink);
  if (port->result < 0) journal(LOG_ERR, "%s: %s", port->device, strerror(-port->result));
  write_resolver(network);
  write_answer(network, port);
}

/* An address from before the start is still to be asked for first. */
static void forget_lease(struct network_port *one) {
  if (one->port.lease.type != 0) one->before = (struct in_addr){0};
  one->port.lease = (struct dhcp_answer){0};
}

static void forget_information(struct network_port *one) {
  one->port.informed = false;
  one->asks6 = false;
}

static void set_up(struct network *network, struct network_port *one) {
  struct port *port = &one->port;
  const struct port_settings *settings = &port->settings;
  const char *name = settings->host_name;
  char carrier[sizeof port->carrier];
  strcpy(carrier, port->carrier);
  if (!settings->dhcp.on || !settings->enabled) forget_lease(one);
  if (!settings->dhcp6.on || !settings->enabled) forget_information(one);
  if (name[0] != '\0' && sethostname(name, strlen(name)) < 0) journal(LOG_ERR, "the host name: %s", strerror(errno));
  apply(network, port);
  if (strcmp(carrier, port->carrier) != 0) {
    /* Values of another network do not count here. */
    const bool had_lease = port_has_lease(port);
    forget_lease(one);
    forget_information(one);
    one->attempt++;
    if (had_lease) apply(network, port);
  }
}

static void take_lease(struct network *network, struct network_port *one, const struct dhcp_answer *lease,
                       uint64_t now) {
  char address[INET_ADDRSTRLEN];
  struct port *port = &one->port;
  const bool is_new = !port_has_lease(port) || port->lease.address.s_addr != lease->address.s_addr;
  port->lease = *lease;
  one->before = lease->address;
  one->expires = now + (uint64_t)lease->lease_s * 1000;
  apply(network, port);
  inet_ntop(AF_INET, &lease->address, address, sizeof address);
  if (is_new) journal(LOG_NOTICE, "%s has %s for %u s", port->carrier, address, lease->lease_s);
}

static void lose_lease(struct network *network, struct network_port *one) {
  one->before = (struct in_addr){0};
  if (!port_has_lease(&one->port)) return;
  forget_lease(one);
  apply(network, &one->port);
  journal(LOG_WARNING, "%s has lost its address", one->port.carrier);
}

static void take_information(struct network *network, struct port *port, const struct dhcp6_answer *information) {
  port->information = *information;
  port->informed = true;
  write_resolver(network);
  write_answer(network, port);
  journal(LOG_NOTICE, "%s is told of %zu name servers and %zu of time by DHCPv6", port->carrier,
          information->names.count, information->time.count);
}

/* Flash wears out: a host that invents leases must not cause more than occasional writes. */
static void keep_lease(const struct network *network, struct network_port *one, uint64_t now) {
  char address[INET_ADDRSTRLEN];
  if (!port_has_lease(&one->port) || one->kept.s_addr == one->port.lease.address.s_addr || now < one->keep) return;
  inet_ntop(AF_INET, &one->port.lease.address, address, sizeof address);
  one->keep = now + keep_every_ms;
  if (write_file(network->leases, one->port.device, address, strlen(address), true) == 0)
    one->kept = one->port.lease.address;
}

/* Adds a server to those that are asked for the time, unless it is one of them. */
static void add_time_server(struct netlink_address servers[SNTP_SERVERS_MAX], size_t *count,
                            const struct netlink_address *server) {
  for (size_t i = 0; i < *count; i++)
    if (memcmp(&servers[i], server, sizeof *server) == 0) return;
  if (*count < SNTP_SERVERS_MAX) servers[(*count)++] = *server;
}

/* Who is asked for the time: first those of the settings, then those that DHCP names, and DHCPv6. */
static void choose_time_servers(const struct network *network, struct network_messages_wanted *wanted) {
  struct netlink_address *servers = wanted->time_servers;
  size_t *count = &wanted->time_server_count;
  for (size_t i = 0; i < network->count; i++) {
    const struct port_settings *settings = &network->ports[i].port.settings;
    for (size_t s = 0; !settings->no_time && s < settings->time_server_count; s++)
      add_time_server(servers, count, &settings->time_servers[s]);
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port *port = &network->ports[i].port;
    const struct dhcp_servers *time = &port->lease.time;
    if (port->settings.no_time || !port_has_lease(port) || !port->settings.dhcp.ntp) continue;
    for (size_t s = 0; s < time->count; s++) {
      struct netlink_address server = {.family = AF_INET};
      memcpy(server.bytes, &time->addresses[s], sizeof time->addresses[s]);
      add_time_server(servers, count, &server);
    }
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port *port = &network->ports[i].port;
    if (port->settings.no_time || !port->informed || !port->settings.dhcp6.ntp) continue;
    for (size_t s = 0; s < port->information.time.count; s++)
      add_time_server(servers, count, &port->information.time.addresses[s]);
  }
}

static void choose_port(const struct network_port *one, struct network_messages_port *wanted) {
  const struct port_settings *settings = &one->port.settings;
  strcpy(wanted->interface, one->port.carrier);
  strcpy(wanted->host_name, settings->host_name);
  wanted->before = one->before;
  wanted->attempt = one->attempt;
  wanted->dhcp = settings->dhcp.on && settings->enabled;
  wanted->dhcp6 = one->asks6;
}

/*
 * Whether to ask servers of DHCPv6: if routers are heard, once one of them announces such servers (RFC 4861 4.2).
 * Silence is no reason to forget their values.
 */
static bool has_servers6(struct network *network, const struct network_port *one) {
  const struct port_settings *settings = &one->port.settings;
  uint32_t routers = 0;
  if (!settings->dhcp6.on || !settings->enabled) return false;
  if (!settings->slaac) return true;
  netlink_routers(&network->netlink, if_nametoindex(one->port.carrier), &routers);
  return (routers & NETLINK_ROUTER_HEARD) != 0 && (routers & (NETLINK_ROUTER_OTHER | NETLINK_ROUTER_MANAGED)) != 0;
}

void network_step(struct network *network, uint64_t now) {
  struct network_messages_wanted wanted;
  memset(&wanted, 0, sizeof wanted);
  for (size_t i = 0; i < network->count; i++) {
    struct network_port *one = &network->ports[i];
    if (read_settings(network, one)) set_up(network, one);
    const int64_t link = link_of(&one->port);
    /* The cable may lead to another network now, also if it was out for less than the time between two checks. */
    if (link >= 0 && link != one->link) {
      one->attempt++;
      one->link = link;
    }
    if (!one->asks6 && has_servers6(network, one)) one->asks6 = true;
    if (one->port.lease.type != 0 && now >= one->expires) lose_lease(network, one);
    keep_lease(network, one, now);
    choose_port(one, &wanted.ports[i]);
  }
  choose_time_servers(network, &wanted);
  network_process_step(&network->process, &wanted, now);
}

/* Of what answers servers that are not to be asked any more nothing is taken. */
static void take(struct network *network, const struct network_messages_news *news, uint64_t now) {
  struct network_port *one = &network->ports[news->port];
  const struct port_settings *settings = &one->port.settings;
  if (news->attempt != one->attempt) return;
  if (news->kind == NETWORK_MESSAGES_LEASE && settings->dhcp.on && settings->enabled)
    take_lease(network, one, &news->lease, now);
  if (news->kind == NETWORK_MESSAGES_LEASE_LOST) lose_lease(network, one);
  if (news->kind == NETWORK_MESSAGES_INFORMATION && one->asks6)
    take_information(network, &one->port, &news->information);
}

bool network_read(struct network *network, uint64_t now, int64_t *behind) {
  struct network_messages_news news;
  bool knows_time = false;
  if (now < network->listen) return false;
  unsigned count = 0;
  for (; count < news_at_once && network_process_read(&network->process, network->count, now, &news); count++) {
    if (news.kind == NETWORK_MESSAGES_TIME) {
      *behind = news.behind;
      knows_time = true;
    } else if (news.kind != NETWORK_MESSAGES_ALIVE) take(network, &news, now);
  }
  /* Whoever has taken it over is not to keep this process from its work. */
  if (count == news_at_once) network->listen = now + pause_ms;
  return knows_time;
}

int network_socket(const struct network *network, uint64_t now) {
  return now < network->listen ? -1 : network->process.socket;
}

void network_ended(struct network *network, int status, uint64_t now) {
  network_process_ended(&network->process, status, now);
}

bool network_is_up(const struct network *network) {
  for (size_t i = 0; i < network->count; i++) {
    const struct port_settings *settings = &network->ports[i].port.settings;
    if (settings->enabled && settings->dhcp.on && !port_has_lease(&network->ports[i].port)) return false;
  }
  return true;
}

int network_open_port(uint16_t port) {
  /* networking/ip-sysctl.rst: the first of all ports that need no privilege, of IPv6 too. */
  const int file = open("/proc/sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  const int result = dprintf(file, "%u", port) < 0 ? -errno : 0;
  close(file);
  return result;
}
