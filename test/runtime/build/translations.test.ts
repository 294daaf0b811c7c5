import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t, { type Test } from 'tap'

const { translations } = await import(pathToFileURL('runtime/build/translations.mjs').href)

const english = {
  'app.ts': '',
  'en.ts': "export const en = { words: { hello: 'Hello', health: 'Health' }, labels: { OK: 'Fine' } }",
  'names-en.ts': "export const en = { Port: 'Port', HostName: 'Name' }"
}

/** A module that exports what is said, from languages in a folder, and its text. */
async function bundle(t: Test, files: Readonly<Record<string, string>>, entry: string) {
  // esbuild follows links, and the folder of fixtures is one.
  const folder = realpathSync(t.testdir({ ...english, ...files, 'entry.ts': entry }))
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'entry.ts')],
    write: false,
    bundle: true,
    format: 'esm',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [translations(folder, join(folder, 'app.ts'), [])]
  })
  const text = outputFiles[0]?.text ?? ''
  return { text, exported: await import(`data:text/javascript,${encodeURIComponent(text)}`) }
}

t.test('a language has its words and labels under the English keys, which its file does not repeat', async (t) => {
  const de =
    "export const de = { labels: { OK: 'In Ordnung' }, words: { health: 'Zustand \\'1\\'', hello: 'Grüß Gott' } }"
  const { text, exported } = await bundle(t, { 'de.ts': de }, "export { de } from './de.ts'")
  t.same(exported.de, { words: { hello: 'Grüß Gott', health: "Zustand '1'" }, labels: { OK: 'In Ordnung' } })
  for (const key of ['hello', 'health', 'OK']) t.equal(text.split(new RegExp(`\\b${key}\\b`)).length, 2, `${key} once`)
})

t.test('the names in all languages have one list of keys', async (t) => {
  const ar = "export const ar = { HostName: 'الاسم', Port: 'المنفذ' }"
  const entry = "export { en } from './names-en.ts'\nexport { ar } from './names-ar.ts'"
  const { text, exported } = await bundle(t, { 'names-ar.ts': ar }, entry)
  t.same(exported.en, { Port: 'Port', HostName: 'Name' })
  t.same(exported.ar, { Port: 'المنفذ', HostName: 'الاسم' })
  t.equal(text.split('HostName').length, 2)
})

t.test('a text of more than one line is a build error that shows it', async (t) => {
  const de = "export const de = { words: { hello: 'Grüß\\nGott', health: '' }, labels: { OK: '' } }"
  await t.rejects(bundle(t, { 'de.ts': de }, "export { de } from './de.ts'"), /more than one line/)
})
