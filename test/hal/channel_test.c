/*
 * Tests of hal/native/channel.c, with a socket that this program listens at.
 * Prints one line for each test, `ok - ` or `not ok - ` and a sentence.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "channel.h"

enum { MANY = CHANNEL_DESCRIPTORS + 1, PROBED = 64 };

static char folder[] = "/tmp/channel-XXXXXX", path[sizeof folder + 8];
static int listening, mine, other;
static bool failed;

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) {                                        \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failed = true;                                           \
    }                                                          \
  } while (0)

/* How many descriptors are open. */
static int opened(void) {
  int count = 0;
  for (int fd = 0; fd < PROBED; fd++) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

static void begin(void) {
  mine = channel_open(path);
  CHECK(mine >= 0);
  other = accept(listening, NULL, NULL);
  CHECK(other >= 0);
  failed = failed || mine < 0;
}

static void end(void) {
  close(mine);
  close(other);
}

static bool is_same_file(int one, int another) {
  char names[2][PATH_MAX] = {"", ""}, link[64];
  for (int i = 0; i < 2; i++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", i == 0 ? one : another);
    if (readlink(link, names[i], PATH_MAX - 1) < 0) return false;
  }
  return !strcmp(names[0], names[1]);
}

/* Sends as another program does: in its own words. */
static void send_many(int to, const int *descriptors, size_t count) {
  char control[CMSG_SPACE(sizeof(int) * MANY)] __attribute__((aligned(8))) = {0};
  struct iovec part = {.iov_base = (char[]){'x'}, .iov_len = 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(sizeof(int) * count)};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
  CHECK(sendmsg(to, &message, 0) == 1);
}

static void bytes_pass(void) {
  uint8_t data[8];
  int descriptors[CHANNEL_DESCRIPTORS];
  size_t count = 9;
  CHECK(channel_read(mine, data, sizeof data, descriptors, &count) == 0 && count == 0);
  CHECK(channel_write(mine, (const uint8_t *)"there", 5, NULL, 0) == 5);
  CHECK(read(other, data, sizeof data) == 5 && !memcmp(data, "there", 5));
  CHECK(write(other, "back", 4) == 4);
  CHECK(channel_read(mine, data, sizeof data, descriptors, &count) == 4 && count == 0 && !memcmp(data, "back", 4));
}

static void descriptors_pass(void) {
  uint8_t data[8];
  int sent[2] = {open("/dev/null", O_RDONLY | O_CLOEXEC), open("/dev/zero", O_RDONLY | O_CLOEXEC)};
  int arrived[CHANNEL_DESCRIPTORS];
  size_t count = 0;
  CHECK(channel_write(mine, (const uint8_t *)"two", 3, sent, 2) == 3);
  CHECK(channel_read(other, data, sizeof data, arrived, &count) == 3 && count == 2);
  CHECK(fcntl(sent[0], F_GETFD) >= 0);
  if (count == 2) {
    CHECK(is_same_file(sent[0], arrived[0]) && is_same_file(sent[1], arrived[1]) && arrived[0] != sent[0]);
    CHECK(fcntl(arrived[0], F_GETFD) == FD_CLOEXEC);
  }
  for (size_t i = 0; i < count; i++) close(arrived[i]);
  for (int i = 0; i < 2; i++) close(sent[i]);
}

static void the_most_descriptors_pass(void) {
  uint8_t data[8];
  int sent[CHANNEL_DESCRIPTORS], arrived[CHANNEL_DESCRIPTORS];
  size_t count = 0;
  for (int i = 0; i < CHANNEL_DESCRIPTORS; i++) sent[i] = other;
  CHECK(channel_write(mine, (const uint8_t *)"m", 1, sent, CHANNEL_DESCRIPTORS) == 1);
  CHECK(channel_read(other, data, sizeof data, arrived, &count) == 1 && count == CHANNEL_DESCRIPTORS);
  for (size_t i = 0; i < count; i++) close(arrived[i]);
}

static void more_are_not_sent(void) {
  int sent[MANY];
  for (int i = 0; i < MANY; i++) sent[i] = other;
  CHECK(channel_write(mine, (const uint8_t *)"m", 1, sent, MANY) == -EINVAL);
  CHECK(channel_write(mine, (const uint8_t *)"", 0, sent, 1) == -EINVAL);
}

static void more_that_arrive_are_closed(void) {
  uint8_t data[8];
  int sent[MANY], arrived[CHANNEL_DESCRIPTORS];
  size_t count = 0;
  const int before = opened();
  for (int i = 0; i < MANY; i++) sent[i] = other;
  send_many(other, sent, MANY);
  CHECK(channel_read(mine, data, sizeof data, arrived, &count) == -EMSGSIZE && count == 0);
  CHECK(opened() == before);
}

static void closed_descriptors_are_an_error(void) {
  const int wrong = PROBED + 1;
  CHECK(channel_write(mine, (const uint8_t *)"m", 1, &wrong, 1) == -EBADF);
}

static void a_full_connection_takes_a_part(void) {
  static uint8_t much[1 << 22];
  const int taken = channel_write(mine, much, sizeof much, NULL, 0);
  CHECK(taken > 0 && taken < (int)sizeof much);
  CHECK(channel_write(mine, much, sizeof much, NULL, 0) == 0);
}

static void the_end_is_an_error(void) {
  uint8_t data[8];
  int arrived[CHANNEL_DESCRIPTORS];
  size_t count = 0;
  shutdown(other, SHUT_RDWR);
  CHECK(channel_read(mine, data, sizeof data, arrived, &count) == -ENODEV);
  CHECK(channel_write(mine, (const uint8_t *)"m", 1, NULL, 0) == -ENODEV);
}

static void a_socket_that_is_none_is_an_error(void) {
  char longest[256];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  const int before = opened();
  CHECK(channel_open("") == -EINVAL);
  CHECK(channel_open(longest) == -EINVAL);
  CHECK(channel_open("/nowhere/bus") == -ENOENT);
  CHECK(channel_open("/dev/null") == -ENODEV);
  CHECK(opened() == before);
}

static void test(const char *name, void (*body)(void)) {
  failed = false;
  begin();
  if (!failed) body();
  end();
  printf("%s - %s\n", failed ? "not ok" : "ok", name);
}

int main(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/socket", folder);
  memcpy(address.sun_path, path, strlen(path));
  listening = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listening, (const struct sockaddr *)&address, sizeof address) || listen(listening, 4)) return 1;
  test("bytes pass, and none are waited for", bytes_pass);
  test("descriptors pass with bytes, and stay open here", descriptors_pass);
  test("as many pass as there is room for", the_most_descriptors_pass);
  test("more are not sent, and none without bytes", more_are_not_sent);
  test("more that arrive are closed, all of them", more_that_arrive_are_closed);
  test("a descriptor that is not open is an error", closed_descriptors_are_an_error);
  test("a connection that is full takes what there is room for", a_full_connection_takes_a_part);
  test("the end of the other side is an error", the_end_is_an_error);
  test("a path without a listener is an error, and leaves nothing open", a_socket_that_is_none_is_an_error);
  close(listening);
  unlink(path);
  rmdir(folder);
  return 0;
}
