/*
 * Process 1 of the firmware image, in the initial RAM disk: drivers, the read-only root, the data partition, clock and
 * network; then it keeps the service running, and the hardware's watchdog quiet for as long as the service answers. A
 * service that ends is started again; one that hangs, or never starts, is left to the watchdog, which resets the board.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syslog.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "journal.h"
#include "network.h"
#include "probe.h"
#include "reset_line.h"
#include "seed.h"
#include "service.h"
#include "settings.h"
#include "slot.h"
#include "storage.h"
#include "user.h"

#define PASSWORD_FILE "/etc/minnow/password"
#define TEMPORARY "/run/minnow"
#define PORT_FILE TEMPORARY "/port"
#define CLOCK_FILE TEMPORARY "/clock"
#define DEFAULTS "/etc/minnow/network"
#define ANSWERS "/run/network"
#define LEASES "/var/leases"
#define NAME_SIZE 32
#define LOSS_SIZE 128
#define DATA "rwfs"
#define ASIDE "rwfs-damaged"

static const char settings_file[] = "/etc/minnow/init.conf", clock_file[] = "/var/clock", seed_file[] = "/var/seed";
static const uint64_t keep_clock_every_ms = 600000;
static const int tick_ms = 1000;
/* The service makes its certificate for the addresses that there are; it does not wait longer for one. */
static const uint64_t wait_for_address_ms = 10000;
static const unsigned failure_s = 10, ends_before_restart = 3;

/* Without this the board is unusable, and it has no console for a command. */
static void must(int result, const char *what) {
  if (result >= 0) return;
  journal(LOG_CRIT, "%s: %s; the board restarts", what, strerror(-result));
  sync();
  sleep(failure_s);
  reboot(RB_AUTOBOOT);
}

static void should(int result, const char *what) {
  if (result < 0) journal(LOG_ERR, "%s: %s", what, strerror(-result));
}

/* The descriptor of the watchdog, from now on armed, or a negative errno. */
static int arm_watchdog(unsigned seconds) {
  int timeout = (int)seconds;
  const int watchdog = open("/dev/watchdog", O_WRONLY | O_CLOEXEC);
  if (watchdog < 0) return -errno;
  if (ioctl(watchdog, WDIOC_SETTIMEOUT, &timeout) < 0) {
    const int result = -errno;
    close(watchdog);
    return result;
  }
  return watchdog;
}

/* A slot whose root is damaged never starts again: the other one does, if there is a kernel in it. */
static void enter_root(char slot) {
  char root[] = "rofs-a", kernel[] = "kernel-a", other[] = "kernel-a";
  root[sizeof root - 2] = kernel[sizeof kernel - 2] = slot;
  other[sizeof other - 2] = slot_idle(slot);
  const int entered = storage_enter_root(root, "/rofs");
  if (entered == -EBADMSG && storage_give_up(kernel, other) == 0)
    journal(LOG_CRIT, "slot %c is damaged, and given up", slot);
  must(entered, root);
}

/*
 * Mounts the data partition. One that the kernel refuses twice, though each byte of it can be read, has nothing that it
 * could repair: the board starts with an empty one, or it would never serve again. A chip that fails is not erased. The
 * loss is described in `loss`, which stays empty otherwise.
 */
static void mount_data(int watchdog, char *loss, size_t size) {
  int mounted = storage_mount_data(DATA, "/var");
  if (mounted == -EIO) mounted = storage_mount_data(DATA, "/var");
  if (mounted == -EIO && storage_check(DATA) == 0) {
    const int copied = storage_copy(DATA, ASIDE, watchdog);
    if (copied != -ENODEV) should(copied, ASIDE);
    snprintf(loss, size, "the data partition is damaged beyond repair; it is erased%s",
             copied == 0 ? ", and what it held is in " ASIDE : "");
    journal(LOG_CRIT, "%s", loss);
    must(storage_erase(DATA, watchdog), "the erasure of the data partition");
    mounted = storage_mount_data(DATA, "/var");
  }
  must(mounted, "the data partition");
}

/* Leaves a line for the service in its folder. It is there also after a power cut, until the service removes it. */
static int tell(const struct settings *settings, const char *name, const char *line) {
  char path[SETTINGS_PATH_SIZE + NAME_SIZE];
  snprintf(path, sizeof path, "%s/%s", settings->data, name);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return -errno;
  const int result = dprintf(file, "%s\n", line) > 0 && fsync(file) == 0 ? 0 : -EIO;
  close(file);
  return result;
}

/*
 * As the service writes down a loss of its own, before it has reported it. `cause` has nothing that JSON would have to
 * quote.
 */
static int tell_loss(const struct settings *settings, const char *cause) {
  char line[LOSS_SIZE + 40];
  snprintf(line, sizeof line, "{\"cause\":\"%s\",\"source\":\"New\"}", cause);
  return tell(settings, "store.loss", line);
}

/* The service does it, as it does for a client: at its next start, before anything else. */
static void restore_defaults(const struct settings *settings, const char *why) {
  journal(LOG_WARNING, "%s: the factory defaults are restored", why);
  should(tell(settings, "factory-reset", why), "factory-reset");
}

/* Before each start: a device may appear late. The service also owns the slot that does not run, to update it. */
static void grant_devices(const struct settings *settings) {
  static const char *const parts[] = {"kernel", "rofs"};
  char path[64];
  for (size_t i = 0; i < settings->grant_count; i++)
    should(user_grant(settings->user, settings->grants[i]), settings->grants[i]);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    snprintf(path, sizeof path, "/dev/mtd/by-name/%s-%c", parts[i], slot_idle(slot_running()));
    if (access(path, F_OK) == 0) should(user_grant(settings->user, path), path);
  }
}

/* A client of the service may want another time than that of the network. */
static void set_clock(void) {
  int64_t behind;
  const int asked = clock_take(CLOCK_FILE, &behind);
  if (asked <= 0) {
    should(asked, CLOCK_FILE);
    return;
  }
  const int result = clock_correct(behind, true);
  should(result, "the clock");
  if (result < 0) return;
  journal(LOG_NOTICE, "the clock is set by %lld ms", (long long)(behind / 1000000));
  should(clock_keep(clock_file), clock_file);
}

/* Collects the processes that have ended, also orphaned ones. */
static void reap(struct service *service, struct network *network, uint64_t now) {
  int status;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended == service->process) service_ended(service, status, now);
    if (ended == network->process.process) network_ended(network, status, now);
  }
}

/* Runs the service until a signal, the service or the button tells the board to restart, or it does not come up. */
static void supervise(const struct settings *settings, struct service *service, struct network *network,
                      struct reset_line *line, int watchdog, int signals) {
  struct probe probe;
  probe_init(&probe, settings->port, PORT_FILE);
  service->restart.next = clock_monotonic() + wait_for_address_ms;
  uint64_t healthy_until = clock_monotonic() + (uint64_t)settings->start_s * 1000, clock_kept = clock_monotonic();
  pid_t reported = 0;
  bool healthy = true, known = false;
  int64_t behind;
  for (;;) {
    const uint64_t now = clock_monotonic();
    if (reset_line_is_held(line, now)) {
      restore_defaults(settings, "the reset line is held");
      return;
    }
    set_clock();
    network_step(network, now);
    if (service->restart.started == 0 && network_is_up(network)) service->restart.next = now;
    if (service->process == 0 && now >= service->restart.next) grant_devices(settings);
    service_step(service, now);
    probe_step(&probe, now);
    if (probe.answered != 0) healthy_until = probe.answered + (uint64_t)settings->silence_s * 1000;
    if (probe.answered == now && reported != service->process) {
      journal(LOG_NOTICE, "the service answers, with %llu KiB of memory",
              (unsigned long long)service_memory(service) / 1024);
      if (reported == 0) should(seed_keep(seed_file), seed_file);
      reported = service->process;
    }
    if (healthy && now >= healthy_until)
      journal(LOG_ALERT, "the service does not answer; the board is left to the watchdog");
    healthy = now < healthy_until;
    if (healthy && watchdog >= 0) ioctl(watchdog, WDIOC_KEEPALIVE, 0);
    if (now - clock_kept >= keep_clock_every_ms) {
      should(clock_keep(clock_file), clock_file);
      clock_kept = now;
    }
    struct pollfd events[] = {{.fd = signals, .events = POLLIN},
                              {.fd = service->output, .events = POLLIN},
                              {.fd = probe.socket, .events = probe_events(&probe)},
                              {.fd = network_socket(network, now), .events = POLLIN}};
    poll(events, sizeof events / sizeof events[0], tick_ms);
    if (events[1].revents != 0) service_read(service);
    if (network_read(network, clock_monotonic(), &behind)) {
      /* After the first answer the clock is right, and is adjusted without a step. */
      should(clock_correct(behind, !known), "the clock");
      if (!known) journal(LOG_NOTICE, "the clock was %lld ms behind", (long long)(behind / 1000000));
      if (!known) should(clock_keep(clock_file), clock_file);
      known = true;
    }
    struct signalfd_siginfo signal;
    while (read(signals, &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo != SIGCHLD) return;
      reap(service, network, clock_monotonic());
      if (service->reset) return;
      /* The boot loader counts the starts of a version that is on trial. */
      if (probe.answered == 0 && service->ends == ends_before_restart) {
        journal(LOG_ALERT, "the service does not come up");
        return;
      }
    }
  }
}

int main(void) {
  struct settings settings = {.watchdog_s = 30, .start_s = 120, .silence_s = 30, .port = 443};
  static char *const arguments[] = {"/usr/bin/minnow", "--config", "/etc/minnow/minnow.json", NULL};
  static char *environment[] = {"PATH=/usr/bin", "HOME=/var", "TMPDIR=" TEMPORARY, NULL, NULL};
  static struct network network;
  struct service service;
  struct reset_line line = {.line = -1};
  char wanted[SETTINGS_PATH_SIZE + sizeof "/network"], loss[LOSS_SIZE] = "";
  sigset_t watched;

  if (getpid() != 1) return 1;
  sigemptyset(&watched);
  for (const int *signal = (const int[]){SIGCHLD, SIGTERM, SIGINT, 0}; *signal != 0; signal++)
    sigaddset(&watched, *signal);
  sigprocmask(SIG_BLOCK, &watched, NULL);
  const int signals = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);

  const int mounted = storage_mount_kernel();
  journal_open();
  must(mounted, "the file systems of the kernel");
  int watchdog = arm_watchdog(settings.start_s);
  should(watchdog, "the watchdog");
  reboot(RB_DISABLE_CAD);
  enter_root(slot_running());
  should(storage_name_partitions(), "the names of the partitions");
  journal(LOG_NOTICE, "slot %c runs", slot_running());
  must(settings_read(settings_file, &settings), settings_file);
  mount_data(watchdog, loss, sizeof loss);
  should(user_folder(settings.user, settings.data), settings.data);
  if (loss[0] != '\0') should(tell_loss(&settings, loss), "store.loss");
  if (settings.reset_line[0] != '\0')
    should(reset_line_open(&line, settings.reset_line, !settings.reset_line_high), settings.reset_line);
  if (reset_line_is_set(&line)) restore_defaults(&settings, "the reset line is set at the start");
  should(user_folder(settings.user, TEMPORARY), TEMPORARY);
  should(seed_use(seed_file), "the random seed");
  should(clock_restore("/etc/minnow", clock_file), "the clock");
  snprintf(wanted, sizeof wanted, "%s/network", settings.data);
  should(user_folder(settings.user, wanted), wanted);
  should(mkdir(ANSWERS, 0755) < 0 ? -errno : 0, ANSWERS);
  should(mkdir(LEASES, 0700) < 0 && errno != EEXIST ? -errno : 0, LEASES);
  network_init(&network, wanted, DEFAULTS, ANSWERS, LEASES, settings.network_user, clock_of("/etc/minnow"));
  should(port_start(&network.netlink, "lo"), "lo");
  should(network_open_port(settings.port), "the port");
  for (size_t i = 0; i < settings.interface_count; i++)
    should(network_add(&network, settings.interfaces[i]), settings.interfaces[i]);
  if (watchdog >= 0) {
    int timeout = (int)settings.watchdog_s;
    should(ioctl(watchdog, WDIOC_SETTIMEOUT, &timeout) < 0 ? -errno : 0, "the watchdog");
  }
  if (access(PASSWORD_FILE, F_OK) == 0) environment[3] = "MINNOW_ADMIN_PASSWORD_FILE=" PASSWORD_FILE;
  service_init(&service, settings.user, arguments, environment);

  supervise(&settings, &service, &network, &line, watchdog, signals);
  journal(LOG_NOTICE, "the board restarts");
  service_stop(&service);
  should(clock_keep(clock_file), clock_file);
  should(seed_keep(seed_file), seed_file);
  sync();
  umount2("/var", MNT_DETACH);
  reboot(RB_AUTOBOOT);
  return 1;
}
