/** `fflate` in the binary: zlib, since the engine has no compiler that would make a loop over bytes fast. */
import gzip from 'minnow:gzip'

export function gunzipSync(data: Uint8Array): Uint8Array {
  return gzip.unpack(data)
}
