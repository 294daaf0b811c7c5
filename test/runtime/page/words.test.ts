import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { equipmentKinds, powerOperations } from '#data/fleet'
import { historyRanges } from '#data/telemetry'
import { vendorPrivileges } from '#runtime/contract'
import { en as fleetEn } from '#runtime/page/fleet/words/fleet-en.ts'
import { files } from '#runtime/page/fleet/words/index.ts'
import { offeredFaults } from '#runtime/page/rules/fleet.ts'
import { ranges } from '#runtime/page/rules/log.ts'
import { resets } from '#runtime/page/rules/power.ts'
import { en } from '#runtime/page/words/en.ts'
import {
  languages,
  loadNames,
  locale,
  nameOf,
  preferred,
  quantity,
  show,
  t as word
} from '#runtime/page/words/index.ts'

const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort()

const sources = readdirSync('runtime/page', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)words\//.test(name))
  .map((name) => readFileSync(join('runtime/page', name), 'utf8'))
  .join('\n')

t.test('each text has the same arguments in every language', async (t) => {
  const english = { ...en, names: await languages.en.names() }
  const wrong: string[] = []
  for (const [code, { load, names }] of Object.entries(languages)) {
    const translation = { ...(await load()), names: await names() }
    for (const kind of ['words', 'names', 'labels'] as const) {
      t.same(Object.keys(translation[kind]).sort(), Object.keys(english[kind]).sort(), `${code}: ${kind}`)
      for (const [name, text] of Object.entries(translation[kind])) {
        const isRight = text !== '' && `${places(text)}` === `${places(english[kind][name as never])}`
        if (!isRight) wrong.push(`${code}: ${name}: ${text}`)
      }
    }
  }
  t.same(wrong, [])
})

t.test('each word is used', async (t) => {
  const made = new Set([
    ...resets,
    ...vendorPrivileges.map((each) => `mayNot-${each}`),
    ...resets.map((each) => `${each}?`),
    'live',
    'lost',
    'full',
    'opening',
    'theme-system',
    'theme-light',
    'theme-dark',
    ...Object.keys(historyRanges),
    ...Object.keys(ranges).map((each) => `last${each}`)
  ])
  const unused = Object.keys(en.words).filter((each) => !made.has(each as never) && !sources.includes(`'${each}'`))
  t.same(unused, [])
})

t.test('a word is shown in the language that is chosen, with its arguments', async (t) => {
  t.teardown(() => show('en'))
  t.equal(word('now', '$1 {0}'), 'now: $1 {0}')
  await show('de')
  t.equal(word('On'), 'Einschalten')
  t.equal(word('ofWatts', 1600), 'von 1.600 W')
  t.equal(word('now', '1600'), 'jetzt: 1600')
  t.equal(quantity(1.5, 'GHz'), '1,5 GHz')
  t.equal(preferred(['fr-FR', 'de-AT']), 'de')
  t.equal(preferred(['fr']), 'en')
})

t.test('the names that forms need are loaded with the next language once they are needed', async (t) => {
  t.teardown(() => show('en'))
  await show('de')
  await loadNames()
  t.equal(nameOf(['HostName']), 'Rechnername')
  await show('ar')
  t.equal(nameOf(['HostName']), (await languages.ar.names()).HostName)
})

t.test(
  'arguments in a text from right to left run in their own direction, and numbers have Western digits',
  async (t) => {
    t.teardown(() => show('en'))
    await show('ar')
    t.match(word('now', '(/24)'), /: \u2068\(\/24\)\u2069$/)
    t.equal((1234.5).toLocaleString(locale.value), '1,234.5')
    t.equal(preferred(['ar-EG']), 'ar')
  }
)

t.test('each text of a fleet has the same arguments in every language, and is used', async (t) => {
  t.same(Object.keys(files).sort(), Object.keys(languages).sort())
  const wrong: string[] = []
  for (const [code, load] of Object.entries(files)) {
    const words: Readonly<Record<string, string>> = await load()
    t.same(Object.keys(words).sort(), Object.keys(fleetEn).sort(), code)
    for (const [name, text] of Object.entries(fleetEn))
      if (`${places(words[name]!)}` !== `${places(text)}`) wrong.push(`${code}: ${name}: ${words[name]}`)
  }
  t.same(wrong, [])
  const made = new Set([
    ...offeredFaults.flatMap(({ name, number }) => [name, `unit-${number?.unit}`]),
    ...Object.keys(powerOperations).map((each) => `${each}?`),
    ...['done', 'stopped', 'Open', 'Closed', 'Restarting', 'NoPower', 'Unknown', 'Mixed'],
    ...equipmentKinds
  ])
  t.same(
    Object.keys(fleetEn).filter((each) => !made.has(each) && !sources.includes(`f('${each}'`)),
    []
  )
  for (const { name } of offeredFaults) t.ok(Object.hasOwn(fleetEn, name), name)
})
