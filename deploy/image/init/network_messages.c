#include "network_messages.h"

#include <errno.h>
#include <string.h>

#include "clock.h"

int network_messages_take(const void *message, size_t length, size_t ports, int64_t earliest,
                          struct network_messages_news *news) {
  bool right = false;
  if (length != sizeof *news) return -EBADMSG;
  memcpy(news, message, sizeof *news);
  const bool of_port = news->port < ports;
  switch (news->kind) {
    case NETWORK_MESSAGES_ALIVE: right = true; break;
    case NETWORK_MESSAGES_LEASE: right = of_port && news->lease.type == DHCP_ACK && dhcp_is_usable(&news->lease); break;
    case NETWORK_MESSAGES_LEASE_LOST: right = of_port; break;
    case NETWORK_MESSAGES_INFORMATION: right = of_port && dhcp6_is_usable(&news->information); break;
    case NETWORK_MESSAGES_TIME: right = clock_may_be(news->behind, earliest); break;
  }
  return right ? 0 : -EBADMSG;
}
