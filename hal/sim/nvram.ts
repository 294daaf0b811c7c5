import { type Plan, planChanges, type Room, usedSpace } from '../edk2/plan.ts'
import { HalError } from '../errors.ts'
import { Memory, type SimOptions } from '../memory.ts'
import {
  checkChange,
  type Nvram,
  type NvramHealth,
  type NvramSpace,
  type Variable,
  type VariableChange,
  variableKey
} from '../nvram.ts'
import { SerialQueue } from '../serial-queue.ts'
import { type Faults, Gate } from './faults.ts'

/** Faults that `acquire` and `set` meet. */
export interface NvramFaults extends Faults {
  /** While there, the store is not sound: its sentence in `health`. */
  damaged?: string | undefined
}

/** Plain JSON but for `warn` and `clock`. */
export interface SimNvramOptions extends SimOptions {
  /** Bytes for all variables together and for one. Default as in OVMF's 4M layout. */
  room?: Room | undefined
  /** The time for timestamps; undefined while no clock is set. Default the system's. */
  clock?: (() => Date | undefined) | undefined
  /** Faults from the start on. */
  faults?: NvramFaults | undefined
}

export interface SimNvram extends Nvram {
  /** Faults of the store; set or delete its properties at any time. */
  readonly faults: NvramFaults
}

/** Variables in memory, with a file that outlives the process when there is a directory. */
export function simNvram(options: SimNvramOptions = {}): SimNvram {
  return new SimulatedNvram(options)
}

/** In the file data is in hexadecimal digits and time in ISO 8601. */
interface Kept {
  variables: { name: string; guid: string; attributes: number; data: string; timestamp?: string | undefined }[]
}

class SimulatedNvram implements SimNvram {
  readonly faults: NvramFaults
  readonly #room: Room
  readonly #clock: () => Date | undefined
  readonly #gate: Gate
  readonly #memory: Memory<Kept>
  #variables: ReadonlyMap<string, Variable>
  #held = false
  readonly #operations = new SerialQueue()

  constructor(options: SimNvramOptions) {
    const { name = 'nvram', timeout = 2000, room = { total: 0x3f000, largest: 0x8400 } } = options
    this.faults = { ...options.faults }
    this.#room = room
    this.#clock = options.clock ?? (() => new Date())
    this.#gate = new Gate(name, this.faults, timeout)
    this.#memory = new Memory(name, options)
    const kept = this.#memory.load(isKept)?.variables ?? []
    this.#variables = new Map(kept.map((each) => [variableKey(each.name, each.guid), fromKept(each)]))
  }

  get health(): NvramHealth {
    const { damaged } = this.faults
    return damaged === undefined ? { state: 'ok', faults: [] } : { state: 'damaged', faults: [damaged] }
  }

  get space(): NvramSpace {
    return { ...this.#room, free: Math.max(0, this.#room.total - usedSpace(this.#variables.values())) }
  }

  get writable(): boolean {
    return this.#held && this.health.state === 'ok'
  }

  list() {
    return [...this.#variables.values()].map(({ name, guid }) => ({ name, guid }))
  }

  get(name: string, guid: string): Variable | undefined {
    const found = this.#variables.get(variableKey(name, guid))
    return found && { ...found, data: found.data.slice() }
  }

  acquire(): Promise<void> {
    return this.#inTurn('acquire', async () => {
      this.#held = true
      this.#mustBeSound()
    })
  }

  set(changes: readonly VariableChange[]): Promise<void> {
    const copies = changes.map((change) => (change.data ? { ...change, data: change.data.slice() } : change))
    return this.#inTurn('set', async () => {
      for (const change of copies) checkChange(change)
      if (!this.#held) throw new HalError('EROFS', 'nvram: the host owns it')
      this.#mustBeSound()
      const { next }: Plan<Variable> = planChanges(this.#variables, copies, this.#room, this.#clock())
      this.#variables = next
      this.#memory.save({ variables: [...next.values()].map(toKept) })
    })
  }

  release(): Promise<void> {
    return this.#inTurn('release', async () => {
      this.#held = false
    })
  }

  close(): Promise<void> {
    return this.#inTurn('close', async () => {
      this.#held = false
      this.#gate.close()
    })
  }

  #inTurn(operation: string, action: () => Promise<void>): Promise<void> {
    return this.#operations.run(async () => {
      await this.#gate.accept(operation)
      await action()
    })
  }

  #mustBeSound(): void {
    if (this.faults.damaged !== undefined) throw new HalError('EROFS', `nvram: damaged: ${this.faults.damaged}`)
  }
}

function toKept({ data, timestamp, ...rest }: Variable): Kept['variables'][number] {
  return { ...rest, data: [...data].map(hex).join(''), timestamp: timestamp?.toISOString() }
}

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

function fromKept({ data, timestamp, ...rest }: Kept['variables'][number]): Variable {
  const bytes = Uint8Array.from(data.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  return { ...rest, data: bytes, timestamp: timestamp === undefined ? undefined : new Date(timestamp) }
}

function isKept(kept: unknown): kept is Kept {
  const { variables } = (kept ?? {}) as Partial<Kept>
  return Array.isArray(variables) && variables.every(isVariable)
}

function isVariable({ name, guid, attributes, data, timestamp }: Record<string, unknown>): boolean {
  try {
    if (typeof name !== 'string' || typeof guid !== 'string' || typeof data !== 'string') return false
    if (!/^([0-9a-f]{2})+$/.test(data) || (timestamp !== undefined && Number.isNaN(Date.parse(String(timestamp)))))
      return false
    checkChange({ name, guid, attributes: Number(attributes), data: Uint8Array.of(0) })
    return true
  } catch (error) {
    if (error instanceof HalError) return false
    throw error
  }
}
