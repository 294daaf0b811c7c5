import t from 'tap'
import {
  exists,
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Actions/Bios.ChangePassword.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

const change = (OldPassword: string, NewPassword: string, passwords: Record<string, string> = {}, pending = {}) =>
  POST(
    context({
      params,
      body: { PasswordName: 'User', OldPassword, NewPassword },
      tables: {
        biosCurrent: { 1: { attributes: {}, passwords, transferredAt: '', messages: [] } },
        biosPending: { 1: { attributes: { QuietBoot: false }, reset: false, passwords: pending } }
      }
    })
  )

const set = { User: 'hash of Sesame-123' }
const refused = (parameter: string) => ({
  status: 400,
  messages: [['Base.ActionParameterValueError', parameter, 'Bios.ChangePassword']]
})

t.test('a first password is set over the empty one, as a hash, at the next reset', async (t) => {
  t.same(await change('', 'Sesame-123'), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired', args: [] }],
    writes: { biosPending: { 1: { attributes: { QuietBoot: false }, reset: false, passwords: set } } },
    events: [
      { message: { key: 'MgmtEvents.BiosPasswordChanged', args: ['User'] }, origin: '/redfish/v1/Systems/1/Bios' }
    ]
  })
})

t.test('who knows the old password may change it or take it away', async (t) => {
  const changed = (await change('Sesame-123', 'Sesame-456', set)).writes?.biosPending?.['1']
  t.same(changed?.passwords, { User: 'hash of Sesame-456' })
  t.same((await change('Sesame-123', '', set)).writes?.biosPending?.['1']?.passwords, { User: '' })
})

t.test('the other password stays as it waits', async (t) => {
  const pending = { Administrator: 'hash of other' }
  t.same((await change('', 'Sesame-123', {}, pending)).writes?.biosPending?.['1']?.passwords, { ...pending, ...set })
})

t.test('who does not know it may not', async (t) => {
  for (const guess of ['', 'sesame-123', 'hash of Sesame-123']) {
    t.same(await refusal(() => change(guess, 'Sesame-456', set)), refused('OldPassword'))
  }
  t.same(await refusal(() => change('guess', 'Sesame-456')), refused('OldPassword'))
})

t.test('one that only waits is not the old one yet', async (t) => {
  t.same(await refusal(() => change('Sesame-123', 'Sesame-456', {}, set)), refused('OldPassword'))
})

t.test('the bounds are those of the registry', async (t) => {
  for (const wrong of ['1234567', 'x'.repeat(33)]) {
    t.same(await refusal(() => change('', wrong)), refused('NewPassword'))
  }
  for (const right of ['12345678', 'x'.repeat(32)]) t.equal((await change('', right)).status, 200)
})

t.test('a password change of an unknown system is 404', async (t) => {
  const body = { PasswordName: 'User', OldPassword: '', NewPassword: 'Sesame-123' } as const
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: '2' }, body }))), missing)
})

t.test('it takes HostBIOSConfigPriv', async (t) => {
  t.same(privileges, { POST: 'HostBIOSConfigPriv' })
})

t.test('passwords are those of a BIOS whose settings this service applies', async (t) => {
  t.ok(exists(context({ params })))
  t.notOk(exists(context({ params, ownsBios: false })))
})

t.test('another program that takes passwords is given both, sealed', async (t) => {
  const current = { attributes: {}, passwords: {}, takesPasswords: true, transferredAt: '', messages: [] }
  const given = { params, ownsBios: false, tables: { biosCurrent: { 1: current } } }
  t.ok(exists(context(given)))
  const body = { PasswordName: 'Administrator', OldPassword: 'Sesame-123', NewPassword: '' } as const
  const { writes, commands, messages } = await POST(context({ ...given, body }))
  t.same([writes, messages], [{}, [{ key: 'Mgmt.SystemResetRequired', args: [] }]])
  t.match(commands, [{ kind: 'changeBiosPassword', system: '1', whose: 'Administrator' }])
})
