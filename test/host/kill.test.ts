import { onBothHosts } from './every-host.ts'
import { Ledger } from './ledger.ts'
import { directory, start } from './server.ts'

const configuration = { limits: { accounts: 10_000 } }

onBothHosts(async (t, host) => {
  const rounds = host.slowness > 1 ? 5 : 50
  t.test(`killed ${rounds} times while clients write, it has every acknowledged write after each start`, async (t) => {
    const data = directory(t)
    const ledger = new Ledger()
    for (let round = 1; round <= rounds; round++) {
      const server = await start(t, host, { data, configuration })
      const wrong = await ledger.compare(server)
      if (wrong.length > 0) t.fail(`round ${round}: ${wrong.join(', ')}`)
      // Each round ends after another number of answers; the other writer's request is then under way.
      let left = 1 + ((round * 7) % 19)
      const acknowledged = () => {
        if (--left === 0) void server.process.kill('SIGKILL')
      }
      await Promise.all([
        server.process.ended,
        ledger.createAccounts(server, round, acknowledged),
        ledger.setAssetTag(server, round, acknowledged)
      ])
      await server.kill()
    }
    const last = await start(t, host, { data, configuration })
    t.same(await ledger.compare(last), [])
    t.ok(ledger.writes > rounds, `${ledger.writes} writes acknowledged`)
    t.equal(await last.stop(), 0)
  })
})
