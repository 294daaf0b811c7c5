/* The process and its machine for JavaScript. */
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "binding.h"
#include "runtime/embedded/seccomp.h"
#include "system.h"

extern char **environ;

static void set_text(napi_env env, napi_value object, const char *name, const char *value) {
  napi_set_named_property(env, object, name, text_give(env, value));
}

static napi_value describe_error(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  const int code = int_take(env, values[0]);
  napi_value result;
  napi_create_object(env, &result);
  set_text(env, result, "code", uv_err_name(code));
  set_text(env, result, "text", uv_strerror(code));
  return result;
}

static napi_value environment(napi_env env, napi_callback_info info) {
  napi_value result, name;
  (void)info;
  napi_create_object(env, &result);
  for (char **entry = environ; *entry; entry++) {
    const char *equals = strchr(*entry, '=');
    if (!equals) continue;
    napi_create_string_utf8(env, *entry, (size_t)(equals - *entry), &name);
    napi_set_property(env, result, name, text_give(env, equals + 1));
  }
  return result;
}

static napi_value working_folder(napi_env env, napi_callback_info info) {
  char path[PATH_MAX];
  (void)info;
  return !getcwd(path, sizeof path) ? number_give(env, -errno) : text_give(env, path);
}

static napi_value process_id(napi_env env, napi_callback_info info) {
  (void)info;
  return number_give(env, getpid());
}

/* isTerminal(fd) */
static napi_value is_terminal(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return number_give(env, isatty(int_take(env, values[0])));
}

static napi_value signal_process(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return number_give(env, kill(int_take(env, values[0]), int_take(env, values[1])) < 0 ? -errno : 0);
}

/* confine(programs) */
static napi_value confine(napi_env env, napi_callback_info info) {
  napi_value values[ARGUMENTS_MAX];
  arguments_take(env, info, ARGUMENTS_MAX, values);
  return number_give(env, seccomp_install(truth_take(env, values[0])));
}

static napi_value resident_memory(napi_env env, napi_callback_info info) {
  size_t bytes;
  (void)info;
  const int result = system_resident_memory(&bytes);
  return number_give(env, result < 0 ? result : (double)bytes);
}

static napi_value monotonic_time(napi_env env, napi_callback_info info) {
  napi_value result;
  (void)info;
  return napi_create_bigint_uint64(env, uv_hrtime(), &result) == napi_ok ? result : NULL;
}

static napi_value monotonic_milliseconds(napi_env env, napi_callback_info info) {
  (void)info;
  return number_give(env, (double)uv_hrtime() / 1e6);
}

static napi_value host_name(napi_env env, napi_callback_info info) {
  char name[UV_MAXHOSTNAMESIZE];
  (void)info;
  if (gethostname(name, sizeof name) < 0) return number_give(env, -errno);
  name[sizeof name - 1] = '\0';
  return text_give(env, name);
}

static napi_value describe_interface(napi_env env, const uv_interface_address_t *interface) {
  char address[INET6_ADDRSTRLEN], mask[INET6_ADDRSTRLEN], hardware[18];
  const unsigned char *mac = (const unsigned char *)interface->phys_addr;
  const bool is_v6 = interface->address.address4.sin_family == AF_INET6;
  napi_value result, internal;
  if (is_v6) {
    uv_ip6_name(&interface->address.address6, address, sizeof address);
    uv_ip6_name(&interface->netmask.netmask6, mask, sizeof mask);
  } else {
    uv_ip4_name(&interface->address.address4, address, sizeof address);
    uv_ip4_name(&interface->netmask.netmask4, mask, sizeof mask);
  }
  snprintf(hardware, sizeof hardware, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
  napi_create_object(env, &result);
  set_text(env, result, "name", interface->name);
  set_text(env, result, "address", address);
  set_text(env, result, "netmask", mask);
  set_text(env, result, "family", is_v6 ? "IPv6" : "IPv4");
  set_text(env, result, "mac", hardware);
  napi_get_boolean(env, interface->is_internal != 0, &internal);
  napi_set_named_property(env, result, "internal", internal);
  if (is_v6)
    napi_set_named_property(env, result, "scopeid", number_give(env, interface->address.address6.sin6_scope_id));
  return result;
}

static napi_value network_interfaces(napi_env env, napi_callback_info info) {
  uv_interface_address_t *interfaces;
  int count;
  napi_value result;
  (void)info;
  const int listed = uv_interface_addresses(&interfaces, &count);
  if (listed < 0) return number_give(env, listed);
  napi_create_array(env, &result);
  for (int i = 0; i < count; i++) napi_set_element(env, result, (uint32_t)i, describe_interface(env, &interfaces[i]));
  uv_free_interface_addresses(interfaces, count);
  return result;
}

const struct exported system_process[] = {
    {"describeError", describe_error},
    {"environment", environment},
    {"cwd", working_folder},
    {"pid", process_id},
    {"isTerminal", is_terminal},
    {"kill", signal_process},
    {"confine", confine},
    {"residentMemory", resident_memory},
    {"monotonicTime", monotonic_time},
    {"now", monotonic_milliseconds},
    {"hostname", host_name},
    {"networkInterfaces", network_interfaces},
    {NULL, NULL},
};
