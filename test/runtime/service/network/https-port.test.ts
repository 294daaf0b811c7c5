// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import { MessageError } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { HttpsPort } from '#runtime/service/network/https-port.ts'
import { Store } from '#runtime/store/store.ts'

/** Listeners of which `taken` cannot be had, and a port file; a port of 0 becomes 49152. */
async function open(t: Test) {
  const directory = t.testdir()
  const store = await Store.open(`${directory}/store`, configuration.store)
  const file = `${directory}/port`
  const taken = new Set<number>()
  const listening = new Set<number>()
  const ports = {
    async open(port: number) {
      const own = port === 0 ? 49152 : port
      if (taken.has(own)) throw new Error(`port ${own} is in use`)
      listening.add(own)
      return own
    },
    keepOnly(kept: readonly number[]) {
      for (const port of listening) if (!kept.includes(port)) listening.delete(port)
    }
  }
  const lines: string[] = []
  t.capture(store.log, 'error', (text: string) => lines.push(text))
  t.capture(store.log, 'warning', (text: string) => lines.push(text))
  const events = new Events(store, sim as Board, configuration, Date.now)
  const of = (file: string) => {
    const https = new HttpsPort({ store, board: sim as Board, events, file })
    t.teardown(() => https.close())
    return https
  }
  t.teardown(() => store.close())
  return {
    ...{ store, file, taken, ports, lines, of, https: of(file) },
    settings: () => store.get('httpsPort', 'settings'),
    listening: () => [...listening].sort(),
    shown: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    told: () =>
      store
        .keys('event')
        .map((each) => store.get('event', each))
        .map((each) => [each?.messageId.split('.').at(-1), ...(each?.args ?? [])].join(' ')),
    async until(isSo: () => boolean) {
      while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
}

const move = (https: HttpsPort, port: number, seconds = 0) =>
  https.perform({ kind: 'moveHttps', port, seconds }).then(
    () => 'moved',
    (error: unknown) => {
      if (!(error instanceof MessageError)) throw error
      return [error.status, error.messages[0]?.key, ...(error.messages[0]?.args ?? [])].join(' ')
    }
  )

t.test('the service listens on the port of its configuration, and writes it to the port file', async (t) => {
  const { https, ports, listening, shown } = await open(t)
  t.equal(await https.open(ports, 8443, false), 8443)
  t.same([https.port, listening(), shown()], [8443, [8443], '8443\n'])
})

t.test('a port that the system chooses is the one that clients are to come to', async (t) => {
  const { https, of, ports, listening, shown } = await open(t)
  t.equal(await https.open(ports, 0, false), 49152)
  t.same([https.port, listening(), shown()], [49152, [49152], '49152\n'])
  const without = of('')
  await without.open(ports, 8443, false)
  t.same([without.port, shown()], [8443, '49152\n'], 'without a port file none is written')
})

t.test('a port of clients replaces that of the configuration until its start names one', async (t) => {
  const { https, of, ports, listening, settings } = await open(t)
  await https.open(ports, 8443, false)
  t.equal(await move(https, 9443), 'moved')
  t.same([https.port, listening(), settings()], [9443, [9443], { port: 9443, trial: null }])
  ports.keepOnly([])
  const next = of('')
  t.equal(await next.open(ports, 8443, false), 8443)
  t.same([next.port, listening()], [9443, [9443]])
  const named = of('')
  await named.open(ports, 8444, true)
  t.same([named.port, listening(), settings()], [8444, [8444], undefined])
})

t.test('a port that cannot be had, or not be written to the port file, is refused', async (t) => {
  const { https, file, taken, ports, listening, lines, settings } = await open(t)
  await https.open(ports, 8443, false)
  taken.add(9443)
  const refused = (port: number) =>
    `409 Base.PropertyValueResourceConflict HTTPS/Port ${port} /redfish/v1/Managers/1/NetworkProtocol`
  t.equal(await move(https, 9443), refused(9443))
  rmSync(file)
  mkdirSync(file)
  t.equal(await move(https, 9444), refused(9444))
  t.match(lines, ['port 9443 is in use', /EISDIR|ENOTEMPTY|directory/])
  t.same([https.port, listening(), settings()], [8443, [8443], undefined])
})

t.test('a port on trial stays once a client who is known comes over it', async (t) => {
  const { https, ports, listening, settings, shown, told, until } = await open(t)
  await https.open(ports, 8443, false)
  https.reached({ localPort: 8443 })
  await move(https, 9443, 60)
  t.same([https.port, listening(), shown()], [9443, [8443, 9443], '9443\n'])
  t.same(settings(), { port: 9443, trial: { before: null, seconds: 60 } })
  https.reached({ localPort: 8443 })
  https.reached(undefined)
  await https.perform({ kind: 'moveHttps', port: 9443, seconds: 60 })
  t.not(settings()?.trial, null, 'the former port proves nothing')
  https.reached({ localPort: 9443 })
  https.reached({ localPort: 9443 })
  await until(() => settings()?.trial === null)
  t.same(listening(), [9443])
  t.same(told(), ['HttpsPortKept 9443'])
})

t.test('a port on trial over which no client comes is rolled back', async (t) => {
  const { https, ports, listening, settings, shown, told, lines, until } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443, 0.02)
  await until(() => settings() === undefined)
  t.same([https.port, listening(), shown()], [8443, [8443], '8443\n'])
  t.same(told(), ['HttpsPortTakenBack 8443 0.02', 'ResourceChanged'])
  await move(https, 9443)
  await move(https, 9444, 0.02)
  await until(() => settings()?.trial === null)
  t.same([https.port, listening()], [9443, [9443]], 'to a port that a client has set before')
  t.same(lines, new Array(2).fill('a change of the HTTPS port is rolled back'))
})

t.test('a change of a port on trial goes back to the one before both', async (t) => {
  const { https, ports, settings } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443)
  await move(https, 9444, 60)
  await move(https, 9445, 60)
  t.same(settings(), { port: 9445, trial: { before: 9443, seconds: 60 } })
  await move(https, 9443, 60)
  t.same(settings(), { port: 9443, trial: null }, 'which needs no trial')
})

t.test('the time of a trial counts from the last change', async (t) => {
  const { https, ports, settings } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443, 0.05)
  await move(https, 9444, 60)
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.same(settings(), { port: 9444, trial: { before: null, seconds: 60 } })
})

t.test('a trial that a stop interrupts begins anew', async (t) => {
  const { https, of, taken, ports, listening, settings, told } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443, 60)
  https.close()
  ports.keepOnly([])
  const next = of('')
  t.equal(await next.open(ports, 8443, false), 8443)
  t.same([next.port, listening()], [9443, [8443, 9443]])
  next.close()
  ports.keepOnly([])
  taken.add(9443)
  const without = of('')
  await without.open(ports, 8443, false)
  t.same([without.port, listening(), settings()], [8443, [8443], undefined], 'its port cannot be had any more')
  t.same(told(), ['HttpsPortTakenBack 8443 60', 'ResourceChanged'])
})

t.test('a service that has ended rolls nothing back', async (t) => {
  const { https, ports, settings } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443, 0.01)
  https.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(settings()?.port, 9443)
})

t.test('a port that the disk refuses to store is as before', async (t) => {
  const { store, https, ports, listening, shown } = await open(t)
  await https.open(ports, 8443, false)
  t.capture(store, 'commit', async () => {
    throw new Error('the disk is full')
  })
  await t.rejects(move(https, 9443), { message: 'the disk is full' })
  t.same([https.port, listening(), shown()], [8443, [8443], '8443\n'])
})

t.test('a port whose end of the trial the disk refuses stays on trial, with a line of the log', async (t) => {
  const { store, https, ports, listening, lines, settings, until } = await open(t)
  await https.open(ports, 8443, false)
  await move(https, 9443, 60)
  const { commit } = store
  store.commit = async () => {
    throw new Error('the disk is full')
  }
  https.reached({ localPort: 9443 })
  await until(() => lines.length > 0)
  t.same(lines, ['the HTTPS port was not stored'])
  t.same([settings(), listening()], [{ port: 9443, trial: { before: null, seconds: 60 } }, [8443, 9443]])
  store.commit = commit
  https.reached({ localPort: 9443 })
  await until(() => settings()?.trial === null)
  t.same(listening(), [9443])
})

t.test('a port file that cannot be written at the start costs a line of the log', async (t) => {
  const { https, file, ports, listening, lines } = await open(t)
  mkdirSync(file)
  t.equal(await https.open(ports, 8443, false), 8443)
  t.same([listening(), lines], [[8443], ['the HTTPS port was not written to the port file']])
})
