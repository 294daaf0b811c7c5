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
#include "small_file.h"

enum { PATH_SIZE = 128, ANSWER_SIZE = 8192 };

void network_init(struct network *network, const char *settings, const char *defaults, const char *answers,
                  const char *leases, int64_t earliest) {
  *network = (struct network){
      .settings = settings, .defaults = defaults, .answers = answers, .leases = leases, .netlink = {.socket = -1}};
  sntp_init(&network->sntp, earliest);
}

static void path_of(char path[PATH_SIZE], const char *folder, const char *name, const char *suffix) {
  snprintf(path, PATH_SIZE, "%s/%s%s", folder, name, suffix);
}

/* Whole or not at all. */
static void write_file(const char *folder, const char *name, const char *text, size_t length, bool durable) {
  char path[PATH_SIZE], beside[PATH_SIZE];
  path_of(path, folder, name, "");
  path_of(beside, folder, name, ".new");
  const int file = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  int result = file < 0 ? -errno : 0;
  if (result == 0 && write(file, text, length) != (ssize_t)length) result = -EIO;
  if (result == 0 && durable && fsync(file) < 0) result = -errno;
  if (file >= 0) close(file);
  if (result == 0 && rename(beside, path) < 0) result = -errno;
  if (result < 0) journal(LOG_ERR, "%s: %s", path, strerror(-result));
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
  dhcp_init(&one->port.dhcp, device);
  dhcp6_init(&one->dhcp6, device);
  path_of(path, network->leases, device, "");
  const ssize_t length = small_file_read(path, text, sizeof text - 1, &status);
  if (length > 0 && inet_pton(AF_INET, text, &one->port.dhcp.before) != 1) one->port.dhcp.before.s_addr = 0;
  network->count++;
  return 0;
}

struct text {
  char bytes[ANSWER_SIZE];
  size_t length;
};

static void say(struct text *text, const char *format, const char *value) {
  const int size = snprintf(text->bytes + text->length, sizeof text->bytes - text->length, format, value);
  if (size > 0 && (size_t)size < sizeof text->bytes - text->length) text->length += (size_t)size;
}

static void say_servers(struct text *text, const char *format, const struct dhcp_servers *servers) {
  char address[INET_ADDRSTRLEN];
  for (size_t i = 0; i < servers->count; i++)
    say(text, format, inet_ntop(AF_INET, &servers->addresses[i], address, sizeof address));
}

/* An address of a link has no meaning without its device (resolv.conf(5)). */
static void say_servers6(struct text *text, const char *name, const struct dhcp6_servers *servers, const char *device) {
  char address[INET6_ADDRSTRLEN], line[INET6_ADDRSTRLEN + 64];
  for (size_t i = 0; i < servers->count; i++) {
    const uint8_t *bytes = servers->addresses[i].bytes;
    const bool of_link = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
    inet_ntop(AF_INET6, bytes, address, sizeof address);
    snprintf(line, sizeof line, "%s %s%s%s\n", name, address, of_link ? "%" : "", of_link ? device : "");
    say(text, "%s", line);
  }
}

static void write_answer(const struct network *network, const struct network_port *one) {
  static struct text text;
  const struct dhcp_answer *lease = &one->port.dhcp.chosen;
  const struct port_settings *settings = &one->port.settings;
  char address[INET_ADDRSTRLEN], number[16];
  text.length = 0;
  snprintf(number, sizeof number, "%u", one->serial);
  say(&text, "serial %s\n", number);
  snprintf(number, sizeof number, "%d", -one->result);
  say(&text, "result %s\n", number);
  say(&text, "carrier %s\n", one->port.carrier);
  if (port_has_lease(&one->port)) {
    say(&text, "lease %s\n", inet_ntop(AF_INET, &lease->address, address, sizeof address));
    if (settings->dhcp.dns) say_servers(&text, "lease-nameserver %s\n", &lease->names);
    if (settings->dhcp.ntp) say_servers(&text, "lease-ntp %s\n", &lease->time);
    if (settings->dhcp.domain && lease->domain[0] != '\0') say(&text, "lease-domain %s\n", lease->domain);
    if (settings->dhcp.domain && lease->search[0] != '\0') say(&text, "lease-search %s\n", lease->search);
  }
  if (one->dhcp6.answered && settings->dhcp6.dns)
    say_servers6(&text, "lease-nameserver", &one->dhcp6.answer.names, one->port.carrier);
  if (one->dhcp6.answered && settings->dhcp6.ntp)
    say_servers6(&text, "lease-ntp", &one->dhcp6.answer.time, one->port.carrier);
  const char *rest = strncmp(one->text, "serial ", 7) == 0 ? strchr(one->text, '\n') + 1 : one->text;
  say(&text, "%s", rest);
  write_file(network->answers, one->port.device, text.bytes, text.length, false);
}

static void write_resolver(const struct network *network) {
  static struct text text;
  char address[INET6_ADDRSTRLEN];
  text.length = 0;
  for (size_t i = 0; i < network->count; i++) {
    const struct port_settings *settings = &network->ports[i].port.settings;
    for (size_t s = 0; s < settings->server_count; s++)
      say(&text, "nameserver %s\n",
          inet_ntop(settings->servers[s].family, settings->servers[s].bytes, address, sizeof address));
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port *port = &network->ports[i].port;
    if (port_has_lease(port) && port->settings.dhcp.dns)
      say_servers(&text, "nameserver %s\n", &port->dhcp.chosen.names);
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct network_port *one = &network->ports[i];
    if (one->dhcp6.answered && one->port.settings.dhcp6.dns)
      say_servers6(&text, "nameserver", &one->dhcp6.answer.names, one->port.carrier);
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port *port = &network->ports[i].port;
    const struct dhcp_answer *lease = &port->dhcp.chosen;
    const bool leased = port_has_lease(port) && port->settings.dhcp.domain;
    const struct dhcp6 *dhcp6 = &network->ports[i].dhcp6;
    const char *domains = port->settings.domain;
    if (dhcp6->answered && port->settings.dhcp6.domain && dhcp6->answer.search[0] != '\0')
      domains = dhcp6->answer.search;
    if (leased && lease->domain[0] != '\0') domains = lease->domain;
    if (leased && lease->search[0] != '\0') domains = lease->search;
    if (domains[0] != '\0') {
      say(&text, "search %s\n", domains);
      break;
    }
  }
  write_file(network->answers, "resolv.conf", text.bytes, text.length, false);
}

static bool is_new(const struct stat *read, const struct stat *status) {
  return read->st_ino != status->st_ino || read->st_dev != status->st_dev || read->st_size != status->st_size ||
         read->st_mtim.tv_sec != status->st_mtim.tv_sec || read->st_mtim.tv_nsec != status->st_mtim.tv_nsec;
}

/* True when there are other settings than before: they are in force from then on, but where they cannot be read. */
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
  one->serial = length < 0 ? 0 : settings.serial;
  one->result = result;
  if (result < 0) {
    journal(LOG_ERR, "%s: %s", path, strerror(-result));
    write_answer(network, one);
    return false;
  }
  one->port.settings = settings;
  text[length] = '\0';
  strcpy(one->text, text);
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

/* The answer is the last of it all: whoever sees it finds the rest done. */
static void apply(struct network *network, struct network_port *one) {
  one->result = port_apply(&one->port, &network->netlink);
  if (one->result < 0) journal(LOG_ERR, "%s: %s", one->port.device, strerror(-one->result));
  write_resolver(network);
  write_answer(network, one);
}

/* The settings say what the client of DHCP is to do. */
static void set_up(struct network *network, struct network_port *one, uint64_t now) {
  struct port *port = &one->port;
  struct dhcp *dhcp = &port->dhcp;
  const char *name = port->settings.host_name;
  char carrier[sizeof port->carrier];
  strcpy(carrier, port->carrier);
  if (!port->settings.dhcp.on || !port->settings.enabled) dhcp_stop(dhcp);
  if (!port->settings.dhcp6.on || !port->settings.enabled) dhcp6_stop(&one->dhcp6);
  if (name[0] != '\0' && sethostname(name, strlen(name)) < 0) journal(LOG_ERR, "the host name: %s", strerror(errno));
  apply(network, one);
  if (strcmp(carrier, port->carrier) != 0) {
    dhcp_stop(dhcp);
    strcpy(dhcp->interface, port->carrier);
    dhcp6_stop(&one->dhcp6);
    strcpy(one->dhcp6.interface, port->carrier);
  }
  if (strcmp(dhcp->host_name, name) != 0) {
    strcpy(dhcp->host_name, name);
    /* The server learns the new name. */
    dhcp_again(dhcp, now);
  }
}

static void keep_lease(struct network *network, struct network_port *one) {
  char address[INET_ADDRSTRLEN];
  const struct port *port = &one->port;
  const bool has = port_has_lease(port);
  one->had_lease = has;
  apply(network, one);
  if (!has) {
    journal(LOG_WARNING, "%s has lost its address", port->carrier);
    return;
  }
  inet_ntop(AF_INET, &port->dhcp.chosen.address, address, sizeof address);
  journal(LOG_NOTICE, "%s has %s for %u s", port->carrier, address, port->dhcp.chosen.lease_s);
  write_file(network->leases, port->device, address, strlen(address), true);
}

/* Adds a server to those that are asked for the time, where it is none of them yet. */
static void add_time_server(struct netlink_address servers[SNTP_SERVERS_MAX], size_t *count,
                            const struct netlink_address *server) {
  for (size_t i = 0; i < *count; i++)
    if (memcmp(&servers[i], server, sizeof *server) == 0) return;
  if (*count < SNTP_SERVERS_MAX) servers[(*count)++] = *server;
}

/* Who is asked for the time: first those of the settings, then those that DHCP names. */
static void choose_time_servers(struct network *network) {
  struct netlink_address servers[SNTP_SERVERS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < network->count; i++) {
    const struct port_settings *settings = &network->ports[i].port.settings;
    for (size_t s = 0; !settings->no_time && s < settings->time_server_count; s++)
      add_time_server(servers, &count, &settings->time_servers[s]);
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port *port = &network->ports[i].port;
    const struct dhcp_servers *time = &port->dhcp.chosen.time;
    if (port->settings.no_time || !port_has_lease(port) || !port->settings.dhcp.ntp) continue;
    for (size_t s = 0; s < time->count; s++) {
      struct netlink_address server = {.family = AF_INET};
      memcpy(server.bytes, &time->addresses[s], sizeof time->addresses[s]);
      add_time_server(servers, &count, &server);
    }
  }
  for (size_t i = 0; i < network->count; i++) {
    const struct port_settings *settings = &network->ports[i].port.settings;
    const struct dhcp6 *dhcp6 = &network->ports[i].dhcp6;
    for (size_t s = 0; dhcp6->answered && !settings->no_time && settings->dhcp6.ntp && s < dhcp6->answer.time.count;
         s++)
      add_time_server(servers, &count, &dhcp6->answer.time.addresses[s]);
  }
  sntp_serve(&network->sntp, servers, count);
}

/*
 * Whether servers of DHCPv6 are to be asked: where routers are heard, once one of them says that there are some (RFC 4861 4.2).
 * That none says so any more is no reason to forget what they told.
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
  for (size_t i = 0; i < network->count; i++) {
    struct network_port *one = &network->ports[i];
    struct dhcp *dhcp = &one->port.dhcp;
    if (read_settings(network, one)) set_up(network, one, now);
    const int64_t link = link_of(&one->port);
    /* The cable may lead to another network now, also where it was out for less than the time between two looks. */
    if (link >= 0 && link != one->link) {
      if (one->port.settings.dhcp.on) dhcp_again(dhcp, now);
      if (one->dhcp6.started) dhcp6_start(&one->dhcp6, now);
      one->link = link;
    }
    if (one->port.settings.dhcp.on && one->port.settings.enabled) dhcp_step(dhcp, now);
    if (!one->dhcp6.started && has_servers6(network, one)) dhcp6_start(&one->dhcp6, now);
    dhcp6_step(&one->dhcp6, now);
    if (one->had_lease != port_has_lease(&one->port) && !dhcp->before.s_addr) keep_lease(network, one);
  }
  choose_time_servers(network);
  sntp_step(&network->sntp, now);
}

static void keep_information(struct network *network, struct network_port *one) {
  write_resolver(network);
  write_answer(network, one);
  journal(LOG_NOTICE, "%s is told of %zu name servers and %zu of time by DHCPv6", one->port.carrier,
          one->dhcp6.answer.names.count, one->dhcp6.answer.time.count);
}

bool network_read(struct network *network, uint64_t now, int64_t *behind) {
  for (size_t i = 0; i < network->count; i++) {
    struct network_port *one = &network->ports[i];
    if (one->dhcp6.socket >= 0 && dhcp6_read(&one->dhcp6, now) > 0) keep_information(network, one);
    const struct in_addr before = one->port.dhcp.chosen.address;
    if (one->port.dhcp.socket < 0 || dhcp_read(&one->port.dhcp, now) <= 0) continue;
    if (!one->had_lease || before.s_addr != one->port.dhcp.chosen.address.s_addr) keep_lease(network, one);
    else write_answer(network, one);
  }
  return sntp_read(&network->sntp, now, behind);
}

void network_events(const struct network *network, struct pollfd events[NETWORK_EVENTS]) {
  events[NETWORK_EVENTS - 1] = (struct pollfd){.fd = network->sntp.socket, .events = POLLIN};
  for (size_t i = 0; i < NETWORK_PORTS_MAX; i++) {
    const bool present = i < network->count;
    events[2 * i] = (struct pollfd){.fd = present ? network->ports[i].port.dhcp.socket : -1, .events = POLLIN};
    events[2 * i + 1] = (struct pollfd){.fd = present ? network->ports[i].dhcp6.socket : -1, .events = POLLIN};
  }
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
