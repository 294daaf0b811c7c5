import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { resets } from '#runtime/page/rules/power.ts'
import { language, languages, names, preferred, t as word, words } from '#runtime/page/words.ts'

const sources = readdirSync('runtime/page', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && name !== 'words.ts')
  .map((name) => readFileSync(join('runtime/page', name), 'utf8'))
  .join('\n')

t.test('each word is there in every language, with the same arguments', async (t) => {
  const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort()
  for (const [name, texts] of Object.entries({ ...words, ...names })) {
    t.equal(texts.length, Object.keys(languages).length, name)
    for (const text of texts) {
      t.not(text, '', name)
      t.same(places(text), places(texts[0]), name)
    }
  }
})

t.test('each word is used', async (t) => {
  const made = new Set([...resets, ...resets.map((each) => `${each}?`), 'live', 'lost', 'full', 'opening'])
  const computed = /^(ResetAllKeysToDefault|DeleteAllKeys|DeletePK)\??$/
  const unused = Object.keys(words).filter(
    (each) => !made.has(each as never) && !computed.test(each) && !sources.includes(`'${each}'`)
  )
  t.same(unused, [])
})

t.test('a word is shown in the language that is chosen, with its arguments', async (t) => {
  t.teardown(() => {
    language.value = 'en'
  })
  t.equal(word('now', '$1 {0}'), 'now: $1 {0}')
  language.value = 'de'
  t.equal(word('On'), 'Einschalten')
  t.equal(preferred(['fr-FR', 'de-AT']), 'de')
  t.equal(preferred(['fr']), 'en')
})
