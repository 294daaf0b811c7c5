import t from 'tap'
import { accountPolicy, passwordFault, passwordLacks, sessionPolicy } from '#data/accounts'
import { configuration } from '#data/configuration'

t.test('a policy that no client has set has the values of the configuration', async (t) => {
  t.same(accountPolicy(undefined, configuration), {
    minPasswordLength: 8,
    complexity: false,
    refuseGuessable: true,
    passwordHistory: 0,
    passwordExpirationDays: 0,
    basicAuth: 'Enabled',
    localAccounts: 'Enabled',
    lockoutThreshold: 5,
    lockoutDuration: 60,
    lockoutCounterResetAfter: 60,
    secondFactor: false
  })
  t.match(accountPolicy({ lockoutThreshold: 0 }, configuration), { lockoutThreshold: 0, lockoutDuration: 60 })
  t.same(sessionPolicy({ enabled: false }, configuration), { timeout: 1800, enabled: false })
})

t.test('a password is long enough and not too long', async (t) => {
  t.equal(passwordLacks('1234567', undefined, configuration), 'a length of at least 8 characters')
  t.equal(passwordLacks('12345678', undefined, configuration), undefined)
  t.equal(passwordLacks('x'.repeat(64), undefined, configuration), undefined)
  t.equal(passwordLacks('x'.repeat(65), undefined, configuration), 'a length of at most 64 characters')
})

t.test('a complex password has three of four kinds of characters, in any script', async (t) => {
  const policy = { complexity: true }
  for (const weak of ['abcdefgh', 'abcdefg1', 'ABCDEFG1', 'abcd efgh'])
    t.match(passwordLacks(weak, policy, configuration), /three of/)
  for (const good of ['Abcdefg1', 'abcd_ef1', 'Abcd efgh', 'Äbcdèfg1'])
    t.equal(passwordLacks(good, policy, configuration), undefined)
})

t.test(
  'a password that contains the name of its user, or that many people have, is refused unless that is switched off',
  async (t) => {
    const fault = (password: string, user: string, policy = {}) =>
      passwordFault(password, user, policy, configuration)?.key
    for (const [password, user] of [
      ['Lena-2025-x', 'lena'],
      ['xx.ADMINISTRATOR', 'Administrator'],
      ['12345-bob', 'Bob']
    ] as const) {
      t.equal(fault(password, user), 'Mgmt.PasswordContainsUserName', password)
      t.equal(fault(password, user, { refuseGuessable: false }), undefined)
    }
    t.equal(fault('a-Tin-Whistle-7', 'a'), undefined, 'a short name is a part of many words')
    t.equal(fault('ab', 'AB', { minPasswordLength: 1 }), 'Mgmt.PasswordContainsUserName')
    t.equal(fault('Password1', 'lena'), 'Mgmt.PasswordTooCommon')
    t.equal(fault('Password1', 'lena', { refuseGuessable: false }), undefined)
    t.equal(fault('short', 'short'), 'Mgmt.PasswordTooWeak')
    t.equal(fault('correct horse', 'lena'), undefined)
  }
)
