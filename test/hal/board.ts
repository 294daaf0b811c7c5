import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'

/** The chips of the board: their labels, and the names of their lines by offset. */
const chips = [
  { label: 'soc-gpio', lines: ['', 'POWER_OUT', 'RESET_OUT', 'PS_PWROK', 'NMI_OUT', 'AUX_CUT', 'FAN_FAIL', 'TAKEN'] },
  { label: 'expander', lines: ['FAN_FAIL', 'LED_A'] },
  { label: 'expander', lines: ['LED_B', 'PLTRST', 'WDT_OUT'] }
]

/**
 * Levels at rest: the outputs of this board are active low but for one, with pull-ups, so that nothing is pressed.
 * PLTRST is active low too: the host is in reset while it is off.
 */
const rest = new Map([
  ['PS_PWROK', false],
  ['PLTRST', false],
  ['WDT_OUT', false],
  ['POWER_OUT', true],
  ['RESET_OUT', true],
  ['NMI_OUT', true],
  ['AUX_CUT', true],
  ['FAN_FAIL', false]
])

const flag = { used: 1n, activeLow: 2n, output: 8n, edges: 0x30n }
const errno = { EIO: 5, EBUSY: 16, EINVAL: 22 }

export interface BoardTimes {
  /** That the button has to be held to be seen, in milliseconds. */
  debounce: number
  /** That it has to be held to cut the power. */
  override: number
  /** From the button to the power, either way. */
  follow: number
}

interface Line {
  socket: Socket
  flags: bigint
}

/** struct answer of gpio_kernel.c, whose call is read in `#answer`. */
interface Answer {
  error?: number
  value?: number
  flags?: bigint
  name?: string
  text?: string
}

/**
 * A host behind GPIO lines, and the kernel that has them, for test/hal/fixtures/gpio_kernel.c: `gpiochip<n>` are files
 * in `folder`. The host obeys its power button: a press switches it on or shuts it down, a long one cuts the power. A
 * line that is no longer held keeps its level.
 */
export class Board {
  readonly folder: string
  readonly times: BoardTimes
  /** Everything that happened, in order: `POWER_OUT pressed`, `POWER_OUT released`, `power`, `no power`. */
  readonly seen: string[] = []
  /** How long each line was last pressed, in milliseconds by the clock of whoever pressed it. */
  readonly pressed = new Map<string, number>()
  /** The operating system does not react to the button. */
  ignoresButton = false
  /** The supply does not react to the button, however long it is held. */
  stuck = false
  /** Lines whose chip fails when they are set. */
  readonly broken = new Set<string>()
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #lines = new Map<string, Line>()
  readonly #levels = new Map(rest)
  readonly #since = new Map<string, bigint>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #waiting = new Map<string, () => void>()

  constructor(folder: string, times: Partial<BoardTimes> = {}) {
    this.folder = folder
    this.times = { debounce: 30, override: 600, follow: 40, ...times }
    mkdirSync(folder, { recursive: true })
    for (const number of chips.keys()) writeFileSync(`${folder}/gpiochip${number}`, '')
    this.#server = createServer((socket) => this.#serve(socket))
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(`${this.folder}/board`, resolve))
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get power(): boolean {
    return this.#levels.get('PS_PWROK')!
  }

  /** Sets the host to a state by hand, with nothing pressed and nothing under way. */
  reset(power: boolean): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#supply(power)
    this.seen.length = 0
    this.pressed.clear()
    this.broken.clear()
    this.ignoresButton = false
    this.stuck = false
  }

  /** The power comes or fails. */
  supply(power: boolean): void {
    this.#supply(power)
  }

  /** The operating system restarts the host: a pulse on PLTRST. */
  restart(): void {
    this.#level('PLTRST', false)
    this.#level('PLTRST', !this.isHeld('RESET_OUT'))
  }

  /** The watchdog timer of the host runs out: a pulse on WDT_OUT. */
  hang(): void {
    this.#level('WDT_OUT', true)
    this.#level('WDT_OUT', false)
  }

  /** Puts one of the faults above in place, or mends it. */
  set(fault: 'ignoresButton' | 'stuck' | 'broken', value: boolean | string[]): void {
    if (fault !== 'broken') this[fault] = value as boolean
    else {
      this.broken.clear()
      for (const name of value as string[]) this.broken.add(name)
    }
  }

  isHeld(name: string): boolean {
    return this.#levels.get(name) === false
  }

  /** Resolves at the next thing that reads like this, as in `seen`, or `free`. */
  next(what: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(what, resolve))
  }

  /** Resolves when no process holds a line. */
  async free(): Promise<void> {
    if (this.#lines.size > 0) await this.next('free')
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    let call = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (data) => {
      call = Buffer.concat([call, data])
      if (call.length === 32) socket.write(bytesOf(this.#answer(socket, call)))
    })
  }

  #answer(socket: Socket, call: Buffer): Answer {
    const [what, number] = [call.readUInt32LE(0), call.readUInt32LE(4)]
    const [offset, active] = [call.readUInt32LE(8), call.readUInt32LE(12)]
    const flags = call.readBigUInt64LE(16)
    const chip = chips[number]!
    const name = chip.lines[offset]!
    const line = this.#lines.get(`${number}/${offset}`)
    const used = line !== undefined || name === 'TAKEN'
    if (what === 1) return { value: chip.lines.length, name: `gpiochip${number}`, text: chip.label }
    if (what === 2) return { flags: used ? flag.used : 0n, name, text: line ? 'minnow' : used ? 'sysfs' : '' }
    if (what === 3) {
      if (used) return { error: errno.EBUSY }
      if ((flags & flag.output) === 0n && (flags & flag.edges) !== flag.edges) return { error: errno.EINVAL }
      this.#hold(`${number}/${offset}`, { socket, flags })
      return {}
    }
    if (line === undefined) return { error: errno.EINVAL }
    const activeLow = (line.flags & flag.activeLow) !== 0n
    if (what === 4) return { value: Number((this.#levels.get(name) ?? false) !== activeLow) }
    if ((line.flags & flag.output) === 0n) return { error: errno.EINVAL }
    if (this.broken.has(name)) return { error: errno.EIO }
    this.#drive(name, (active === 1) !== activeLow, call.readBigUInt64LE(24))
    return {}
  }

  /** A line is held as long as its connection is there. */
  #hold(key: string, line: Line): void {
    this.#lines.set(key, line)
    line.socket.on('close', () => {
      this.#lines.delete(key)
      if (this.#lines.size === 0) this.#tell('free')
    })
  }

  #drive(name: string, high: boolean, now: bigint): void {
    if (this.#levels.get(name) === high) return
    this.#levels.set(name, high)
    if (high) this.pressed.set(name, Number((now - (this.#since.get(name) ?? now)) / 1000000n))
    else this.#since.set(name, now)
    this.#happened(`${name} ${high ? 'released' : 'pressed'}`)
    if (name === 'POWER_OUT') this.#button(high)
    if (name === 'RESET_OUT') this.#level('PLTRST', high && this.power)
  }

  #button(released: boolean): void {
    const held = this.pressed.get('POWER_OUT')!
    clearTimeout(this.#timers.get('override'))
    if (!released) {
      this.#after('press', this.times.debounce, () => this.#press())
      this.#after('override', this.times.override, () => this.stuck || this.#supply(false))
    } else if (this.#timers.has('press')) {
      clearTimeout(this.#timers.get('press'))
      this.#timers.delete('press')
      if (held >= this.times.debounce) this.#press()
    }
  }

  #press(): void {
    const power = !this.power
    if (!power && (this.ignoresButton || this.stuck)) return
    if (power && this.stuck) return
    this.#after('follow', this.times.follow, () => this.#supply(power))
  }

  #after(what: string, time: number, act: () => void): void {
    clearTimeout(this.#timers.get(what))
    const timer = setTimeout(() => {
      this.#timers.delete(what)
      act()
    }, time)
    this.#timers.set(what, timer)
  }

  /** A host goes into reset before its power goes, and comes out of it after its power has come. */
  #supply(power: boolean): void {
    if (this.power === power) return
    if (!power) this.#level('PLTRST', false)
    this.#level('PS_PWROK', power)
    if (power) this.#level('PLTRST', !this.isHeld('RESET_OUT'))
    this.#happened(power ? 'power' : 'no power')
  }

  /** Changes the level of an input, and tells whoever holds its line of the edge. */
  #level(name: string, high: boolean): void {
    if (this.#levels.get(name) === high) return
    this.#levels.set(name, high)
    for (const [number, { lines }] of chips.entries()) {
      const line = this.#lines.get(`${number}/${lines.indexOf(name)}`)
      if (line === undefined) continue
      const edge = Buffer.alloc(48)
      edge.writeBigUInt64LE(process.hrtime.bigint(), 0)
      edge.writeUInt32LE(high === ((line.flags & flag.activeLow) === 0n) ? 1 : 2, 8)
      edge.writeUInt32LE(lines.indexOf(name), 12)
      line.socket.write(edge)
    }
  }

  #happened(what: string): void {
    this.seen.push(what)
    this.#tell(what)
  }

  #tell(what: string): void {
    this.#waiting.get(what)?.()
    this.#waiting.delete(what)
  }
}

function bytesOf(answer: Answer): Buffer {
  const bytes = Buffer.alloc(80)
  bytes.writeInt32LE(answer.error ?? 0, 0)
  bytes.writeUInt32LE(answer.value ?? 0, 4)
  bytes.writeBigUInt64LE(answer.flags ?? 0n, 8)
  bytes.write(answer.name ?? '', 16, 31, 'latin1')
  bytes.write(answer.text ?? '', 48, 31, 'latin1')
  return bytes
}
