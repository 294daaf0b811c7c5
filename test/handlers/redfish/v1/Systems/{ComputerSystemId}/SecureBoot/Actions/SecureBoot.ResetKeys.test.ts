import t from 'tap'
import {
  POST,
  type body as parameters,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/SecureBoot/Actions/SecureBoot.ResetKeys.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { enable, global, security, sha256, variable, x509 } from '#test/handlers/keys.ts'

const params = { ComputerSystemId: '1' }
const variables = { [`${global}/PK`]: variable(x509()), [`${security}/dbx`]: variable(sha256(1)) }
const reset = (ResetKeysType: (typeof parameters)['properties']['ResetKeysType']['enum'][number], given = variables) =>
  POST(context({ params, variables: given, body: { ResetKeysType } }))

t.test('all keys are deleted, and secure boot is off', async (t) => {
  t.same((await reset('DeleteAllKeys')).writes, {
    variable: {
      [`1/${global}/PK`]: { attributes: 0x27, data: null },
      [`1/${security}/dbx`]: { attributes: 0x27, data: null },
      [`1/${enable}`]: { attributes: 3, data: '00' }
    }
  })
})

t.test('the platform key alone is deleted', async (t) => {
  t.match((await reset('DeletePK')).events, [{ message: { args: ['PK'] } }])
  t.same((await reset('DeletePK')).writes, {
    variable: {
      [`1/${global}/PK`]: { attributes: 0x27, data: null },
      [`1/${enable}`]: { attributes: 3, data: '00' }
    }
  })
})

t.test('databases get their defaults, or become empty without one', async (t) => {
  const dbt = { [`${security}/dbt`]: variable(sha256(2)) }
  const { writes, messages } = await reset('ResetAllKeysToDefault', { ...variables, ...dbt })
  t.match(messages, [{ key: 'Mgmt.SystemResetRequired' }])
  t.match(writes, {
    variable: {
      [`1/${global}/PK`]: { attributes: 0x27, data: /^([0-9a-f]{2}){500,}$/ },
      [`1/${global}/KEK`]: { attributes: 0x27, data: /^([0-9a-f]{2}){500,}$/ },
      [`1/${security}/db`]: { attributes: 0x27, data: /^([0-9a-f]{2}){500,}$/ },
      [`1/${security}/dbx`]: { attributes: 0x27, data: /^([0-9a-f]{2}){76}$/ },
      [`1/${security}/dbt`]: { attributes: 0x27, data: null }
    }
  })
  t.notOk(writes?.variable && `1/${enable}` in writes.variable, 'a platform key that is replaced changes nothing else')
})

t.test('a system that is not there has no keys', async (t) => {
  const given = context({ params: { ComputerSystemId: '2' }, body: { ResetKeysType: 'DeletePK' as const } })
  t.same(await refusal(() => POST(given)), missing)
})

t.test('it takes the privilege for the BIOS', async (t) => {
  t.same(privileges, { POST: 'HostBIOSConfigPriv' })
})
