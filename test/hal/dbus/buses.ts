// needs: dbus-daemon, dbus-broker, busctl, gdbus, python3-dbusmock

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from '#test/host/server.ts'

/** The distribution's own interpreter: the one that python3-dbusmock is installed for. */
const python = '/usr/bin/python3'

/** Any program may call everything. */
const free = '<allow send_destination="*"/>'

/** As on a system's bus: what is not allowed to a user is denied. */
const restricted = `<deny send_type="method_call"/>
    <allow send_destination="org.freedesktop.DBus"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>`

const configuration = (path: string, policy: string | undefined) => `<busconfig>
  <type>session</type>
  <listen>unix:path=${path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    ${policy === undefined ? free : restricted}
    <allow receive_sender="*"/>
  </policy>
  ${policy ?? ''}
</busconfig>
`

export const brokers = ['dbus-daemon', 'dbus-broker'] as const

/** A message bus of its own: nothing else of this machine is on it. */
export class TestBus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bus-'))
  readonly #kind: (typeof brokers)[number]
  readonly #policy: string | undefined
  readonly #programs = new Set<ChildProcess>()
  #broker: ChildProcess | undefined
  readonly socket = join(this.#folder, 'bus')
  readonly address = `unix:path=${this.socket}`

  private constructor(kind: (typeof brokers)[number], policy: string | undefined) {
    this.#kind = kind
    this.#policy = policy
  }

  /**
   * @param t whose end is that of the bus and of all programs on it
   * @param policy what this user may call, for dbus-daemon; everything without one
   */
  static async start(
    t: Scope,
    kind: (typeof brokers)[number] = 'dbus-daemon',
    policy?: string | undefined
  ): Promise<TestBus> {
    const bus = new TestBus(kind, policy)
    t.teardown(() => bus.#end())
    await bus.start()
    return bus
  }

  /** Starts it, again after `stop`. */
  async start(): Promise<void> {
    const file = join(this.#folder, 'bus.conf')
    writeFileSync(file, configuration(this.socket, this.#policy))
    this.#broker = await this.#run(
      this.#kind === 'dbus-daemon'
        ? ['dbus-daemon', `--config-file=${file}`, '--nofork', '--nopidfile', '--print-address']
        : [python, 'test/hal/dbus/fixtures/broker.py', this.socket]
    )
  }

  /** Ends the bus. Its clients lose their connections. */
  async stop(): Promise<void> {
    if (this.#broker !== undefined) await this.kill(this.#broker)
    rmSync(this.socket, { force: true })
  }

  /** Starts a program on the bus, and waits for its first line. */
  python(...args: string[]): Promise<ChildProcess> {
    return this.#run([python, ...args])
  }

  /** Starts a service of python3-dbusmock, and waits until it has its name. */
  async mock(name: string, ...args: string[]): Promise<ChildProcess> {
    const command = [python, '-m', 'dbusmock', '--session', '--logfile', '/dev/null', ...args]
    const program = spawn(command[0] as string, command.slice(1), { env: this.#environment, stdio: 'inherit' })
    this.#programs.add(program)
    while (!this.busctl('list').includes(`${name} `)) await new Promise((next) => setTimeout(next, 20))
    return program
  }

  /** Ends a program at once. */
  async kill(program: ChildProcess): Promise<void> {
    this.#programs.delete(program)
    if (program.exitCode !== null || program.signalCode !== null) return
    const ended = once(program, 'exit')
    // The script that runs dbus-broker ends it when its input ends.
    if (program.stdin) program.stdin.end()
    if (program !== this.#broker || this.#kind === 'dbus-daemon') program.kill('SIGKILL')
    await ended
  }

  /** @returns what busctl, of systemd, prints */
  busctl(...args: string[]): string {
    return this.#told(['busctl', `--address=${this.address}`, '--', ...args])
  }

  /** @returns what gdbus, of GLib, prints */
  gdbus(command: string, ...args: string[]): string {
    return this.#told(['gdbus', command, '--session', ...args])
  }

  get #environment() {
    return { ...process.env, DBUS_SESSION_BUS_ADDRESS: this.address }
  }

  #told([program = '', ...args]: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: this.#environment })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  async #run([program = '', ...args]: string[]): Promise<ChildProcess> {
    const child = spawn(program, args, { env: this.#environment, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#programs.add(child)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text
    })
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => {
        throw new Error(`${program} ended: ${errors}`)
      })
    ])
    return child
  }

  async #end(): Promise<void> {
    for (const program of [...this.#programs]) if (program !== this.#broker) await this.kill(program)
    await this.stop()
    rmSync(this.#folder, { recursive: true })
  }
}
