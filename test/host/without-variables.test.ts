import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { onBothHosts } from './every-host.ts'
import { links } from './links.ts'
import { directory, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'

/** A host whose variables the controller does not reach, such as one whose flash is its own. */
onBothHosts(async (t, host) => {
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(withoutVariables(sim as Board)))
  const server = await start(t, host, { args: ['--board', board] })

  t.test('what would be in its variables is not there, and all else is', async (t) => {
    const found = new Set(['/redfish/v1/'])
    for (const path of found) {
      const { status, json } = await server.get(path)
      t.equal(status, 200, path)
      for (const link of links(json)) found.add(link)
    }
    t.ok(found.size > 150, `${found.size} resources`)
    for (const name of ['Bios', 'BootOptions', 'Boot/Certificates', 'SecureBoot', 'SecureBoot/SecureBootDatabases']) {
      t.equal((await server.get(`${system}${name}/`)).status, 404, name)
      t.notOk(found.has(`${system}${name}/`), name)
    }
    const { Boot } = (await server.get(system)).json
    t.notMatch(Object.keys(Boot).join(), /BootOrder|BootSourceOverride|HttpBootUri/)
  })

  t.test('it is restarted, and its safe mode asked for', async () => {
    await server.post(`${system}Actions/Oem/Vendor/VendorComputerSystemExt.ServerSafeMode/`, {})
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    await server.until(
      () => server.get(system),
      ({ json }) => json.Oem.Vendor.BootMode === 'SafeMode' && json.PowerState === 'On'
    )
  })
})
