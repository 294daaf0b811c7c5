#include "network_process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syslog.h>
#include <unistd.h>

#include "../../../runtime/embedded/seccomp_program.h"
#include "confinement.h"
#include "journal.h"
#include "network_clients.h"

static const uint64_t silence_ms = 60000;

void network_process_init(struct network_process *process, uid_t user, int64_t earliest) {
  *process = (struct network_process){.user = user, .earliest = earliest, .socket = -1};
  restart_init(&process->restart, "the network process");
}

static void close_socket(struct network_process *process) {
  if (process->socket >= 0) close(process->socket);
  process->socket = -1;
}

static int start(struct network_process *process, uint64_t now) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -errno;
  const pid_t child = fork();
  if (child == 0) {
    if (confinement_enter(process->user, ends[1]) < 0) _exit(127);
    network_clients_run(CONFINEMENT_SOCKET, process->earliest);
    _exit(0);
  }
  const int result = child < 0 ? -errno : 0;
  close(ends[1]);
  if (result < 0) {
    close(ends[0]);
    return result;
  }
  close_socket(process);
  process->socket = ends[0];
  process->process = child;
  process->heard = now;
  process->told = (struct network_messages_wanted){0};
  return 0;
}

static void end(struct network_process *process) {
  close_socket(process);
  kill(process->process, SIGKILL);
}

/* If the socket is full, the next step retries. */
static void tell(struct network_process *process, const struct network_messages_wanted *wanted) {
  if (process->socket < 0 || memcmp(&process->told, wanted, sizeof *wanted) == 0) return;
  const ssize_t sent = send(process->socket, wanted, sizeof *wanted, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent == sizeof *wanted) process->told = *wanted;
}

void network_process_step(struct network_process *process, const struct network_messages_wanted *wanted, uint64_t now) {
  if (process->process == 0 && now >= process->restart.next) {
    if (!seccomp_program_is_supported())
      journal(LOG_WARNING, "the kernel has no filter of system calls: the network process has all of them");
    const int result = start(process, now);
    process->restart.started = now;
    if (result < 0) restart_failed(&process->restart, result, now);
  }
  if (process->socket >= 0 && now - process->heard >= silence_ms) {
    journal(LOG_ERR, "the network process says nothing");
    end(process);
  }
  tell(process, wanted);
}

bool network_process_read(struct network_process *process, size_t ports, uint64_t now,
                          struct network_messages_news *news) {
  struct network_messages_news message;
  if (process->socket < 0) return false;
  const ssize_t length = recv(process->socket, &message, sizeof message, MSG_DONTWAIT | MSG_TRUNC);
  if (length < 0) return false;
  process->heard = now;
  if (length > 0 && network_messages_take(&message, (size_t)length, ports, process->earliest, news) == 0) return true;
  if (length > 0) journal(LOG_ERR, "the network process says what cannot be");
  end(process);
  return false;
}

void network_process_ended(struct network_process *process, int status, uint64_t now) {
  process->process = 0;
  close_socket(process);
  restart_ended(&process->restart, status, now);
}
