import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { password, start } from '#test/host/server.ts'
import { clients, clientsOf } from '../../bench/clients.ts'
import type { Figure } from '../../bench/figures.ts'

async function figuresOf(found: AsyncIterable<Figure>): Promise<Map<string, number>> {
  const figures = new Map<string, number>()
  for await (const { name, value } of found) figures.set(name, value)
  return figures
}

for (const host of hosts.slice(0, 2)) {
  needing(`the clients of the bench on ${host.name}`, host.missing, async (t) => {
    const server = await start(t, host)
    const url = `https://127.0.0.1:${server.port}`
    const figures = await figuresOf(clientsOf(url, 'admin', password))
    for (const name of Object.keys(clients)) {
      t.ok(figures.get(`${name}: GETs`)! >= 8, `${name}: ${figures.get(`${name}: GETs`)}`)
      t.ok(figures.get(`${name}: received`)! > 5000)
    }
    const sessions = await server.get('/redfish/v1/SessionService/Sessions/')
    t.same(sessions.json.Members, [], 'each ends its session')
    await t.rejects(figuresOf(clientsOf(url, 'admin', 'wrong')), { message: 'no login as admin: 401' })
  })
}
