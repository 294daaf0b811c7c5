/*
 * The result of the settings of a port (port_settings.h), as a text for the service:
 *
 *   serial 7            of the settings in force, or of those that were refused
 *   result 0            0 or the errno of carrying them out
 *   carrier eth0.12     the device that has the addresses
 *   lease 192.0.2.9     of DHCP; then lease-domain, lease-search
 *   lease-nameserver 192.0.2.53, lease-ntp    of DHCP and DHCPv6
 *   ...                 the settings in force, but for their serial
 *
 * and the name servers and domains of all ports, as resolv.conf(5).
 */
#ifndef MINNOW_NETWORK_FILES_H
#define MINNOW_NETWORK_FILES_H

#include "port.h"

#define NETWORK_FILES_SIZE 8192

/* Writes the result of a port's settings; returns its length. */
size_t network_files_answer(const struct port *port, char bytes[NETWORK_FILES_SIZE]);

/* Writes the content of resolv.conf; returns its length. */
size_t network_files_resolver(const struct port *const *ports, size_t count, char bytes[NETWORK_FILES_SIZE]);

#endif
