// own process: it starts what was built
// needs: oathtool
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the tour of the second factor works as printed', async (t) => {
  const { times } = await followPage(t, 'docs/tours/second-factor.md')
  t.equal(times('Base.1.12.GenerateSecretKeyRequired'), 1, 'without a key')
  t.equal(times('"RecoveryCodes":['), 1)
  t.equal(times('Base.1.12.AuthenticationTokenRequired'), 2, 'without a code, by HTTP Basic and by a login')
  t.equal(times('"SecondFactor":"TimeBasedOneTimePassword"'), 1, 'with it')
  t.equal(times('OneTimeCodeIncorrect'), 1, 'with the same again')
})
