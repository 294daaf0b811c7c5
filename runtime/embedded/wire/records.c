#include "records.h"

#include <errno.h>
#include <string.h>

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

int records_write(struct records *records, const uint8_t *data, size_t size) {
  if (size > TLS_RECORD_MAX) size = TLS_RECORD_MAX;
  if (records->out->capacity - records->out->length < size + TLS_RECORD_EXTRA) return -EAGAIN;
  return records_outcome(records, mbedtls_ssl_write(&records->ssl, data, size));
}
