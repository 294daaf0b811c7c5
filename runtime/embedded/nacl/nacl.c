#include "nacl.h"

#include <errno.h>
#include <sodium/core.h>
#include <sodium/crypto_secretbox.h>
#include <sodium/crypto_sign_ed25519.h>

_Static_assert(NACL_TAG_SIZE == crypto_secretbox_MACBYTES, "the tag of a box");

static int begin(struct nacl_bytes nonce, struct nacl_bytes key) {
  if (nonce.size != crypto_secretbox_NONCEBYTES || key.size != crypto_secretbox_KEYBYTES) return -EINVAL;
  return sodium_init() < 0 ? -EIO : 0; /* it finds the vector unit; the first time counts */
}

int nacl_verify(struct nacl_bytes text, struct nacl_bytes signature, struct nacl_bytes key) {
  if (signature.size != crypto_sign_ed25519_BYTES || key.size != crypto_sign_ed25519_PUBLICKEYBYTES) return -EINVAL;
  return crypto_sign_ed25519_verify_detached(signature.data, text.data, text.size, key.data) ? -EBADMSG : 0;
}

int nacl_seal(struct nacl_bytes text, struct nacl_bytes nonce, struct nacl_bytes key, uint8_t *box) {
  const int status = begin(nonce, key);
  if (status) return status;
  return crypto_secretbox_easy(box, text.data, text.size, nonce.data, key.data) ? -EIO : 0;
}

int nacl_open(struct nacl_bytes box, struct nacl_bytes nonce, struct nacl_bytes key, uint8_t *text) {
  const int status = begin(nonce, key);
  if (status) return status;
  return crypto_secretbox_open_easy(text, box.data, box.size, nonce.data, key.data) ? -EBADMSG : 0;
}
