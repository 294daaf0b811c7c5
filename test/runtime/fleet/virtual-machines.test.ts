import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { directory as temporary } from '#test/host/server.ts'
import { open } from './open.ts'

const system = '/redfish/v1/Systems/1/'

type Opened = Awaited<ReturnType<typeof open>>

/**
 * A group whose virtual machines take no time: their QEMU is another one, and their variables are simulated.
 *
 * @param files a folder for its board
 */
function group(files: string, machine: object = {}, nvram: object = { type: 'sim' }) {
  const [firmware, file] = [join(files, 'code.fd'), join(files, 'board.json')]
  writeFileSync(firmware, '')
  const board = JSON.parse(readFileSync('data/boards/qemu.json', 'utf8'))
  board.systems['1'].nvram = nvram
  board.systems['1'].power.store = firmware
  writeFileSync(file, JSON.stringify(board))
  const qemu = resolve('test/hal/fixtures/qemu.mjs')
  return { count: 2, board: file, network: '127.20.0.0/16', machine: { qemu, firmware, ...machine } }
}

async function power({ ask }: Opened, number: number, ResetType: string, state: string): Promise<void> {
  const { status, json } = await ask(number, 'POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType })
  if (status !== 200) throw new Error(JSON.stringify(json))
  while ((await ask(number, 'GET', system)).json.PowerState !== state) await pause(5)
}

/** The directory of a controller's machine. */
const files = (directory: string, number: number) => join(directory, `controllers/${number}/machine`)

const processOf = (directory: string, number: number) =>
  Number(readFileSync(join(files(directory, number), 'vm-1.pid'), 'utf8'))

t.test('each controller has a virtual machine of its own', async (t) => {
  const directory = temporary(t)
  const machine = { network: 'tap,ifname=vm{n},script=no', memory: 256 }
  const opened = await open(t, directory, 2, { groups: [group(directory, machine)] })
  for (const [number, mac] of [
    [1, '024D4E000010'],
    [2, '024D4E000020']
  ] as const) {
    await power(opened, number, 'On', 'On')
    const command = readFileSync(`/proc/${processOf(directory, number)}/cmdline`, 'utf8').split('\0')
    const written = mac.match(/../g)!.join(':')
    t.ok(command.includes(`tap,ifname=vm${number},script=no,mac=${written}`), 'network')
    t.ok(command.includes(`type=1,serial=VM-1-0000${number}`), 'serial number')
    t.ok(command.includes('256'), 'memory')
    const { json } = await opened.ask(number, 'GET', `${system}BootOptions/?$expand=.`)
    const paths = json.Members.map(({ UefiDevicePath }: { UefiDevicePath: string }) => UefiDevicePath)
    t.equal(paths.filter((each: string) => each.includes(`/MAC(${mac},0x1)`)).length, 5)
    const { MACAddress } = (await opened.ask(number, 'GET', `${system}EthernetInterfaces/1/`)).json
    t.equal(MACAddress, written)
  }
  await power(opened, 1, 'ForceOff', 'Off')
  t.equal((await opened.ask(2, 'GET', system)).json.PowerState, 'On')
  await power(opened, 2, 'ForceOff', 'Off')
})

t.test('a controller stays open while its virtual machine is on', async (t) => {
  const directory = temporary(t)
  const opened = await open(t, directory, 2, { groups: [group(directory)], open: 1 })
  const { roster } = opened.fleet
  await power(opened, 1, 'On', 'On')
  await opened.ask(2, 'GET', system)
  const before = roster.get(1)?.service
  opened.sleep(1000)
  roster.tidy()
  t.equal(roster.get(2)?.service, undefined)
  t.equal(roster.get(1)?.service, before)
  await power(opened, 1, 'ForceOff', 'Off')
  opened.sleep(1000)
  roster.tidy()
  t.equal(roster.open, 0)
})

t.test('a virtual machine runs on while its controller restarts, and switches itself off meanwhile', async (t) => {
  const directory = temporary(t)
  const groups = [{ ...group(directory), absence: { reset: 3600 } }]
  const opened = await open(t, directory, 2, { groups, speed: 0 })
  await power(opened, 1, 'On', 'On')
  const controller = opened.fleet.roster.get(1)!
  const restart = async () => {
    await opened.ask(1, 'POST', '/redfish/v1/Managers/1/Actions/Manager.Reset/', {})
    while (!controller.isAway || controller.service !== undefined) await pause(5)
  }
  await restart()
  const running = processOf(directory, 1)
  process.kill(running, 0)
  await opened.fleet.time.advance(3_600_000)
  t.equal((await opened.ask(1, 'GET', system)).json.PowerState, 'On')
  t.equal(processOf(directory, 1), running)
  await restart()
  process.kill(running, 'SIGKILL')
  await opened.fleet.time.advance(3_600_000)
  while ((await opened.ask(1, 'GET', system)).json.PowerState !== 'Off') await pause(5)
})

t.test('a virtual machine runs on without its fleet, which finds it again', async (t) => {
  const directory = temporary(t)
  const groups = [group(directory)]
  const opened = await open(t, directory, 2, { groups })
  await power(opened, 1, 'On', 'On')
  const running = processOf(directory, 1)
  await opened.fleet.close()
  const again = await open(t, directory, 2, { groups })
  await again.fleet.roster.wake(again.fleet.database, new Promise(() => {}))
  t.equal(again.fleet.roster.get(1)?.seen.power?.On, 1, 'without a request')
  t.equal(again.fleet.roster.get(2)?.service, undefined)
  t.equal(processOf(directory, 1), running)
  await power(again, 1, 'ForceOff', 'Off')
})

t.test('a missing program and a missing firmware are named with their package', async (t) => {
  const directory = temporary(t)
  const groups = [group(directory, { firmware: '/usr/share/OVMF/no.fd' })]
  const opened = await open(t, directory, 2, { groups })
  const answer = await opened.ask(1, 'POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'On' })
  t.match(JSON.stringify(answer.json), 'qemu: there is no file /usr/share/OVMF/no.fd: install ovmf')
})

t.test('a board whose virtual machines would share a flash is refused', async (t) => {
  const directory = temporary(t)
  const groups = [group(directory, {}, { type: 'edk2', path: '/dev/mtd0' })]
  await t.rejects(open(t, directory, 2, { groups }), /this one has a device edk2/)
})

t.test('a disk that all virtual machines of a group would write is refused', async (t) => {
  const directory = temporary(t)
  const groups = [group(directory, { disk: '/srv/disk.img' })]
  await t.rejects(
    open(t, directory, 2, { groups }),
    /groups.0.machine.disk: all 2 controllers would write \/srv\/disk.img: give a relative path/
  )
})
