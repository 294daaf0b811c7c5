import t from 'tap'
import { packSel } from '#data/logs'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries.ts'
import type { Tables } from '#runtime/contract'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices/SystemLog/Entries'
const params = { ComputerSystemId: '1', LogServiceId: 'SystemLog' }
const entry = {
  created: '2025-06-01T11:00:00.000Z',
  severity: 'OK',
  text: 'x',
  messageId: 'MgmtEvents.1.0.LogCleared',
  args: ['7']
} as const
const own = (number: string) => `Systems/1/SystemLog/00000000${number}`

t.test('the entries of this log are shown whole, as they were made', async (t) => {
  const logEntry = { [own('10')]: entry, [own('09')]: entry, 'Systems/10/SystemLog/0000000001': entry }
  const shown = GET(context({ uri, params, tables: { logEntry } })).Members
  t.match(shown, [
    { '@odata.id': `${uri}/9/`, Id: '9', Message: 'x', MessageId: entry.messageId, MessageArgs: ['7'] },
    { '@odata.id': `${uri}/10/`, Id: '10', Severity: 'OK', Created: entry.created, EntryType: 'Event' }
  ])
  t.equal(shown.length, 2)
})

t.test('an entry of the SEL is resolved by the next one that ends it, and each is read a few times', async (t) => {
  const [drive, other] = [13, 12] as const
  const packed = (type: typeof drive | typeof other, number: number, isEnd: boolean) =>
    packSel({ type, number, class: 0x6f, offset: 1, isEnd })
  const all = Array.from({ length: 2000 }, (_, at) => {
    const created = new Date(1_750_000_000_000 + at * 1000).toISOString()
    // Drives fail and work again by turns, and memory of the same number has no part in it.
    const sel = at % 5 === 4 ? packed(other, at % 7, false) : packed(drive, at % 7, at % 2 === 1)
    return { ...entry, severity: at % 2 === 1 ? 'OK' : 'Warning', created, sel } as const
  })
  const key = (at: number) => `Systems/1/SEL/${String(at + 1).padStart(10, '0')}`
  const logEntry = Object.fromEntries(all.map((each, at) => [key(at), each]))
  const given = context({ uri, params: { ...params, LogServiceId: 'SEL' }, tables: { logEntry } })
  let reads = 0
  const state = {
    ...given.state,
    keys: (table: keyof Tables) => given.state.keys(table),
    get<T extends keyof Tables>(table: T, key: string) {
      reads += 1
      return given.state.get(table, key)
    }
  }
  const shown = GET({ ...given, state }).Members ?? []
  t.equal(shown.length, 2000)
  t.ok(reads <= 4 * 2000, `${reads} reads`)
  const wanted = shown.map((_, at) => {
    const { sel, severity } = all[at]!
    const isMemory = at % 5 === 4
    const end = isMemory || at % 2 === 1 ? undefined : all.find((each, later) => later > at && each.sel === ends(sel))
    return [end?.created, severity === 'OK' ? undefined : end !== undefined]
  })
  t.strictSame(
    shown.map(({ Modified, Resolved }) => [Modified, Resolved]),
    wanted
  )
})

/** The event at the end of the one that an entry of the SEL has packed. */
const ends = (packed: string) => `${packed.slice(0, 4)}ef${packed.slice(6)}`

t.test('a missing log is 404', async (t) => {
  for (const params of [
    { ComputerSystemId: '2', LogServiceId: 'SystemLog' },
    { ComputerSystemId: '1', LogServiceId: 'EventLog' }
  ])
    t.same(await refusal(() => GET(context({ params }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
