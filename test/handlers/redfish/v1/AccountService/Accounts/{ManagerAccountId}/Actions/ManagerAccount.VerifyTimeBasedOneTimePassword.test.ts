import t from 'tap'
import { POST } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}/Actions/ManagerAccount.VerifyTimeBasedOneTimePassword.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerAccountId: 'ann' }
const body = { TimeBasedOneTimePassword: '123456' }
const account = { ann: { name: 'ann' } }
const used = { kind: 'TimeBasedOneTimePassword', step: 7 } as const
const caller = { user: 'ann', session: 'ann-1' }

t.test('the first code of a key has it take effect, for this session as well, and gives recovery codes', async (t) => {
  const secondFactor = { ann: { pending: 'new', key: 'old', recoveryCodes: ['old'] } }
  const outcome = await POST(context({ params, body, caller, used, tables: { account, secondFactor } }))
  const code = 'vov2-xk5l-vov2-xk5l'
  t.same(outcome.result, { Oem: { Vendor: { RecoveryCodes: Array(10).fill(code) } } })
  t.same(outcome.writes, {
    secondFactor: { ann: { key: 'new', pending: '', recoveryCodes: Array(10).fill('digest of vov2xk5lvov2xk5l') } },
    oneTimeCode: { ann: { step: 7 } },
    session: { 'ann-1': { secondFactor: 'TimeBasedOneTimePassword' } }
  })
  t.match(outcome.events, [{ message: { key: 'MgmtEvents.SecretKeySet', args: ['ann'] } }])
})

t.test('a code of the key in use is used up, and nothing else happens', async (t) => {
  const secondFactor = { ann: { key: 'old' } }
  const outcome = await POST(context({ params, body, caller, used, tables: { account, secondFactor } }))
  t.same(outcome.writes, { oneTimeCode: { ann: { step: 7 } } })
  const oneTimeCode = { ann: { step: 7 } }
  const again = () => POST(context({ params, body, caller, used, tables: { account, secondFactor, oneTimeCode } }))
  t.match(await refusal(again), { status: 401 }, 'not if another request has used it meanwhile')
})

t.test('there is no code without a key, and no key without an account', async (t) => {
  const none = await refusal(() => POST(context({ params, body, caller, used, tables: { account } })))
  t.same(none, {
    status: 409,
    messages: [['Base.GenerateSecretKeyRequired', '/redfish/v1/AccountService/Accounts/ann/']]
  })
  t.same(await refusal(() => POST(context({ params, body, caller, used }))), missing)
})
