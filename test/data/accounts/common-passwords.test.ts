import { pathToFileURL } from 'node:url'
import t from 'tap'
import { commonPasswordFilter, isCommonPassword } from '#data/accounts'
import data from '#data/accounts/common-passwords.json' with { type: 'json' }

const { commonPasswords } = await import(pathToFileURL('runtime/build/common-passwords.mjs').href)
const list: string[] = commonPasswords()

t.test('the filter is made of the list', async (t) => {
  t.equal(Buffer.from(commonPasswordFilter(list)).toString('base64'), data.filter)
  t.equal(list.length, 4747)
})

t.test('the passwords of the list are common, whichever letters are capital', async (t) => {
  t.same(
    list.filter((each) => !isCommonPassword(each)),
    []
  )
  for (const each of ['password', 'Password1', 'QWERTYUIOP', '12345678', 'TrustNo1', '123456']) {
    t.ok(isCommonPassword(each), each)
  }
})

t.test("1 of 750 other passwords counts as common, and none in the project's pages does", async (t) => {
  const others = Array.from({ length: 7500 }, (_, number) => `${number}-horse-${number % 7}`)
  const taken = others.filter(isCommonPassword).length
  t.ok(taken > 5 && taken < 15, `${taken} of ${others.length}`)
  for (const each of ['correct horse', 'Tin-Whistle-7', 'Tour-of-5-minutes', '', 'ß'.repeat(64)]) {
    t.notOk(isCommonPassword(each), each)
  }
})
