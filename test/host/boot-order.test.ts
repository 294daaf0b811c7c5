import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '#hal/edk2/store.ts'
import {
  type BootOption,
  bootAttribute,
  readBootNumbers,
  readBootOption,
  writeBootNumbers,
  writeBootOption
} from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { devicePathFromText } from '#hal/uefi/device-path-from-text.ts'
import { bootNext, bootOrder, bootVariable } from '#hal/uefi/variables.ts'
import { change, load } from '#test/ovmf/stores.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { directory, type Json, type Scope, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))

/** A host whose variables are in a flash that can be read while it runs, as that of a virtual machine. */
async function begin(t: Scope, host: Parameters<typeof start>[1]) {
  const times = { onTime: 100, offTime: 100, gracefulTime: 100, resetTime: 100 }
  const nvram = { type: 'edk2', path: 'nvram-1.fd', create: '4M' }
  const { systems } = board
  const own = { ...board, systems: { ...systems, 1: { ...systems['1'], nvram, power: { type: 'sim', ...times } } } }
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(own))
  const server = await start(t, host, { args: ['--board', file] })
  return { server, flash: join(server.data, 'machine/nvram-1.fd') }
}

/** A boot option, with the device of one of the board's or with one of its own. */
function option(number: number, description: string, reference?: string) {
  const known = board.systems['1'].bootOptions.find((each: Json) => each.reference === reference)
  const text = known?.uefiDevicePath ?? `PciRoot(0x0)/Pci(0x1F,0x${number.toString(16)})`
  const devicePath = devicePathFromText(text) as Uint8Array
  const whole: BootOption = { attributes: bootAttribute.active, description, devicePath, optionalData: Buffer.of(1) }
  return { ...bootVariable(number), data: writeBootOption(whole) }
}

/** As the guest does it. */
const sets = (flash: string, ...changes: Parameters<ReturnType<typeof openStore>['set']>[0]) =>
  change(load(flash), flash, (nvram) => nvram.set(changes))
const order = (...numbers: number[]) => ({ ...bootOrder, data: writeBootNumbers(numbers) })
const stored = (flash: string, { name, guid } = bootOrder) =>
  readBootNumbers(openStore(load(flash).open()).get(name, guid)?.data ?? Buffer.of())

const shown = async (server: Server): Promise<string[]> => (await server.get(system)).json.Boot.BootOrder
const listed = async (server: Server): Promise<Json[]> =>
  (await server.get(`${system}BootOptions/?$expand=.`)).json.Members

/** Waits until the service has seen what the guest has done. */
const sees = (server: Server, ...wanted: readonly string[]) =>
  server.until(
    () => server.get(system),
    ({ json }) => json.Boot.BootOrder.join() === wanted.join()
  )

/** Has the host boot: when it is on, it has been held. */
async function boots(server: Server): Promise<void> {
  for (const [ResetType, state] of [
    ['ForceOff', 'Off'],
    ['On', 'On']
  ]) {
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })
    await server.until(
      () => server.get(system),
      ({ json }) => json.PowerState === state
    )
  }
}

onBothHosts(async (t, host) => {
  const { server, flash } = await begin(t, host)
  const patch = (...BootOrder: string[]) => server.patch(system, { Boot: { BootOrder } })

  t.test("the boot order is the firmware's, and the options outside it are listed", async (t) => {
    const all = await shown(server)
    t.equal(all.length, 11, 'of the board, while firmware has none')
    await sets(flash, option(0x20, 'Shell'), option(0x21, 'Installer'), option(0x22, 'NIC', 'Boot0004'), order(0x21))
    await sees(server, 'Boot0021')
    const options = await listed(server)
    t.same(
      options.map(({ Id }) => Id),
      [...all.filter((each) => each !== 'Boot0004'), 'Boot0021', 'Boot0020', 'Boot0022']
    )
    t.match(options.at(-1), { Alias: 'Pxe', DisplayName: board.systems['1'].bootOptions[4].displayName })
    t.match(options.at(-2), { Alias: null, DisplayName: 'Shell' })
  })

  t.test('options can be added to the order, and not removed from it', async (t) => {
    for (const [wrong, message] of [
      [['Boot0020'], 'Base.PropertyValueIncorrect(BootOrder, Boot0020)'],
      [['Boot0021', 'Boot0020', 'Boot0020'], 'Base.PropertyValueIncorrect(BootOrder, Boot0021, Boot0020, Boot0020)'],
      [['Boot0021', 'Boot0099'], 'Base.PropertyValueNotInList(Boot0099, BootOrder)'],
      [['Boot0021', 'Boot0004'], 'Base.PropertyValueNotInList(Boot0004, BootOrder)']
    ] as const) {
      const answer = await patch(...wrong)
      t.same([answer.status, messagesOf(answer)], [400, [message]])
    }
    t.same(await shown(server), ['Boot0021'])
    t.equal((await patch('Boot0020', 'Boot000A', 'Boot0021')).status, 200)
    t.same(await shown(server), ['Boot0020', 'Boot000A', 'Boot0021'])
    t.equal((await patch('Boot0021', 'Boot0020')).status, 400, 'nor what only waits to be put in')
    t.same(stored(flash), [0x21], 'the host runs')
  })

  t.test('options that the guest adds or removes meanwhile stay added or removed', async (t) => {
    await sets(flash, option(0x23, 'Other system'), { ...bootVariable(0x20), data: null }, order(0x23, 0x22))
    await sees(server, 'Boot000A', 'Boot0023', 'Boot0022')
    await boots(server)
    t.same(stored(flash), [0x0a, 0x23, 0x22])
    const { data } = openStore(load(flash).open()).get('Boot000A', bootOrder.guid) ?? { data: Buffer.of() }
    t.equal(devicePathText(readBootOption(data).devicePath), board.systems['1'].bootOptions[0xa].uefiDevicePath)
    t.same(await shown(server), ['Boot000A', 'Boot0023', 'Boot0022'])
    t.match((await listed(server)).at(-1), { Id: 'Boot0021' })
  })

  t.test('an override boots an option outside the order, which stays as it is', async (t) => {
    const { UefiDevicePath } = (await server.get(`${system}BootOptions/Boot0021/`)).json
    const Boot = {
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideTarget: 'UefiTarget',
      UefiTargetBootSourceOverride: UefiDevicePath
    }
    t.equal((await server.patch(system, { Boot })).status, 200)
    await boots(server)
    t.same(stored(flash, bootNext), [0x21])
    t.same(await shown(server), ['Boot000A', 'Boot0023', 'Boot0022'])
  })
})
