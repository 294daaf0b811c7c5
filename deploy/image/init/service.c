#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user.h"

static const int stop_steps = 100, stop_step_ms = 100;
/* resetStatus of runtime/command/run.ts */
static const int reset_status = 3;

void service_init(struct service *service, uid_t user, char *const *arguments, char *const *environment) {
  *service = (struct service){
      .arguments = arguments, .environment = environment, .user = user, .output = -1, .lines = {.name = "minnow"}};
  restart_init(&service->restart, "the service");
}

/* In the child: never returns. */
static void become(const struct service *service, int output) {
  const struct rlimit none = {0, 0};
  sigset_t no_signals;
  sigemptyset(&no_signals);
  sigprocmask(SIG_SETMASK, &no_signals, NULL);
  setsid();
  setrlimit(RLIMIT_CORE, &none);
  if (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 && user_become(service->user, 0) == 0)
    execve(service->arguments[0], service->arguments, service->environment);
  _exit(127);
}

static int start(struct service *service) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  const pid_t process = fork();
  if (process == 0) become(service, ends[1]);
  const int result = process < 0 ? -errno : 0;
  close(ends[1]);
  if (result < 0) {
    close(ends[0]);
    return result;
  }
  /* A process that the last run has left behind may still hold the other end of the old pipe. */
  if (service->output >= 0) close(service->output);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  service->output = ends[0];
  service->process = process;
  return 0;
}

void service_step(struct service *service, uint64_t now) {
  if (service->process != 0 || now < service->restart.next) return;
  const int result = start(service);
  service->restart.started = now;
  if (result < 0) restart_failed(&service->restart, result, now);
}

void service_read(struct service *service) {
  char bytes[1024];
  for (;;) {
    const ssize_t length = read(service->output, bytes, sizeof bytes);
    if (length > 0) {
      journal_add(&service->lines, bytes, (size_t)length);
      continue;
    }
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(service->output);
    service->output = -1;
    return;
  }
}

void service_ended(struct service *service, int status, uint64_t now) {
  service->process = 0;
  service->ends++;
  if (service->output >= 0) service_read(service);
  service->reset = WIFEXITED(status) && WEXITSTATUS(status) == reset_status;
  if (!service->reset) restart_ended(&service->restart, status, now);
}

uint64_t service_memory(const struct service *service) {
  char path[32];
  unsigned long long pages = 0;
  if (service->process == 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/statm", (int)service->process);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (fscanf(file, "%*s %llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void service_stop(struct service *service) {
  if (service->process == 0) return;
  kill(service->process, SIGTERM);
  for (int step = 0; waitpid(service->process, NULL, WNOHANG) == 0; step++) {
    struct pollfd output = {.fd = service->output, .events = POLLIN};
    if (step == stop_steps) kill(service->process, SIGKILL);
    if (poll(&output, 1, stop_step_ms) > 0) service_read(service);
  }
  service->process = 0;
}
