import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { vendorVariables } from '#data/variables'
import { run } from '#test/clients/run.ts'
import { give } from '#test/host/client-file.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, type Json, password, type Response, type Server, start } from '#test/host/server.ts'
import { Visitor } from '#test/page/browser.ts'
import { missing as noBrowser, openBrowser } from '#test/page/chromium.ts'
import { buildApplication, makeKey, missingApplication, missingSigning, sign } from './application.ts'
import { makeDisc, missingDisc } from './disc.ts'
import { inLog, missingMachine } from './machine.ts'

t.setTimeout(1_700_000)

const python = '/usr/bin/python3'
const sushy =
  spawnSync(python, ['-c', 'import sushy']).status === 0 ? undefined : 'sushy: not here; install python3-sushy'
const missing = missingMachine ?? missingApplication ?? missingSigning ?? missingDisc ?? sushy
const system = '/redfish/v1/Systems/1/'
const entries = `${system}LogServices/SystemLog/Entries/?$expand=.`

/** A virtual machine behind a service, as an operator with sushy sees it, and what its guest says. */
class Machine {
  readonly server: Server

  constructor(server: Server) {
    this.server = server
  }

  /** One step of sushy-operator.py. @returns power state, boot override, image */
  async step(...words: string[]): Promise<string> {
    const url = `https://127.0.0.1:${this.server.port}`
    const { status, stdout, stderr } = await run(
      python,
      'test/ovmf/sushy-operator.py',
      url,
      'admin',
      password,
      ...words
    )
    if (status !== 0) {
      const said = [stderr.trimEnd().split('\n').at(-1), ...this.server.process.stderr.slice(-5)]
      throw new Error(`${words.join(' ')}: ${said.join('\n')}`)
    }
    return stdout.trim()
  }

  /** The output of its serial port since `boots`. */
  get serialOutput(): string {
    try {
      return readFileSync(this.#serial, 'latin1')
    } catch {
      return '' // It is put aside, and the next one has not begun.
    }
  }

  get #serial(): string {
    return join(this.server.data, 'machine/vm-1.serial.log')
  }

  /** Has it boot, and waits until this stands on its serial port. */
  async boots(type: string, words: RegExp): Promise<void> {
    rmSync(this.#serial, { force: true })
    await this.step('reset', type)
    await this.says(words)
  }

  /** Waits until this stands on its serial port, a minute at most: nothing tells when a file grows. */
  async says(words: RegExp): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      if (inLog(words).test(this.serialOutput)) return
      await pause(100)
    }
    throw new Error(`never said ${words}: ${this.serialOutput.slice(-1500)}`)
  }

  /** Makes its log larger than it may be, and waits until that is put aside and another one is begun. */
  async fillsLog(): Promise<void> {
    appendFileSync(this.#serial, Buffer.alloc(1_048_577, ' '))
    const size = () => statSync(this.#serial, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY
    while (size() > 1_048_576) await pause(100)
  }

  async becomes(state: string): Promise<void> {
    await this.server.until(
      () => this.server.get(system),
      ({ json }) => json.PowerState === state
    )
  }

  /** The message ids of its log, without registry and version, each with its arguments. */
  async log(): Promise<string[]> {
    const { Members } = (await this.server.get(entries)).json
    return Members.map(({ MessageId, MessageArgs }: Json) => [MessageId.split('.').at(-1), ...MessageArgs].join(' '))
  }

  /** Asks for what no standard operation is for. @returns the message id, without registry and version */
  async cycles(ResetType: string): Promise<string> {
    const target = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`
    const { json } = await this.server.post(target, { ResetType })
    return json.error['@Message.ExtendedInfo'][0].MessageId.split('.').at(-1)
  }

  /** Waits until this is the last that its log says. */
  async tells(id: string): Promise<void> {
    await this.server.until(
      () => this.server.get(entries),
      ({ json }) => json.Members.at(-1).MessageId.endsWith(`.${id}`)
    )
  }

  /** Waits until its log has said this so often. */
  async hasTold(id: string, times: number): Promise<void> {
    await this.server.until(
      () => this.server.get(entries),
      ({ json }) => json.Members.filter((each: Json) => each.MessageId.endsWith(`.${id}`)).length === times
    )
  }

  /** The process of QEMU. */
  get pid(): number {
    return Number(readFileSync(join(this.server.data, 'machine/vm-1.pid'), 'utf8'))
  }
}

/** The board as it ships, whose operating system has a second to shut down, and QEMU time on a machine that is busy. */
function boardFile(files: string): string {
  const board = JSON.parse(readFileSync('data/boards/qemu.json', 'utf8'))
  Object.assign(board.systems['1'].power, { gracefulTime: 1000, offTime: 100, timeout: 60_000 })
  const file = join(files, 'board.json')
  writeFileSync(file, JSON.stringify(board))
  return file
}

/** A GUID as C has it. */
function guidOf(text: string): string {
  const [a, b, c, d, e] = text.split('-') as [string, string, string, string, string]
  return `{0x${a}, 0x${b}, 0x${c}, {${(d + e).match(/../g)!.map((byte) => `0x${byte}`)}}}`
}

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`a virtual machine managed by sushy, on ${host.name}`, host.missing ?? missing, async (whole) => {
    const files = directory(whole)
    const key = Object.fromEntries(['PK', 'KEK', 'db'].map((name) => [name, makeKey(files, name)]))
    const guest = buildApplication(files, 'guest', [`-DSETTINGS_GUID=${guidOf(vendorVariables)}`])
    const disc = makeDisc(join(files, 'plain.iso'), guest, 'PLAIN')
    const signed = makeDisc(join(files, 'signed.iso'), sign(guest, key.db!), 'SIGNED')
    const options = {
      data: directory(whole),
      args: ['--board', boardFile(files)],
      configuration: { password: { iterations: 1000 }, media: { directory: files } }
    }
    let machine = new Machine(await start(whole, host, options))
    whole.teardown(() => {
      try {
        process.kill(machine.pid, 'SIGKILL')
      } catch {
        // It is off.
      }
    })

    await whole.test('a disc of the client boots before all of it is read, and its socket may break', async (t) => {
      const file = readFileSync(disc)
      const drive = '/redfish/v1/Managers/1/VirtualMedia/1'
      const given = await give(t, machine.server, `${drive}/Stream`, file, { name: 'plain.iso' })
      const inserted = () => machine.server.get(`${drive}/`)
      await machine.server.until(inserted, ({ json }) => json.Inserted && json.ImageName === 'plain.iso')
      await machine.step('boot', 'Cd', 'Once')
      await machine.boots('On', /guest: medium PLAIN/)
      t.ok(given.read() > 0 && given.read() < file.length, `${given.read()} of ${file.length} bytes`)
      given.vanish()
      const again = await give(t, machine.server, `${drive}/Stream`, file, { name: 'plain.iso' })
      await machine.step('boot', 'Cd', 'Once')
      await machine.boots('ForceRestart', /guest: medium PLAIN/)
      again.leave()
      await machine.server.until(inserted, ({ json }) => !json.Inserted)
      await machine.step('reset', 'ForceOff')
      await machine.becomes('Off')
    })

    await whole.test('a disc is inserted, and boots; nothing else is needed', async (t) => {
      t.equal(await machine.step('show'), 'Off None Disabled None')
      t.equal(await machine.step('insert', `file://${disc}`), `Off None Disabled file://${disc}`)
      t.match(await machine.step('boot', 'Cd', 'Once'), /^Off Cd Once/)
      await machine.boots('On', /guest: medium PLAIN/)
      t.match(machine.serialOutput, inLog(/guest: started, secure boot 0/))
      t.match(await machine.step('show'), /^On None Disabled/)
    })

    await whole.test('bytes that the guest writes to port 0x80 are entries of the log of POST codes', async (t) => {
      const ofLastBoot = ({ json: { Members } }: Response) =>
        Members.filter(({ MessageArgs }: Json) => MessageArgs[1] === Members.at(-1).MessageArgs[1])
      const answer = await machine.server.until(
        () => machine.server.get(`${system}LogServices/PostCodes/Entries/`),
        (answer) => ofLastBoot(answer).length > 1
      )
      t.same(
        ofLastBoot(answer).map(({ MessageArgs }: Json) => MessageArgs[0]),
        ['0x5a', '0xad']
      )
    })

    await whole.test('an NMI arrives, and the log of the serial port is never too large', async () => {
      await machine.fillsLog()
      await machine.step('reset', 'Nmi')
      await machine.says(/guest: NMI/)
    })

    await whole.test('a break on the serial line arrives', async () => {
      const target = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.SendBreak/`
      // Firmware takes it while it reads from the disc.
      for (let tries = 0; tries < 60 && !inLog(/guest: break/).test(machine.serialOutput); tries++) {
        await machine.server.post(target, {})
        await pause(500)
      }
      await machine.says(/guest: break/)
    })

    await whole.test('discs change while it runs', async (t) => {
      t.match(await machine.step('eject'), /^On None Disabled None$/)
      t.match(await machine.step('insert', `file://${signed}`), /signed\.iso$/)
      await machine.says(/guest: medium SIGNED/)
    })

    // Once is enough: on the simulated machine the page is tested with both hosts.
    if (host.name === 'Node.js' && noBrowser === undefined) {
      await whole.test('a browser shows its console, and sends it an NMI', async (t) => {
        const visitor = await Visitor.loggedIn(t, await openBrowser(t), machine.server, '#/console')
        await visitor.sees('Connected.')
        await visitor.seesInTerminal('guest:')
        await visitor.follow('Media')
        await visitor.sees('signed.iso')
        await visitor.follow('Overview')
        await visitor.press('More')
        await visitor.press('Send NMI')
        await visitor.agree('Send NMI')
        await machine.says(/guest: NMI[\s\S]*guest: NMI/)
        t.same(visitor.faults, [])
      })
    }

    await whole.test('the service is replaced, and the machine neither notices nor is forgotten', async (t) => {
      const { pid } = machine
      t.equal(await machine.server.stop(), 0)
      machine = new Machine(await start(whole, host, options))
      t.match(await machine.step('show'), /^On None Disabled file:.*signed\.iso$/)
      t.equal(machine.pid, pid)
    })

    await whole.test('asked to restart, it shuts down and boots again', async (t) => {
      const { pid } = machine
      await machine.boots('GracefulRestart', /guest: medium SIGNED/)
      await machine.becomes('On')
      t.not(machine.pid, pid)
    })

    await whole.test('its button switches it off and on', async (t) => {
      await machine.step('reset', 'PushPowerButton')
      await machine.becomes('Off')
      t.match(machine.serialOutput, inLog(/guest: power button/))
      await machine.boots('PushPowerButton', /guest: medium SIGNED/)
      await machine.becomes('On')
    })

    await whole.test(
      'a cold boot takes the power away in between; the standby supply is only cut without it',
      async (t) => {
        const { pid } = machine
        t.equal(await machine.cycles('AuxCycle'), 'SystemPowerOffRequired')
        t.equal(await machine.cycles('ColdBoot'), 'Success')
        await machine.becomes('Off')
        await machine.becomes('On')
        t.not(machine.pid, pid)
        await machine.says(/guest: medium SIGNED[\s\S]*guest: medium SIGNED/)
      }
    )

    await whole.test('asked to shut down, it does', async (t) => {
      await machine.step('reset', 'GracefulShutdown')
      await machine.becomes('Off')
      t.match(machine.serialOutput, inLog(/guest: power button/))
    })

    await whole.test('without the standby supply the controller starts again, and the machine stays off', async (t) => {
      const events = () => machine.server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.')
      const starts = ({ json }: Response) =>
        json.Members.filter(({ MessageId }: Json) => MessageId.endsWith('.ControllerStarted')).length
      const before = starts(await events())
      t.equal(await machine.cycles('AuxCycle'), 'ResetInProgress')
      await machine.server.until(events, (answer) => starts(answer) === before + 1)
      t.match(await machine.step('show'), /^Off None Disabled/)
    })

    await whole.test('settings and keys apply at the next boot, and signed images start', async (t) => {
      for (const [database, { certificate }] of Object.entries(key)) {
        const enrolment = { CertificateString: readFileSync(certificate, 'utf8'), CertificateType: 'PEM' }
        const { status } = await machine.server.post(
          `${system}SecureBoot/SecureBootDatabases/${database}/Certificates/`,
          enrolment
        )
        t.equal(status, 201, database)
      }
      await machine.step('secure-boot', 'on')
      await machine.step('bios', 'ServerOwner', 'ignore')
      const { BootOrder } = (await machine.server.get(system)).json.Boot
      const Boot = { BootOrder: [...BootOrder].reverse() }
      t.equal((await machine.server.patch(system, { Boot })).status, 200, 'the shell comes first otherwise')
      await machine.step('boot', 'Cd', 'Once')
      await machine.boots('On', /guest: medium SIGNED/)
      t.match(await machine.step('show'), /^On None Disabled/)
      t.match(machine.serialOutput, inLog(/guest: started, secure boot 1/))
      t.match(machine.serialOutput, inLog(/guest: settings .*"ServerOwner":"ignore"/))
    })

    await whole.test('a guest that ignores the button keeps running until the button is held', async (t) => {
      const { pid } = machine
      for (const [before, type] of ['GracefulShutdown', 'GracefulRestart'].entries()) {
        await machine.step('reset', type)
        await machine.hasTold('ShutdownIgnored', before + 1)
        await machine.becomes('On')
      }
      t.match(machine.serialOutput, inLog(/guest: power button[\s\S]*guest: power button/))
      t.equal(machine.pid, pid)
      const hold = { PushType: 'PressAndHold' }
      const target = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.PowerButton/`
      t.equal((await machine.server.post(target, hold)).status, 200)
      await machine.becomes('Off')
    })

    await whole.test(
      'the firmware refuses an unsigned image; a reset boots the medium and override that were set meanwhile',
      async () => {
        await machine.step('eject')
        await machine.step('insert', `file://${disc}`)
        await machine.step('boot', 'Cd', 'Continuous')
        await machine.boots('On', /failed to load Boot.*DVD-ROM.*Access Denied/)
        await machine.step('eject')
        await machine.step('insert', `file://${signed}`)
        await machine.step('bios', 'ServerOwner', 'leave')
        await machine.boots('ForceRestart', /guest: leaving/)
      }
    )

    await whole.test('a guest that switches itself off is Off, with a log entry', async (t) => {
      await machine.becomes('Off')
      await machine.tells('ServerPoweredOff')
      t.notOk((await machine.log()).some((each) => each.startsWith('ServerFailed')))
    })

    await whole.test('a guest that crashes is left as it is, critical until it boots again', async (t) => {
      await machine.step('bios', 'ServerOwner', 'panic')
      await machine.boots('On', /guest: crashing/)
      await machine.tells('ServerCrashed')
      const status = async () => (await machine.server.get(system)).json.Status
      t.match(await status(), { State: 'Enabled', Health: 'Critical' })
      await machine.step('reset', 'ForceOff')
      await machine.becomes('Off')
      t.equal((await status()).Health, 'Critical', 'until then')
    })

    await whole.test(
      'without an override the shell starts first; a killed process is Off, with a log entry of the failure',
      async (t) => {
        await machine.step('boot', 'None', 'Disabled')
        await machine.step('bios', 'ServerOwner', 'nobody')
        await machine.boots('On', /starting Boot.*EFI Internal Shell/)
        process.kill(machine.pid, 'SIGKILL')
        await machine.becomes('Off')
        await machine.tells('ServerPoweredOff')
        t.match((await machine.log()).at(-2), /^ServerFailed /)
      }
    )
  })
}
