#include "records.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A record of a page or less frees no page. */
enum { LARGE = 4096 };

static int receive(void *context, unsigned char *data, size_t size) {
  struct records *records = context;
  if (records->in_length == 0) return MBEDTLS_ERR_SSL_WANT_READ;
  if (size > records->in_length) size = records->in_length;
  memcpy(data, records->in, size);
  records->in += size;
  records->in_length -= size;
  return (int)size;
}

static int send_record(void *context, const unsigned char *data, size_t size) {
  struct records_outbox *out = ((struct records *)context)->out;
  if (size > out->capacity - out->length) return MBEDTLS_ERR_SSL_WANT_WRITE;
  memcpy(out->data + out->length, data, size);
  out->length += size;
  return (int)size;
}

int records_open(struct records *records, const mbedtls_ssl_config *config, struct records_outbox *out) {
  mbedtls_ssl_init(&records->ssl);
  records->out = out;
  records->error = 0;
  if (mbedtls_ssl_setup(&records->ssl, config)) {
    records_close(records);
    return -ENOMEM;
  }
  mbedtls_ssl_set_bio(&records->ssl, records, send_record, receive, NULL);
  return 0;
}

void records_close(struct records *records) {
  mbedtls_ssl_free(&records->ssl);
}

int records_outcome(struct records *records, int result) {
  if (result >= 0) return result;
  if (result == MBEDTLS_ERR_SSL_WANT_READ || result == MBEDTLS_ERR_SSL_WANT_WRITE) return -EAGAIN;
  records->error = result;
  return -EPROTO;
}

/* Releases the whole pages from `begin` to the end of an allocated buffer. They read as zeros afterwards. */
static void give_back(unsigned char *buffer, const unsigned char *begin) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = ((uintptr_t)begin + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)buffer + malloc_usable_size(buffer)) / page * page;
  if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
}

/*
 * Gives back what holds nothing of both buffers: Mbed TLS has them for the largest record, and most requests and
 * answers fit in one page. Plaintext may be left to read, and the next record may have started.
 */
static void shrink(struct records *records) {
  const mbedtls_ssl_context *ssl = &records->ssl;
  const unsigned char *unread = ssl->MBEDTLS_PRIVATE(in_offt);
  const unsigned char *message = unread ? unread : ssl->MBEDTLS_PRIVATE(in_msg);
  const unsigned char *message_end = message + ssl->MBEDTLS_PRIVATE(in_msglen);
  const unsigned char *next_end = ssl->MBEDTLS_PRIVATE(in_hdr) + ssl->MBEDTLS_PRIVATE(in_left);
  give_back(ssl->MBEDTLS_PRIVATE(in_buf), message_end > next_end ? message_end : next_end);
  if (ssl->MBEDTLS_PRIVATE(out_left) == 0) give_back(ssl->MBEDTLS_PRIVATE(out_buf), ssl->MBEDTLS_PRIVATE(out_msg));
}

int records_handshake(struct records *records) {
  int result = records_outcome(records, mbedtls_ssl_handshake(&records->ssl));
  if (result == 0) shrink(records);
  return result;
}

int records_write(struct records *records, const uint8_t *data, size_t size) {
  if (size > TLS_RECORD_MAX) size = TLS_RECORD_MAX;
  if (records->out->capacity - records->out->length < size + TLS_RECORD_EXTRA) return -EAGAIN;
  int written = records_outcome(records, mbedtls_ssl_write(&records->ssl, data, size));
  if (written > LARGE) shrink(records);
  return written;
}
