import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import type { Json, Server } from '#test/host/server.ts'
import { console, openTerminal } from '#test/host/terminal.ts'
import { boots, fresh, off } from './fresh.ts'
import { missingMachine } from './machine.ts'

t.setTimeout(900_000)

const system = '/redfish/v1/Systems/1/'

const override = (server: Server, target: string) =>
  server.patch(system, { Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: target } })

for (const host of hosts.filter(({ name }) => name !== 'ARMv7')) {
  needing(`a machine whose firmware never ran, on ${host.name}`, host.missing ?? missingMachine, async (t) => {
    await t.test('boots the target of the override once', async (t) => {
      const server = await fresh(t, host)
      await override(server, 'UefiShell')
      await boots(server, 'On', /starting BootFFF0 "UEFI shell" from /)
      await server.until(
        () => server.get(system),
        ({ json }) => json.BootProgress.LastState === 'OSBootStarted'
      )
      t.match((await server.get(console)).text, /starting BootFFF0 "UEFI shell" from /)
      const terminal = await openTerminal(t, server)
      terminal.type('\r')
      await terminal.until('Shell>')
      terminal.type('echo typed-over-^Redfish\r')
      await terminal.until('typed-over-Redfish')
      // A reset by the guest applies what waits, as any reset does.
      await override(server, 'UefiShell')
      terminal.type('reset\r')
      await terminal.until('starting Boot')
      await terminal.until('"EFI Internal Shell" from ')
      t.notMatch((await server.get(console)).text, /DVD-ROM/, 'which it would try first')
      t.equal((await server.get(system)).json.Boot.BootSourceOverrideEnabled, 'Disabled')
      terminal.socket.close()
      await boots(server, 'ForceRestart', /BdsDxe: .*DVD-ROM/)
      await off(server)
      const options = (await server.get(`${system}BootOptions/?$expand=.`)).json.Members
      t.equal(options.filter(({ UefiDevicePath }: Json) => /7C04A583/.test(UefiDevicePath)).length, 1)
    })

    await t.test('boots in the order that was set before it ever did', async (t) => {
      const server = await fresh(t, host, { machine: { network: 'user' } })
      const { BootOrder } = (await server.get(system)).json.Boot
      t.equal((await server.patch(system, { Boot: { BootOrder: [...BootOrder].reverse() } })).status, 200)
      await override(server, 'Pxe')
      await boots(server, 'On', /Start PXE over IPv6/)
      await boots(server, 'ForceRestart', /starting Boot.*hell" from Fv/)
      await off(server)
      const [first] = (await server.get(system)).json.Boot.BootOrder
      t.match((await server.get(`${system}BootOptions/${first}/`)).json, { Alias: 'UefiShell' })
    })
  })
}
