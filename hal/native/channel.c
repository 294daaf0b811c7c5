#include "channel.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Room for the control message with the descriptors, aligned as it must be. */
union control {
  struct cmsghdr header;
  uint8_t bytes[CMSG_SPACE(sizeof(int) * CHANNEL_DESCRIPTORS)];
};

int channel_open(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) return -EINVAL;
  memcpy(address.sun_path, path, length);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) return fd;
  const int error = errno == ECONNREFUSED ? -ENODEV : -errno;
  close(fd);
  return error;
}

static int transferred(ssize_t result) {
  if (result >= 0) return (int)result;
  if (errno == EPIPE || errno == ECONNRESET) return -ENODEV;
  return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* Those of one control message, in as much room as the kernel was given. */
static size_t take(const struct cmsghdr *header, int *descriptors) {
  const size_t size = header->cmsg_len - CMSG_LEN(0);
  memcpy(descriptors, CMSG_DATA(header), size);
  return size / sizeof *descriptors;
}

int channel_read(int fd, uint8_t *data, size_t capacity, int *descriptors, size_t *count) {
  union control control;
  struct iovec part = {.iov_base = data, .iov_len = capacity};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *count = 0;
  const ssize_t result = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (result < 0) return transferred(result);
  for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) *count += take(each, descriptors + *count);
  }
  const bool is_cut = message.msg_flags & MSG_CTRUNC;
  if (result > 0 && !is_cut) return (int)result;
  while (*count > 0) close(descriptors[--*count]);
  return is_cut ? -EMSGSIZE : -ENODEV;
}

int channel_write(int fd, const uint8_t *data, size_t length, const int *descriptors, size_t count) {
  union control control = {0};
  struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = length < INT_MAX ? length : INT_MAX};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > CHANNEL_DESCRIPTORS || (count > 0 && length == 0)) return -EINVAL;
  if (count > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof *descriptors * count);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof *descriptors * count);
    memcpy(CMSG_DATA(&control.header), descriptors, sizeof *descriptors * count);
  }
  return transferred(sendmsg(fd, &message, MSG_NOSIGNAL));
}
