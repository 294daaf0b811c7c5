import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { importHandlers, listHandlers } = await import(pathToFileURL('runtime/build/handlers.mjs').href)
const { handlerMistakes } = await import(pathToFileURL('runtime/build/checks/handlers.mjs').href)

const fixtures = 'test/runtime/build/fixtures'

/** The cases of a kind: a folder each, with the lines that the build prints in `stderr`. */
const cases = (kind: string) =>
  readdirSync(join(fixtures, kind)).map((name) => ({ name, folder: join(fixtures, kind, name) }))

/** What a case expects. */
const expected = (folder: string) => readFileSync(join(folder, 'stderr'), 'utf8').trimEnd().split('\n')

t.test('the build says what is wrong with a handler, and what to write instead', async (t) => {
  const listed = cases('handlers').map((each) => ({ ...each, files: listHandlers(resolve(each.folder), {}) }))
  const all = listed.flatMap(({ files }) => files)
  const { handlers, contract } = await importHandlers(all, t.testdir({}), [])
  for (const { name, folder, files } of listed) {
    t.same(handlerMistakes(handlers.splice(0, files.length), contract), expected(folder), name)
  }
})
