import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import qemu from '#data/boards/qemu.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { ends, push } from '#test/host/push.ts'
import type { Json, Server } from '#test/host/server.ts'
import { boots, fresh, off, serialOutput } from './fresh.ts'
import { inLog, missingMachine } from './machine.ts'

t.setTimeout(1_700_000)

const system = '/redfish/v1/Systems/1/'
const member = '/redfish/v1/UpdateService/FirmwareInventory/BIOS-1/'
/** The build that the machine comes with, and one that leaves the flash with the variables alone, since it has no SMM. */
const codes = { secboot: '/usr/share/OVMF/OVMF_CODE_4M.secboot.fd', plain: '/usr/share/OVMF/OVMF_CODE_4M.fd' }
const code = (name: keyof typeof codes) => readFileSync(codes[name])
const file = (version: string, name: keyof typeof codes) =>
  updateFile(qemu.updateKey, { board: 'qemu', component: 'bios', version }, { bios: code(name) })

const order = async (server: Server): Promise<string[]> => (await server.get(system)).json.Boot.BootOrder
/**
 * The line of the firmware that starts it, or what it says itself. Where the reader is very late, firmware drops words, and
 * the shell may find no console: then firmware says that it failed to start.
 */
const isShell = /(?:load|start)(?:ing)? Boot.*Shell" from Fv|Interactive Shell/
const isDrive = inLog(/DVD-ROM/)

/** Whether firmware tries the drive before the shell; after a shell that found no console it tries the drive as well. */
function isDriveFirst(server: Server): boolean {
  const output = serialOutput(server)
  const [drive, shell] = [output.search(isDrive), output.search(isShell)]
  return drive >= 0 && drive < shell
}

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`the code of a virtual machine, on ${host.name}`, host.missing ?? missingMachine, async (t) => {
    const server = await fresh(t, host)
    const present = () => readFileSync(join(server.data, 'machine/bios-1.fd'))

    await t.test("is Debian's, and can be updated", async (t) => {
      t.match((await server.get(member)).json, { Updateable: true, Version: 'OVMF', Status: { Health: 'OK' } })
      t.ok(present().equals(code('secboot')))
      await boots(server, 'On', isShell)
      t.ok(isDriveFirst(server), 'which comes first', { output: serialOutput(server) })
      await off(server)
      const options = (await server.get(`${system}BootOptions/?$expand=.`)).json.Members
      const shell = options.find(({ UefiDevicePath }: Json) => /7C04A583/.test(UefiDevicePath)).BootOptionReference
      const BootOrder = [shell, ...(await order(server)).filter((each) => each !== shell)]
      t.equal((await server.patch(system, { Boot: { BootOrder } })).status, 200)
    })

    await t.test('is another build once that is written, and runs', async (t) => {
      const before = await order(server)
      t.equal(await ends(server, await push(server, {}, file('1.1', 'plain'))), 'Completed')
      t.ok(present().equals(code('plain')))
      t.match((await server.get(system)).json, { BiosVersion: '1.1', Status: { Health: 'OK' } })
      await boots(server, 'On', isShell)
      t.ok(isDriveFirst(server), 'this build does not know the order', { output: serialOutput(server) })
      t.same(await order(server), before)
    })

    await t.test('is written at a reset, with the variables kept', async (t) => {
      const pushed = await push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, file('1.2', 'secboot'))
      t.match(pushed.json, { TaskState: 'Pending' })
      t.ok(present().equals(code('plain')), 'the host runs')
      await boots(server, 'ForceRestart', isShell)
      t.notOk(isDriveFirst(server), 'the order is as it was', { output: serialOutput(server) })
      t.equal(await ends(server, pushed), 'Completed')
      t.ok(present().equals(code('secboot')))
      await off(server)
    })

    await t.test('is written with recreated variables', async (t) => {
      const parameters = { Oem: { Vendor: { ResetVariables: true } } }
      t.equal(await ends(server, await push(server, parameters, file('1.3', 'secboot'))), 'Completed')
      await boots(server, 'On', isShell)
      t.ok(isDriveFirst(server), 'the order is that of a first start', { output: serialOutput(server) })
      await off(server)
      t.match((await server.get(system)).json, { BiosVersion: '1.3' })
    })
  })
}
