import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/AccountService/Actions/Oem/Vendor/VendorAccountService.ImportKerberosKeytab.ts'
import { context, refusal } from '#test/handlers/context.ts'

const action = 'VendorAccountService.ImportKerberosKeytab'
const keytab = (...bytes: number[]) => encode(bytes)
const encode = (bytes: readonly number[]) => btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))
const good = keytab(5, 2, 0, 0, 0, 3, 1, 2, 3)

t.test('a keytab is stored sealed', async (t) => {
  t.match(await POST(context({ body: { Keytab: good } })), {
    status: 200,
    writes: { kerberos: { keytab: { keytab: `sealed ${good}`, importedAt: '2025-06-01T12:00:00.000Z' } } },
    events: [{ message: { key: 'MgmtEvents.KerberosKeytabImported', args: ['admin'] } }]
  })
})

t.test('a malformed keytab is refused with 400, and its content is not repeated', async (t) => {
  const long = encode([5, 2, 0, 1, 0, 0, ...new Array<number>(65_536).fill(1)])
  for (const Keytab of [
    '',
    'no base64',
    keytab(5, 1, 0, 0, 0, 1, 1),
    keytab(5, 2),
    keytab(5, 2, 0, 0, 0, 9, 1),
    long
  ]) {
    t.same(await refusal(() => POST(context({ body: { Keytab } }))), {
      status: 400,
      messages: [['Base.ActionParameterValueFormatError', '******', 'Keytab', action]]
    })
  }
})

t.test('holes between the entries of a keytab are no entries', async (t) => {
  const hole = [255, 255, 255, 254, 0, 0]
  t.match(await POST(context({ body: { Keytab: keytab(5, 2, ...hole, 0, 0, 0, 1, 7) } })), { status: 200 })
  t.match(await refusal(() => POST(context({ body: { Keytab: keytab(5, 2, ...hole) } }))), { status: 400 })
})

t.test('a keytab is fetched from its URI', async (t) => {
  const ImportUri = 'https://kdc.example/bmc.keytab?host=7'
  const { commands, writes } = await POST(context({ body: { ImportUri } }))
  t.same(commands, [{ kind: 'importKeytab', uri: ImportUri }])
  t.equal(writes, undefined)
})

t.test('it is fetched over HTTPS only, and with no password in the URI', async (t) => {
  for (const ImportUri of ['http://kdc.example/a', 'https://eve:secret@kdc.example/a', 'ftp://kdc.example/a']) {
    t.same(await refusal(() => POST(context({ body: { ImportUri } }))), {
      status: 400,
      messages: [['Base.ActionParameterValueFormatError', '******', 'ImportUri', action]]
    })
  }
})

t.test('one of both parameters is needed, and not more', async (t) => {
  t.same(await refusal(() => POST(context({ body: {} }))), {
    status: 400,
    messages: [['Base.ActionParameterMissing', action, 'Keytab']]
  })
  const both = { Keytab: good, ImportUri: 'https://kdc.example/a' }
  t.same(await refusal(() => POST(context({ body: both }))), {
    status: 400,
    messages: [['Base.ActionParameterNotSupported', 'ImportUri', action]]
  })
})

t.test('it takes UserConfigPriv', async (t) => {
  t.same(privileges, { POST: 'UserConfigPriv' })
})
