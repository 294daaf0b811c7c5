import t from 'tap'
import { base32, keyUri, recoveryCode, secondFactorOf, typedCode, useUp } from '#data/accounts'
import { configuration } from '#data/configuration'
import type { State } from '#runtime/contract'

/** The state with some records of an account. */
const stateOf = (settings: object, secondFactor?: object, account: object | undefined = {}): State => ({
  get: (table) => ({ accountService: settings, secondFactor, account })[table as 'account'] as never,
  keys: () => []
})

const need = (...given: Parameters<typeof stateOf>) =>
  secondFactorOf(stateOf(...given), configuration, 'ann', 'Operator')

t.test('who has a key needs a code, and who has none needs a key, where codes are asked for', async (t) => {
  const asked = { secondFactor: true }
  t.same(need(asked, { key: 'sealed' }), { codeNeeded: true, keyNeeded: false })
  t.same(need(asked, { pending: 'sealed' }), { codeNeeded: false, keyNeeded: true })
  for (const settings of [{ secondFactor: false }, {}])
    t.same(need(settings, { key: 'sealed' }), { codeNeeded: false, keyNeeded: false })
})

t.test('an account with a key needs a code, even if its role does not require a second factor', async (t) => {
  const others = { secondFactor: true, secondFactorRoles: ['Administrator'] }
  t.same(need(others), { codeNeeded: false, keyNeeded: false })
  t.same(need(others, { key: 'sealed' }), { codeNeeded: true, keyNeeded: false })
})

t.test('accounts that are exempt, and users without an account, need nothing', async (t) => {
  const nothing = { codeNeeded: false, keyNeeded: false }
  t.same(need({ secondFactor: true }, { key: 'sealed', bypass: ['All'] }), nothing)
  const directory: State = {
    get: (table) => (table === 'accountService' ? { secondFactor: true } : undefined) as never,
    keys: () => []
  }
  t.same(secondFactorOf(directory, configuration, 'LDAP:ann', 'Operator'), nothing)
})

t.test('what another request has used up meanwhile is refused', async (t) => {
  const state: State = {
    get: (table) =>
      ({ oneTimeCode: { step: 7 }, secondFactor: { recoveryCodes: ['a', 'b'] } })[table as 'oneTimeCode'] as never,
    keys: () => []
  }
  const code = (step: number) => useUp(state, 'ann', { kind: 'TimeBasedOneTimePassword', step })
  const recovery = (digest: string) => useUp(state, 'ann', { kind: 'RecoveryCode', digest })
  t.same(code(8), { oneTimeCode: { ann: { step: 8 } } })
  t.same(recovery('a'), { secondFactor: { ann: { recoveryCodes: ['b'] } } })
  t.same(useUp(state, 'ann', undefined), {})
  t.throws(() => code(7), /UnauthorizedLoginAttempt/)
  t.throws(() => recovery('c'), /UnauthorizedLoginAttempt/)
})

t.test('bytes are written in base32 as in RFC 4648', async (t) => {
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const known = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' }
  for (const [text, encoded] of Object.entries(known)) t.equal(base32(hex(text)), encoded, text)
})

t.test('a recovery code is the same however it is typed', async (t) => {
  const code = recoveryCode('00112233445566778899')
  t.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  for (const typed of [code, code.toUpperCase(), code.replaceAll('-', ' ')]) t.equal(typedCode(typed), typedCode(code))
})

t.test('the address of a key names the controller and the user, whatever characters they have', async (t) => {
  t.equal(
    keyUri('rack 7: left', 'a@b', 'MY', 'SHA1'),
    'otpauth://totp/rack%207%3A%20left:a%40b?secret=MY&issuer=rack%207%3A%20left&algorithm=SHA1&digits=6&period=30'
  )
})
