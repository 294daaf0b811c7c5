import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { generatePassword, makeFirstAdministrator } from '#runtime/service/accounts/administrator.ts'
import { Store } from '#runtime/store/store.ts'

/** A store without accounts, where the configuration wants presence after a loss, or not. */
async function open(t: Test, presenceAfterLoss = false) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const warnings: string[] = []
  t.capture(store.log, 'warning', (text: string) => warnings.push(text))
  const notes = t.capture(store.log, 'info', () => {})
  const accounts = { hash: async (_: object, password: string) => `hash of ${password}` }
  return {
    ...{ store, warnings, notes: () => notes().map(({ args }) => args) },
    make: (given?: string, hash?: string) =>
      makeFirstAdministrator(store, accounts, given, { ...configuration, presenceAfterLoss }, hash),
    admin: () => store.get('account', 'admin')
  }
}

t.test('the first administrator has the password that is given', async (t) => {
  const { make, admin, warnings, notes } = await open(t)
  t.equal(await make('Green-Door-4'), undefined)
  t.same(notes(), [['the first administrator was created', { user: 'admin', passwordChangeRequired: false }]])
  t.match(admin(), {
    ...{ name: 'admin', number: 1, role: 'Administrator', password: 'hash of Green-Door-4' },
    ...{ enabled: true, passwordChangeRequired: false, lockedUntil: 0, generation: /^[0-9a-f]{16}$/ }
  })
  t.same(warnings, [])
  await make('another')
  t.match(admin(), { password: 'hash of Green-Door-4' }, 'where there is an account, none is made')
})

t.test('the known hash of a given password is stored as it is', async (t) => {
  const { make, admin } = await open(t)
  await make('Green-Door-4', 'known hash')
  t.match(admin(), { password: 'known hash' })
})

t.test('a hash is not that of a generated password', async (t) => {
  const { make, admin } = await open(t)
  t.match(await make(undefined, 'known hash'), /./)
  t.match(admin(), { password: /^hash of / })
})

t.test('a password that is easy to guess is used, with a warning', async (t) => {
  const { make, admin, warnings } = await open(t)
  await make('admin')
  t.match(admin(), { password: 'hash of admin' })
  t.same(warnings, ['the password of the first administrator is easy to guess'])
})

t.test('without a password one is generated, which must be changed', async (t) => {
  const { make, admin, warnings, notes } = await open(t)
  const password = await make()
  t.same(notes(), [['the first administrator was created', { user: 'admin', passwordChangeRequired: true }]])
  t.match(password, /^[a-zA-Z2-9]{16}$/)
  t.match(admin(), { password: `hash of ${password}`, passwordChangeRequired: true })
  t.same(warnings, [])
})

for (const isWanted of [true, false]) {
  const title = `after a loss of all accounts the given password ${isWanted ? 'does not count: presence is' : 'counts if presence is not'} wanted`
  t.test(title, async (t) => {
    const { store, make, admin, warnings } = await open(t, isWanted)
    await store.commit({ recovery: { Store: { cause: '', source: 'New', asOf: null, recoveredAt: '' } } })
    t.equal((await make('Green-Door-4')) !== undefined, isWanted)
    t.match(admin(), { passwordChangeRequired: isWanted })
    t.match(warnings, isWanted ? [/is ignored$/] : [])
  })
}

t.test('without a loss the given password counts even if presence is wanted after one', async (t) => {
  const { make } = await open(t, true)
  t.equal(await make('Green-Door-4'), undefined)
})

t.test('generated passwords have every character of their alphabet about as often', async (t) => {
  const password = generatePassword(56 * 4000)
  const counts = new Map<string, number>()
  for (const character of password) counts.set(character, (counts.get(character) ?? 0) + 1)
  t.equal(password.length, 56 * 4000)
  t.equal(counts.size, 56)
  // Five standard deviations; the remainder of 256 would make 32 of them likelier by 9 %.
  for (const [character, count] of counts) t.ok(count > 3684 && count < 4316, `${character}: ${count}`)
})
