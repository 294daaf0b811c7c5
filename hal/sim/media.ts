import { checkImage, type Media, socketOf } from '../media.ts'
import { Memory, type SimOptions } from '../memory.ts'
import { type Faults, Gate, simOptions } from './faults.ts'
import { MediaReader } from './media-reader.ts'

/** Plain JSON but for `warn`. */
export interface SimMediaOptions extends SimOptions {
  /** Faults from the start on. */
  faults?: Faults | undefined
}

/** {@link SimMediaOptions} in a board file. */
export const simMediaOptions = { type: 'object', properties: simOptions({}) } as const

export interface SimMedia extends Media {
  /** Faults of the drive; set or delete its properties at any time. */
  readonly faults: Faults
}

/** A simulated drive: no host looks into a file in it, and one reads all of what is behind a socket. */
export function simMedia(options: SimMediaOptions = {}): SimMedia {
  const { name = 'media', timeout = 2000 } = options
  const faults = { ...options.faults }
  const gate = new Gate(name, faults, timeout)
  const memory = new Memory<{ image?: string | undefined }>(name, options)
  let image = memory.load(isKept)?.image
  let reader: MediaReader | undefined

  const read = () => {
    reader?.close()
    const socket = image === undefined ? undefined : socketOf(image)
    reader = socket === undefined ? undefined : new MediaReader(socket)
  }
  const change = async (operation: string, wanted: string | undefined) => {
    await gate.accept(operation)
    image = wanted
    memory.save({ image })
    read()
  }
  read()

  return {
    faults,
    get image() {
      return image
    },
    async insert(wanted) {
      checkImage(name, wanted)
      await change('insert', wanted)
    },
    eject: () => change('eject', undefined),
    async close() {
      gate.close()
      reader?.close()
    }
  }
}

function isKept(kept: unknown): kept is { image?: string } {
  const { image } = (kept ?? {}) as { image?: unknown }
  return image === undefined || typeof image === 'string'
}
