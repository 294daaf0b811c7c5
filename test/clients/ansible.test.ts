import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { type Json, password, type Server, start } from '#test/host/server.ts'
import { ansible, play as playBook } from './play.ts'

t.setTimeout(900_000)
// This client is slow; that both hosts answer alike is for test/host.
for (const host of hosts.slice(1, 2)) {
  needing(`ansible on ${host.name}`, host.missing ?? ansible, async (t) => {
    const server = await start(t, host)

    t.test('redfish_info reads all that the service has', async (t) => {
      const [systems, chassis, accounts, manager] = (await play(t, server, 'info')).map((each) => each.redfish_facts)
      const [[, system]] = systems.system.entries
      t.match(system, { PowerState: 'On', SystemType: 'Physical', MemorySummary: { TotalSystemMemoryGiB: 512 } })
      const { cpu, memory, nic, disk, volume, bios_attribute, boot_order, boot_override } = systems
      for (const inventory of [cpu, memory, nic, disk, volume, boot_order]) t.ok(inventory.entries[0][1].length > 1)
      t.ok(Object.keys(bios_attribute.entries[0][1]).length >= 250)
      t.match(boot_override.entries[0][1], { BootSourceOverrideEnabled: 'Disabled' })
      t.ok(chassis.fan.entries.length > 1 && chassis.psu.entries.length > 1 && chassis.thermals.entries.length > 1)
      t.equal(chassis.chassis.entries.length, 2)
      t.match(accounts.user.entries, [{ UserName: 'admin', RoleId: 'Administrator' }])
      t.match(manager.manager.entries[0][1], { ManagerType: 'BMC', Status: { Health: 'OK' } })
      t.match(manager.network_protocols.entries, { HTTP: { ProtocolEnabled: false }, HTTPS: { ProtocolEnabled: true } })
      t.equal(manager.virtual_media.entries[0][1].length, 2)
      const [log] = Object.values<Json>(manager.log.entries[0]).filter(Array.isArray)
      t.match(log?.[0], { Severity: 'OK', EntryType: 'Event', Message: String, MessageId: /^MgmtEvents\.1\.0\./ })
      for (const { health_report } of [systems, chassis, manager]) t.equal(health_report.ret, true)
    })

    t.test('redfish_config sets the BIOS, the boot order, secure boot, sessions and time', async (t) => {
      const system = '/redfish/v1/Systems/1/'
      const before = (await server.get(system)).json.Boot.BootOrder
      const ResetKeysType = 'ResetAllKeysToDefault'
      await server.post(`${system}SecureBoot/Actions/SecureBoot.ResetKeys/`, { ResetKeysType })
      await play(t, server, 'config')
      t.equal((await server.get(`${system}Bios/Settings/`)).json.Attributes.BootPromptSeconds, 9)
      t.same((await server.get(system)).json.Boot.BootOrder, before.toReversed())
      t.equal((await server.get(`${system}SecureBoot/`)).json.SecureBootEnable, true)
      t.equal((await server.get('/redfish/v1/SessionService/')).json.SessionTimeout, 900)
      const { StaticNTPServers } = (await server.get('/redfish/v1/Managers/1/DateTime/')).json
      t.same(StaticNTPServers, ['192.0.2.7', 'time.example.net'])
    })

    t.test('redfish_command acts on the server, its accounts and its controller', async (t) => {
      await play(t, server, 'command')
      const accounts = '/redfish/v1/AccountService/'
      const { json } = await server.until(
        () => server.get(accounts),
        ({ status }) => status === 200
      )
      t.equal(json.AccountLockoutThreshold, 7)
      t.equal((await server.get(`${accounts}Accounts/`)).json['Members@odata.count'], 1)
      t.equal((await server.get('/redfish/v1/Systems/1/Bios/')).json.Attributes.BootPromptSeconds, 9)
      t.equal((await server.get('/redfish/v1/Managers/1/VirtualMedia/2/')).json.Inserted, false)
    })
  })
}

/** Runs a playbook against a server; what each of its tasks said. */
async function play(t: Test, server: Server, book: string): Promise<Json[]> {
  const vars = { controller: `127.0.0.1:${server.port}`, user: 'admin', secret: password }
  return (await playBook(t, book, '--extra-vars', JSON.stringify(vars))).map(({ localhost }) => localhost)
}
