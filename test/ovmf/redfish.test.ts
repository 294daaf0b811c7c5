import { copyFileSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { openStore } from '#hal/edk2/store.ts'
import type { Nvram } from '#hal/nvram.ts'
import { readBootNumbers, readBootOption, writeBootNumbers } from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { bootNext, bootOrder, globalGuid } from '#hal/uefi/variables.ts'
import { contents } from '#test/hal/contracts/nvram.ts'
import { needing } from '#test/host/every-host.ts'
import { type Host, hosts } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { directory, type Json, type Server, start } from '#test/host/server.ts'
import { buildApplication, makeDisk, makeKey, missingApplication, missingSigning, sign } from './application.ts'
import { type Boot, boot, missingMachine } from './machine.ts'
import { change, load } from './stores.ts'
import { missingVirtFirmware, readByVirtFirmware } from './virt-firmware.ts'

t.setTimeout(1_700_000)

const missing = missingMachine ?? missingApplication ?? missingSigning ?? missingVirtFirmware
const system = '/redfish/v1/Systems/1/'
const secureBoot = `${system}SecureBoot/`
const databases = `${secureBoot}SecureBootDatabases/`

/** The firmware's variables about its modes. */
function modes({ variables }: Boot): Record<string, number | undefined> {
  const names = ['SecureBoot', 'SetupMode']
  return Object.fromEntries(names.map((name) => [name, variables.get(`${globalGuid}/${name}`)?.data[0]]))
}

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`what Redfish says and what firmware does, on ${host.name}`, host.missing ?? missing, async (t) => {
    const files = t.testdir({ signed: {}, unsigned: {} })
    const application = buildApplication(files)
    const unsigned = makeDisk(`${files}/unsigned`, application)
    const keys = Object.fromEntries(['PK', 'KEK', 'db'].map((name) => [name, makeKey(files, name)]))
    const signed = makeDisk(`${files}/signed`, sign(application, keys.db!))
    const data = directory(t)
    const store = `${data}/machine/nvram-1.fd`

    /** Lets firmware boot with a copy of the store, which is then the store. */
    async function boots(disk: string, until?: RegExp): Promise<Boot> {
      const copy = `${files}/store.fd`
      copyFileSync(store, copy)
      const seen = await boot({ directory: files, store: copy, disk, ...(until && { until }) })
      copyFileSync(copy, store)
      return seen
    }

    /** Runs the service, and leaves the host switched off and the service ended. */
    async function serves(t: Test, action: (server: Server) => Promise<void>): Promise<Nvram> {
      const server = await start(t, host, { data })
      await action(server)
      if ((await server.get(system)).json.PowerState !== 'Off') await power(server, 'ForceOff', 'Off')
      t.equal(await server.stop(), 0)
      return sameForAll(t, host, store)
    }

    await t.test('BIOS settings that a reset transfers are in the store with their result', async (t) => {
      await serves(t, async (server) => {
        const Attributes = { ServerName: 'db7', Flux: 1 }
        t.equal((await server.patch(`${system}Bios/Settings/`, { Attributes })).status, 200)
        await power(server, 'ForceOff', 'Off')
        await power(server, 'On', 'On')
      })
      const [lines = []] = readByVirtFirmware(files, [readFileSync(store)])
      const json = (name: string) => {
        const line = lines.find((each) => each.split(' ')[1] === name) ?? ''
        return JSON.parse(Buffer.from(line.split(' ').at(-1) ?? '', 'hex').toString())
      }
      t.equal(json('VendorBiosCurrent').Attributes.ServerName, 'db7')
      t.match(json('VendorBiosResult').Messages, [
        { MessageId: 'Base.1.0.Success' },
        { MessageId: 'Base.1.0.PropertyUnknown', MessageArgs: ['Flux'] }
      ])
    })

    await t.test('firmware finds them, in setup mode, and its writes are read', async (t) => {
      const seen = await boots(unsigned)
      t.comment(`booted in ${seen.milliseconds} ms`)
      t.equal(seen.report.at(-1), 'end')
      t.strictSame(modes(seen), { SecureBoot: 0, SetupMode: 1 })
      t.ok([...seen.variables.keys()].some((key) => key.endsWith('/VendorBiosResult')))
      const nvram = await sameForAll(t, host, store)
      const own = readBootNumbers(nvram.get('BootOrder', bootOrder.guid)!.data).map(reference)
      t.ok(own.length > 1, `firmware has made ${own}`)
      await serves(t, async (server) => {
        const { Boot } = (await server.get(system)).json
        t.same(Boot.BootOrder, own)
        for (const name of own) {
          const { description, devicePath } = readBootOption(nvram.get(name, bootOrder.guid)!.data)
          t.match((await server.get(`${system}BootOptions/${name}/`)).json, {
            Alias: null,
            DisplayName: description,
            UefiDevicePath: devicePathText(devicePath),
            Oem: { Vendor: { StructuredBootString: /^Unknown\.Emb\.1\.\d+$/ } }
          })
        }
      })
    })

    await t.test('the firmware boots an override once', async (t) => {
      const left = await serves(t, async (server) => {
        const shell = await optionNamed(server, /Shell/)
        const Boot = {
          BootSourceOverrideEnabled: 'Once',
          BootSourceOverrideTarget: 'UefiTarget',
          UefiTargetBootSourceOverride: shell.UefiDevicePath
        }
        t.equal((await server.patch(system, { Boot })).status, 200)
        await power(server, 'On', 'On')
        t.equal((await server.get(system)).json.Boot.BootSourceOverrideEnabled, 'Disabled')
      })
      const [number] = readBootNumbers(left.get('BootNext', bootNext.guid)!.data)
      const { console } = await boots(unsigned, /starting Boot.* from /)
      t.match(console, `starting ${reference(number!)} "EFI Internal Shell"`)
      t.equal((await sameForAll(t, host, store)).get('BootNext', bootNext.guid), undefined, 'firmware has deleted it')
    })

    await t.test('the boot order is the order in the store, by which firmware boots', async (t) => {
      let order: string[] = []
      await change(load(store), store, async (nvram) => {
        const numbers = readBootNumbers(nvram.get('BootOrder', bootOrder.guid)!.data)
        const others = numbers.filter((each) => {
          return !/Shell/.test(readBootOption(nvram.get(reference(each), bootOrder.guid)!.data).description)
        })
        await nvram.set([{ ...bootOrder, data: writeBootNumbers(others) }])
      })
      const left = await serves(t, async (server) => {
        const shell = await optionNamed(server, /Shell/)
        const before = (await server.get(system)).json.Boot.BootOrder
        t.notOk(before.includes(shell.Id), 'the operating system has taken it out')
        order = [shell.Id, ...before]
        t.equal((await server.patch(system, { Boot: { BootOrder: order } })).status, 200)
      })
      t.same(readBootNumbers(left.get('BootOrder', bootOrder.guid)!.data).map(reference), order)
      const { console } = await boots(unsigned, /starting Boot.* from /)
      t.match(console, `starting ${order[0]} "EFI Internal Shell"`)
      await serves(t, async (server) => {
        t.equal((await server.get(system)).json.Boot.BootOrder[0], order[0], 'firmware has left it first')
        const last = [...order.slice(1), order[0]]
        t.equal((await server.patch(system, { Boot: { BootOrder: last } })).status, 200)
      })
    })

    await t.test('with keys enrolled and secure boot enabled only signed images start', async (t) => {
      await serves(t, async (server) => {
        for (const [database, { certificate }] of Object.entries(keys)) {
          const enrolment = { CertificateString: readFileSync(certificate, 'utf8'), CertificateType: 'PEM' }
          t.equal((await server.post(`${databases}${database}/Certificates/`, enrolment)).status, 201, database)
        }
        t.equal((await server.patch(secureBoot, { SecureBootEnable: true })).status, 200)
      })
      const seen = await boots(signed, /Access Denied/)
      t.equal(seen.report.at(-1), 'end')
      t.strictSame(modes(seen), { SecureBoot: 1, SetupMode: 0 })
      await sameForAll(t, host, store)
      const { console, report } = await boots(unsigned, /Access Denied/)
      t.match(console, /failed to load Boot.*Access Denied/)
      t.strictSame(report, [])
      await serves(t, async (server) => {
        t.match((await server.get(secureBoot)).json, { SecureBootEnable: true, SecureBootMode: 'UserMode' })
      })
    })

    await t.test('with all keys deleted firmware is in setup mode', async (t) => {
      await serves(t, async (server) => {
        const body = { ResetKeysType: 'DeleteAllKeys' }
        t.equal((await server.post(`${secureBoot}Actions/SecureBoot.ResetKeys/`, body)).status, 200)
      })
      const seen = await boots(unsigned)
      t.equal(seen.report.at(-1), 'end')
      t.strictSame(modes(seen), { SecureBoot: 0, SetupMode: 1 })
      await sameForAll(t, host, store)
    })
  })
}

const reference = (number: number) => `Boot${number.toString(16).toUpperCase().padStart(4, '0')}`

async function power(server: Server, ResetType: string, state: string): Promise<void> {
  await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}

/** The boot option whose name for people is like this. */
async function optionNamed(server: Server, name: RegExp): Promise<Json> {
  const { Members } = (await server.get(`${system}BootOptions/?$expand=.`)).json
  const found = Members.filter(({ DisplayName }: Json) => name.test(DisplayName))
  return found.find(({ DisplayName }: Json) => DisplayName.startsWith('EFI')) ?? found[0]
}

/** The contents of the store are the same to us, to `minnow nvram list` and to virt-firmware. */
async function sameForAll(t: Test, host: Host, file: string): Promise<Nvram> {
  const nvram = openStore(load(file).open())
  t.strictSame(nvram.health, { state: 'ok', faults: [] })
  const [lines = []] = readByVirtFirmware(t.testdir(), [readFileSync(file)])
  t.strictSame(contents(nvram), lines)
  const { status, stdout } = await new Process(host, ['nvram', 'list', file]).ended
  t.equal(status, 0)
  const listed = stdout.map((line) => line.split('\t')).map(([name, guid, , size]) => `${guid} ${name} ${size}`)
  const found = nvram.list().map(({ name, guid }) => `${guid} ${name} ${nvram.get(name, guid)?.data.length}`)
  t.same(listed, found)
  return nvram
}
