#include "port_settings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { LINE_SIZE = 320 };

static int read_number(const char *text, unsigned long least, unsigned long most, unsigned long *number) {
  char *end;
  if (*text < '0' || *text > '9') return -EINVAL;
  errno = 0;
  *number = strtoul(text, &end, 10);
  return errno != 0 || *end != '\0' || *number < least || *number > most ? -EINVAL : 0;
}

static int read_flag(const char *text, bool *flag) {
  unsigned long number = 0;
  const int result = read_number(text, 0, 1, &number);
  *flag = number == 1;
  return result;
}

static int read_address(const char *text, struct netlink_address *address) {
  *address = (struct netlink_address){.family = strchr(text, ':') ? AF_INET6 : AF_INET};
  return inet_pton(address->family, text, address->bytes) == 1 ? 0 : -EINVAL;
}

static int read_prefix(char *text, struct netlink_address *address) {
  unsigned long prefix = 0;
  char *slash = strchr(text, '/');
  if (!slash) return -EINVAL;
  *slash = '\0';
  if (read_address(text, address) < 0) return -EINVAL;
  const int result = read_number(slash + 1, 1, netlink_address_length(address->family) * 8, &prefix);
  address->prefix = (uint8_t)prefix;
  return result;
}

bool port_settings_is_name(const char *name, size_t length) {
  size_t label = 0;
  for (size_t at = 0; at < length; at++) {
    const char c = name[at];
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
      continue;
    }
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain || ++label > 63) return false;
  }
  return label > 0 && length < 254;
}

static int read_name(const char *text, char *name, size_t size) {
  const size_t length = strlen(text);
  if (length >= size || !port_settings_is_name(text, length)) return -EINVAL;
  memcpy(name, text, length + 1);
  return 0;
}

static int read_vlan(char *text, struct port_settings *settings) {
  unsigned long id = 0, priority = 0;
  char *space = strchr(text, ' ');
  if (!space) return -EINVAL;
  *space = '\0';
  if (read_number(text, 1, 4094, &id) < 0 || read_number(space + 1, 0, 7, &priority) < 0) return -EINVAL;
  settings->vlan = (uint16_t)id;
  settings->priority = (uint8_t)priority;
  return 0;
}

/* `routes`: the server may name a gateway. */
static int read_dhcp(char *text, struct port_dhcp *dhcp, bool routes) {
  char *rest = NULL;
  *dhcp = (struct port_dhcp){.on = true};
  for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    if (strcmp(word, "dns") == 0) dhcp->dns = true;
    else if (strcmp(word, "domain") == 0) dhcp->domain = true;
    else if (strcmp(word, "gateway") == 0 && routes) dhcp->gateway = true;
    else if (strcmp(word, "ntp") == 0) dhcp->ntp = true;
    else return -EINVAL;
  }
  return 0;
}

static int set(struct port_settings *settings, const char *name, char *value) {
  unsigned long number = 0;
  struct netlink_address address;
  int result = -EINVAL;
  if (strcmp(name, "serial") == 0) {
    result = read_number(value, 0, UINT32_MAX, &number);
    settings->serial = (uint32_t)number;
  } else if (strcmp(name, "enabled") == 0) result = read_flag(value, &settings->enabled);
  else if (strcmp(name, "ntp") == 0) {
    bool on;
    result = read_flag(value, &on);
    settings->no_time = !on;
  } else if (strcmp(name, "slaac") == 0) result = read_flag(value, &settings->slaac);
  else if (strcmp(name, "mtu") == 0) {
    result = read_number(value, 68, 65535, &number);
    settings->mtu = (uint32_t)number;
  } else if (strcmp(name, "vlan") == 0) result = read_vlan(value, settings);
  else if (strcmp(name, "dhcp") == 0) result = read_dhcp(value, &settings->dhcp, true);
  else if (strcmp(name, "dhcp6") == 0) result = read_dhcp(value, &settings->dhcp6, false);
  else if (strcmp(name, "address") == 0) {
    if (settings->address_count == PORT_ADDRESSES_MAX) return -EINVAL;
    result = read_prefix(value, &settings->addresses[settings->address_count++]);
  } else if (strcmp(name, "gateway") == 0) {
    result = read_address(value, &address);
    if (result == 0) *(address.family == AF_INET ? &settings->gateway4 : &settings->gateway6) = address;
  } else if (strcmp(name, "nameserver") == 0) {
    if (settings->server_count == PORT_SERVERS_MAX) return -EINVAL;
    result = read_address(value, &settings->servers[settings->server_count++]);
  } else if (strcmp(name, "timeserver") == 0) {
    if (settings->time_server_count == PORT_SERVERS_MAX) return -EINVAL;
    result = read_address(value, &settings->time_servers[settings->time_server_count++]);
  } else if (strcmp(name, "hostname") == 0) result = read_name(value, settings->host_name, sizeof settings->host_name);
  else if (strcmp(name, "domain") == 0) result = read_name(value, settings->domain, sizeof settings->domain);
  return result;
}

int port_settings_read(const char *text, size_t size, struct port_settings *settings) {
  char line[LINE_SIZE];
  *settings = (struct port_settings){.mtu = 1500};
  if (size > PORT_SETTINGS_SIZE || memchr(text, '\0', size)) return -EINVAL;
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    if (!end) return -EINVAL;
    const size_t length = (size_t)(end - text) - at;
    if (length >= sizeof line) return -EINVAL;
    memcpy(line, text + at, length);
    line[length] = '\0';
    at += length + 1;
    char *space = strchr(line, ' ');
    if (space) *space = '\0';
    if (set(settings, line, space ? space + 1 : line + length) < 0) return -EINVAL;
  }
  return 0;
}
