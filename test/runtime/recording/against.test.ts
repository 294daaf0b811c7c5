import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { loadBackends } from '#hal/backends.ts'
import { type Compared, compared } from '#runtime/recording/comparison.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { readMockups } from '#runtime/recording/source/mockup.ts'
import { whileServed } from '#runtime/recording/trial.ts'
import { simulated } from '#test/runtime/service.ts'
import { makers } from './makers.ts'
import { writeResources } from './mockups.ts'
import { recorded } from './recorded.ts'

// biome-ignore lint/suspicious/noExplicitAny: machines are what makers serve
type Machine = Readonly<Record<string, Record<string, any>>>

/** A recording of one machine, compared with another. */
async function against(t: Test, machine: Machine, source = machine, redact = false) {
  const folder = t.testdir()
  const file = `${folder}/board.json`
  const board = recorded(writeResources(`${folder}/recorded`, machine), { redact }).file
  writeFileSync(file, JSON.stringify(board))
  const host = { ...simulated(folder).parts, loadBackends, recordings: async () => recordings }
  const now = readMockups(writeResources(`${folder}/source`, source), 10_000, (line) => t.fail(line)).get('')!
  const found: Compared[] = []
  await whileServed(file, host, async (get) => {
    for await (const each of compared(now, new Map(Object.entries(board.resources)), get)) found.push(each)
  })
  return found
}

/** The reasons in a table of the manual, with what they are reasons for. */
function listed(kind: string): string[] {
  const rows = readFileSync('docs/record.md', 'utf8').matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)
  return Array.from(rows, ([, verdict, reason]) => [verdict, reason]).flatMap(([verdict, reason]) =>
    verdict === kind ? [reason!] : []
  )
}

for (const [name, machine] of Object.entries(makers))
  for (const redact of [false, true])
    t.test(`of a ${name} machine nothing differs but for a reason in the manual, redacted: ${redact}`, async (t) => {
      const found = await against(t, machine, machine, redact)
      t.strictSame(found.map(({ path }) => path).sort(), Object.keys(machine).sort(), 'each resource is compared')
      for (const { path, verdict, reasons, isListed } of found) {
        const said = `${verdict} ${path} ${JSON.stringify([...reasons])}`
        t.ok(isListed, said)
        const known = verdict === 'different' ? [...listed('different'), ...listed('live')] : listed(verdict)
        t.strictSame(
          [...reasons.keys()].filter((each) => !known.includes(each)),
          [],
          said
        )
      }
    })

/** The result for one resource: its verdict, and the members that differ by reasons. */
const at = (found: readonly Compared[], path: string) => {
  const { verdict, reasons, isListed } = found.find((each) => each.path === path)!
  return { verdict, reasons: Object.fromEntries(reasons), isListed }
}

t.test('a source that has changed since is told from what measures, and from what is redacted', async (t) => {
  const bmc = makers['OpenBMC-like']!
  const inlet = '/redfish/v1/Chassis/board/Sensors/temperature_inlet'
  const manager = '/redfish/v1/Managers/bmc'
  const found = await against(t, bmc, {
    ...bmc,
    [inlet]: { ...bmc[inlet], Reading: 25 },
    [manager]: { ...bmc[manager], Model: 'another', LastResetTime: '2024-03-01T12:00:00+00:00' },
    '/redfish/v1/Chassis/new': { '@odata.id': '/redfish/v1/Chassis/new' }
  })
  t.strictSame(at(found, inlet), { verdict: 'different', reasons: { measured: ['Reading'] }, isListed: true })
  t.match(at(found, manager), {
    verdict: 'different',
    reasons: { 'another value': ['Model'], measured: ['LastResetTime'] },
    isListed: false
  })
  t.strictSame(at(found, '/redfish/v1/Chassis/new'), {
    verdict: 'missing',
    reasons: { 'not recorded': [] },
    isListed: false
  })
  t.match(at(found, '/redfish/v1/AccountService/Accounts/root'), { verdict: 'missing', reasons: { personal: [] } })
  t.match(at(found, `${manager}/EthernetInterfaces/eth0`), { reasons: { redacted: ['MACAddress', 'IPv4Addresses'] } })
})
