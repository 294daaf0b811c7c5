import t from 'tap'
import { languages } from '#runtime/page/words/index.ts'
import { shownEnumerations } from './enumerations.ts'

/** Terms of the trade are their own words: SATA, DDR5. */
const isTerm = (value: string) => /^[A-Z\d]+$/.test(value)

t.test('each value of an enumeration that a screen shows has a label in every language', async (t) => {
  const enumerations = shownEnumerations()
  t.ok(enumerations.size > 20)
  for (const [code, { load }] of Object.entries(languages)) {
    const { labels } = await load()
    for (const [name, values] of enumerations) {
      const missing = [...values].filter((each) => !isTerm(each) && !Object.hasOwn(labels, each))
      t.same(missing, [], `${code}: ${name}`)
    }
  }
})
