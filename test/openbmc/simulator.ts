// needs: python3-dbus, python3-gi

import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestBus } from '#test/hal/dbus/buses.ts'
import type { Scope } from '#test/host/server.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

interface Options {
  /** The state of host and chassis at first. Default `On`. */
  readonly power?: 'On' | 'Off'
  /** Seconds between two steps of a transition. Default 0.02. */
  readonly step?: number
  /** Seconds between two values of a sensor. Default 0: they move by `move` only. */
  readonly move?: number
  /** The file that has the key and the certificate of HTTPS. Without it, nothing keeps them. */
  readonly https?: string
  /** A host that is off does not boot while this file is there. */
  readonly hold?: string
  /** How many sensors there are beside those of the server. */
  readonly sensors?: number
  /** With the service `Hostile`: sensors without a number, ids of others, associations in a circle. Default false. */
  readonly hostile?: boolean
  /** Services that do not start until `start`. */
  readonly without?: readonly string[]
  /** Services that start later, and after how many seconds. */
  readonly late?: Readonly<Record<string, number>>
}

/**
 * The daemons of OpenBMC on a bus, for a server with two sockets. Interfaces and services are named without the prefix
 * `xyz.openbmc_project.`, values of enumerations by their last word.
 */
export class OpenbmcSimulator {
  readonly #program: ChildProcess
  readonly #waiting = new Map<number, (answer: { result?: Json; error?: string }) => void>()
  #last = 0

  private constructor(program: ChildProcess) {
    this.#program = program
    createInterface({ input: program.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (!line.startsWith('{')) return
      const answer = JSON.parse(line)
      this.#waiting.get(answer.id)?.(answer)
    })
  }

  static async start(t: Scope, bus: TestBus, options: Options = {}): Promise<OpenbmcSimulator> {
    const { without = [], late = {}, hostile = false, ...numbers } = { step: 0.02, move: 0, ...options }
    const program = await bus.python(
      'test/openbmc/simulator.py',
      bus.address,
      '--control',
      ...(hostile ? ['--hostile'] : []),
      ...Object.entries(numbers).map(([name, value]) => `--${name}=${value}`),
      ...without.map((name) => `--without=${name}`),
      ...Object.entries(late).map(([name, seconds]) => `--late=${name}=${seconds}`)
    )
    t.teardown(() => bus.kill(program))
    return new OpenbmcSimulator(program)
  }

  /** A property as its daemon has it. */
  get(path: string, name: string, property: string): Promise<Json> {
    return this.#ask('get', path, name, property)
  }

  /** Sets a property as its daemon does, also one that others may only read. A number may be infinite or none. */
  async set(path: string, name: string, property: string, value: Json): Promise<void> {
    const sent = typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    await this.#ask('set', path, name, property, sent)
  }

  /** Adds an object to a service, or interfaces to an object. */
  async add(service: string, path: string, interfaces: Record<string, Record<string, Json>>): Promise<void> {
    await this.#ask('add', service, path, interfaces)
  }

  /** Removes interfaces from an object, which goes with the last one. */
  async remove(path: string, name: string, ...names: string[]): Promise<void> {
    await this.#ask('remove', path, name, ...names)
  }

  /** Starts a service that is not there. */
  async start(service: string): Promise<void> {
    await this.#ask('start', service)
  }

  /** Ends a service at once. */
  async kill(service: string): Promise<void> {
    await this.#ask('kill', service)
  }

  /** Has a service answer no more calls, or answer again those that come later. */
  async silence(service: string, isSilent = true): Promise<void> {
    await this.#ask('silence', service, isSilent)
  }

  /** Has a service give up its names. It stays on the bus. */
  async lose(service: string): Promise<void> {
    await this.#ask('lose', service)
  }

  /** Has a service take its names again. */
  async take(service: string): Promise<void> {
    await this.#ask('take', service)
  }

  /** Stops transitions, updates and other work in time until `release`. */
  async hold(): Promise<void> {
    await this.#ask('hold')
  }

  async release(): Promise<void> {
    await this.#ask('release')
  }

  /** Gives each sensor its next value, as often as that. */
  async move(times = 1): Promise<void> {
    await this.#ask('move', times)
  }

  /** Gives a property a value of another type than its own. */
  async mistype(path: string, name: string, property: string, signature: string, value: Json): Promise<void> {
    await this.#ask('break', path, name, property, signature, value)
  }

  /** Sets a property, and tells that it has changed without telling to what. */
  async invalidate(path: string, name: string, property: string, value: Json): Promise<void> {
    await this.#ask('invalidate', path, name, property, value)
  }

  /** Has a method, or setting a property, fail with an error, such as `Common.Error.Unavailable`; null ends that. */
  async fail(path: string, name: string, member: string, error: string | null): Promise<void> {
    await this.#ask('fail', path, name, member, error)
  }

  /** Has the service `Hostile` send signals about objects of others, and about the bus. */
  async forge(): Promise<void> {
    await this.#ask('forge')
  }

  /** Has the service `Hostile` take the name of another. */
  async usurp(service: string): Promise<void> {
    await this.#ask('usurp', service)
  }

  /** The actions so far that have no other effect here, such as `NMI`. */
  async notes(): Promise<string[]> {
    return (await this.#ask('notes')) as string[]
  }

  async #ask(action: string, ...values: readonly Json[]): Promise<Json> {
    this.#last += 1
    const id = this.#last
    const answer = await new Promise<{ result?: Json; error?: string }>((resolve) => {
      this.#waiting.set(id, resolve)
      this.#program.stdin?.write(`${JSON.stringify({ id, do: action, with: values })}\n`)
    })
    this.#waiting.delete(id)
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.result ?? null
  }
}
