/** `tweetnacl` in the binary: libsodium, since the engine takes a second or more for a signature on an ARMv7 controller. */
import native from 'minnow:nacl'

export default {
  sign: { detached: { verify: native.verify }, signatureLength: 64 },
  secretbox: Object.assign(native.seal, { open: native.open, keyLength: 32, nonceLength: 24 })
}
