import type { PartCounters, PartFault } from '../sensors.ts'
import { chance } from './chance.ts'

/** The counters of the parts of a simulated machine, computed from the work of its host and the faults of the parts. */
export class SimPartCounters {
  readonly #seed: number
  readonly #idle: readonly string[]
  #work = 0
  #throttled = 0
  /** Of the host at the last poll, 0 to 1. */
  #load = 0
  /** The time and the work while parts had a fault, by `<part>#<fault>`. */
  #impaired: Map<string, { seconds: number; work: number }> | undefined

  /** @param idle parts that do nothing */
  constructor(seed: number, idle: readonly string[]) {
    this.#seed = seed
    this.#idle = idle
  }

  /**
   * Counts some time.
   *
   * @param work seconds of full load that the host has done meanwhile
   * @param faults that parts had meanwhile
   */
  count(seconds: number, work: number, isThrottled: boolean, faults: Readonly<Record<string, PartFault>>): void {
    this.#work += work
    if (seconds > 0) this.#load = work / seconds
    if (isThrottled) this.#throttled += seconds
    for (const [part, fault] of Object.entries(faults)) {
      this.#impaired ??= new Map()
      const before = this.#during(part, fault)
      this.#impaired.set(`${part}#${fault}`, { seconds: before.seconds + seconds, work: before.work + work })
    }
  }

  of<K extends keyof PartCounters>(kind: K, name: string): PartCounters[K] {
    const part = `${kind}/${name}`
    const lost = this.#during(part, 'down').work + this.#during(part, 'failed').work
    const isIdle = this.#idle.includes(part)
    return counted[kind]({
      load: isIdle ? 0 : this.#load,
      work: isIdle ? 0 : this.#work - lost,
      luck: (which) => chance(this.#seed, numberOf(part), which),
      errors: (fault) => Math.ceil(this.#during(part, fault).seconds / 10),
      throttled: this.#throttled
    })
  }

  #during(part: string, fault: PartFault) {
    return this.#impaired?.get(`${part}#${fault}`) ?? { seconds: 0, work: 0 }
  }
}

/** The inputs of the counters of a part. */
interface Life {
  /** Of the host at the last poll, 0 to 1. */
  readonly load: number
  /** Seconds of full load. */
  readonly work: number
  /** A number from 0 to 1 that is always the same. */
  readonly luck: (which: number) => number
  /** One in ten seconds for which it has had this fault. */
  readonly errors: (fault: PartFault) => number
  readonly throttled: number
}

const counted: { readonly [K in keyof PartCounters]: (life: Life) => PartCounters[K] } = {
  links({ work, luck, errors }) {
    const [received, sent] = [Math.floor(work * 6e7 * (0.5 + luck(1))), Math.floor(work * 4e7 * (0.5 + luck(2)))]
    return {
      receivedBytes: received,
      sentBytes: sent,
      receivedFrames: Math.ceil(received / 900),
      sentFrames: Math.ceil(sent / 700),
      receivedErrors: errors('down'),
      sentErrors: 0,
      receivedDiscards: Math.floor((work / 600) * luck(3)),
      sentDiscards: 0
    }
  },
  memory: ({ load, luck, errors }) => ({
    bandwidth: Math.round(100 * load * (0.3 + 0.4 * luck(2))),
    correctable: Math.floor(3 * luck(1)) + errors('correctable'),
    uncorrectable: errors('uncorrectable')
  }),
  processors: ({ load, luck, throttled, errors }) => ({
    bandwidth: Math.round(100 * load * (0.8 + 0.2 * luck(1))),
    throttled: Math.floor(throttled),
    correctable: 0,
    uncorrectable: errors('failed')
  }),
  drives({ work, luck, errors }) {
    const [hours, predicted] = [1000 + Math.floor(20_000 * luck(1)), errors('predicted')]
    return {
      readKiB: Math.floor(hours * 4e6 * luck(2) + work * 9000 * luck(2)),
      writtenKiB: Math.floor(hours * 2e6 * luck(3) + work * 5000 * luck(3)),
      hours: hours + Math.floor(work / 3600),
      correctableReads: Math.floor(40 * luck(4)) + 3 * predicted,
      uncorrectableReads: errors('failed'),
      badBlocks: predicted
    }
  }
}

/** An integer for a name (FNV-1a). */
function numberOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return hash
}
