#include "sntp.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "random_bytes.h"

enum { PORT = 123, ORIGIN = 24, RECEIVE = 32, TRANSMIT = 40, CLIENT = 3, SERVER = 4, VERSION = 4, UNSYNCHRONIZED = 3 };
enum { STRATUM_MAX = 15 };

static const uint64_t first_pause_ms = 2000, last_pause_ms = 64000, often_ms = 64000, seldom_ms = 1024000;
static const unsigned often = 4;
static const int64_t second_ns = 1000000000, longest_trip_ns = 5000000000;
/* Seconds from 1900 to 1970, and of an era (RFC 5905, clause 6). */
static const int64_t unix_epoch = 2208988800, era = 4294967296;

void sntp_init(struct sntp *sntp, int64_t earliest) {
  *sntp = (struct sntp){.socket = -1, .earliest = earliest, .pause = first_pause_ms};
}

static void end(struct sntp *sntp) {
  if (sntp->socket >= 0) close(sntp->socket);
  sntp->socket = -1;
}

void sntp_serve(struct sntp *sntp, const struct netlink_address *servers, size_t count) {
  if (count > SNTP_SERVERS_MAX) count = SNTP_SERVERS_MAX;
  if (count == sntp->count && memcmp(servers, sntp->servers, count * sizeof *servers) == 0) return;
  end(sntp);
  memcpy(sntp->servers, servers, count * sizeof *servers);
  sntp->count = count;
  sntp->at = 0;
  sntp->next = 0;
  sntp->pause = first_pause_ms;
}

static int64_t realtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * second_ns + now.tv_nsec;
}

void sntp_question(const struct sntp *sntp, uint8_t message[SNTP_MESSAGE_SIZE]) {
  memset(message, 0, SNTP_MESSAGE_SIZE);
  message[0] = VERSION << 3 | CLIENT;
  /* Does not disclose the own time: the server repeats these bytes. */
  memcpy(message + TRANSMIT, sntp->nonce, SNTP_NONCE_SIZE);
}

static int64_t timestamp(const uint8_t *bytes) {
  uint64_t seconds = 0, fraction = 0;
  for (int i = 0; i < 4; i++) {
    seconds = seconds << 8 | bytes[i];
    fraction = fraction << 8 | bytes[4 + i];
  }
  /* In 2036 the count starts again at 0. */
  const int64_t since = (int64_t)seconds - unix_epoch + (seconds >> 31 ? 0 : era);
  return since * second_ns + (int64_t)(fraction * (uint64_t)second_ns >> 32);
}

int sntp_parse(const struct sntp *sntp, const uint8_t *message, size_t length, int64_t *received, int64_t *answered) {
  static const uint8_t nothing[SNTP_NONCE_SIZE];
  if (length < SNTP_MESSAGE_SIZE) return -EINVAL;
  if (memcmp(message + ORIGIN, sntp->nonce, SNTP_NONCE_SIZE) != 0) return -ENOMSG;
  const unsigned leap = message[0] >> 6, version = message[0] >> 3 & 7, mode = message[0] & 7, stratum = message[1];
  if (mode != SERVER || version < 3 || version > VERSION) return -EINVAL;
  if (leap == UNSYNCHRONIZED || stratum == 0 || stratum > STRATUM_MAX) return -EINVAL;
  if (memcmp(message + TRANSMIT, nothing, sizeof nothing) == 0) return -EINVAL;
  *received = timestamp(message + RECEIVE);
  *answered = timestamp(message + TRANSMIT);
  return *answered < *received ? -EINVAL : 0;
}

static int ask(struct sntp *sntp) {
  const struct netlink_address *server = &sntp->servers[sntp->at];
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
  uint8_t message[SNTP_MESSAGE_SIZE];
  memcpy(&four.sin_addr, server->bytes, sizeof four.sin_addr);
  memcpy(&six.sin6_addr, server->bytes, sizeof six.sin6_addr);
  const bool is_six = server->family == AF_INET6;
  const void *to = is_six ? (const void *)&six : &four;
  sntp->socket = socket(server->family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (sntp->socket < 0) return -errno;
  /* Without a random number anybody could answer. */
  if (!random_bytes_get(sntp->nonce, sizeof sntp->nonce)) return -EAGAIN;
  if (connect(sntp->socket, to, is_six ? sizeof six : sizeof four) < 0) return -errno;
  sntp_question(sntp, message);
  sntp->sent = realtime();
  return send(sntp->socket, message, sizeof message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

void sntp_step(struct sntp *sntp, uint64_t now) {
  if (sntp->count == 0 || now < sntp->next) return;
  /* No server has answered. */
  if (sntp->socket >= 0) {
    end(sntp);
    sntp->at = (sntp->at + 1) % sntp->count;
    sntp->pause = sntp->pause * 2 < last_pause_ms ? sntp->pause * 2 : last_pause_ms;
  }
  ask(sntp);
  sntp->next = now + sntp->pause;
}

bool sntp_read(struct sntp *sntp, uint64_t now, int64_t *behind) {
  uint8_t message[SNTP_MESSAGE_SIZE * 2];
  int64_t received, answered;
  if (sntp->socket < 0) return false;
  const ssize_t length = recv(sntp->socket, message, sizeof message, 0);
  const int64_t arrived = realtime();
  if (length < 0 || sntp_parse(sntp, message, (size_t)length, &received, &answered) < 0) return false;
  const int64_t trip = arrived - sntp->sent - (answered - received);
  if (trip < 0 || trip > longest_trip_ns || answered < sntp->earliest) return false;
  end(sntp);
  *behind = ((received - sntp->sent) + (answered - arrived)) / 2;
  sntp->pause = first_pause_ms;
  sntp->next = now + (++sntp->answers < often ? often_ms : seldom_ms);
  return true;
}
