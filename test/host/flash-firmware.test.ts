import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { emptyStore } from '#hal/edk2/devices.ts'
import { updateFile } from '#runtime/build/update-file.mjs'
import { onEveryHost } from './every-host.ts'
import type { Host } from './hosts.ts'
import { ends, push } from './push.ts'
import { directory, type Json, type Response, type Server, start } from './server.ts'

const service = '/redfish/v1/UpdateService'
const system = '/redfish/v1/Systems/1/'
const signatures = `${system}SecureBoot/SecureBootDatabases/db/Signatures/`
const variables = emptyStore('2M')
/** One chip, as hosts have it: the variables, and the firmware behind them. */
const place = { offset: variables.length, length: 0x60000 }

const file = (version: string, fill: number) =>
  updateFile(
    sim.updateKey,
    { board: 'sim', component: 'bios', version },
    { bios: new Uint8Array(place.length).fill(fill) }
  )

/** Settles when a task is as it is to be. */
const becomes = (server: Server, { headers }: Response, wanted: (task: Json) => boolean) =>
  server.until(
    () => server.get(String(headers.location)),
    ({ json }) => wanted(json)
  )

/** The simulated machine, whose variables and firmware are in a flash that is a file. It is off. */
async function machine(t: Test, host: Host) {
  const data = directory(t)
  const chip = join(data, 'machine/host.fd')
  mkdirSync(join(data, 'machine'))
  writeFileSync(chip, Buffer.concat([variables, new Uint8Array(place.length).fill(1)]))
  const board = structuredClone(sim) as Json
  const devices = {
    power: { type: 'sim', initial: 'Off', onTime: 10, offTime: 10 },
    nvram: { type: 'edk2', path: 'host.fd' },
    firmware: { type: 'flash', path: 'host.fd', parts: [{ name: 'bios', offset: place.offset }] }
  }
  Object.assign(board.systems['1'], devices)
  writeFileSync(join(data, 'board.json'), JSON.stringify(board))
  const options = { data, args: ['--board', join(data, 'board.json')] }
  return {
    data,
    /** @param rate bytes that it writes in a second */
    start: (rate = 64 * 1024 * 1024) => start(t, host, { ...options, configuration: { updates: { rate } } }),
    /** The distinct bytes of the firmware: one if it is uniform. */
    get firmware() {
      return [...new Set(readFileSync(chip).subarray(place.offset))]
    }
  }
}

const status = async (server: Server) => {
  const { Status, BiosVersion } = (await server.get(system)).json
  const member = (await server.get(`${service}/FirmwareInventory/BIOS-1/`)).json
  return [BiosVersion, Status.Health, member.Version, member.Status.State, member.Status.Health]
}

onEveryHost(async (t, host) => {
  await t.test('the BIOS in a flash is written; the variables beside it are kept, or recreated', async (t) => {
    const controller = await machine(t, host)
    const server = await controller.start()
    t.match((await server.get(`${service}/FirmwareInventory/BIOS-1/`)).json, {
      Updateable: true,
      Version: sim.systems[1].biosVersion
    })
    const SignatureType = 'EFI_CERT_SHA256_GUID'
    const signature = { SignatureString: 'ab'.repeat(32), SignatureType, SignatureTypeRegistry: 'UEFI' }
    t.equal((await server.post(signatures, signature)).status, 201)
    const held = async () => (await server.get(signatures)).json.Members.length
    t.equal(await ends(server, await push(server, {}, file('2.1', 2))), 'Completed')
    t.same(controller.firmware, [2])
    t.equal(await held(), 1)
    t.same(await status(server), ['2.1', 'OK', '2.1', 'Enabled', 'OK'])

    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'On' })
    await server.until(
      () => server.get(system),
      ({ json }) => json.PowerState === 'On'
    )
    t.equal((await push(server, {}, file('2.2', 3))).status, 409)
    const parameters = { '@Redfish.OperationApplyTime': 'OnReset', Oem: { Vendor: { ResetVariables: true } } }
    const waiting = await push(server, parameters, file('2.2', 3))
    t.match(waiting.json, { TaskState: 'Pending' })
    t.same(controller.firmware, [2])
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    t.equal(await ends(server, waiting), 'Completed')
    t.same(controller.firmware, [3])
    t.equal(await held(), 0)
    t.same(await status(server), ['2.2', 'OK', '2.2', 'Enabled', 'OK'])
    t.equal(await server.stop(), 0)
    const next = await controller.start()
    t.same(await status(next), ['2.2', 'OK', '2.2', 'Enabled', 'OK'], 'after a restart as well')
  })

  await t.test('one whose writing was cut off says so, and is written to its end', async (t) => {
    const controller = await machine(t, host)
    /** The service is killed while it writes. @returns the task */
    const cut = async (content: Uint8Array) => {
      const server = await controller.start(4096)
      const pushed = await push(server, {}, content)
      await becomes(server, pushed, ({ PercentComplete }) => PercentComplete > 0)
      t.same((await status(server)).slice(3), ['Updating', 'OK'])
      await server.kill()
      t.equal(controller.firmware.length, 2, 'it is neither the one nor the other')
      return pushed
    }
    const pushed = await cut(file('2.1', 2))
    const second = await controller.start()
    t.equal(await ends(second, pushed), 'Completed', 'the next process goes on')
    t.same(controller.firmware, [2])
    await second.stop()

    const lost = await cut(file('2.2', 3))
    const updates = join(controller.data, 'updates')
    for (const name of readdirSync(updates)) rmSync(join(updates, name))
    const last = await controller.start()
    t.equal(await ends(last, lost), 'Exception', 'unless its file is gone')
    t.same(await status(last), [null, 'Critical', null, 'UnavailableOffline', 'Critical'])
    t.ok(last.process.stderr.some((line) => line.includes('there is no complete image')))
    t.equal(await ends(last, await push(last, {}, file('2.3', 4))), 'Completed')
    t.same(await status(last), ['2.3', 'OK', '2.3', 'Enabled', 'OK'])
    t.same(controller.firmware, [4])
  })
})
