import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openStore } from '#hal/edk2/store.ts'
import { readBootNumbers } from '#hal/uefi/boot.ts'
import { bootOrder } from '#hal/uefi/variables.ts'
import { variable } from '#test/hal/contracts/nvram.ts'
import { change, load, newStore } from '#test/ovmf/stores.ts'
import { makeSigner } from './certificates.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { directory, type Json, type Scope, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const secureBoot = `${system}SecureBoot/`
const settings = `${system}Bios/Settings/`

/** A sound store with a variable in it. */
async function sound(t: Scope): Promise<Buffer> {
  const file = join(directory(t), 'store.fd')
  await change(newStore('4M'), file, (nvram) => nvram.set([variable('First', 'x')]))
  return readFileSync(file)
}

/** The store with a byte that no store has at that place. */
function withByte(store: Buffer, place: number, byte: number): Buffer {
  const changed = Buffer.from(store)
  changed[place] = byte
  return changed
}

type Damage = readonly [what: string, bytes: (store: Buffer) => Uint8Array, state: 'damaged' | 'absent', fault: RegExp]

/** Places of Pi/PiFirmwareVolume.h and Guid/VariableFormat.h (EDK II). */
const damages: readonly Damage[] = [
  ['cut off', (store) => store.subarray(0, 0x40000), 'damaged', /0x84000|540672|262144/],
  ['cut off within a block', (store) => store.subarray(0, 1000), 'damaged', /1000|not whole erase blocks/],
  ['blank', ({ length }) => Buffer.alloc(length, 0xff), 'absent', /variable store/],
  ['something else', ({ length }) => Buffer.alloc(length, '\x7fELF'), 'absent', /variable store/],
  ['with a volume header that its checksum does not fit', (store) => withByte(store, 0x2e, 0xaa), 'damaged', /0x/],
  ['with an unhealthy state', (store) => withByte(store, 0x5d, 0xff), 'damaged', /state/],
  ['with a record that ends nowhere', (store) => withByte(store, 0x64 + 43, 0x7f), 'damaged', /0x/]
]

/** A board whose variables are in a flash; here a plain file. */
function boardWithFlash(t: Scope): string {
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const times = { onTime: 100, offTime: 100, gracefulTime: 100, resetTime: 100 }
  Object.assign(board.systems['1'], { nvram: { type: 'edk2', path: 'nvram-1.fd' }, power: { type: 'sim', ...times } })
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(board))
  return file
}

onBothHosts(async (t, host) => {
  const { certificate } = makeSigner(t, { subject: '/CN=Platform key' })
  const store = await sound(t)
  const begin = async (t: Test, bytes: Uint8Array, args: readonly string[] = []) => {
    const data = directory(t)
    const file = join(data, 'machine/nvram-1.fd')
    mkdirSync(join(data, 'machine'))
    writeFileSync(file, bytes)
    return { server: await start(t, host, { data, args }), file }
  }

  for (const [backend, args] of [
    ['the simulated machine', () => []],
    ['a flash', (t: Scope) => ['--board', boardWithFlash(t)]]
  ] as const) {
    for (const [what, damage, state, fault] of damages) {
      t.test(
        `the store of ${backend} is ${what}: it is reported and not written, and the service continues`,
        async (t) => {
          const bytes = damage(store)
          const { server, file } = await begin(t, bytes, args(t))
          t.match(reported(server), [{ level: 'error', system: '1', state, faults: [fault] }])
          await refuses(t, server, certificate)
          await goesOn(t, server)
          t.equal(await server.stop(), 0)
          t.ok(readFileSync(file).equals(bytes), 'not a byte of it has changed')
        }
      )
    }
  }

  t.test('a missing flash is reported, and the service continues', async (t) => {
    const server = await start(t, host, { args: ['--board', boardWithFlash(t)] })
    t.match(reported(server), [{ state: 'absent', faults: [/nvram-1\.fd/] }])
    await goesOn(t, server)
  })

  t.test('pending variables are written when the store exists', async (t) => {
    const { server, file } = await begin(t, Buffer.alloc(10))
    await server.patch(system, { Boot: { BootOrder: await reversed(server) } })
    await power(server, 'ForceOff', 'Off')
    await server.stop()
    t.equal(readFileSync(file).length, 10)
    writeFileSync(file, store)
    const again = await start(t, host, { data: server.data })
    await again.stop()
    t.same(reported(again), [])
    const [first] = readBootNumbers(openStore(load(file).open()).get('BootOrder', bootOrder.guid)?.data ?? Buffer.of())
    t.equal(first, 0xa)
  })
})

/** The log lines about stores at the start. */
function reported({ process }: Server): Json[] {
  const lines: Json[] = process.stderr.map((line) => JSON.parse(line))
  return lines.filter(({ message }) => message === 'the variables of the firmware cannot be used')
}

async function refuses(t: Test, server: Server, certificate: string): Promise<void> {
  t.equal((await server.get(secureBoot)).status, 200)
  const enrolment = { CertificateString: certificate, CertificateType: 'PEM' }
  const unavailable = [503, ['Mgmt.DeviceNotAvailable()']]
  for (const answer of [
    await server.post(`${secureBoot}SecureBootDatabases/PK/Certificates/`, enrolment),
    await server.post(`${secureBoot}Actions/SecureBoot.ResetKeys/`, { ResetKeysType: 'ResetAllKeysToDefault' }),
    await server.patch(secureBoot, { SecureBootEnable: false })
  ]) {
    t.same([answer.status, messagesOf(answer)], unavailable)
  }
  const enable = await server.patch(secureBoot, { SecureBootEnable: true })
  t.same([enable.status, messagesOf(enable)], [409, ['Mgmt.PlatformKeyRequired()']])
}

/** BIOS settings, the boot order, the boot override and the power work without variables. */
async function goesOn(t: Test, server: Server): Promise<void> {
  const order = await reversed(server)
  const Boot = { BootOrder: order, BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' }
  t.equal((await server.patch(system, { Boot })).status, 200)
  t.equal((await server.patch(settings, { Attributes: { ServerName: 'db7' } })).status, 200)
  await power(server, 'ForceOff', 'Off')
  await power(server, 'On', 'On')
  const { json: bios } = await server.get(`${system}Bios/`)
  t.equal(bios.Attributes.ServerName, 'db7')
  t.same((await server.get(settings)).json.Attributes, bios.Attributes, 'nothing waits')
  const { json } = await server.get(system)
  t.match(json.Boot, { BootOrder: order, BootSourceOverrideEnabled: 'Disabled' })
}

async function reversed(server: Server): Promise<string[]> {
  return (await server.get(system)).json.Boot.BootOrder.reverse()
}

async function power(server: Server, ResetType: string, state: string): Promise<void> {
  await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}
