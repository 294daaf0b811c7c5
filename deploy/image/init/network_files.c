#include "network_files.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

struct text {
  char *bytes;
  size_t length;
};

/* Omits what does not fit. */
static void say(struct text *text, const char *format, const char *value) {
  const int size = snprintf(text->bytes + text->length, NETWORK_FILES_SIZE - text->length, format, value);
  if (size > 0 && (size_t)size < NETWORK_FILES_SIZE - text->length) text->length += (size_t)size;
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

size_t network_files_answer(const struct port *port, char bytes[NETWORK_FILES_SIZE]) {
  struct text text = {.bytes = bytes};
  const struct dhcp_answer *lease = &port->lease;
  const struct port_settings *settings = &port->settings;
  char address[INET_ADDRSTRLEN], number[16];
  snprintf(number, sizeof number, "%u", port->serial);
  say(&text, "serial %s\n", number);
  snprintf(number, sizeof number, "%d", -port->result);
  say(&text, "result %s\n", number);
  say(&text, "carrier %s\n", port->carrier);
  if (port_has_lease(port)) {
    say(&text, "lease %s\n", inet_ntop(AF_INET, &lease->address, address, sizeof address));
    if (settings->dhcp.dns) say_servers(&text, "lease-nameserver %s\n", &lease->names);
    if (settings->dhcp.ntp) say_servers(&text, "lease-ntp %s\n", &lease->time);
    if (settings->dhcp.domain && lease->domain[0] != '\0') say(&text, "lease-domain %s\n", lease->domain);
    if (settings->dhcp.domain && lease->search[0] != '\0') say(&text, "lease-search %s\n", lease->search);
  }
  if (port->informed && settings->dhcp6.dns)
    say_servers6(&text, "lease-nameserver", &port->information.names, port->carrier);
  if (port->informed && settings->dhcp6.ntp) say_servers6(&text, "lease-ntp", &port->information.time, port->carrier);
  const char *rest = strncmp(port->text, "serial ", 7) == 0 ? strchr(port->text, '\n') + 1 : port->text;
  say(&text, "%s", rest);
  return text.length;
}

/* Domains to search: those of a lease go first, those of DHCPv6 next. Empty: none. */
static const char *domains_of(const struct port *port) {
  const struct port_settings *settings = &port->settings;
  if (port_has_lease(port) && settings->dhcp.domain) {
    if (port->lease.search[0] != '\0') return port->lease.search;
    if (port->lease.domain[0] != '\0') return port->lease.domain;
  }
  if (port->informed && settings->dhcp6.domain && port->information.search[0] != '\0') return port->information.search;
  return settings->domain;
}

size_t network_files_resolver(const struct port *const *ports, size_t count, char bytes[NETWORK_FILES_SIZE]) {
  struct text text = {.bytes = bytes};
  char address[INET6_ADDRSTRLEN];
  for (size_t i = 0; i < count; i++) {
    const struct port_settings *settings = &ports[i]->settings;
    for (size_t s = 0; s < settings->server_count; s++)
      say(&text, "nameserver %s\n",
          inet_ntop(settings->servers[s].family, settings->servers[s].bytes, address, sizeof address));
  }
  for (size_t i = 0; i < count; i++)
    if (port_has_lease(ports[i]) && ports[i]->settings.dhcp.dns)
      say_servers(&text, "nameserver %s\n", &ports[i]->lease.names);
  for (size_t i = 0; i < count; i++)
    if (ports[i]->informed && ports[i]->settings.dhcp6.dns)
      say_servers6(&text, "nameserver", &ports[i]->information.names, ports[i]->carrier);
  for (size_t i = 0; i < count; i++) {
    const char *domains = domains_of(ports[i]);
    if (domains[0] == '\0') continue;
    say(&text, "search %s\n", domains);
    break;
  }
  return text.length;
}
