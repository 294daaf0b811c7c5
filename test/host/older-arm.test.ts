import t from 'tap'
import { needing } from './every-host.ts'
import { olderArm } from './hosts.ts'
import { directory, start } from './server.ts'

t.setTimeout(900_000)
const chassis = '/redfish/v1/Chassis/1/'

for (const host of olderArm) {
  needing(`on ${host.name}`, host.missing, async (t) => {
    t.test('the service answers over TLS, and acknowledged changes survive SIGKILL', async (t) => {
      const data = directory(t)
      const server = await start(t, host, { data })
      const changed = await server.request('PATCH', chassis, undefined, { AssetTag: 'older' })
      t.equal(changed.status, 200)
      await server.kill()
      const again = await start(t, host, { data })
      t.equal((await again.get(chassis)).json.AssetTag, 'older')
      t.equal(await again.stop(), 0)
    })
  })
}
