import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  databaseContent,
  databaseVariables,
  hasPlatformKey,
  inWriteOrder,
  resetContents,
  secureBootAfterBoot,
  secureBootDatabase,
  secureBootDatabases,
  secureBootEnabled,
  type UefiVariables,
  variableTimestamp
} from '#data/secure-boot'

const global = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
const security = 'd719b2cb-3d3a-4596-a3bc-dad00e67656f'
const enable = 'f0a30bc7-af08-4556-99c4-001009c93a44/SecureBootEnable'
const key = Uint8Array.of(1, 2, 3)

/** A host with these variables, by `<guid>/<name>`. */
function host(variables: Readonly<Record<string, Uint8Array>> = {}): UefiVariables {
  const variable = (_: string, name: string, guid: string) => {
    const data = variables[`${guid}/${name}`]
    return data && { data }
  }
  return { board: sim as Board, variable }
}

t.test('there are twelve databases under the names and GUIDs of UEFI', async (t) => {
  t.same(
    secureBootDatabases.map(({ id, guid }) => [id, guid]),
    [
      ['PK', global],
      ['KEK', global],
      ['db', security],
      ['dbx', security],
      ['dbt', security],
      ['dbr', security],
      ...['PK', 'KEK', 'db', 'dbx', 'dbt', 'dbr'].map((id) => [`${id}Default`, global])
    ]
  )
  t.same(
    secureBootDatabases.filter(({ single }) => single).map(({ id }) => id),
    ['PK', 'PKDefault']
  )
  t.same(
    secureBootDatabases.filter(({ signatures }) => !signatures).map(({ id }) => id),
    ['PK', 'KEK', 'PKDefault', 'KEKDefault']
  )
  t.equal(secureBootDatabase('pk'), undefined)
})

t.test("a default database is the firmware's, or else that of the board's factory", async (t) => {
  const database = secureBootDatabase('PKDefault')!
  t.ok(databaseContent(host(), '1', database).length > 500)
  t.same(databaseContent(host({ [`${global}/PKDefault`]: key }), '1', database), key)
  t.equal(databaseContent(host(), '1', secureBootDatabase('dbtDefault')!).length, 0)
  t.equal(databaseContent(host(), '1', secureBootDatabase('PK')!).length, 0, 'and no other database is')
})

t.test('secure boot is on with a platform key, unless SecureBootEnable says no', async (t) => {
  const pk = { [`${global}/PK`]: key }
  const cases: [Readonly<Record<string, Uint8Array>>, boolean][] = [
    [{}, false],
    [{ [enable]: Uint8Array.of(1) }, false],
    [pk, true],
    [{ ...pk, [enable]: Uint8Array.of(1) }, true],
    [{ ...pk, [enable]: Uint8Array.of(0) }, false]
  ]
  for (const [variables, on] of cases) {
    t.equal(secureBootEnabled(host(variables), '1'), on)
    t.same(secureBootAfterBoot(host(variables), '1'), { current: on ? 'Enabled' : 'Disabled' })
  }
  t.ok(hasPlatformKey(host(pk), '1'))
})

t.test('a database is a time-based variable, and an empty one has no variable', async (t) => {
  const attributes = 0x27
  t.same(databaseVariables(host(), '1', { db: key, dbx: new Uint8Array() }), [
    { name: 'db', guid: security, attributes, data: key },
    { name: 'dbx', guid: security, attributes, data: null }
  ])
})

t.test('enrolling or removing the platform key turns secure boot off, replacing it does not', async (t) => {
  const off = { name: 'SecureBootEnable', guid: enable.split('/')[0], attributes: 3, data: Uint8Array.of(0) }
  const pk = { [`${global}/PK`]: key }
  const disabled = { [enable]: Uint8Array.of(0) }
  const after = (variables: Readonly<Record<string, Uint8Array>>, PK: Uint8Array) =>
    databaseVariables(host(variables), '1', { PK }).slice(1)
  t.same(after({}, key), [off], 'a first key: firmware would take a missing variable for yes')
  t.same(after({ [enable]: Uint8Array.of(1) }, key), [off], 'left over from before')
  t.same(after(pk, new Uint8Array()), [off])
  t.same(after({ ...pk, [enable]: Uint8Array.of(1) }, Uint8Array.of(4)), [], 'replaced')
  t.same(after({ ...pk, ...disabled }, new Uint8Array()), [], 'off already')
  t.same(after(disabled, key), [])
})

t.test('a reset copies the defaults or empties, all databases or some', async (t) => {
  const all = resetContents(host(), '1', 'ResetAllKeysToDefault')
  t.same(Object.keys(all), ['PK', 'KEK', 'db', 'dbx', 'dbt', 'dbr'])
  t.same(all.KEK, databaseContent(host(), '1', secureBootDatabase('KEKDefault')!))
  const none = resetContents(host(), '1', 'DeleteAllKeys')
  t.same(
    Object.values(none).map((each) => each.length),
    [0, 0, 0, 0, 0, 0]
  )
  t.same(resetContents(host(), '1', 'DeletePK'), { PK: new Uint8Array() })
  t.same(Object.keys(resetContents(host(), '1', 'DeleteAllKeys', [secureBootDatabase('db')!])), ['db'])
})

t.test('the platform key is removed before and set after everything else', async (t) => {
  const change = (name: string, data: Uint8Array | null) => ({ name, data })
  const order = (...changes: ReturnType<typeof change>[]) => inWriteOrder(changes).map(({ name }) => name)
  t.same(order(change('PK', key), change('db', key), change('KEK', null)), ['db', 'KEK', 'PK'])
  t.same(order(change('KEK', null), change('db', key), change('PK', null)), ['PK', 'KEK', 'db'])
})

t.test('only dbx has a time of its own', async (t) => {
  t.equal(variableTimestamp('dbx')?.toISOString(), '2010-01-01T00:00:00.000Z')
  t.equal(variableTimestamp('db'), undefined)
})
