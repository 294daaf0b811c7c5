import { Listeners } from '#runtime/base/listeners.ts'
import type { Value } from '../dbus/values.ts'
import type { PostCodes } from '../post-codes.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'

/** The back end `openbmc` of POST codes: those that a daemon hears from one host. */
export interface OpenbmcPostCodesOptions extends BusOptions {
  /** The object, by its path below `/xyz/openbmc_project/state/boot`. Default `raw0`. */
  readonly object?: string | undefined
}

/** {@link OpenbmcPostCodesOptions} in a board file. */
export const openbmcPostCodesOptions = {
  type: 'object',
  properties: {
    object: {
      type: 'string',
      pattern: '^[A-Za-z0-9_]+$',
      description: 'The object of the host, below /xyz/openbmc_project/state/boot; default raw0'
    },
    ...busOptions
  }
} as const

const rawInterface = 'xyz.openbmc_project.State.Boot.Raw'

export const postCodesInterfaces = [rawInterface]

/** Each value of the property is one code: also one that the next follows at once. */
export function openbmcPostCodes(objects: Objects, { object = 'raw0' }: OpenbmcPostCodesOptions): PostCodes {
  const listeners = new Listeners<Uint8Array>()
  const path = `/xyz/openbmc_project/state/boot/${object}`
  objects.onValue(path, rawInterface, 'Value', (value) => {
    const codes = codesOf(value)
    if (codes.length > 0) listeners.emit(codes)
  })
  return {
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
      objects.close()
    }
  }
}

/**
 * The bytes of a code. It is a number (type t), or in a structure the first of two members: a number or bytes, (tay) or
 * (ayay), by the version of the interface. None for another type.
 */
function codesOf(value: Value): Uint8Array {
  const code = Array.isArray(value) ? value[0] : value
  if (code instanceof Uint8Array) return code
  if (typeof code !== 'bigint') return new Uint8Array()
  const bytes = [Number(code & 255n)]
  for (let rest = code >> 8n; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 255n))
  return Uint8Array.from(bytes)
}
