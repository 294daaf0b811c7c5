import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { historyRanges } from '#data/telemetry'
import { resets } from '#runtime/page/rules/power.ts'
import { en } from '#runtime/page/words/en.ts'
import { languages, preferred, show, t as word } from '#runtime/page/words/index.ts'

const sources = readdirSync('runtime/page', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('words/'))
  .map((name) => readFileSync(join('runtime/page', name), 'utf8'))
  .join('\n')

t.test('each text has the same arguments in every language', async (t) => {
  const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort()
  for (const [code, { load }] of Object.entries(languages)) {
    const translation = await load()
    for (const kind of ['words', 'names', 'labels'] as const) {
      t.same(Object.keys(translation[kind]).sort(), Object.keys(en[kind]).sort(), `${code}: ${kind}`)
      for (const [name, text] of Object.entries(translation[kind])) {
        t.not(text, '', name)
        t.same(places(text), places(en[kind][name as never]), `${code}: ${name}`)
      }
    }
  }
})

t.test('each word is used', async (t) => {
  const made = new Set([
    ...resets,
    ...resets.map((each) => `${each}?`),
    'live',
    'lost',
    'full',
    'opening',
    'theme-system',
    'theme-light',
    'theme-dark',
    ...Object.keys(historyRanges)
  ])
  const computed = /^(ResetAllKeysToDefault|DeleteAllKeys|DeletePK)\??$/
  const unused = Object.keys(en.words).filter(
    (each) => !made.has(each as never) && !computed.test(each) && !sources.includes(`'${each}'`)
  )
  t.same(unused, [])
})

t.test('a word is shown in the language that is chosen, with its arguments', async (t) => {
  t.teardown(() => show('en'))
  t.equal(word('now', '$1 {0}'), 'now: $1 {0}')
  await show('de')
  t.equal(word('On'), 'Einschalten')
  t.equal(preferred(['fr-FR', 'de-AT']), 'de')
  t.equal(preferred(['fr']), 'en')
})
