/** `tweetnacl` in the binary, by libsodium: the engine takes a second or more for a signature on ARMv7. */
import native from 'minnow:nacl'

export default {
  sign: { detached: { verify: native.verify }, signatureLength: 64 },
  secretbox: Object.assign(native.seal, { open: native.open, keyLength: 32, nonceLength: 24 })
}
